// Means of series of values that depend on those before them, with errors by blocking.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tacit::engine {

/// A mean over a series, and how far it may be from that of a series without end.
struct BlockEstimate {
  double mean = 0.0;
  double error = 0.0;         ///< one standard deviation of the mean; NaN of fewer than two values
  double inefficiency = 1.0;  ///< values that tell as much as one that depends on no other: 1 + 2 sum of correlations
  std::uint64_t block = 1;    ///< values in a block, from which the error is
  bool is_reliable = false;   ///< false: the series is too short, and the error a lower bound
};

/// Means and errors of some quantities that are measured together, again and again, without keeping what was measured.
///
/// The values of a series are joined to blocks of 2, 4, 8, ...: as soon as blocks are longer than what is remembered,
/// their means do not depend on each other, and the error of the mean is that of n_B independent values,
///
///     error^2(B) = sum_b (mean_b - mean)^2 / (n_B (n_B - 1))
///
/// Taken is the shortest block with B^3 > 2 n (error(B) / error(1))^4, which balances what is still remembered against
/// the noise of few blocks. A series without such a block is too short: the largest error of at least four blocks is
/// given.
///
/// @see Flyvbjerg & Petersen (1989), J. Chem. Phys. 91, 461; Wolff (2004), Comput. Phys. Commun. 156, 143, and Lee,
///      Bachelet & Rothlisberger (2011), Phys. Rev. E 83, 066706 for the block
/// Memory: 24 bytes for each quantity and doubling of the number of values.
class BlockAverages {
 public:
  /// @param quantities  at least one
  explicit BlockAverages(std::size_t quantities) : quantities_(quantities) {}
  /// Goes on from a state. @throws base::Error if it is none of so many quantities
  BlockAverages(std::size_t quantities, std::span<const double> state);

  /// @param values  shape (quantities)
  void add(std::span<const double> values);

  [[nodiscard]] std::size_t quantities() const noexcept { return quantities_; }
  /// Values of each quantity so far.
  [[nodiscard]] std::uint64_t count() const noexcept { return count_; }
  /// NaN of none.
  [[nodiscard]] double mean(std::size_t quantity) const;
  [[nodiscard]] BlockEstimate estimate(std::size_t quantity) const;
  /// All that is needed to go on, of finite length: the count, then the numbers of each level of blocks.
  [[nodiscard]] std::vector<double> state() const;

 private:
  /// Blocks of one length: their number follows from count_.
  struct Level {
    std::vector<double> mean;
    std::vector<double> squares;  // of distances from the mean, summed
    std::vector<double> waiting;  // a block without a partner, if their number is odd
  };
  [[nodiscard]] std::uint64_t blocks_of(std::size_t level) const noexcept { return count_ >> level; }
  [[nodiscard]] double error2(std::size_t level, std::size_t quantity) const;

  std::size_t quantities_;
  std::uint64_t count_ = 0;
  std::vector<Level> levels_;
  std::vector<double> block_;
};

}  // namespace tacit::engine
