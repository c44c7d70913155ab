// Reading HDF5: every size, type, link and filter is looked at before anything is allocated for it.
// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <numeric>
#include <utility>

#include "tacit/io/detail/hdf5.hpp"
#include "tacit/io/file.hpp"

namespace tacit::io {
namespace {

namespace fs = std::filesystem;
using base::FormatError;

// More than any real attribute holds; a hostile one may claim anything.
constexpr std::uint64_t max_attribute_bytes = 16U << 20;

herr_t refuse_link(const char*, const char*, const char*, const char*, unsigned*, hid_t, void*) { return -1; }

/// How links are followed: never out of the file.
detail::Properties link_access() {
  detail::Properties access(H5Pcreate(H5P_LINK_ACCESS));
  H5Pset_elink_cb(access.get(), refuse_link, nullptr);
  return access;
}

// HDF5 allows the signature at 0, 512, 1024, 2048, ...; its own check does not tell "not HDF5" from "cannot be read".
bool has_signature(int file, std::uint64_t size) {
  constexpr std::array<char, 8> signature{'\x89', 'H', 'D', 'F', '\r', '\n', '\x1a', '\n'};
  for (std::uint64_t offset = 0; offset + signature.size() <= size; offset = offset == 0 ? 512 : offset * 2) {
    std::array<char, 8> bytes{};
    if (::pread(file, bytes.data(), bytes.size(), static_cast<off_t>(offset)) != 8) return false;
    if (bytes == signature) return true;
  }
  return false;
}

void check_before_opening(const fs::path& path) {
  const std::string name = path.string();
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) throw base::SystemError(name, "cannot be opened for reading", errno);
  if (S_ISDIR(status.st_mode)) throw base::SystemError(name, "is a directory, expected an HDF5 file");
  if (!S_ISREG(status.st_mode)) throw base::SystemError(name, "is no regular file, expected an HDF5 file");
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) throw base::SystemError(name, "cannot be opened for reading", errno);
  const auto size = static_cast<std::uint64_t>(status.st_size);
  const bool is_hdf5 = has_signature(file, size);
  ::close(file);
  if (size == 0) throw FormatError(name, "is empty, expected an HDF5 file");
  if (!is_hdf5) throw FormatError(name, "is not an HDF5 file");
}

detail::File open_file(const fs::path& path) {
  const detail::Properties access(H5Pcreate(H5P_FILE_ACCESS));
#if H5_VERSION_GE(1, 10, 7)
  H5Pset_file_locking(access.get(), 0, 1);  // what we read is never rewritten in place, and locks fail on some networks
#endif
  detail::File file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, access.get()));
  if (file) return file;
  // Said here, before the properties are closed: any call to the library makes it forget the reason.
  throw FormatError(path.string(), "is a truncated or damaged HDF5 file (" + detail::failure_reason() + ")");
}

struct TypeName {
  Number number;
  std::string_view name;
};
constexpr std::array<TypeName, 8> type_names{{{Number::float32, "float32"},
                                              {Number::float64, "float64"},
                                              {Number::int32, "int32"},
                                              {Number::int64, "int64"},
                                              {Number::uint32, "uint32"},
                                              {Number::uint64, "uint64"},
                                              {Number::text, "text"},
                                              {Number::other, "values of another type"}}};

std::string_view name_of(Number number) {
  return std::find_if(type_names.begin(), type_names.end(), [&](const auto& type) { return type.number == number; })
      ->name;
}

