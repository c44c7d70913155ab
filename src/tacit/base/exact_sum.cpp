// The superaccumulator behind ExactSum.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/base/exact_sum.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace tacit::base {
namespace {

constexpr std::int64_t digit_mask = 0xffffffffLL;

// Blocks are summed in vectors of the length that every processor has, several at once.
constexpr std::size_t block_values = 256;
constexpr std::size_t at_once = 4;
using Two [[gnu::vector_size(16)]] = double;
using TwoBits [[gnu::vector_size(16)]] = std::uint64_t;
using Block = std::array<Two, block_values / 2>;

Block block_of(std::span<const double> values) noexcept {
  Block block{};
  std::memcpy(block.data(), values.data(), values.size_bytes());
  return block;
}

/// @return of values that are numbers
double largest_magnitude(const Block& block) noexcept {
  std::array<Two, at_once> largest{};
  for (std::size_t i = 0; i < block.size(); i += at_once) {
    for (std::size_t k = 0; k < at_once; ++k) {
      const auto magnitude = reinterpret_cast<Two>(reinterpret_cast<TwoBits>(block[i + k]) & ~(1ULL << 63U));
      largest[k] = magnitude > largest[k] ? magnitude : largest[k];
    }
  }
  double of_all = 0.0;
  for (const Two& of_some : largest) of_all = std::max({of_all, of_some[0], of_some[1]});
  return of_all;
}

struct HighParts {
  double sum = 0.0;
  bool leaves_something = false;
};

/// Takes off each value what is a multiple of 2^(exponent - 44), the nearest one; what is left is exact, and at most
/// half of that. So is the sum of what was taken off: it needs 8 bits more than the 45 of each.
/// @param exponent  no value reaches 2^(exponent + 1)
/// @see Rump, Ogita, Oishi (2008), SIAM J. Sci. Comput. 31, 189, ExtractVector
HighParts take_high_parts(Block& block, int exponent) noexcept {
  const double rounder = std::ldexp(1.5, exponent + 8);
  std::array<Two, at_once> sums{};
  std::array<TwoBits, at_once> left{};
  for (std::size_t i = 0; i < block.size(); i += at_once) {
    for (std::size_t k = 0; k < at_once; ++k) {
      const Two high = (block[i + k] + rounder) - rounder;
      sums[k] += high;
      block[i + k] -= high;
      left[k] |= reinterpret_cast<TwoBits>(block[i + k]);
    }
  }
  HighParts parts;
  for (const Two& sum : sums) parts.sum += sum[0] + sum[1];
  for (const TwoBits& bits : left) parts.leaves_something |= (bits[0] | bits[1]) << 1U != 0;  // but for signs of zeros
  return parts;
}

}  // namespace

void ExactSum::add(std::span<const double> values) noexcept {
  // Below the first limit, parts have no room above the smallest double; beyond the second, their sum may overflow.
  constexpr int least_exponent = -1000;
  constexpr int largest_exponent = 1000;
  constexpr int bits_of_part = 46;
  constexpr int most_parts = 4;
  while (!values.empty()) {
    const auto those = values.first(std::min(values.size(), block_values));
    values = values.subspan(those.size());
    Block block = block_of(those);
    // Values of similar size are gone after two or three parts; what is left of others is added one by one, and so are
    // infinities and NaN.
    std::span<const double> left = those;
    const double largest = largest_magnitude(block);
    int exponent = largest > 0.0 ? std::ilogb(largest) : 0;
    for (int part = 0; part < most_parts && !left.empty(); ++part, exponent -= bits_of_part) {
      if (exponent < least_exponent || exponent > largest_exponent) break;
      const HighParts parts = take_high_parts(block, exponent);
      if (!std::isfinite(parts.sum)) break;
      add(parts.sum);
      left = {reinterpret_cast<const double*>(block.data()), parts.leaves_something ? those.size() : 0};
    }
    for (const double value : left) add(value);
  }
}

