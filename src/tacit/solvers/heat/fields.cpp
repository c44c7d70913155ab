// Divides the grid, and fills the fields at the begin.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/heat/fields.hpp"

#include <algorithm>

#include "tacit/base/cpu_features.hpp"

namespace tacit::heat {
namespace {

/// The cell that a ghost cell stands for: the same one at the other side, or beyond a wall the last one before it.
Cell inside(const Domain& domain, Cell cell) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const auto cells = domain.cells[axis];
    const bool is_periodic = domain.walls[axis] == Wall::periodic;
    cell[axis] = is_periodic ? (cell[axis] + cells) % cells : std::clamp<mesh::Index>(cell[axis], 0, cells - 1);
  }
  return cell;
}

/// kappa at the faces from those of the cells: harmonic means 2 a b / (a + b), so that steady heat flows through layers
/// are exact. Written as 2 a / (1 + a / b) with a <= b, whose numbers have no products that over- or underflow.
void set_faces(const Domain& domain, const mesh::BlockGrid& grid, FieldSet& fields) {
  for (std::size_t axis = 0; axis < domain.dimensions; ++axis) {
    fields.faces[axis].resize(grid.layout().size());
    const double weight = 2.0 / (domain.spacing(axis) * domain.spacing(axis));
    const std::size_t next = grid.layout().stride(axis);
    const mesh::Box& all = grid.block_with_ghosts();
    for_each_cell(grid, all.with(axis, all.begin[axis] + 1, all.end[axis]), [&](std::size_t i, const Cell&) {
      const auto [least, largest] = std::minmax(fields.kappa[i - next], fields.kappa[i]);
      fields.faces[axis][i] = weight * (least / (1.0 + least / largest));
    });
  }
}

/// Ghost cells have T beyond insulating walls, and 2 T_wall - T beyond fixed ones.
mesh::SideRules sides_of(const Domain& domain, const mesh::BlockGrid& grid) {
  mesh::SideRules sides = mesh::images_of(domain.grid(), grid);
  for (std::size_t axis = 0; axis < domain.dimensions; ++axis) {
    if (domain.walls[axis] == Wall::periodic) continue;
    sides[axis].fill({.kind = mesh::SideRule::Kind::mirror});
    if (domain.walls[axis] == Wall::insulating) continue;
    sides[axis][0] = {mesh::SideRule::Kind::mirror, -1.0, 2.0 * domain.low[axis]};
    sides[axis][1] = {mesh::SideRule::Kind::mirror, -1.0, 2.0 * domain.high[axis]};
  }
  return sides;
}

}  // namespace

FieldSet make_fields(const HeatParameters& parameters, const mesh::BlockGrid& grid) {
  FieldSet fields;
  const Initial& initial = parameters.initial;
  const std::size_t size = grid.layout().size();
  fields.T.resize(size);
  for_each_cell(grid, grid.block(), [&](std::size_t i, const Cell& cell) { fields.T[i] = initial.temperature(cell); });
  if (parameters.is_uniform()) return fields;
  fields.kappa.resize(size);
  fields.source.resize(size);
  for_each_cell(grid, grid.block_with_ghosts(), [&](std::size_t i, const Cell& cell) {
    fields.kappa[i] = initial.diffusivity(inside(parameters.domain, cell));
  });
  for_each_cell(grid, grid.block(), [&](std::size_t i, const Cell& cell) {
    fields.source[i] = parameters.source + (initial.source ? initial.source(cell) : 0.0);
  });
  set_faces(parameters.domain, grid, fields);
  return fields;
}

kernels::Diffusion diffusion_of(const HeatParameters& parameters, const FieldSet& fields) {
  kernels::Diffusion by{.constant_source = parameters.source};
  if (!fields.source.empty()) by.source = fields.source.data();
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const double spacing = parameters.domain.spacing(axis);
    if (by.source != nullptr) {
      by.face[axis] = fields.faces[axis < parameters.domain.dimensions ? axis : 0].data();
    } else if (axis < parameters.domain.dimensions) {
      by.weight[axis] = parameters.initial.diffusivity.constant / (spacing * spacing);
    }
  }
  return by;
}

mesh::StagedFields staged_fields(const HeatParameters& parameters, const mesh::BlockGrid& grid, FieldSet& fields) {
  const kernels::Loops loops = base::with_instruction_set(base::chosen_instruction_set(),
                                                          []<class Isa>(Isa) { return kernels::loops_of<Isa>(); });
  const auto advance = [loops, by = diffusion_of(parameters, fields)](
                           const mesh::StageTile& tile, const mesh::Stage& stage, double dt,
                           std::span<const mesh::StageFields> at) { loops.advance(tile, by, stage, dt, at[0]); };
  return {.fields = {&fields.T},
          .sides = {sides_of(parameters.domain, grid)},
          .stages = parameters.stages,
          .advance = advance};
}

double fastest(const HeatParameters& parameters, const mesh::BlockGrid& grid, const FieldSet& fields) {
  const kernels::Diffusion by = diffusion_of(parameters, fields);
  if (by.source == nullptr) return by.weight[0] + by.weight[1] + by.weight[2];
  double largest = 0.0;
  for_each_cell(grid, grid.block(), [&](std::size_t i, const Cell&) {
    double sum = 0.0;
    for (std::size_t axis = 0; axis < parameters.domain.dimensions; ++axis) {
      sum += 0.5 * (by.face[axis][i] + by.face[axis][i + grid.layout().stride(axis)]);
    }
    largest = std::max(largest, sum);
  });
  return largest;
}

}  // namespace tacit::heat