// Only the standard layouts count as numbers: a damaged header can describe floats that send the conversion astray.
Number number_of(hid_t type) {
  const auto is = [type](hid_t little, hid_t big) { return H5Tequal(type, little) > 0 || H5Tequal(type, big) > 0; };
  if (H5Tget_class(type) == H5T_STRING) return Number::text;
  if (is(H5T_IEEE_F32LE, H5T_IEEE_F32BE)) return Number::float32;
  if (is(H5T_IEEE_F64LE, H5T_IEEE_F64BE)) return Number::float64;
  if (is(H5T_STD_I64LE, H5T_STD_I64BE)) return Number::int64;
  if (is(H5T_STD_U64LE, H5T_STD_U64BE)) return Number::uint64;
  if (is(H5T_STD_I32LE, H5T_STD_I32BE) || is(H5T_STD_I16LE, H5T_STD_I16BE) || is(H5T_STD_I8LE, H5T_STD_I8BE)) {
    return Number::int32;
  }
  if (is(H5T_STD_U32LE, H5T_STD_U32BE) || is(H5T_STD_U16LE, H5T_STD_U16BE) || is(H5T_STD_U8LE, H5T_STD_U8BE)) {
    return Number::uint32;
  }
  return Number::other;
}

/// Rows that are packed together: those of a chunk.
std::uint64_t chunk_rows(hid_t array) {
  const detail::Properties creation(H5Dget_create_plist(array));
  std::array<hsize_t, H5S_MAX_RANK> chunk{};
  if (H5Pget_layout(creation.get()) != H5D_CHUNKED) return 1;
  return H5Pget_chunk(creation.get(), H5S_MAX_RANK, chunk.data()) > 0 ? std::max<std::uint64_t>(chunk[0], 1) : 1;
}

bool is_number(Number number) { return number != Number::text && number != Number::other; }
bool is_integer(Number number) { return is_number(number) && number != Number::float32 && number != Number::float64; }

std::vector<std::uint64_t> shape_of(hid_t space) {
  const int rank = H5Sget_simple_extent_ndims(space);
  std::vector<hsize_t> dims(static_cast<std::size_t>(std::max(rank, 0)));
  if (rank > 0) H5Sget_simple_extent_dims(space, dims.data(), nullptr);
  return {dims.begin(), dims.end()};
}

/// a * b, or the largest number if it does not fit.
std::uint64_t times(std::uint64_t a, std::uint64_t b) { return b != 0 && a > UINT64_MAX / b ? UINT64_MAX : a * b; }

std::uint64_t element_count(std::span<const std::uint64_t> shape) {
  return std::accumulate(shape.begin(), shape.end(), std::uint64_t{1}, times);
}

herr_t collect_name(hid_t, const char* name, const H5L_info_t*, void* names) try {
  static_cast<std::vector<std::string>*>(names)->emplace_back(name);
  return 0;
} catch (...) {
  return -1;
}

herr_t collect_attribute(hid_t, const char* name, const H5A_info_t*, void* names) try {
  static_cast<std::vector<std::string>*>(names)->emplace_back(name);
  return 0;
} catch (...) {
  return -1;
}

}  // namespace

/// All rows of an array, or those from `first` on.
struct Rows {
  bool all = true;
  std::uint64_t first = 0;
};

struct FileReader::Handle {
  fs::path path;
  detail::File file;
  detail::Properties links;

  [[noreturn]] void fail(const std::string& what) const { throw FormatError(path.string(), what); }

  /// Checks each part of `name`, since asking for a link inside a missing group is an error to the library.
  [[nodiscard]] bool has(const std::string& name) const {
    for (std::size_t end = name.find('/', 1);; end = name.find('/', end + 1)) {
      const std::string part = name.substr(0, end);
      if (part.empty() || part == "/") return true;
      if (H5Lexists(file.get(), part.c_str(), links.get()) <= 0) return false;
      if (H5Oexists_by_name(file.get(), part.c_str(), links.get()) <= 0) return false;
      if (end == std::string::npos) return true;
    }
  }

  [[nodiscard]] detail::Object open(const std::string& name) const {
    detail::Object object(H5Oopen(file.get(), name.c_str(), links.get()));
    if (object) return object;
    const std::string reason = detail::failure_reason();
    if (!has(name)) fail(name + " is missing");
    fail(fmt::format("{} cannot be read: the file is damaged ({})", name, reason));
  }

