// A chunk of an array as HDF5 stores it: shuffled, compressed, with a checksum behind it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tacit::io::detail {

/// What is done to the chunks of an array, as its filters in the file say.
struct Packing {
  std::size_t element_bytes = 8;
  int compression = 0;       ///< gzip level 1 to 9, after shuffling; 0: neither
  bool has_checksum = true;  ///< Fletcher-32 behind it
};

/// What files are written in past the page cache.
inline constexpr std::size_t page_bytes = 4096;

/// The least number of whole pages that holds so many bytes [byte].
[[nodiscard]] constexpr std::uint64_t whole_pages(std::uint64_t bytes) noexcept {
  return (bytes + page_bytes - 1) / page_bytes * page_bytes;
}

/// A chunk that is not short takes whole pages of the file, so that its memory can go to the disk without a copy.
[[nodiscard]] constexpr std::size_t in_pages(std::size_t bytes) noexcept {
  constexpr std::size_t shortest = 16 * page_bytes;
  return bytes < shortest ? bytes : whole_pages(bytes);
}

/// Memory in which a chunk of `bytes` can be packed in place, pages included [byte].
[[nodiscard]] std::size_t room_to_pack(std::size_t bytes, const Packing& packing) noexcept;

/// A chunk in memory that is ready for the disk.
struct PackedChunk {
  std::span<const std::byte> bytes;  ///< as the library counts them
  std::span<const std::byte> pages;  ///< the same, and zeros, up to in_pages of it
  std::uint64_t hash = 0;            ///< XXH3-64 of `pages`
};

/// Zeros what is behind the first `packed` bytes of `memory`, and makes the hash. What has no checksum of its own is
/// contiguous with its neighbours, and takes no pages.
/// @pre memory is that of room_to_pack
[[nodiscard]] PackedChunk finish_chunk(std::span<std::byte> memory, std::size_t packed,
                                       const Packing& packing) noexcept;

/// Packs chunks one after the other, with memory of its own; one for each thread.
class Packer {
 public:
  Packer() = default;
  Packer(const Packer&) = delete;
  Packer& operator=(const Packer&) = delete;
  ~Packer();

  /// Packs what the first `bytes` of `memory` hold, in place.
  /// @param memory  at least room_to_pack(bytes, packing) long
  /// @return bytes of the packed chunk
  [[nodiscard]] std::size_t pack(std::span<std::byte> memory, std::size_t bytes, const Packing& packing);

 private:
  std::vector<std::byte> shuffled_;
  std::vector<std::byte> compressed_;
  void* compressor_ = nullptr;  // libdeflate_compressor
  int level_ = 0;               // of it
};

/// The first bytes of all elements, then the second ones, ...: HDF5's shuffle filter. Bytes beyond the last whole
/// element follow as they are.
void shuffle(std::span<const std::byte> from, std::size_t element_bytes, std::byte* to) noexcept;

}  // namespace tacit::io::detail
