// Measures states: exact sums, so that no division among ranks changes a bit.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <span>

#include "tacit/solvers/heat/heat_solver.hpp"

namespace tacit::heat {
namespace {

// Places of the sums.
constexpr std::size_t of_T = 0;
constexpr std::size_t of_error = 1;     // against the exact solution: of squares; the largest of its size
constexpr std::size_t flow_at_low = 2;  // into the domain through fixed walls
constexpr std::size_t flow_at_high = 3;

}  // namespace

const HeatSolver::Measured& HeatSolver::measured() const {
  if (!measured_) measured_ = measure();
  return *measured_;
}

HeatSolver::Measured HeatSolver::measure() const {
  const std::optional<ExactAt> exact = exact_at(time_);
  const std::span<const double> temperatures = fields_.T;
  const auto of_cells = sums_over_cells<2>([temperatures, &exact](auto& numbers, std::size_t place, const Cell& cell) {
    const double T = temperatures[place];
    numbers[of_T].add(T);
    if (!exact) return;
    const double error = T - (*exact)(cell);
    numbers[of_error].add_to_sum(error * error);
    numbers[of_error].see(std::abs(error));
  });
  Measured sums{of_cells[of_T], of_cells[of_error]};
  for (std::size_t axis = 0; axis < domain().dimensions; ++axis) {
    if (domain().walls[axis] != Wall::fixed) continue;
    add_flow(axis, mesh::Side::low, sums[flow_at_low].sum);
    add_flow(axis, mesh::Side::high, sums[flow_at_high].sum);
  }
  join_ranks(sums);
  return sums;
}

/// Through a fixed wall: what L(T) has of it, whose ghost cells hold 2 T_wall - T.
void HeatSolver::add_flow(std::size_t axis, mesh::Side side, base::ExactSum& flow) const {
  if (!grid().is_at_wall(axis, side)) return;
  const kernels::Diffusion& by = fields_.by;
  const std::size_t next = grid().layout().stride(axis);
  const bool is_low = side == mesh::Side::low;
  const mesh::Index end = grid().block().end[axis];
  const mesh::Box beside = grid().block().with(axis, is_low ? 0 : end - 1, is_low ? 1 : end);
  mesh::for_cells(grid(), beside, [&](std::size_t i, const Cell&) {
    const double weight = by.source == nullptr ? by.weight[axis] : by.face[axis][is_low ? i : i + next];
    const double ghost = fields_.T[is_low ? i - next : i + next];
    flow.add(weight * (ghost - fields_.T[i]));
  });
}

/// Tiles of all ranks that a device has advanced so far, and all that might have been.
std::array<double, 2> HeatSolver::launched_and_all() const {
  const gpu::LaunchCounts counts = slots()->counts();
  std::array<mesh::Sums, 2> sums;
  sums[0].sum.add(static_cast<double>(counts.launched - counts.rescued));
  sums[1].sum.add(static_cast<double>(counts.launched + counts.on_cpu));
  join_ranks(sums);
  return {sums[0].sum.value(), sums[1].sum.value()};
}

engine::Conserved HeatSolver::conserved() const {
  const mesh::Sums& T = measured()[of_T];
  const double size = std::max(std::abs(T.least), std::abs(T.largest));
  return {.quantities = {{.name = "heat",
                          .value = {T.sum.value() * domain().volume()},
                          .scale = size * static_cast<double>(domain().size()) * domain().volume(),
                          .is_kept = keeps_heat_}}};
}

std::vector<engine::Statistic> HeatSolver::statistics() const {
  const Measured& sums = measured();
  const auto cells = static_cast<double>(domain().size());
  const mesh::Sums& T = sums[of_T];
  std::vector<engine::Statistic> result{{"mean", T.sum.value() / cells}, {"least", T.least}, {"largest", T.largest}};
  if (domain().has(Wall::fixed)) {
    result.push_back({"inflow_low", sums[flow_at_low].sum.value() * domain().volume()});
    result.push_back({"inflow_high", sums[flow_at_high].sum.value() * domain().volume()});
  }
  if (exact_) {
    result.push_back({"error", std::sqrt(sums[of_error].sum.value() / cells)});
    result.push_back({"largest_error", sums[of_error].largest});
  }
  if (slots() != nullptr) {
    const auto [launched, all] = launched_and_all();
    result.push_back({"launches", launched});
    result.push_back({"device_share", all > 0.0 ? launched / all : 1.0});
  }
  return result;
}

}  // namespace tacit::heat
