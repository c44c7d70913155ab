// Writes launches of stages down.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/amr/launches/stage_launches.hpp"

#include <algorithm>
#include <span>

#include "tacit/solvers/amr/launches/gas_stage.hpp"

namespace tacit::amr {
namespace {

using kernels::ghosts;
using kernels::variables;

constexpr std::size_t bytes_of(std::size_t numbers) { return gpu::aligned_bytes(numbers * sizeof(double)); }

/// All variables of some numbers each, one behind the other in memory of the device.
void copy_back(gpu::Program& program, const double* from, kernels::Variables<double> to, std::size_t numbers) {
  program.copy_out({.from = gpu::Program::as_bytes(from),
                    .to = gpu::Program::as_bytes(to.first),
                    .row_bytes = numbers * sizeof(double),
                    .rows = variables,
                    .from_row = numbers * sizeof(double),
                    .to_row = to.next * sizeof(double)});
}

double* copy_in(gpu::Program& program, kernels::Variables<const double> from, std::size_t numbers) {
  auto* const to = program.memory<double>(variables * numbers);
  program.copy_in({.from = gpu::Program::as_bytes(from.first),
                   .to = gpu::Program::as_bytes(to),
                   .row_bytes = numbers * sizeof(double),
                   .rows = variables,
                   .from_row = from.next * sizeof(double),
                   .to_row = numbers * sizeof(double)});
  return to;
}

}  // namespace

StageLaunches::StageLaunches(const AmrParameters& parameters, const std::vector<PencilShape>& shapes)
    : parameters_(parameters), shapes_(shapes) {
  for (std::size_t axis = 0; axis < 3; ++axis) cells_ *= parameters.domain.cells_of_block(axis);
  need_.work = static_cast<double>(cells_);
  need_.memory_bytes = 5 * bytes_of(variables * cells_);  // U, base, out, rate, primitive
  for (const PencilShape& shape : shapes) {
    const std::size_t lanes = shape.lanes();
    most_lanes_ = std::max(most_lanes_, lanes);
    need_.memory_bytes += 2 * bytes_of(variables * ghosts * lanes) + 2 * bytes_of(variables * lanes);
    need_.pinned_bytes += 2 * bytes_of(variables * ghosts * lanes);
  }
  need_.memory_bytes +=
      bytes_of(variables * (cells_ + 2 * ghosts * most_lanes_)) + bytes_of(variables * (cells_ + most_lanes_));
}

void StageLaunches::record(gpu::Program& program, const StageOfLeaf& of) const {
  GasStageArguments a;
  a.dimensions = shapes_.size();
  a.gamma = parameters_.gamma;
  a.dt = of.dt;
  a.is_first = of.stage == kernels::Stage::first;
  for (std::size_t axis = 0; axis < 3; ++axis) a.n[axis] = parameters_.domain.cells_of_block(axis);
  a.U = copy_in(program, of.U, cells_);
  if (!a.is_first) a.base = copy_in(program, of.base, cells_);
  for (const PencilShape& shape : shapes_) {
    a.scale[shape.axis] = of.scale[shape.axis];
    const std::size_t numbers = ghosts * shape.lanes();
    for (const mesh::Side side : {mesh::Side::low, mesh::Side::high}) {
      const std::size_t s = side == mesh::Side::low ? 0 : 1;
      const StageOfLeaf::Side& beyond = of.sides[shape.axis][s];
      SideOnDevice& to = a.sides[shape.axis][s];
      to.turns = beyond.turns;
      if (beyond.is_outside) continue;
      auto* const gathered = program.pinned<double>(variables * numbers);
      of.take_beyond(shape.axis, side, {gathered, numbers});
      to.layers = program.copy_in(std::span<const double>(gathered, variables * numbers));
    }
  }
  a.rate = program.memory<double>(variables * cells_);
  a.primitive = program.memory<double>(variables * cells_);
  a.pencils = program.memory<double>(variables * (cells_ + 2 * ghosts * most_lanes_));
  a.fluxes = program.memory<double>(variables * (cells_ + most_lanes_));
  a.out = program.memory<double>(variables * cells_);
  for (const PencilShape& shape : shapes_) {
    for (std::size_t s = 0; s < 2; ++s) {
      if (of.sides[shape.axis][s].kept.first == nullptr) continue;
      a.sides[shape.axis][s].kept = program.memory<double>(variables * shape.lanes());
    }
  }
  with_gas_stage(parameters_.limiter, parameters_.riemann, a, [&](const auto& kernel) { program.run(kernel, 1); });
  copy_back(program, a.out, of.out, cells_);
  for (const PencilShape& shape : shapes_) {
    for (std::size_t s = 0; s < 2; ++s) {
      const kernels::Variables<double>& kept = of.sides[shape.axis][s].kept;
      if (kept.first != nullptr) copy_back(program, a.sides[shape.axis][s].kept, kept, shape.lanes());
    }
  }
}

}  // namespace tacit::amr
