// Writing HDF5: pieces go to a hidden file as they come, which takes its name once all of it is on disk.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <numeric>
#include <optional>
#include <utility>

#include "tacit/comm/communicator.hpp"
#include "tacit/io/detail/atomic_write.hpp"
#include "tacit/io/detail/hdf5.hpp"
#include "tacit/io/detail/part_gather.hpp"
#include "tacit/io/file.hpp"

namespace tacit::io {
namespace {

// A chunk is the unit of checksum and compression, and the library caches 1 MiB per array.
constexpr std::uint64_t chunk_bytes = 512U << 10;
hid_t stored_type(Number type) {
  switch (type) {
    case Number::float32:
      return H5T_IEEE_F32LE;
    case Number::int32:
      return H5T_STD_I32LE;
    case Number::int64:
      return H5T_STD_I64LE;
    case Number::uint32:
      return H5T_STD_U32LE;
    case Number::uint64:
      return H5T_STD_U64LE;
    default:
      return H5T_IEEE_F64LE;
  }
}

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
  comm::Communicator* ranks = nullptr;      // that write together; null: this one is alone
  std::optional<detail::WholeFile> target;  // outlives the library's file, which is written into it
  detail::StreamedTarget streamed;
  detail::File file;

  /// Whether another rank writes the file.
  [[nodiscard]] bool is_silent() const noexcept { return ranks != nullptr && ranks->rank() != comm::RankId{0}; }

  /// @throws base::SystemError of the disk if that is what failed
  [[noreturn]] void fail(const std::string& what) {
    if (target && target->has_failed()) target->commit(streamed.size);
    throw base::SystemError(path.string(), fmt::format("{} cannot be built ({})", what, detail::failure_reason()));
  }

  [[nodiscard]] detail::Properties layout(std::span<const hsize_t> shape, std::size_t element_bytes) const {
    detail::Properties creation(H5Pcreate(H5P_DATASET_CREATE));
    H5Pset_obj_track_times(creation.get(), 0);  // the same run writes identical bytes
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

  /// Makes an array that has no values yet.
  [[nodiscard]] detail::Array make_array(const std::string& name, std::span<const hsize_t> shape, hid_t file_type) {
    const detail::Space space(H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr));
    const detail::Properties creation = layout(shape, H5Tget_size(file_type));
    if (const std::size_t slash = name.rfind('/'); slash != std::string::npos) group(name.substr(0, slash));
    detail::Array array(
        H5Dcreate2(file.get(), name.c_str(), file_type, space.get(), H5P_DEFAULT, creation.get(), H5P_DEFAULT));
    if (!array) fail(name);
    return array;
  }

