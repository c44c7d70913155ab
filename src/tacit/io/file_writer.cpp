// Writing HDF5: the whole file is built in memory, then handed to the disk in one piece.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <numeric>
#include <utility>

#include "tacit/io/detail/atomic_write.hpp"
#include "tacit/io/detail/hdf5.hpp"
#include "tacit/io/file.hpp"

namespace tacit::io {
namespace {

// A chunk is the unit of checksum and compression, and the library caches 1 MiB per array.
constexpr std::uint64_t chunk_bytes = 512U << 10;
// The image grows by this; large blocks are moved by remapping pages, not by copying.
constexpr std::size_t image_increment = 4U << 20;

/// Memory of a file in the making. The library asks for it through callbacks and gives it back when the file is closed,
/// finished (marked as closed, all checksums final); that is when we keep it instead of freeing it: no copy is made.
struct Image {
  void* memory = nullptr;
  std::size_t size = 0;
  bool finished = false;
  ~Image() { std::free(memory); }
};

void* allocate_image(std::size_t size, H5FD_file_image_op_t, void* image) {
  auto* self = static_cast<Image*>(image);
  self->memory = std::malloc(size);
  self->size = self->memory == nullptr ? 0 : size;
  return self->memory;
}

void* grow_image(void*, std::size_t size, H5FD_file_image_op_t, void* image) {
  auto* self = static_cast<Image*>(image);
  void* memory = std::realloc(self->memory, size);
  if (memory == nullptr) return nullptr;
  self->memory = memory;
  self->size = size;
  return memory;
}

herr_t keep_image(void*, H5FD_file_image_op_t, void* image) {
  static_cast<Image*>(image)->finished = true;
  return 0;
}

void* copy_image(void* to, const void* from, std::size_t size, H5FD_file_image_op_t, void*) {
  return std::memcpy(to, from, size);
}

void* same_image(void* image) { return image; }
herr_t leave_image(void*) { return 0; }

detail::Properties file_access(Image& image) {
  detail::Properties access(H5Pcreate(H5P_FILE_ACCESS));
  H5Pset_fapl_core(access.get(), image_increment, 0);
  // This format puts a checksum on every piece of metadata; HDF5 1.10 (2016) and later read it.
  H5Pset_libver_bounds(access.get(), H5F_LIBVER_V110, H5F_LIBVER_V110);
  H5FD_file_image_callbacks_t callbacks{allocate_image, copy_image,  grow_image, keep_image,
                                        same_image,     leave_image, &image};
  H5Pset_file_image_callbacks(access.get(), &callbacks);
  return access;
}

/// The length that the finished file says it has (byte 28 of a superblock of version 2 or 3), without the slack of the
/// last increment; 0 if the image is not such a file.
std::size_t length_of(const Image& image) {
  constexpr std::size_t version_at = 8;
  constexpr std::size_t end_at = 28;
  if (!image.finished || image.size < end_at + 8) return 0;
  const auto* bytes = static_cast<const unsigned char*>(image.memory);
  if (bytes[version_at] != 2 && bytes[version_at] != 3) return 0;
  std::uint64_t end = 0;
  for (std::size_t i = 0; i < 8; ++i) end |= static_cast<std::uint64_t>(bytes[end_at + i]) << (8 * i);
  return end <= image.size ? end : 0;
}

hid_t stored_type(Number type) { return type == Number::float32 ? H5T_IEEE_F32LE : H5T_IEEE_F64LE; }

/// Rows of at most half a MiB together (but at least one row), all chunks nearly alike: the last one is stored in full.
std::vector<hsize_t> chunk_shape(std::span<const hsize_t> shape, std::size_t element_bytes) {
  std::vector<hsize_t> chunk(shape.begin(), shape.end());
  const std::uint64_t row =
      std::accumulate(shape.begin() + 1, shape.end(), std::uint64_t{element_bytes}, std::multiplies{});
  const std::uint64_t rows = std::max<std::uint64_t>(chunk_bytes / row, 1);
  const std::uint64_t chunks = (shape[0] + rows - 1) / rows;
  chunk[0] = (shape[0] + chunks - 1) / chunks;
  return chunk;
}

}  // namespace

struct FileWriter::Handle {
  std::filesystem::path path;
  int compression = 0;
  Image image;  // outlives the file, which is built in it
  detail::File file;

  [[noreturn]] void fail(const std::string& what) const {
    throw base::SystemError(path.string(), fmt::format("{} cannot be built ({})", what, detail::failure_reason()));
  }

  [[nodiscard]] detail::Properties layout(std::span<const hsize_t> shape, std::size_t element_bytes) const {
    detail::Properties creation(H5Pcreate(H5P_DATASET_CREATE));
    H5Pset_obj_track_times(creation.get(), 0);  // the same run gives the same bytes
    const bool is_empty = std::find(shape.begin(), shape.end(), hsize_t{0}) != shape.end();
    if (shape.empty() || is_empty) return creation;
    const std::vector<hsize_t> chunk = chunk_shape(shape, element_bytes);
    H5Pset_chunk(creation.get(), static_cast<int>(chunk.size()), chunk.data());
    if (compression > 0) {
      H5Pset_shuffle(creation.get());
      H5Pset_deflate(creation.get(), static_cast<unsigned>(compression));
    }
    H5Pset_fletcher32(creation.get());  // last, so that it covers what is on disk
    return creation;
  }

