// Asks the library how an array is stored, and then takes it from there.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/io/detail/stored_array.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <utility>

#include "tacit/base/error.hpp"

// Files are in this order, and arrays in another one are left to the library.
static_assert(std::endian::native == std::endian::little);

namespace tacit::io::detail {
namespace {

/// Of an array that is not in chunks.
constexpr std::uint64_t bytes_of_piece = std::uint64_t{1} << 20U;
/// What is longer is left to the library, which reads it in smaller pieces.
constexpr std::uint64_t longest_piece = std::uint64_t{1} << 30U;

std::optional<Filter> filter_of(H5Z_filter_t filter) noexcept {
  if (filter == H5Z_FILTER_SHUFFLE) return Filter::shuffle;
  if (filter == H5Z_FILTER_DEFLATE) return Filter::deflate;
  if (filter == H5Z_FILTER_FLETCHER32) return Filter::fletcher32;
  return std::nullopt;
}

/// Those of an array in their order; nothing if one is unknown here, comes twice, or shuffles other elements.
std::optional<std::vector<Filter>> filters_of(hid_t creation, std::size_t element_bytes) {
  std::vector<Filter> filters;
  const int count = H5Pget_nfilters(creation);
  for (int i = 0; i < count; ++i) {
    unsigned flags = 0;
    std::array<unsigned, 1> value{};
    std::size_t values = value.size();
    const auto filter = filter_of(
        H5Pget_filter2(creation, static_cast<unsigned>(i), &flags, &values, value.data(), 0, nullptr, nullptr));
    if (!filter || std::ranges::find(filters, *filter) != filters.end()) return std::nullopt;
    if (*filter == Filter::shuffle && (values < 1 || value[0] != element_bytes)) return std::nullopt;
    filters.push_back(*filter);
  }
  return filters;
}

/// The library's own descriptor of an open file; -1 if it has none.
int descriptor_of(hid_t file) {
  const Properties access(H5Fget_access_plist(file));
  void* handle = nullptr;
  if (H5Pget_driver(access.get()) != H5FD_SEC2 || H5Fget_vfd_handle(file, access.get(), &handle) < 0) return -1;
  return handle == nullptr ? -1 : *static_cast<const int*>(handle);
}

bool has_user_block(hid_t file) {
  const Properties creation(H5Fget_create_plist(file));
  hsize_t bytes = 0;
  return H5Pget_userblock(creation.get(), &bytes) < 0 || bytes != 0;
}

std::uint64_t size_of(int descriptor) {
  struct stat status {};
  return ::fstat(descriptor, &status) == 0 ? static_cast<std::uint64_t>(status.st_size) : 0;
}

}  // namespace

std::optional<StoredArray> StoredArray::of(const Object& array, hid_t file, ArrayName name, bool is_verified) {
  StoredArray found;
  if (H5Iinc_ref(array.get()) < 0) return std::nullopt;
  found.array_ = Object(array.get());  // closed by both
  found.name_ = std::move(name);
  found.packed_.is_verified = is_verified;
  if (!found.find_shape()) return std::nullopt;
  const Properties creation(H5Dget_create_plist(found.array_.get()));
  const H5D_layout_t layout = H5Pget_layout(creation.get());
  const bool is_found = (layout == H5D_CHUNKED && found.find_chunks(creation.get())) ||
                        (layout == H5D_CONTIGUOUS && found.find_place(file));
  if (!is_found) return std::nullopt;
  return found;
}

/// @return whether it is an array of rows of numbers as this machine has them
bool StoredArray::find_shape() {
  const Type stored(H5Dget_type(array_.get()));
  const Space space(H5Dget_space(array_.get()));
  if (!stored || !space) return false;
  type_ = number_of(stored.get());
  shape_ = shape_of(space.get());
  return is_number(type_) && H5Tequal(stored.get(), native_type(type_)) > 0 && !shape_.empty() &&
         element_count(shape_) > 0 && row_bytes() <= longest_piece;
}

bool StoredArray::find_chunks(hid_t creation) {
#if H5_VERSION_GE(2, 0, 0)
  return creation < 0;  // H5Dread_chunk has other parameters there
#else
  std::array<hsize_t, H5S_MAX_RANK> chunk{};
  if (H5Pget_chunk(creation, H5S_MAX_RANK, chunk.data()) != static_cast<int>(shape_.size())) return false;
  for (std::size_t axis = 1; axis < shape_.size(); ++axis) {
    if (chunk[axis] != shape_[axis]) return false;
  }
  piece_rows_ = chunk[0];
  packed_.element_bytes = bytes_of(type_);
  packed_.bytes = times(piece_rows_, row_bytes());
  auto filters = filters_of(creation, packed_.element_bytes);
  // Without filters a damaged index may claim any length, which H5Dread_chunk alone sees. Some files leave the filters
  // out for the last chunk, and do not say so in its mask.
  unsigned options = 0;
  if (!filters || filters->empty() || H5Pget_chunk_opts(creation, &options) < 0 || options != 0) return false;
  if (packed_.bytes == 0 || packed_.bytes > longest_piece) return false;
  packed_.filters = std::move(*filters);
  return true;
#endif
}

bool StoredArray::find_place(hid_t file) {
  const haddr_t place = H5Dget_offset(array_.get());
  descriptor_ = descriptor_of(file);
  if (place == HADDR_UNDEF || descriptor_ < 0 || has_user_block(file)) return false;
  const std::uint64_t bytes = times(shape_[0], row_bytes());
  const std::uint64_t end = size_of(descriptor_);
  place_ = place;
  piece_rows_ = std::max<std::uint64_t>(bytes_of_piece / row_bytes(), 1);
  return place <= end && bytes <= end - place;
}

std::uint64_t StoredArray::row_bytes() const {
  return times(element_count(std::span(shape_).subspan(1)), bytes_of(type_));
}

std::uint64_t StoredArray::piece_room() const noexcept {
  return descriptor_ >= 0 ? piece_rows_ * row_bytes() : most_packed_bytes(packed_) + 2 * packed_.bytes;
}

void StoredArray::fail(std::string_view reason) const {
  throw base::FormatError(name_.path, fmt::format("{} cannot be read: the file is damaged ({})", name_.array, reason));
}

std::span<const std::byte> StoredArray::read_chunk(std::uint64_t first, Unpacker& unpacker) const {
  std::span<const std::byte> stored;
  std::uint32_t skipped = 0;
#if !H5_VERSION_GE(2, 0, 0)
  {
    const Session session;
    std::array<hsize_t, H5S_MAX_RANK> place{first};
    hsize_t bytes = 0;
    if (H5Dget_chunk_storage_size(array_.get(), place.data(), &bytes) < 0) fail(failure_reason());
    if (bytes == 0 || bytes > most_packed_bytes(packed_)) fail("a chunk has a length that cannot be");
    const std::span<std::byte> room = unpacker.room(bytes);
    if (H5Dread_chunk(array_.get(), H5P_DEFAULT, place.data(), &skipped, room.data()) < 0) fail(failure_reason());
    stored = room;
  }
#endif
  std::string_view flaw;
  const auto numbers = unpacker.unpack(stored, packed_, skipped, flaw);
  if (!numbers) fail(flaw);
  return *numbers;
}

void StoredArray::read_place(std::uint64_t first, std::uint64_t rows, const Cut& cut, const Target& target,
                             Unpacker& unpacker) const {
  std::byte* const direct = place_of_rows(first, rows, type_, shape_, cut, target);
  const std::size_t bytes = rows * row_bytes();
  const std::span<std::byte> out = direct != nullptr ? std::span(direct, bytes) : unpacker.room(bytes);
  for (std::size_t done = 0; done < bytes;) {
    const ssize_t got =
        ::pread(descriptor_, out.data() + done, bytes - done, static_cast<off_t>(place_ + first * row_bytes() + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw base::SystemError(name_.path, "cannot be read", errno);
    if (got == 0) fail("it ends within the array");
    done += static_cast<std::size_t>(got);
  }
  if (direct == nullptr) copy_cut({out, type_, first, rows, shape_}, cut, target);
}

void StoredArray::read(std::uint64_t first, const Cut& cut, const Target& target, Unpacker& unpacker) const {
  const std::uint64_t rows = std::min(piece_rows_, shape_[0] - first);
  if (descriptor_ < 0) return copy_cut({read_chunk(first, unpacker), type_, first, rows, shape_}, cut, target);
  // Of a piece only the rows that are asked for.
  const std::uint64_t begin = std::max(first, cut.from.first[0]);
  const std::uint64_t end = std::min(first + rows, cut.from.first[0] + cut.from.count[0]);
  if (begin < end) read_place(begin, end - begin, cut, target, unpacker);
}

}  // namespace tacit::io::detail