  void array(const std::string& name, const void* values, std::size_t count, std::span<const std::uint64_t> shape,
             hid_t memory_type, hid_t file_type) {
    TACIT_EXPECT(file && count == std::accumulate(shape.begin(), shape.end(), std::uint64_t{1}, std::multiplies{}));
    const detail::Session session;
    const std::vector<hsize_t> dims(shape.begin(), shape.end());
    const detail::Array array = make_array(name, dims, file_type);
    if (count > 0 && H5Dwrite(array.get(), memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0) fail(name);
  }

  /// Asks `rows` for one chunk after the other, so that no more than one is in memory.
  template <class T>
  void stream(const std::string& name, std::span<const std::uint64_t> shape, hid_t memory_type, hid_t file_type,
              std::size_t values_per_number, const RowSource<T>& rows) {
    TACIT_EXPECT(file && !shape.empty());
    const detail::Session session;
    const std::vector<hsize_t> dims(shape.begin(), shape.end());
    const detail::Array array = make_array(name, dims, file_type);
    if (std::find(dims.begin(), dims.end(), hsize_t{0}) != dims.end()) return;
    const detail::Space space(H5Dget_space(array.get()));
    std::vector<hsize_t> first(dims.size(), 0);
    std::vector<hsize_t> count = chunk_shape(dims, H5Tget_size(file_type));
    std::vector<T> values(values_per_number *
                          std::accumulate(count.begin(), count.end(), std::size_t{1}, std::multiplies{}));
    const std::size_t per_row = values.size() / count[0];
    for (; first[0] < dims[0]; first[0] += count[0]) {
      count[0] = std::min(count[0], dims[0] - first[0]);
      const std::span<T> piece(values.data(), count[0] * per_row);
      rows(first[0], piece);
      const detail::Space memory(H5Screate_simple(static_cast<int>(count.size()), count.data(), nullptr));
      if (H5Sselect_hyperslab(space.get(), H5S_SELECT_SET, first.data(), nullptr, count.data(), nullptr) < 0 ||
          H5Dwrite(array.get(), memory_type, memory.get(), space.get(), H5P_DEFAULT, piece.data()) < 0) {
        fail(name);
      }
    }
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

FileWriter::FileWriter(const std::filesystem::path& path, int compression, comm::Communicator* ranks)
    : handle_(std::make_unique<Handle>()) {
  TACIT_EXPECT(compression >= 0 && compression <= 9);
  handle_->ranks = ranks;
  if (handle_->is_silent()) return;
  const detail::Session session;
  handle_->path = path;
  handle_->compression = compression;
  handle_->target.emplace(path);
  handle_->streamed.file = &*handle_->target;
  const detail::Properties creation(H5Pcreate(H5P_FILE_CREATE));
  H5Pset_obj_track_times(creation.get(), 0);
  const detail::Properties access = detail::streamed_access(handle_->streamed);
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
  if (handle_->is_silent()) return;
  TACIT_EXPECT(handle_->file);
  const detail::Session session;
  handle_->group(name);
}

void FileWriter::array(const std::string& name, std::span<const double> values, std::span<const std::uint64_t> shape,
                       Number type) {
  if (handle_->is_silent()) return;
  TACIT_EXPECT(type == Number::float32 || type == Number::float64);
  handle_->array(name, values.data(), values.size(), shape, H5T_NATIVE_DOUBLE, stored_type(type));
}

void FileWriter::array(const std::string& name, std::span<const std::uint64_t> values,
                       std::span<const std::uint64_t> shape) {
  if (handle_->is_silent()) return;
  handle_->array(name, values.data(), values.size(), shape, H5T_NATIVE_UINT64, H5T_STD_U64LE);
}

void FileWriter::array(const std::string& name, std::span<const std::int64_t> values,
                       std::span<const std::uint64_t> shape) {
  if (handle_->is_silent()) return;
  handle_->array(name, values.data(), values.size(), shape, H5T_NATIVE_INT64, H5T_STD_I64LE);
}

void FileWriter::stream(const std::string& name, std::span<const std::uint64_t> shape, Number type,
                        const RowSource<double>& rows) {
  if (handle_->is_silent()) return;
  TACIT_EXPECT(type == Number::float32 || type == Number::float64);
  handle_->stream(name, shape, H5T_NATIVE_DOUBLE, stored_type(type), 1, rows);
}

void FileWriter::stream(const std::string& name, std::span<const std::uint64_t> shape,
                        const RowSource<std::uint64_t>& rows) {
  if (handle_->is_silent()) return;
  handle_->stream(name, shape, H5T_NATIVE_UINT64, H5T_STD_U64LE, 1, rows);
}

void FileWriter::stream(const std::string& name, std::span<const std::uint64_t> shape, Number type,
                        const RowSource<std::byte>& rows) {
  if (handle_->is_silent()) return;
  TACIT_EXPECT(bytes_of(type) > 0);
  handle_->stream(name, shape, detail::native_type(type), stored_type(type), bytes_of(type), rows);
}

void FileWriter::part(const std::string& name, std::span<const std::uint64_t> shape, Number type, const Part& mine,
                      std::span<const double> values) {
  TACIT_EXPECT(type == Number::float32 || type == Number::float64);
  const std::vector<hsize_t> dims(shape.begin(), shape.end());
  const bool is_empty = std::find(dims.begin(), dims.end(), hsize_t{0}) != dims.end();
  const std::uint64_t rows = is_empty ? 1 : chunk_shape(dims, bytes_of(type))[0];
  detail::PartGather gather(handle_->ranks, shape, rows, mine, values);
  if (handle_->is_silent()) {
    gather.hand_over();
  } else {
    stream(name, shape, type,
           RowSource<double>([&](std::uint64_t first, std::span<double> piece) { gather.collect(first, piece); }));
  }
}

void FileWriter::attribute(const std::string& object, const std::string& name, std::span<const double> values) {
  if (handle_->is_silent()) return;
  const detail::Session session;
  const hsize_t count = values.size();
  const detail::Space space(H5Screate_simple(1, &count, nullptr));
  handle_->attribute(object, name, H5T_IEEE_F64LE, space.get(), H5T_NATIVE_DOUBLE, values.data());
}

void FileWriter::attribute(const std::string& object, const std::string& name, std::span<const std::int64_t> values) {
  if (handle_->is_silent()) return;
  const detail::Session session;
  const hsize_t count = values.size();
  const detail::Space space(H5Screate_simple(1, &count, nullptr));
  handle_->attribute(object, name, H5T_STD_I64LE, space.get(), H5T_NATIVE_INT64, values.data());
}

void FileWriter::attribute(const std::string& object, const std::string& name, std::string_view text) {
  if (handle_->is_silent()) return;
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
  if (handle_->is_silent()) return 0;
  TACIT_EXPECT(handle_->file);
  {
    const detail::Session session;
    handle_->file.reset();
    // Not while the disk is the reason: its message comes from the commit.
    if (!handle_->streamed.closed && !handle_->target->has_failed()) handle_->fail("the file");
  }
  handle_->target->commit(handle_->streamed.size);
  return handle_->streamed.size;
}

}  // namespace tacit::io
