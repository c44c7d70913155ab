// Calls the HDF5 library for what is written.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/io/detail/file_builder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>

#include "tacit/base/error.hpp"
#include "tacit/io/detail/footer.hpp"
#include "tacit/io/detail/parts_table.hpp"

namespace tacit::io::detail {
namespace {

/// A chunk is the unit of checksum, compression and parallel packing.
constexpr std::uint64_t chunk_bytes = 512U << 10;

hid_t stored_type(Number type) {
  switch (type) {
    case Number::float32:
      return H5T_IEEE_F32LE;
    case Number::int8:
      return H5T_STD_I8LE;
    case Number::int16:
      return H5T_STD_I16LE;
    case Number::int32:
      return H5T_STD_I32LE;
    case Number::int64:
      return H5T_STD_I64LE;
    case Number::uint8:
      return H5T_STD_U8LE;
    case Number::uint16:
      return H5T_STD_U16LE;
    case Number::uint32:
      return H5T_STD_U32LE;
    case Number::uint64:
      return H5T_STD_U64LE;
    default:
      return H5T_IEEE_F64LE;
  }
}

Type text_type(std::span<const std::byte> text) {
  Type type(H5Tcopy(H5T_C_S1));
  H5Tset_size(type.get(), text.size() + 1);
  const bool is_ascii = std::ranges::all_of(text, [](std::byte c) { return static_cast<signed char>(c) >= 0; });
  H5Tset_cset(type.get(), is_ascii ? H5T_CSET_ASCII : H5T_CSET_UTF8);
  return type;
}

}  // namespace

std::uint64_t ArrayLayout::size() const {
  return std::accumulate(shape.begin(), shape.end(), std::uint64_t{1}, std::multiplies{});
}

std::uint64_t ArrayLayout::row_bytes() const {
  return std::accumulate(shape.begin() + 1, shape.end(), std::uint64_t{bytes_of(type)}, std::multiplies{});
}

std::uint64_t ArrayLayout::chunk_rows() const {
  if (size() == 0) return 1;
  const std::uint64_t rows = std::max<std::uint64_t>(chunk_bytes / row_bytes(), 1);
  const std::uint64_t chunks = (shape[0] + rows - 1) / rows;
  return (shape[0] + chunks - 1) / chunks;  // the last one is stored in full
}

FileBuilder::FileBuilder(const std::filesystem::path& path) : path_(path), target_(std::make_unique<WholeFile>(path)) {
  open();
}

FileBuilder::FileBuilder(const std::filesystem::path& path, std::unique_ptr<WholeFile> file, std::uint64_t end,
                         std::vector<Extent> extents)
    : path_(path), target_(std::move(file)) {
  open();
  TACIT_EXPECT(streamed_.size <= head_bytes && head_bytes <= end);
  streamed_.size = end;
  streamed_.extents = std::move(extents);
}

void FileBuilder::open() {
  const Session session;
  streamed_.file = target_.get();
  const Properties creation(H5Pcreate(H5P_FILE_CREATE));
  H5Pset_obj_track_times(creation.get(), 0);  // the same run writes identical bytes
  const Properties access = streamed_access(streamed_);
  file_ = File(H5Fcreate(path_.c_str(), H5F_ACC_TRUNC, creation.get(), access.get()));
  if (!file_) fail("the file");
}

FileBuilder::~FileBuilder() {
  const Session session;
  array_.reset();
  file_.reset();
}

/// @throws base::SystemError of the disk if that is what failed
void FileBuilder::fail(const std::string& what) {
  if (target_->has_failed()) target_->commit(streamed_.size);
  throw base::SystemError(path_.string(), fmt::format("{} cannot be built ({})", what, failure_reason()));
}

void FileBuilder::group(const std::string& name) {
  const Session session;
  make_group(name);
}

/// The library would give the groups above it time stamps.
void FileBuilder::make_group(const std::string& name) {
  const Properties creation(H5Pcreate(H5P_GROUP_CREATE));
  H5Pset_obj_track_times(creation.get(), 0);
  for (std::size_t end = 0; end != std::string::npos;) {
    end = name.find('/', end + 1);
    const std::string part = name.substr(0, end);
    if (part.empty() || part == "/" || H5Lexists(file_.get(), part.c_str(), H5P_DEFAULT) > 0) continue;
    const Group made(H5Gcreate2(file_.get(), part.c_str(), H5P_DEFAULT, creation.get(), H5P_DEFAULT));
    if (!made) fail(part);
  }
}

void FileBuilder::array(const ArrayLayout& layout) {
  const Session session;
  const std::vector<hsize_t> shape(layout.shape.begin(), layout.shape.end());
  const Properties creation(H5Pcreate(H5P_DATASET_CREATE));
  H5Pset_obj_track_times(creation.get(), 0);
  if (layout.size() > 0) {
    std::vector<hsize_t> chunk(shape);
    chunk[0] = layout.chunk_rows();
    H5Pset_chunk(creation.get(), static_cast<int>(chunk.size()), chunk.data());
    if (layout.compression > 0) {
      H5Pset_shuffle(creation.get());
      H5Pset_deflate(creation.get(), static_cast<unsigned>(layout.compression));
    }
    H5Pset_fletcher32(creation.get());  // last, so that it covers what is on disk
  }
  array_ = make_array(layout, creation);
  array_name_ = layout.name;
  axes_ = shape.size();
}

Array FileBuilder::make_array(const ArrayLayout& layout, const Properties& creation) {
  const std::vector<hsize_t> shape(layout.shape.begin(), layout.shape.end());
  const Space space(H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr));
  const std::string& name = layout.name;
  if (const std::size_t slash = name.rfind('/'); slash != std::string::npos) make_group(name.substr(0, slash));
  Array made(H5Dcreate2(file_.get(), name.c_str(), stored_type(layout.type), space.get(), H5P_DEFAULT, creation.get(),
                        H5P_DEFAULT));
  if (!made) fail(name);
  return made;
}