  [[nodiscard]] detail::Object open_array(const std::string& name) const {
    detail::Object object = open(name);
    if (H5Iget_type(object.get()) != H5I_DATASET) fail(name + " is a group, expected an array");
    return object;
  }

  [[nodiscard]] detail::Attribute open_attribute(const std::string& object, const std::string& name) const {
    const detail::Object owner = open(object);
    if (H5Aexists(owner.get(), name.c_str()) <= 0) fail(fmt::format("{}: attribute '{}' is missing", object, name));
    detail::Attribute attribute(H5Aopen(owner.get(), name.c_str(), H5P_DEFAULT));
    if (!attribute) fail_attribute(object, name);
    return attribute;
  }

  [[noreturn]] void fail_attribute(const std::string& object, const std::string& name) const {
    fail(fmt::format("{}: attribute '{}' cannot be read: the file is damaged ({})", object, name,
                     detail::failure_reason()));
  }

  void check_storage(const std::string& name, hid_t array, std::uint64_t bytes) const;
  void check_chunks(const std::string& name, hid_t array, hid_t creation, std::uint64_t bytes) const;
  void check_filters(const std::string& name, hid_t creation, double& ratio) const;
  void read(const std::string& name, const Rows& rows, std::size_t count, bool integers, hid_t memory_type,
            void* out) const;
  [[nodiscard]] detail::Space select_rows(const std::string& name, const detail::Space& space,
                                          std::span<const std::uint64_t> shape, std::uint64_t first,
                                          std::uint64_t count) const;
  void read_counts(const std::string& name, const Rows& rows, std::span<std::uint64_t> out) const;
};

// Deflate packs at most 1032 to 1; other filters may store a constant in almost nothing.
void FileReader::Handle::check_filters(const std::string& name, hid_t creation, double& ratio) const {
  const int count = H5Pget_nfilters(creation);
  for (int i = 0; i < count; ++i) {
    unsigned flags = 0;
    std::size_t values = 0;
    const H5Z_filter_t filter =
        H5Pget_filter2(creation, static_cast<unsigned>(i), &flags, &values, nullptr, 0, nullptr, nullptr);
    if (H5Zfilter_avail(filter) <= 0) {
      fail(
          fmt::format("{} is stored with filter {}, which this HDF5 library does not have; repack the file, for "
                      "example with h5repack -f GZIP=4",
                      name, static_cast<int>(filter)));
    }
    const bool plain = filter == H5Z_FILTER_SHUFFLE || filter == H5Z_FILTER_FLETCHER32;
    if (!plain) ratio *= filter == H5Z_FILTER_DEFLATE ? 1100.0 : 1e5;
  }
}

void FileReader::Handle::check_storage(const std::string& name, hid_t array, std::uint64_t bytes) const {
  const detail::Properties creation(H5Dget_create_plist(array));
  if (H5Pget_external_count(creation.get()) > 0) fail(name + " keeps its data in another file, which is not followed");
  const H5D_layout_t layout = H5Pget_layout(creation.get());
  if (layout == H5D_VIRTUAL) fail(name + " is a virtual array over other files; give the file with the data itself");
  double ratio = 1.0;
  check_filters(name, creation.get(), ratio);
  const std::uint64_t stored = H5Dget_storage_size(array);
  if (static_cast<double>(bytes) > ratio * static_cast<double>(stored)) {
    fail(fmt::format("{} claims {} bytes of data, but the file stores only {} for it: truncated or damaged", name,
                     bytes, stored));
  }
  if (layout == H5D_CHUNKED) check_chunks(name, array, creation.get(), bytes);
}

