// Reading the attributes of groups and arrays.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "tacit/io/detail/hdf5.hpp"
#include "tacit/io/detail/reader_handle.hpp"
#include "tacit/io/file.hpp"

namespace tacit::io {

using detail::element_count;
using detail::is_number;
using detail::number_of;
using detail::shape_of;

namespace {

// More than any real attribute holds; a hostile one may claim anything.
constexpr std::uint64_t max_attribute_bytes = 16U << 20;

herr_t collect_attribute(hid_t, const char* name, const H5A_info_t*, void* names) try {
  static_cast<std::vector<std::string>*>(names)->emplace_back(name);
  return 0;
} catch (...) {
  return -1;
}

}  // namespace

bool FileReader::has_attribute(const std::string& object, const std::string& name) const {
  const detail::Session session;
  return handle_->presence(object) == Handle::Presence::there &&
         H5Aexists(handle_->open(object).get(), name.c_str()) > 0;
}

std::vector<double> FileReader::attribute(const std::string& object, const std::string& name) const {
  const detail::Session session;
  const detail::Attribute attribute = handle_->open_attribute(object, name);
  const detail::Type type(H5Aget_type(attribute.get()));
  const detail::Space space(H5Aget_space(attribute.get()));
  if (!type || !space) handle_->fail_attribute(object, name);
  if (!is_number(number_of(type.get()))) {
    handle_->fail(
        fmt::format("{}: attribute '{}' holds {}, expected numbers", object, name, detail::description_of(type.get())));
  }
  const std::uint64_t count =
      H5Sget_simple_extent_type(space.get()) == H5S_NULL ? 0 : element_count(shape_of(space.get()));
  if (count == 0 || count > max_attribute_bytes / sizeof(double)) {
    handle_->fail(fmt::format("{}: attribute '{}' has {} elements, expected a few", object, name, count));
  }
  std::vector<double> values(count);
  if (H5Aread(attribute.get(), H5T_NATIVE_DOUBLE, values.data()) < 0) handle_->fail_attribute(object, name);
  return values;
}

std::string FileReader::text_attribute(const std::string& object, const std::string& name) const {
  const detail::Session session;
  const detail::Attribute attribute = handle_->open_attribute(object, name);
  const detail::Type type(H5Aget_type(attribute.get()));
  const detail::Space space(H5Aget_space(attribute.get()));
  if (!type || !space) handle_->fail_attribute(object, name);
  const bool is_single =
      H5Sget_simple_extent_type(space.get()) != H5S_NULL && element_count(shape_of(space.get())) == 1;
  if (H5Tget_class(type.get()) != H5T_STRING || !is_single) {
    handle_->fail(fmt::format("{}: attribute '{}' is not a text", object, name));
  }
  if (H5Tis_variable_str(type.get()) > 0) {
    char* text = nullptr;
    if (H5Aread(attribute.get(), type.get(), &text) < 0) handle_->fail_attribute(object, name);
    const std::unique_ptr<char, herr_t (*)(void*)> owner(text, [](void* memory) { return H5free_memory(memory); });
    return text == nullptr ? "" : text;
  }
  const std::size_t size = H5Tget_size(type.get());
  if (size > max_attribute_bytes) handle_->fail_attribute(object, name);
  std::string text(size, '\0');
  if (H5Aread(attribute.get(), type.get(), text.data()) < 0) handle_->fail_attribute(object, name);
  text.resize(std::min(size, text.find('\0')));  // whatever the padding, a text ends at its first zero
  return text;
}

AttributeKind FileReader::attribute_kind(const std::string& object, const std::string& name) const {
  const detail::Session session;
  const detail::Attribute attribute = handle_->open_attribute(object, name);
  const detail::Type type(H5Aget_type(attribute.get()));
  const detail::Space space(H5Aget_space(attribute.get()));
  if (!type || !space) handle_->fail_attribute(object, name);
  const bool is_empty = H5Sget_simple_extent_type(space.get()) == H5S_NULL;
  const std::uint64_t count = is_empty ? 0 : element_count(shape_of(space.get()));
  const Number number = number_of(type.get());
  if (number == Number::text && count == 1) return AttributeKind::text;
  const bool is_readable = is_number(number) && count > 0 && count <= max_attribute_bytes / sizeof(double);
  return is_readable ? AttributeKind::numbers : AttributeKind::other;
}

std::vector<std::string> FileReader::attribute_names(const std::string& object) const {
  const detail::Session session;
  const detail::Object owner = handle_->open(object);
  std::vector<std::string> names;
  if (H5Aiterate2(owner.get(), H5_INDEX_NAME, H5_ITER_INC, nullptr, collect_attribute, &names) < 0) {
    handle_->fail(
        fmt::format("{}: its attributes cannot be listed: the file is damaged ({})", object, detail::failure_reason()));
  }
  return names;
}

}  // namespace tacit::io
