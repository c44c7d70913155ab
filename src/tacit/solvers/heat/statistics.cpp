// Measures states: exact sums, so that no division among ranks changes a bit.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/heat/statistics.hpp"

#include <array>
#include <cmath>
#include <optional>

#include "tacit/mesh/cell_sums.hpp"

namespace tacit::heat {
namespace {

// Places of the sums.
constexpr std::size_t of_T = 0;
constexpr std::size_t of_error = 1;     // of its squares; the largest of its size
constexpr std::size_t flow_at_low = 2;  // through fixed walls
constexpr std::size_t flow_at_high = 3;

}  // namespace

Statistics::Statistics(const HeatParameters& parameters, const mesh::BlockGrid& grid,
                       const engine::Resources& resources)
    : parameters_(parameters), grid_(grid), scheduler_(resources.scheduler), reductions_(resources.ranks) {}

Measured Statistics::measure(const FieldSet& fields, double time) {
  const Domain& domain = parameters_.domain;
  std::optional<ExactAt> exact;
  if (parameters_.initial.exact) exact.emplace(*parameters_.initial.exact, domain, time - parameters_.begin);
  const auto of_cells =
      mesh::sums_over_points<2>(grid_, scheduler_, [&](auto& numbers, std::size_t place, const mesh::Point& at) {
        const double T = fields.T[place];
        numbers[of_T].add(T);
        if (!exact) return;
        const double error = T - (*exact)({at[0], at[1], at[2]});
        numbers[of_error].add_to_sum(error * error);
        numbers[of_error].see(std::abs(error));
      });
  std::array<mesh::Sums, 4> sums{of_cells[of_T], of_cells[of_error]};
  for (std::size_t axis = 0; axis < domain.dimensions; ++axis) {
    if (domain.walls[axis] != Wall::fixed) continue;
    add_flow(fields, axis, mesh::Side::low, sums[flow_at_low].sum);
    add_flow(fields, axis, mesh::Side::high, sums[flow_at_high].sum);
  }
  mesh::join_ranks(reductions_, sums);
  const auto cells = static_cast<double>(domain.size());
  const double volume = domain.volume();
  return {.heat = sums[of_T].sum.value() * volume,
          .mean = sums[of_T].sum.value() / cells,
          .least = sums[of_T].least,
          .largest = sums[of_T].largest,
          .flow = {sums[flow_at_low].sum.value() * volume, sums[flow_at_high].sum.value() * volume},
          .rms_error = std::sqrt(sums[of_error].sum.value() / cells),
          .largest_error = exact ? sums[of_error].largest : 0.0};
}

/// Through a fixed wall: what L(T) has of it, whose ghost cells hold 2 T_wall - T.
void Statistics::add_flow(const FieldSet& fields, std::size_t axis, mesh::Side side, base::ExactSum& flow) const {
  if (!grid_.is_at_wall(axis, side)) return;
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