  /// Makes the group and those above it that are not there yet (the library would give the latter time stamps).
  void group(const std::string& name) {
    const detail::Properties creation(H5Pcreate(H5P_GROUP_CREATE));
    H5Pset_obj_track_times(creation.get(), 0);
    for (std::size_t end = 0; end != std::string::npos;) {
      end = name.find('/', end + 1);
      const std::string part = name.substr(0, end);
      if (part.empty() || part == "/" || H5Lexists(file.get(), part.c_str(), H5P_DEFAULT) > 0) continue;
      const detail::Group made(H5Gcreate2(file.get(), part.c_str(), H5P_DEFAULT, creation.get(), H5P_DEFAULT));
      if (!made) fail(part);
    }
  }

  void array(const std::string& name, const void* values, std::size_t count, std::span<const std::uint64_t> shape,
             hid_t memory_type, hid_t file_type) {
    TACIT_EXPECT(file && count == std::accumulate(shape.begin(), shape.end(), std::uint64_t{1}, std::multiplies{}));
    const detail::Session session;
    const std::vector<hsize_t> dims(shape.begin(), shape.end());
    const detail::Space space(H5Screate_simple(static_cast<int>(dims.size()), dims.data(), nullptr));
    const detail::Properties creation = layout(dims, H5Tget_size(file_type));
    if (const std::size_t slash = name.rfind('/'); slash != std::string::npos) group(name.substr(0, slash));
    const detail::Array array(
        H5Dcreate2(file.get(), name.c_str(), file_type, space.get(), H5P_DEFAULT, creation.get(), H5P_DEFAULT));
    if (!array) fail(name);
    if (count > 0 && H5Dwrite(array.get(), memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0) fail(name);
  }

  void attribute(const std::string& object, const std::string& name, hid_t file_type, hid_t space, hid_t memory_type,
                 const void* values) {
    TACIT_EXPECT(file);
    const detail::Object owner(H5Oopen(file.get(), object.c_str(), H5P_DEFAULT));
    if (!owner) fail(object);
    const detail::Attribute attribute(
        H5Acreate2(owner.get(), name.c_str(), file_type, space, H5P_DEFAULT, H5P_DEFAULT));
    if (!attribute || H5Awrite(attribute.get(), memory_type, values) < 0) fail(object + ": attribute '" + name + "'");
  }
};

FileWriter::FileWriter(const std::filesystem::path& path, int compression) : handle_(std::make_unique<Handle>()) {
  TACIT_EXPECT(compression >= 0 && compression <= 9);
  const detail::Session session;
  handle_->path = path;
  handle_->compression = compression;
  const detail::Properties creation(H5Pcreate(H5P_FILE_CREATE));
  H5Pset_obj_track_times(creation.get(), 0);
  const detail::Properties access = file_access(handle_->image);
  handle_->file = detail::File(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, creation.get(), access.get()));
  if (!handle_->file) handle_->fail("the file");
}

FileWriter::~FileWriter() {
  const detail::Session session;
  handle_.reset();
}
FileWriter::FileWriter(FileWriter&&) noexcept = default;
FileWriter& FileWriter::operator=(FileWriter&& other) noexcept {
  const detail::Session session;
  handle_ = std::move(other.handle_);
  return *this;
}

void FileWriter::group(const std::string& name) {
  TACIT_EXPECT(handle_->file);
  const detail::Session session;
  handle_->group(name);
}

void FileWriter::array(const std::string& name, std::span<const double> values, std::span<const std::uint64_t> shape,
                       Number type) {
  TACIT_EXPECT(type == Number::float32 || type == Number::float64);
  handle_->array(name, values.data(), values.size(), shape, H5T_NATIVE_DOUBLE, stored_type(type));
}

void FileWriter::array(const std::string& name, std::span<const std::uint64_t> values,
                       std::span<const std::uint64_t> shape) {
  handle_->array(name, values.data(), values.size(), shape, H5T_NATIVE_UINT64, H5T_STD_U64LE);
}

void FileWriter::array(const std::string& name, std::span<const std::int64_t> values,
                       std::span<const std::uint64_t> shape) {
  handle_->array(name, values.data(), values.size(), shape, H5T_NATIVE_INT64, H5T_STD_I64LE);
}

void FileWriter::attribute(const std::string& object, const std::string& name, std::span<const double> values) {
  const detail::Session session;
  const hsize_t count = values.size();
  const detail::Space space(H5Screate_simple(1, &count, nullptr));
  handle_->attribute(object, name, H5T_IEEE_F64LE, space.get(), H5T_NATIVE_DOUBLE, values.data());
}

void FileWriter::attribute(const std::string& object, const std::string& name, std::span<const std::int64_t> values) {
  const detail::Session session;
  const hsize_t count = values.size();
  const detail::Space space(H5Screate_simple(1, &count, nullptr));
  handle_->attribute(object, name, H5T_STD_I64LE, space.get(), H5T_NATIVE_INT64, values.data());
}

void FileWriter::attribute(const std::string& object, const std::string& name, std::string_view text) {
  const detail::Session session;
  const std::string terminated(text);
  const detail::Type type(H5Tcopy(H5T_C_S1));
  H5Tset_size(type.get(), terminated.size() + 1);
  const bool is_ascii = std::all_of(text.begin(), text.end(), [](char c) { return static_cast<signed char>(c) >= 0; });
  H5Tset_cset(type.get(), is_ascii ? H5T_CSET_ASCII : H5T_CSET_UTF8);
  const detail::Space space(H5Screate(H5S_SCALAR));
  handle_->attribute(object, name, type.get(), space.get(), type.get(), terminated.c_str());
}

std::uint64_t FileWriter::commit() {
  TACIT_EXPECT(handle_->file);
  {
    const detail::Session session;
    handle_->file.reset();
  }
  const std::size_t length = length_of(handle_->image);
  if (length == 0) handle_->fail("the file");
  detail::write_whole(handle_->path, {static_cast<const std::byte*>(handle_->image.memory), length});
  return length;
}

}  // namespace tacit::io
