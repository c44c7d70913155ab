// Measures states: exact sums, so that no division among ranks changes a bit.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/heat/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "tacit/tasks/parallel_for.hpp"

namespace tacit::heat {
namespace {

// Places of the sums and the largest numbers.
constexpr std::size_t heat_sum = 0;
constexpr std::size_t error_sum = 1;
constexpr std::size_t flow_sum = 2;  // at low sides, and at 3 that at high ones
constexpr exchange::ReductionShape reduction_shape{.sums = 4, .largest = 2, .least = 1};

}  // namespace

Statistics::Statistics(const HeatParameters& parameters, const mesh::BlockGrid& grid,
                       const engine::Resources& resources)
    : parameters_(parameters), grid_(grid), scheduler_(resources.scheduler), reductions_(resources.ranks) {}

Measured Statistics::measure(const FieldSet& fields, double time) {
  const Domain& domain = parameters_.domain;
  std::optional<ExactAt> exact;
  if (parameters_.initial.exact) exact.emplace(*parameters_.initial.exact, domain, time - parameters_.begin);
  exchange::Reduction& of_all = reductions_.of(reduction_shape);
  const auto sums = of_all.sums();
  double& largest = of_all.largest()[0];
  double& largest_error = of_all.largest()[1];
  double& least = of_all.least()[0];
  const Cells mine = measure_cells(fields, exact ? &*exact : nullptr);
  std::ranges::fill(sums, base::ExactSum{});
  sums[heat_sum] = mine.heat;
  sums[error_sum] = mine.error;
  largest = mine.largest;
  largest_error = mine.largest_error;
  least = mine.least;
  for (std::size_t axis = 0; axis < domain.dimensions; ++axis) {
    for (const mesh::Side side : {mesh::Side::low, mesh::Side::high}) {
      const std::size_t sum = flow_sum + (side == mesh::Side::low ? 0 : 1);
      if (domain.walls[axis] == Wall::fixed && grid_.is_at_wall(axis, side)) add_flow(fields, axis, side, sums[sum]);
    }
  }
  of_all.run();
  const auto cells = static_cast<double>(domain.size());
  const double volume = domain.volume();
  // Of 0 and -0 the one that a rank finds first is kept: adding 0 makes both 0.
  return {.heat = sums[heat_sum].value() * volume,
          .mean = sums[heat_sum].value() / cells,
          .least = least + 0.0,
          .largest = largest + 0.0,
          .flow = {sums[flow_sum].value() * volume, sums[flow_sum + 1].value() * volume},
          .rms_error = std::sqrt(sums[error_sum].value() / cells),
          .largest_error = largest_error};
}

/// Of the cells of this rank, by all threads.
Statistics::Cells Statistics::measure_cells(const FieldSet& fields, const ExactAt* exact) const {
  const auto of_planes = [&](std::size_t first, std::size_t end) {
    Cells cells;
    base::BufferedSum heat;
    base::BufferedSum squares;
    const auto z = [](std::size_t plane) { return static_cast<mesh::Index>(plane); };
    for_each_cell(grid_, grid_.block().with(2, z(first), z(end)), [&](std::size_t i, const Cell& cell) {
      const double T = fields.T[i];
      heat.add(T);
      cells.largest = exchange::larger(cells.largest, T);
      cells.least = exchange::smaller(cells.least, T);
      if (exact == nullptr) return;
      const double error = T - (*exact)(cell);
      squares.add(error * error);
      cells.largest_error = exchange::larger(cells.largest_error, std::abs(error));
    });
    cells.heat = heat.sum();
    cells.error = squares.sum();
    return cells;
  };
  const auto together = [](Cells all, const Cells& more) {
    all.heat.merge(more.heat);
    all.error.merge(more.error);
    all.largest = exchange::larger(all.largest, more.largest);
    all.largest_error = exchange::larger(all.largest_error, more.largest_error);
    all.least = exchange::smaller(all.least, more.least);
    return all;
  };
  const auto planes = static_cast<std::size_t>(grid_.block().extent(2));
  return tasks::parallel_reduce(scheduler_, 0, planes, (planes + 31) / 32, Cells{}, of_planes, together);
}

/// Through a fixed wall: what L(T) has of it, whose ghost cells hold 2 T_wall - T.
void Statistics::add_flow(const FieldSet& fields, std::size_t axis, mesh::Side side, base::ExactSum& flow) const {
  const kernels::Diffusion by = diffusion_of(parameters_, fields);
  const std::size_t next = grid_.layout().stride(axis);
  const bool is_low = side == mesh::Side::low;
  const mesh::Index end = grid_.block().end[axis];
  for_each_cell(grid_, grid_.block().with(axis, is_low ? 0 : end - 1, is_low ? 1 : end),
                [&](std::size_t i, const Cell&) {
                  const double weight = by.source == nullptr ? by.weight[axis] : by.face[axis][is_low ? i : i + next];
                  const double ghost = fields.T[is_low ? i - next : i + next];
                  flow.add(weight * (ghost - fields.T[i]));
                });
}

}  // namespace tacit::heat
