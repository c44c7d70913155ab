// Joins values to blocks as they come.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/engine/averages/block_averages.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "tacit/base/error.hpp"

namespace tacit::engine {

BlockAverages::BlockAverages(std::size_t quantities, std::span<const double> state) : quantities_(quantities) {
  constexpr double most = 9.0e15;
  if (state.empty() || !(state[0] >= 0.0 && state[0] <= most) || state[0] != std::floor(state[0])) {
    throw base::Error("averages begin with no number of values");
  }
  count_ = static_cast<std::uint64_t>(state[0]);
  levels_.resize(static_cast<std::size_t>(std::bit_width(count_)));
  if (state.size() != 1 + 3 * quantities * levels_.size()) {
    throw base::Error("averages have another length than their number of values asks for");
  }
  const double* at = state.data() + 1;
  for (Level& level : levels_) {
    for (std::vector<double>* numbers : {&level.mean, &level.squares, &level.waiting}) {
      numbers->assign(at, at + quantities);
      at += quantities;
    }
  }
}

std::vector<double> BlockAverages::state() const {
  std::vector<double> result{static_cast<double>(count_)};
  for (const Level& level : levels_) {
    for (const std::vector<double>* numbers : {&level.mean, &level.squares, &level.waiting}) {
      result.insert(result.end(), numbers->begin(), numbers->end());
    }
  }
  return result;
}

void BlockAverages::add(std::span<const double> values) {
  TACIT_EXPECT(values.size() == quantities_);
  block_.assign(values.begin(), values.end());
  ++count_;
  for (std::size_t k = 0;; ++k) {
    if (k == levels_.size()) {
      const std::vector<double> zeros(quantities_, 0.0);
      levels_.push_back({zeros, zeros, zeros});
    }
    Level& level = levels_[k];
    const std::uint64_t number = blocks_of(k);
    const double share = 1.0 / static_cast<double>(number);
    for (std::size_t q = 0; q < quantities_; ++q) {
      const double away = block_[q] - level.mean[q];
      level.mean[q] += share * away;
      level.squares[q] += away * (block_[q] - level.mean[q]);
    }
    if (number % 2 == 1) {
      level.waiting = block_;
      return;
    }
    for (std::size_t q = 0; q < quantities_; ++q) block_[q] = 0.5 * (level.waiting[q] + block_[q]);
  }
}

double BlockAverages::mean(std::size_t quantity) const {
  return count_ == 0 ? std::numeric_limits<double>::quiet_NaN() : levels_[0].mean[quantity];
}

double BlockAverages::error2(std::size_t level, std::size_t quantity) const {
  const auto blocks = static_cast<double>(blocks_of(level));
  return levels_[level].squares[quantity] / (blocks * (blocks - 1.0));
}

BlockEstimate BlockAverages::estimate(std::size_t quantity) const {
  BlockEstimate result{.mean = mean(quantity), .error = std::numeric_limits<double>::quiet_NaN()};
  if (count_ < 2) return result;
  const double first = error2(0, quantity);
  const auto n = static_cast<double>(count_);
  double largest = -1.0;
  std::size_t at = 0;
  for (std::size_t k = 0; k < levels_.size() && blocks_of(k) >= 2; ++k) {
    const double here = error2(k, quantity);
    const double ratio = first > 0.0 ? here / first : 1.0;
    const double length = std::ldexp(1.0, static_cast<int>(k));
    constexpr std::uint64_t fewest = 8;
    if (blocks_of(k) >= fewest && (first == 0.0 || length * length * length > 2.0 * n * ratio * ratio)) {
      largest = here;
      at = k;
      result.is_reliable = true;
      break;
    }
    constexpr std::uint64_t fewest_of_bound = 4;
    if (here > largest && (k == 0 || blocks_of(k) >= fewest_of_bound)) {
      largest = here;
      at = k;
    }
  }
  result.error = std::sqrt(largest);
  result.inefficiency = first > 0.0 ? largest / first : 1.0;
  result.block = std::uint64_t{1} << at;
  return result;
}

}  // namespace tacit::engine
