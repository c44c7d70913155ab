// A sum of doubles that is rounded once at the end: bitwise identical in any order, on any threads or ranks.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace tacit::base {

/// Accumulates doubles exactly in a fixed-point number that spans the whole exponent range.
///
/// Each value is split into 32-bit digits that are added into 64-bit bins, so 2^31 additions fit before
/// carries must be moved; `add` moves them in time. Order of additions and merges does not change the result.
///
/// @see Neal (2015), arXiv:1505.05571, the small superaccumulator
/// Cost: about 5 ns per addition, 0.6 kB of state.
class ExactSum {
 public:
  /// @param value  any double; infinities and NaN make the sum NaN or infinite as ordinary addition would
  void add(double value) noexcept;
  /// The same of many: about 1 ns per value where they are of similar size.
  void add(std::span<const double> values) noexcept;
  /// Adds all that `other` holds.
  void merge(const ExactSum& other) noexcept;
  /// @return the exact sum, rounded once to nearest, ties to even
  [[nodiscard]] double value() const noexcept;

 private:
  // Bin i holds multiples of 2^(32 i - 1074); 66 bins reach 2^1024 and leave 30 bits and a sign for growth.
  static constexpr int bins_count = 67;
  void move_carries() noexcept;

  std::array<std::int64_t, bins_count> bins_{};
  double special_ = 0.0;  // sum of the infinities and NaNs
  std::int64_t pending_ = 0;
};

/// An exact sum to which values come one by one, and go in blocks.
class BufferedSum {
 public:
  void add(double value) noexcept {
    values_[count_++] = value;
    if (count_ == values_.size()) flush();
  }
  /// @return of all values so far
  [[nodiscard]] const ExactSum& sum() noexcept {
    flush();
    return sum_;
  }

 private:
  void flush() noexcept {
    sum_.add(std::span(values_).first(count_));
    count_ = 0;
  }

  ExactSum sum_;
  std::size_t count_ = 0;
  std::array<double, 256> values_;  // those before count_ are set
};

}  // namespace tacit::base
