// Reading HDF5: groups, arrays and rows of arrays.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "tacit/io/detail/hdf5.hpp"
#include "tacit/io/detail/parts_table.hpp"
#include "tacit/io/detail/reader_handle.hpp"
#include "tacit/io/file.hpp"

namespace tacit::io {

namespace fs = std::filesystem;
using detail::element_count;
using detail::is_number;
using detail::number_of;
using detail::shape_of;
using detail::times;

namespace {

/// Of a virtual array: as many as make some hundred kB.
std::uint64_t rows_of_a_piece(hid_t array) {
  const detail::Space space(H5Dget_space(array));
  const detail::Type type(H5Dget_type(array));
  const std::vector<std::uint64_t> shape = shape_of(space.get());
  const std::uint64_t row =
      shape.empty() ? 1 : times(element_count(std::span(shape).subspan(1)), H5Tget_size(type.get()));
  return std::max<std::uint64_t>((std::uint64_t{1} << 19U) / std::max<std::uint64_t>(row, 1), 1);
}

/// Rows that are packed together: those of a chunk.
std::uint64_t chunk_rows(hid_t array) {
  const detail::Properties creation(H5Dget_create_plist(array));
  std::array<hsize_t, H5S_MAX_RANK> chunk{};
  if (H5Pget_layout(creation.get()) == H5D_VIRTUAL) return rows_of_a_piece(array);
  if (H5Pget_layout(creation.get()) != H5D_CHUNKED) return 1;
  return H5Pget_chunk(creation.get(), H5S_MAX_RANK, chunk.data()) > 0 ? std::max<std::uint64_t>(chunk[0], 1) : 1;
}

herr_t collect_name(hid_t, const char* name, const H5L_info_t*, void* names) try {
  static_cast<std::vector<std::string>*>(names)->emplace_back(name);
  return 0;
} catch (...) {
  return -1;
}

}  // namespace

FileReader::FileReader(const fs::path& path, Parts parts, const Reading& reading)
    : handle_(std::make_unique<Handle>()) {
  const detail::Session session;
  handle_->path = path;
  handle_->reading = reading;
  handle_->links = detail::link_access();
  handle_->file = detail::open_file(path);
  try {
    if (parts == Parts::needed && has(detail::parts_group)) {
      handle_->look_at_parts(text_attribute(detail::parts_group, detail::parts_attribute));
    }
  } catch (...) {
    handle_.reset();  // while the library is ours
    throw;
  }
}

FileReader::~FileReader() {
  const detail::Session session;
  handle_.reset();
}
FileReader::FileReader(FileReader&&) noexcept = default;
FileReader& FileReader::operator=(FileReader&& other) noexcept {
  const detail::Session session;
  handle_ = std::move(other.handle_);
  return *this;
}

const fs::path& FileReader::path() const noexcept { return handle_->path; }

bool FileReader::has(const std::string& name) const {
  const detail::Session session;
  const Handle::Presence found = handle_->presence(name);
  if (found == Handle::Presence::dangling) handle_->fail_dangling(name);
  return found == Handle::Presence::there;
}

bool FileReader::is_array(const std::string& name) const {
  const detail::Session session;
  return handle_->presence(name) == Handle::Presence::there && H5Iget_type(handle_->open(name).get()) == H5I_DATASET;
}

std::vector<std::string> FileReader::list(const std::string& group) const {
  const detail::Session session;
  const detail::Object object = handle_->open(group);
  if (H5Iget_type(object.get()) != H5I_GROUP) handle_->fail(group + " is an array, expected a group");
  std::vector<std::string> names;
  if (H5Literate(object.get(), H5_INDEX_NAME, H5_ITER_INC, nullptr, collect_name, &names) < 0) {
    handle_->fail(fmt::format("{} cannot be listed: the file is damaged ({})", group, detail::failure_reason()));
  }
  return names;
}

ArrayInfo FileReader::info(const std::string& array) const {
  const detail::Session session;
  const detail::Object object = handle_->open_array(array);
  const detail::Type type(H5Dget_type(object.get()));
  const detail::Space space(H5Dget_space(object.get()));
  if (!type || !space) handle_->fail(array + " cannot be read: the file is damaged");
  std::vector<std::uint64_t> shape = shape_of(space.get());
  const std::uint64_t count = element_count(shape);
  if (count > 0) handle_->check_storage(array, object.get(), times(count, H5Tget_size(type.get())));
  return {std::move(shape), number_of(type.get()), H5Dget_storage_size(object.get()), chunk_rows(object.get())};
}

void FileReader::read(const std::string& array, std::span<double> out) const {
  handle_->read(array, {}, out.size(), false, Number::float64, std::as_writable_bytes(out));
}

void FileReader::read(const std::string& array, std::span<std::uint64_t> out) const {
  handle_->read_counts(array, {}, out);
}

void FileReader::read_rows(const std::string& array, std::uint64_t first_row, std::span<double> out) const {
  handle_->read(array, {false, first_row}, out.size(), false, Number::float64, std::as_writable_bytes(out));
}

void FileReader::read_rows(const std::string& array, std::uint64_t first_row, std::span<std::uint64_t> out) const {
  handle_->read_counts(array, {false, first_row}, out);
}

void FileReader::read_rows(const std::string& array, std::uint64_t first_row, std::span<std::byte> out) const {
  const Number type = handle_->number_type(array);
  const std::size_t count = is_number(type) ? count_of(type, out.size()) : out.size();
  TACIT_EXPECT(!is_number(type) || out.size() == count * bytes_of(type));
  handle_->read(array, {false, first_row}, count, false, type, out);
}

void FileReader::read_part(const std::string& array, const Part& part, std::span<double> out) const {
  handle_->read_part(array, part, out);
}

std::vector<std::byte> FileReader::read_bytes(const std::string& array) const {
  const ArrayInfo about = info(array);
  const std::uint64_t count = element_count(about.shape);
  std::vector<std::byte> bytes(is_number(about.type) ? times(count, bytes_of(about.type)) : 0);
  handle_->read(array, {}, count, false, about.type, bytes);
  return bytes;
}

}  // namespace tacit::io
