// Sums of words in groups, whose bounds let 32 bits do.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/io/detail/checksums.hpp"

#include <array>
#include <bit>
#include <cstring>

namespace tacit::io::detail {
namespace {

constexpr std::uint32_t modulus = 65535;
/// Each lane sums every so many words: one vector instruction adds to several lanes, without a product.
constexpr std::size_t lanes = 16;
/// Words of a lane that are summed without a carry: rounds * (rounds + 1) / 2 * 65535 < 2^32.
constexpr std::size_t rounds = 256;
static_assert(std::uint64_t{rounds} * (rounds + 1) / 2 * modulus < (std::uint64_t{1} << 32));
constexpr std::size_t words_together = lanes * rounds;

struct Sums {
  std::uint64_t plain = 0;
  std::uint64_t weighted = 0;  // the first word counts `words_together` times
};

/// With the sums p_l and q_l of lane l, where the first of its words counts `rounds` times in q_l:
///
///     plain = sum_l p_l      weighted = sum_l (lanes q_l - l p_l)
///
/// By itself g++ makes vector instructions of it, 30 GB/s; within the loop that calls it, it does not: 4 GB/s.
[[gnu::noinline]] Sums sums_of(const std::byte* from) noexcept {
  std::array<std::uint32_t, lanes> p{};
  std::array<std::uint32_t, lanes> q{};
  for (std::size_t round = 0; round < rounds; ++round) {
    std::array<std::uint16_t, lanes> words;
    std::memcpy(words.data(), from + round * sizeof words, sizeof words);
    for (std::size_t l = 0; l < lanes; ++l) {
      p[l] += words[l];
      q[l] += p[l];
    }
  }
  Sums sums;
  for (std::size_t l = 0; l < lanes; ++l) {
    sums.plain += p[l];
    sums.weighted += std::uint64_t{lanes} * q[l] - std::uint64_t{l} * p[l];
  }
  return sums;
}

/// What the library's folding leaves: in [1, 65535] unless nothing was added.
std::uint32_t fold(std::uint64_t sum) noexcept {
  if (sum == 0) return 0;
  const auto rest = static_cast<std::uint32_t>(sum % modulus);
  return rest == 0 ? modulus : rest;
}

}  // namespace

std::uint32_t fletcher32(std::span<const std::byte> bytes) noexcept {
  static_assert(std::endian::native == std::endian::little);
  // Words are taken in this machine's order: that of the file is 256 times that modulo 65535.
  std::uint64_t s1 = 0;
  std::uint64_t s2 = 0;
  const auto add = [&](std::uint64_t word) {
    s1 += word;
    s2 += s1;
  };
  std::size_t at = 0;
  for (; at + 2 * words_together <= bytes.size(); at += 2 * words_together) {
    const Sums sums = sums_of(bytes.data() + at);
    s2 = fold(s2 + words_together * s1 + sums.weighted);
    s1 = fold(s1 + sums.plain);
  }
  for (; at + 2 <= bytes.size(); at += 2) {
    std::uint16_t word = 0;
    std::memcpy(&word, bytes.data() + at, 2);
    add(word);
  }
  if (at < bytes.size()) add(static_cast<std::uint8_t>(bytes[at]));  // the higher byte of a last word
  return fold(256 * s2) << 16U | fold(256 * s1);
}

}  // namespace tacit::io::detail
