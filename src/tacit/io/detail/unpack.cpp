// Unpacks chunks by libdeflate, which takes what any zlib has made.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/io/detail/unpack.hpp"

#include <libdeflate.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <new>
#include <utility>

#include "tacit/io/detail/checksums.hpp"

namespace tacit::io::detail {
namespace {

constexpr std::size_t suffix_bytes = 4;  // of a checksum

/// A register of every machine. Plain loops are ten times slower with g++, which finds no instructions for them.
using Bytes [[gnu::vector_size(16)]] = std::uint8_t;
constexpr std::size_t lanes_of_bytes = sizeof(Bytes);

/// The pieces of `width` bytes of `a` and `b` in turn, of their first halves (half = 0) or second ones (1).
template <std::size_t width, std::size_t half, std::size_t... i>
Bytes zip(Bytes a, Bytes b, std::index_sequence<i...>) noexcept {
  return __builtin_shufflevector(
      a, b, (i / width % 2 * lanes_of_bytes + half * lanes_of_bytes / 2 + i / width / 2 * width + i % width)...);
}

/// As many elements of `width` bytes as a register has bytes. @param plane  of their first bytes; others follow every
/// `step` bytes
template <std::size_t width>
std::array<Bytes, width> gather_elements(const std::byte* plane, std::size_t step) noexcept {
  std::array<Bytes, width> elements;
  if constexpr (width == 1) {
    std::memcpy(&elements, plane, sizeof elements);
  } else {
    constexpr std::make_index_sequence<lanes_of_bytes> all;
    const auto first = gather_elements<width / 2>(plane, step);
    const auto second = gather_elements<width / 2>(plane + width / 2 * step, step);
    for (std::size_t i = 0; i < width / 2; ++i) {
      elements[2 * i] = zip<width / 2, 0>(first[i], second[i], all);
      elements[2 * i + 1] = zip<width / 2, 1>(first[i], second[i], all);
    }
  }
  return elements;
}

template <std::size_t width>
void unshuffle_elements(const std::byte* from, std::size_t elements, std::byte* to) noexcept {
  std::size_t first = 0;
  for (; first + lanes_of_bytes <= elements; first += lanes_of_bytes) {
    const auto whole = gather_elements<width>(from + first, elements);
    std::memcpy(to + first * width, whole.data(), sizeof whole);
  }
  for (; first < elements; ++first) {
    for (std::size_t b = 0; b < width; ++b) to[first * width + b] = from[b * elements + first];
  }
}

/// Libraries before 1.6.3 stored the bytes of each half in the other order on some machines, and HDF5 takes both.
bool is_checksum_of(std::span<const std::byte> bytes, std::span<const std::byte> suffix) noexcept {
  std::uint32_t stored = 0;
  std::memcpy(&stored, suffix.data(), suffix_bytes);
  const std::uint32_t found = fletcher32(bytes);
  return stored == found || stored == ((found & 0x00ff00ffU) << 8U | (found >> 8U & 0x00ff00ffU));
}

/// Before filter `i` was applied.
std::size_t bytes_before(std::size_t i, const Packed& how, std::uint32_t skipped) noexcept {
  std::size_t bytes = how.bytes;
  for (std::size_t before = 0; before < i; ++before) {
    if (how.filters[before] == Filter::fletcher32 && (skipped >> before & 1U) == 0) bytes += suffix_bytes;
  }
  return bytes;
}

}  // namespace

void unshuffle(std::span<const std::byte> from, std::size_t element_bytes, std::byte* to) noexcept {
  const std::size_t elements = from.size() / element_bytes;
  const std::size_t whole = elements * element_bytes;
  switch (element_bytes) {
    case 2:
      unshuffle_elements<2>(from.data(), elements, to);
      break;
    case 4:
      unshuffle_elements<4>(from.data(), elements, to);
      break;
    case 8:
      unshuffle_elements<8>(from.data(), elements, to);
      break;
    default:
      std::copy_n(from.data(), whole, to);
  }
  std::copy(from.begin() + static_cast<std::ptrdiff_t>(whole), from.end(), to + whole);
}

/// The library gives up compression where it makes a chunk longer; others may not.
std::size_t most_packed_bytes(const Packed& how) noexcept { return 2 * how.bytes + 4096; }

Unpacker::~Unpacker() { libdeflate_free_decompressor(static_cast<libdeflate_decompressor*>(decompressor_)); }

std::span<std::byte> Unpacker::Room::of(std::size_t least) {
  if (bytes < least) {
    memory = std::make_unique_for_overwrite<std::byte[]>(least);
    bytes = least;
  }
  return {memory.get(), least};
}

std::span<std::byte> Unpacker::room(std::size_t bytes) { return packed_.of(bytes); }

/// @return whether it gives exactly as many bytes as there is room for
bool Unpacker::inflate(std::span<const std::byte> from, std::span<std::byte> to) {
  if (decompressor_ == nullptr) decompressor_ = libdeflate_alloc_decompressor();
  if (decompressor_ == nullptr) throw std::bad_alloc();
  return libdeflate_zlib_decompress(static_cast<libdeflate_decompressor*>(decompressor_), from.data(), from.size(),
                                    to.data(), to.size(), nullptr) == LIBDEFLATE_SUCCESS;
}

std::optional<std::span<const std::byte>> Unpacker::unpack(std::span<const std::byte> packed, const Packed& how,
                                                           std::uint32_t skipped, std::string_view& flaw) {
  std::span<const std::byte> now = packed;
  for (std::size_t i = how.filters.size(); i-- > 0;) {
    if ((skipped >> i & 1U) != 0) continue;
    if (how.filters[i] == Filter::fletcher32) {
      flaw = "a chunk does not fit its checksum";
      if (now.size() < suffix_bytes) return std::nullopt;
      const auto content = now.first(now.size() - suffix_bytes);
      if (!how.is_verified && !is_checksum_of(content, now.last(suffix_bytes))) return std::nullopt;
      now = content;
    } else if (how.filters[i] == Filter::deflate) {
      const std::span<std::byte> out = inflated_.of(bytes_before(i, how, skipped));
      flaw = "a chunk cannot be decompressed";
      if (!inflate(now, out)) return std::nullopt;
      now = out;
    } else {
      const std::span<std::byte> out = ordered_.of(now.size());
      unshuffle(now, how.element_bytes, out.data());
      now = out;
    }
  }
  flaw = "a chunk has another length than its shape says";
  if (now.size() != how.bytes) return std::nullopt;
  flaw = {};
  return now;
}

}  // namespace tacit::io::detail