void ExactSum::add(double value) noexcept {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  const int exponent = static_cast<int>((bits >> 52) & 0x7ffU);
  if (exponent == 0x7ff) {
    special_ += value;
    return;
  }
  std::uint64_t mantissa = bits & 0xfffffffffffffULL;
  if (exponent != 0) mantissa |= 1ULL << 52;
  const int shift = exponent == 0 ? 0 : exponent - 1;  // value = mantissa * 2^(shift - 1074)
  const auto first = static_cast<std::size_t>(shift / 32);
  const int offset = shift % 32;
  const std::uint64_t low = mantissa << offset;                            // bits 0 .. 63
  const std::uint64_t high = offset == 0 ? 0 : mantissa >> (64 - offset);  // bits 64 .. 84
  const std::int64_t sign = (bits >> 63) != 0 ? -1 : 1;
  bins_[first] += sign * static_cast<std::int64_t>(low & 0xffffffffULL);
  bins_[first + 1] += sign * static_cast<std::int64_t>(low >> 32);
  bins_[first + 2] += sign * static_cast<std::int64_t>(high);
  if (++pending_ == (1LL << 30)) move_carries();
}

void ExactSum::merge(const ExactSum& other) noexcept {
  ExactSum copy = other;
  copy.move_carries();
  move_carries();
  for (std::size_t i = 0; i < bins_.size(); ++i) bins_[i] += copy.bins_[i];
  special_ += copy.special_;
  pending_ = 1;
}

void ExactSum::move_carries() noexcept {
  for (std::size_t i = 0; i + 1 < bins_.size(); ++i) {
    const std::int64_t carry = bins_[i] >> 32;  // arithmetic shift: rounds towards minus infinity
    bins_[i] &= digit_mask;
    bins_[i + 1] += carry;
  }
  pending_ = 0;
}

double ExactSum::value() const noexcept {
  if (special_ != 0.0 || std::isnan(special_)) return special_;
  ExactSum sum = *this;
  sum.move_carries();
  const bool negative = sum.bins_.back() < 0;
  if (negative) {
    for (auto& bin : sum.bins_) bin = -bin;
    sum.move_carries();
  }
  // All digits are now in [0, 2^32) and the number is non-negative. Take the bits that a double keeps, and round by
  // the bit below them and a sticky bit for all the rest.
  int top = bins_count - 1;
  while (top >= 0 && sum.bins_[static_cast<std::size_t>(top)] == 0) --top;
  if (top < 0) return 0.0;
  const auto digit = [&sum](int i) {
    return i < 0 ? 0ULL : static_cast<std::uint64_t>(sum.bins_[static_cast<std::size_t>(i)]);
  };
  if (digit(top) > 0xffffffffULL) return negative ? -INFINITY : INFINITY;
  const int lead =
      32 - std::countl_zero(static_cast<std::uint32_t>(digit(top)));  // bits used in the top digit, 1 .. 32
  // The last bit that a double of this size can keep: 53 bits below the leading one, but not below 2^-1074.
  const int leading_bit = 32 * top + lead - 1;  // the number is in [2^leading_bit, 2^(leading_bit+1)) * 2^-1074
  const int last_bit = leading_bit - 52 > 0 ? leading_bit - 52 : 0;
  const auto bit_at = [&digit](int i) { return i < 0 ? 0ULL : (digit(i / 32) >> (i % 32)) & 1ULL; };
  std::uint64_t mantissa = 0;
  for (int i = leading_bit; i >= last_bit; --i) mantissa = (mantissa << 1) | bit_at(i);
  bool sticky = false;
  for (int i = 0; i < (last_bit - 1) / 32 && !sticky; ++i) sticky = digit(i) != 0;
  for (int i = (last_bit - 1) / 32 * 32; i < last_bit - 1 && !sticky; ++i) sticky = bit_at(i) != 0;
  if (bit_at(last_bit - 1) != 0 && (sticky || (mantissa & 1U) != 0)) ++mantissa;
  const double magnitude = std::ldexp(static_cast<double>(mantissa), last_bit - 1074);
  return negative ? -magnitude : magnitude;
}

}  // namespace tacit::base
