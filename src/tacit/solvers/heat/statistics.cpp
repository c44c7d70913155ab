// Measures states: exact sums, so that no division among ranks changes a bit.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/heat/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

namespace tacit::heat {
namespace {

constexpr std::size_t heat_sum = 0;
constexpr std::size_t error_sum = 1;
constexpr std::size_t flow_sum = 2;  // and 3

struct Larger {
  double operator()(double a, double b) const noexcept { return a >= b || a != a ? a : b; }
};

}  // namespace

Statistics::Statistics(const HeatParameters& parameters, const mesh::BlockGrid& grid, comm::Communicator& ranks)
    : parameters_(parameters), grid_(grid), sums_(ranks, 4), largest_(ranks, std::span(extremes_), Larger{}) {}

double Statistics::largest(double mine) {
  extremes_.fill(mine);
  largest_.run();
  return extremes_[0];
}

Measured Statistics::measure(const FieldSet& fields, double time) {
  const Domain& domain = parameters_.domain;
  std::optional<ExactAt> exact;
  if (parameters_.initial.exact) exact.emplace(*parameters_.initial.exact, domain, time - parameters_.begin);
  sums_.clear();
  extremes_.fill(-std::numeric_limits<double>::infinity());
  for_each_cell(grid_, grid_.block(), [&](std::size_t i, const Cell& cell) {
    const double T = fields.T[i];
    const double error = exact ? T - (*exact)(cell) : 0.0;
    sums_.add(heat_sum, T);
    sums_.add(error_sum, error * error);
    extremes_ = {Larger{}(T, extremes_[0]), Larger{}(-T, extremes_[1]), Larger{}(std::abs(error), extremes_[2])};
  });
  for (std::size_t axis = 0; axis < domain.dimensions; ++axis) {
    for (const mesh::Side side : {mesh::Side::low, mesh::Side::high}) {
      if (domain.walls[axis] == Wall::fixed && grid_.is_at_wall(axis, side)) add_flow(fields, axis, side);
    }
  }
  sums_.run();
  largest_.run();
  const auto cells = static_cast<double>(domain.size());
  const double volume = domain.volume();
  return {.heat = sums_.value(heat_sum) * volume,
          .mean = sums_.value(heat_sum) / cells,
          .least = -extremes_[1],
          .largest = extremes_[0],
          .flow = {sums_.value(flow_sum) * volume, sums_.value(flow_sum + 1) * volume},
          .rms_error = std::sqrt(sums_.value(error_sum) / cells),
          .largest_error = extremes_[2]};
}

/// Through a fixed wall: what L(T) has of it, whose ghost cells hold 2 T_wall - T.
void Statistics::add_flow(const FieldSet& fields, std::size_t axis, mesh::Side side) {
  const kernels::Diffusion by = diffusion_of(parameters_, fields);
  const std::size_t next = grid_.layout().stride(axis);
  const bool is_low = side == mesh::Side::low;
  const mesh::Index end = grid_.block().end[axis];
  for_each_cell(grid_, grid_.block().with(axis, is_low ? 0 : end - 1, is_low ? 1 : end),
                [&](std::size_t i, const Cell&) {
                  const double weight = by.source == nullptr ? by.weight[axis] : by.face[axis][is_low ? i : i + next];
                  const double ghost = fields.T[is_low ? i - next : i + next];
                  sums_.add(flow_sum + (is_low ? 0 : 1), weight * (ghost - fields.T[i]));
                });
}

}  // namespace tacit::heat
