// Sums and extrema over the points of a grid: the same bits however it is divided among ranks and threads.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <span>

#include "tacit/base/exact_sum.hpp"
#include "tacit/exchange/reductions.hpp"
#include "tacit/mesh/cells.hpp"
#include "tacit/tasks/parallel_for.hpp"

namespace tacit::mesh {

/// What is known of a number of each point.
struct Sums {
  base::ExactSum sum;
  double least = std::numeric_limits<double>::infinity();
  double largest = -std::numeric_limits<double>::infinity();

  void see(double value) noexcept {
    least = exchange::smaller(least, value);
    largest = exchange::larger(largest, value);
  }
  void join(const Sums& more) noexcept {
    sum.merge(more.sum);
    least = exchange::smaller(least, more.least);
    largest = exchange::larger(largest, more.largest);
  }
};

/// Sums to which the numbers of points come one by one.
class PointSums {
 public:
  void add(double value) noexcept {
    add_to_sum(value);
    see(value);
  }
  void add_to_sum(double value) noexcept { buffered_.add(value); }
  void see(double value) noexcept { sums_.see(value); }
  [[nodiscard]] const Sums& sums() noexcept {
    sums_.sum = buffered_.sum();
    return sums_;
  }

 private:
  base::BufferedSum buffered_;
  Sums sums_;
};

/// Sums over the points of this rank, by all threads.
/// @param visit  (std::array<PointSums, N>&, place in a field, point of the whole grid): adds the numbers of a point
template <std::size_t N, class Visit>
[[nodiscard]] std::array<Sums, N> sums_over_points(const BlockGrid& grid, tasks::Scheduler& scheduler,
                                                   const Visit& visit) {
  const std::size_t slowest = grid.dimensions() - 1;
  const auto of_layers = [&](std::size_t first, std::size_t end) {
    std::array<PointSums, N> numbers;
    const Box layers = grid.block().with(slowest, static_cast<Index>(first), static_cast<Index>(end));
    for_points(grid, layers, [&](std::size_t place, const Point& point) { visit(numbers, place, point); });
    std::array<Sums, N> sums;
    std::ranges::transform(numbers, sums.begin(), [](PointSums& one) { return one.sums(); });
    return sums;
  };
  const auto join = [](std::array<Sums, N> all, const std::array<Sums, N>& more) {
    for (std::size_t i = 0; i < N; ++i) all[i].join(more[i]);
    return all;
  };
  const auto layers = static_cast<std::size_t>(grid.block().extent(slowest));
  return tasks::parallel_reduce(scheduler, 0, layers, layers / 32 + 1, std::array<Sums, N>{}, of_layers, join);
}

/// Makes them those of all ranks, in one message. All ranks call it, with as many. A zero among the extrema has no
/// sign, as it would be that of the rank which finds it first.
void join_ranks(exchange::RankReductions& ranks, std::span<Sums> sums);

}  // namespace tacit::mesh