// In files without checksums on metadata a damaged chunk shape makes the library copy beyond the unpacked chunk (seen
// with 1.10.8). Such a shape does not fit the array, the number of chunks or the place of the last one.
void FileReader::Handle::check_chunks(const std::string& name, hid_t array, hid_t creation, std::uint64_t bytes) const {
  const std::string damaged = name + " is stored in pieces that do not fit its shape: truncated or damaged";
  const detail::Space space(H5Dget_space(array));
  std::array<hsize_t, H5S_MAX_RANK> chunk{}, shape{}, largest{}, last{};
  const int rank = H5Sget_simple_extent_dims(space.get(), shape.data(), largest.data());
  if (rank <= 0 || H5Pget_chunk(creation, H5S_MAX_RANK, chunk.data()) != rank) fail(damaged);
  std::uint64_t expected = 1;
  std::uint64_t elements = 1;
  for (std::size_t i = 0; i < static_cast<std::size_t>(rank); ++i) {
    if (chunk[i] == 0 || (chunk[i] > shape[i] && largest[i] == shape[i])) fail(damaged);
    last[i] = (shape[i] - 1) / chunk[i] * chunk[i];
    expected = times(expected, last[i] / chunk[i] + 1);
    elements = times(elements, chunk[i]);
  }
  // One chunk at a time is unpacked in memory.
  if (elements > std::max(bytes, std::uint64_t{64} << 20)) fail(damaged);
#if H5_VERSION_GE(1, 10, 5)
  hsize_t count = 0;
  hsize_t stored = 0;
  unsigned skipped_filters = 0;
  haddr_t address = HADDR_UNDEF;
  if (H5Dget_num_chunks(array, space.get(), &count) < 0 || count != expected ||
      H5Dget_chunk_info_by_coord(array, last.data(), &skipped_filters, &address, &stored) < 0 ||
      address == HADDR_UNDEF || skipped_filters != 0) {
    fail(damaged);
  }
#endif
}

void FileReader::Handle::read(const std::string& name, const Rows& rows, std::size_t count, bool integers,
                              hid_t memory_type, void* out) const {
  const detail::Object array = open_array(name);
  const detail::Type stored_type(H5Dget_type(array.get()));
  const detail::Space space(H5Dget_space(array.get()));
  if (!stored_type || !space) fail(name + " cannot be read: the file is damaged");
  const Number type = number_of(stored_type.get());
  if (integers ? !is_integer(type) : !is_number(type)) {
    fail(fmt::format("{} holds {}, expected {}", name, name_of(type), integers ? "integers" : "numbers"));
  }
  const std::vector<std::uint64_t> shape = shape_of(space.get());
  if (H5Sget_simple_extent_type(space.get()) == H5S_NULL) {
    fail(fmt::format("{} has shape (), expected {} elements", name, count));
  }
  detail::Space memory;
  if (!rows.all) memory = select_rows(name, space, shape, rows.first, count);
  if (rows.all && element_count(shape) != count) {
    fail(fmt::format("{} has shape ({}), expected {} elements", name, fmt::join(shape, ", "), count));
  }
  if (count == 0) return;
  check_storage(name, array.get(), times(element_count(shape), H5Tget_size(stored_type.get())));
  const hid_t selection = rows.all ? H5S_ALL : space.get();
  if (H5Dread(array.get(), memory_type, memory ? memory.get() : H5S_ALL, selection, H5P_DEFAULT, out) < 0) {
    fail(fmt::format("{} cannot be read: the file is damaged ({})", name, detail::failure_reason()));
  }
}

