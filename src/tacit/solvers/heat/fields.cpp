// Fills the fields at the begin.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/heat/fields.hpp"

#include <algorithm>

#include "tacit/base/cpu_features.hpp"
#include "tacit/solvers/heat/stage_kernel.hpp"

namespace tacit::heat {
namespace {

/// kappa at the faces from those of the cells: harmonic means 2 a b / (a + b), so that steady heat flows through layers
/// are exact. Written as 2 a / (1 + a / b) with a <= b, whose numbers have no products that over- or underflow.
void set_faces(const Domain& domain, const mesh::BlockGrid& grid, FieldSet& fields) {
  for (std::size_t axis = 0; axis < domain.dimensions; ++axis) {
    fields.faces[axis].resize(grid.layout().size());
    const double weight = 2.0 / (domain.spacing(axis) * domain.spacing(axis));
    const std::size_t next = grid.layout().stride(axis);
    const mesh::Box& all = grid.block_with_ghosts();
    mesh::for_cells(grid, all.with(axis, all.begin[axis] + 1, all.end[axis]), [&](std::size_t i, const Cell&) {
      const auto [least, largest] = std::minmax(fields.kappa[i - next], fields.kappa[i]);
      fields.faces[axis][i] = weight * (least / (1.0 + least / largest));
    });
  }
}

template <kernels::Kappa kappa>
void run_kernel(gpu::Program& program, const mesh::StageOnDevice& on, const kernels::Diffusion& by) {
  program.run(kernels::StageKernel<kappa>{.tile = on.device, .by = by, .stage = on.stage, .dt = on.dt, .at = on.at[0]},
              on.device.n[2]);
}

/// Diffusivity at faces and source are copied, too, where they are given.
mesh::StageLaunches launches_of(const kernels::Diffusion& by, std::size_t dimensions, gpu::Slots* slots) {
  const bool is_uniform = by.source == nullptr;
  const auto run = [by, dimensions, is_uniform](gpu::Program& program, const mesh::StageOnDevice& on) {
    if (is_uniform) return run_kernel<kernels::Kappa::constant>(program, on, by);
    const auto copy = [&](const double* field, mesh::TileCells cells) {
      return mesh::copy_to_device(program, on.host, field + on.host.first, cells);
    };
    kernels::Diffusion there = by;
    there.source = copy(by.source, mesh::TileCells::own);
    for (std::size_t axis = 0; axis < 3; ++axis)
      there.face[axis] = axis < dimensions ? copy(by.face[axis], mesh::TileCells::with_beside) : there.face[0];
    run_kernel<kernels::Kappa::given>(program, on, there);
  };
  return {.slots = slots, .name = "heat stage", .further = is_uniform ? 0 : dimensions + 1, .run = run};
}

}  // namespace

FieldSet make_fields(const HeatParameters& parameters, const mesh::BlockGrid& grid) {
  const Initial& initial = parameters.initial;
  FieldSet fields{.T = mesh::field_of(grid, grid.block(), initial.temperature),
                  .kappa = {},
                  .faces = {},
                  .source = {},
                  .by = uniform_diffusion(parameters)};
  if (parameters.is_uniform()) return fields;
  fields.kappa = mesh::field_of(grid, grid.block_with_ghosts(), [&](const Cell& cell) {
    return initial.diffusivity ? initial.diffusivity(parameters.domain.inside(cell)) : parameters.diffusivity;
  });
  fields.source = mesh::field_of(grid, grid.block(), [&](const Cell& cell) {
    return parameters.source + (initial.source ? initial.source(cell) : 0.0);
  });
  set_faces(parameters.domain, grid, fields);
  for (std::size_t axis = 0; axis < 3; ++axis)
    fields.by.face[axis] = fields.faces[axis < parameters.domain.dimensions ? axis : 0].data();
  fields.by.source = fields.source.data();
  return fields;
}

kernels::Diffusion uniform_diffusion(const HeatParameters& parameters) {
  kernels::Diffusion by{.constant_source = parameters.source};
  for (std::size_t axis = 0; axis < parameters.domain.dimensions; ++axis) {
    const double spacing = parameters.domain.spacing(axis);
    by.weight[axis] = parameters.diffusivity / (spacing * spacing);
  }
  return by;
}

mesh::StagedFields staged_fields(const HeatParameters& parameters, const mesh::BlockGrid& grid, FieldSet& fields,
                                 gpu::Slots* slots) {
  const kernels::Loops loops = base::with_instruction_set(base::chosen_instruction_set(),
                                                          []<class Isa>(Isa) { return kernels::loops_of<Isa>(); });
  const auto advance = [loops, by = fields.by](const mesh::StageTile& tile, const mesh::Stage& stage, double dt,
                                               std::span<const mesh::StageFields> at) {
    loops.advance(tile, by, stage, dt, at[0]);
  };
  return {.fields = {&fields.T},
          .sides = {mesh::sides_of(parameters.domain, grid)},
          .stages = parameters.stages,
          .advance = advance,
          .launches = launches_of(fields.by, parameters.domain.dimensions, slots)};
}

double fastest(const kernels::Diffusion& uniform) {
  return 4.0 * (uniform.weight[0] + uniform.weight[1] + uniform.weight[2]);
}

double fastest(const kernels::Diffusion& by, const mesh::BlockGrid& grid) {
  if (by.source == nullptr) return fastest(by);
  double largest = 0.0;
  mesh::for_cells(grid, grid.block(), [&](std::size_t i, const Cell&) {
    double sum = 0.0;
    for (std::size_t axis = 0; axis < grid.dimensions(); ++axis) {
      sum += 0.5 * (by.face[axis][i] + by.face[axis][i + grid.layout().stride(axis)]);
    }
    largest = std::max(largest, sum);
  });
  return 4.0 * largest;
}

}  // namespace tacit::heat