void FileBuilder::placed_array(const ArrayLayout& layout, std::uint64_t place) {
  const Session session;
  const Properties creation(H5Pcreate(H5P_DATASET_CREATE));
  H5Pset_obj_track_times(creation.get(), 0);
  H5Pset_alloc_time(creation.get(), H5D_ALLOC_TIME_EARLY);
  H5Pset_fill_time(creation.get(), H5D_FILL_TIME_NEVER);
  if (layout.size() > 0) streamed_.place = place;
  const Array made = make_array(layout, creation);
  streamed_.place.reset();
  if (layout.size() > 0 && H5Dget_offset(made.get()) != place) fail(layout.name);
}

void FileBuilder::virtual_array(const ArrayLayout& layout, std::span<const Mapping> mappings) {
  const Session session;
  const std::vector<hsize_t> shape(layout.shape.begin(), layout.shape.end());
  const Space space(H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr));
  const Properties creation(H5Pcreate(H5P_DATASET_CREATE));
  H5Pset_obj_track_times(creation.get(), 0);
  for (const Mapping& mapping : mappings) {
    const std::vector<hsize_t> source_shape(mapping.shape.begin(), mapping.shape.end());
    const Space source(H5Screate_simple(static_cast<int>(source_shape.size()), source_shape.data(), nullptr));
    std::vector<hsize_t> source_first(source_shape.size(), 0);
    source_first[0] = mapping.first_row;
    const std::vector<hsize_t> first(mapping.place.first.begin(), mapping.place.first.end());
    const std::vector<hsize_t> count(mapping.place.count.begin(), mapping.place.count.end());
    if (H5Sselect_hyperslab(source.get(), H5S_SELECT_SET, source_first.data(), nullptr, count.data(), nullptr) < 0 ||
        H5Sselect_hyperslab(space.get(), H5S_SELECT_SET, first.data(), nullptr, count.data(), nullptr) < 0 ||
        H5Pset_virtual(creation.get(), space.get(), mapping.file.c_str(), mapping.array.c_str(), source.get()) < 0) {
      fail(layout.name);
    }
  }
  H5Sselect_all(space.get());
  const std::string& name = layout.name;
  if (const std::size_t slash = name.rfind('/'); slash != std::string::npos) make_group(name.substr(0, slash));
  const Array made(H5Dcreate2(file_.get(), name.c_str(), stored_type(layout.type), space.get(), H5P_DEFAULT,
                              creation.get(), H5P_DEFAULT));
  if (!made) fail(name);
}

void FileBuilder::name_parts(std::span<const std::filesystem::path> paths) {
  const std::string table = to_text(look_at_parts(paths));
  const auto bytes = std::as_bytes(std::span(table));
  group(parts_group);
  attribute(parts_group, parts_attribute, {Number::text, {bytes.begin(), bytes.end()}});
  parts_.assign(paths.begin(), paths.end());
}

void FileBuilder::chunk(std::uint64_t first_row, const PackedChunk& chunk) {
  const Session session;
  std::vector<hsize_t> first(axes_, 0);
  first[0] = first_row;
  streamed_.piece = chunk.bytes;
  streamed_.pages = chunk.pages;
  streamed_.pages_hash = chunk.hash;
  const herr_t result =
      H5Dwrite_chunk(array_.get(), H5P_DEFAULT, 0, first.data(), chunk.bytes.size(), chunk.bytes.data());
  streamed_.piece = {};
  if (result < 0) fail(array_name_);
}

void FileBuilder::write_chunks() { target_->write(std::exchange(streamed_.runs, {})); }

void FileBuilder::attribute(const std::string& object, const std::string& name, const AttributeValue& value) {
  const Session session;
  const Object owner(H5Oopen(file_.get(), object.c_str(), H5P_DEFAULT));
  if (!owner) fail(object);
  const bool is_text = value.type == Number::text;
  const Type text = is_text ? text_type(value.bytes) : Type();
  const hsize_t count = is_text ? 1 : value.bytes.size() / bytes_of(value.type);
  const Space space(is_text ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &count, nullptr));
  const hid_t file_type = is_text ? text.get() : stored_type(value.type);
  const hid_t memory_type = is_text ? text.get() : native_type(value.type);
  std::vector<std::byte> bytes(value.bytes);
  bytes.push_back(std::byte{0});  // the end of a text
  const Attribute made(H5Acreate2(owner.get(), name.c_str(), file_type, space.get(), H5P_DEFAULT, H5P_DEFAULT));
  if (!made || H5Awrite(made.get(), memory_type, bytes.data()) < 0) fail(object + ": attribute '" + name + "'");
}

std::uint64_t FileBuilder::commit() {
  const std::string_view says = "XXH3-64 of every byte, behind the data";
  const auto text = std::as_bytes(std::span(says));
  attribute("/", checksums_attribute, {Number::text, {text.begin(), text.end()}});
  {
    const Session session;
    array_.reset();
    file_.reset();
    // Not while the disk is the reason: its message comes from the commit.
    if (!streamed_.closed && !target_->has_failed()) fail("the file");
  }
  write_chunks();
  const std::uint64_t bytes = append_footer(*target_, streamed_.size, std::move(streamed_.extents));
  const std::vector<std::filesystem::path> former = former_parts(path_);
  target_->commit(bytes);
  for (const std::filesystem::path& part : former) {
    std::error_code ignored;  // what stays does no harm
    if (std::ranges::find(parts_, part) == parts_.end()) std::filesystem::remove(part, ignored);
  }
  return bytes;
}

}  // namespace tacit::io::detail