/// Selects in `space` the rows from `first` on that hold `count` numbers; returns the space of these numbers in memory.
detail::Space FileReader::Handle::select_rows(const std::string& name, const detail::Space& space,
                                              std::span<const std::uint64_t> shape, std::uint64_t first,
                                              std::uint64_t count) const {
  const std::uint64_t per_row = shape.empty() ? 0 : element_count(shape.subspan(1));
  const std::uint64_t rows = per_row == 0 ? 0 : count / per_row;
  if (rows * per_row != count || (!shape.empty() && (first > shape[0] || rows > shape[0] - first))) {
    fail(fmt::format("{} has shape ({}), expected {} elements from row {} on", name, fmt::join(shape, ", "), count,
                     first));
  }
  std::vector<hsize_t> begin(shape.size(), 0);
  std::vector<hsize_t> extent(shape.begin(), shape.end());
  if (!shape.empty()) {
    begin[0] = first;
    extent[0] = rows;
  }
  const hsize_t numbers = count;
  if (count > 0) {
    H5Sselect_hyperslab(space.get(), H5S_SELECT_SET, begin.data(), nullptr, extent.data(), nullptr);
  }
  return detail::Space(H5Screate_simple(1, &numbers, nullptr));
}

/// Reads non-negative integers; signed ones as what they are, since the library would turn negative ones into 0.
void FileReader::Handle::read_counts(const std::string& name, const Rows& rows, std::span<std::uint64_t> out) const {
  const detail::Object array = open_array(name);
  const detail::Type stored_type(H5Dget_type(array.get()));
  const Number stored = stored_type ? number_of(stored_type.get()) : Number::other;
  const bool is_signed = stored == Number::int32 || stored == Number::int64;
  read(name, rows, out.size(), true, is_signed ? H5T_NATIVE_INT64 : H5T_NATIVE_UINT64, out.data());
  if (!is_signed) return;
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (const auto value = static_cast<std::int64_t>(out[i]); value < 0) {
      fail(fmt::format("{}: element {} is {}, expected an integer >= 0", name, rows.first + i, value));
    }
  }
}

FileReader::FileReader(const fs::path& path) : handle_(std::make_unique<Handle>()) {
  check_before_opening(path);
  const detail::Session session;
  handle_->path = path;
  handle_->links = link_access();
  handle_->file = open_file(path);
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
  return handle_->has(name);
}

bool FileReader::is_array(const std::string& name) const {
  const detail::Session session;
  return handle_->has(name) && H5Iget_type(handle_->open(name).get()) == H5I_DATASET;
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
  const detail::Session session;
  handle_->read(array, {}, out.size(), false, H5T_NATIVE_DOUBLE, out.data());
}

void FileReader::read(const std::string& array, std::span<std::uint64_t> out) const {
  const detail::Session session;
  handle_->read_counts(array, {}, out);
}

void FileReader::read_rows(const std::string& array, std::uint64_t first_row, std::span<double> out) const {
  const detail::Session session;
  handle_->read(array, {false, first_row}, out.size(), false, H5T_NATIVE_DOUBLE, out.data());
}

void FileReader::read_rows(const std::string& array, std::uint64_t first_row, std::span<std::uint64_t> out) const {
  const detail::Session session;
  handle_->read_counts(array, {false, first_row}, out);
}

std::vector<std::byte> FileReader::read_bytes(const std::string& array) const {
  const detail::Session session;
  const ArrayInfo about = info(array);
  const std::uint64_t count = element_count(about.shape);
  std::vector<std::byte> bytes(is_number(about.type) ? times(count, bytes_of(about.type)) : 0);
  handle_->read(array, {}, count, false, detail::native_type(about.type), bytes.data());
  return bytes;
}

bool FileReader::has_attribute(const std::string& object, const std::string& name) const {
  const detail::Session session;
  return handle_->has(object) && H5Aexists(handle_->open(object).get(), name.c_str()) > 0;
}

std::vector<double> FileReader::attribute(const std::string& object, const std::string& name) const {
  const detail::Session session;
  const detail::Attribute attribute = handle_->open_attribute(object, name);
  const detail::Type type(H5Aget_type(attribute.get()));
  const detail::Space space(H5Aget_space(attribute.get()));
  if (!type || !space) handle_->fail_attribute(object, name);
  if (const Number number = number_of(type.get()); !is_number(number)) {
    handle_->fail(fmt::format("{}: attribute '{}' holds {}, expected numbers", object, name, name_of(number)));
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
