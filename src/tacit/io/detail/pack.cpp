// Packs chunks by libdeflate, whose output any zlib reads.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/io/detail/pack.hpp"

#include <libdeflate.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <new>

#include "tacit/base/checksum.hpp"
#include "tacit/base/error.hpp"
#include "tacit/io/detail/checksums.hpp"

namespace tacit::io::detail {
namespace {

constexpr std::size_t checksum_bytes = 4;

/// What zlib's format takes at most: five bytes for each block that is stored as it is, and its own frame.
constexpr std::size_t compressed_bound(std::size_t bytes) noexcept { return bytes + bytes / 1000 + 64; }

template <std::size_t width>
void shuffle_elements(const std::byte* from, std::size_t elements, std::byte* to) noexcept {
  constexpr std::size_t group = 64;  // elements whose bytes go to a line of each plane
  std::size_t first = 0;
  for (; first + group <= elements; first += group) {
    std::array<std::byte, group * width> in;
    std::memcpy(in.data(), from + first * width, in.size());
    for (std::size_t b = 0; b < width; ++b) {
      std::byte* const plane = to + b * elements + first;
      for (std::size_t i = 0; i < group; ++i) plane[i] = in[i * width + b];
    }
  }
  for (; first < elements; ++first) {
    for (std::size_t b = 0; b < width; ++b) to[b * elements + first] = from[first * width + b];
  }
}

}  // namespace

void shuffle(std::span<const std::byte> from, std::size_t element_bytes, std::byte* to) noexcept {
  const std::size_t elements = from.size() / element_bytes;
  const std::size_t whole = elements * element_bytes;
  switch (element_bytes) {
    case 2:
      shuffle_elements<2>(from.data(), elements, to);
      break;
    case 4:
      shuffle_elements<4>(from.data(), elements, to);
      break;
    case 8:
      shuffle_elements<8>(from.data(), elements, to);
      break;
    default:
      std::copy_n(from.data(), whole, to);
  }
  std::copy(from.begin() + static_cast<std::ptrdiff_t>(whole), from.end(), to + whole);
}

std::size_t room_to_pack(std::size_t bytes, const Packing& packing) noexcept {
  const std::size_t packed =
      (packing.compression > 0 ? compressed_bound(bytes) : bytes) + (packing.has_checksum ? checksum_bytes : 0);
  return packing.has_checksum ? in_pages(packed) : packed;
}

PackedChunk finish_chunk(std::span<std::byte> memory, std::size_t packed, const Packing& packing) noexcept {
  const auto pages = memory.first(packing.has_checksum ? in_pages(packed) : packed);
  std::ranges::fill(pages.subspan(packed), std::byte{0});
  return {pages.first(packed), pages, base::hash(pages)};
}

Packer::~Packer() { libdeflate_free_compressor(static_cast<libdeflate_compressor*>(compressor_)); }

std::size_t Packer::pack(std::span<std::byte> memory, std::size_t bytes, const Packing& packing) {
  TACIT_EXPECT(memory.size() >= room_to_pack(bytes, packing));
  std::size_t packed = bytes;
  if (packing.compression > 0) {
    if (level_ != packing.compression) {
      libdeflate_free_compressor(static_cast<libdeflate_compressor*>(compressor_));
      compressor_ = libdeflate_alloc_compressor(packing.compression);
      if (compressor_ == nullptr) throw std::bad_alloc();
      level_ = packing.compression;
    }
    std::span<const std::byte> plain = memory.first(bytes);
    if (packing.element_bytes > 1) {
      shuffled_.resize(bytes);
      shuffle(plain, packing.element_bytes, shuffled_.data());
      plain = shuffled_;
    }
    compressed_.resize(compressed_bound(bytes));
    packed = libdeflate_zlib_compress(static_cast<libdeflate_compressor*>(compressor_), plain.data(), bytes,
                                      compressed_.data(), compressed_.size());
    TACIT_EXPECT(packed > 0);
    std::copy_n(compressed_.data(), packed, memory.data());
  }
  if (!packing.has_checksum) return packed;
  const std::uint32_t checksum = fletcher32(memory.first(packed));
  std::memcpy(memory.data() + packed, &checksum, checksum_bytes);
  return packed + checksum_bytes;
}

}  // namespace tacit::io::detail
