// Fills the fields at the begin.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/heat/fields.hpp"

#include <algorithm>

namespace tacit::heat {
namespace {

/// The same with the ghost cells, which get the cell that they stand for: beyond a wall the last one before it.
template <class Visit>
void for_each_with_ghosts(const Domain& domain, const Block& block, const Visit& visit) {
  std::array<std::ptrdiff_t, 3> at{};
  const auto around = [&](std::size_t axis, const auto& next) {
    const std::ptrdiff_t beyond = axis < domain.dimensions ? 1 : 0;
    const auto cells = static_cast<std::ptrdiff_t>(block.cells[axis]);
    for (at[axis] = -beyond; at[axis] < cells + beyond; ++at[axis]) next();
  };
  const auto cell_of = [&](std::size_t axis) {
    const auto cells = static_cast<std::ptrdiff_t>(domain.cells[axis]);
    const std::ptrdiff_t cell = static_cast<std::ptrdiff_t>(block.first[axis]) + at[axis];
    const bool is_periodic = domain.walls[axis] == Wall::periodic;
    return static_cast<std::size_t>(is_periodic ? (cell + cells) % cells : std::clamp<std::ptrdiff_t>(cell, 0, cells - 1));
  };
  around(2, [&] {
    around(1, [&] {
      around(0, [&] {
        const std::ptrdiff_t offset = block.origin + at[0] * block.next[0] + at[1] * block.next[1] + at[2] * block.next[2];
        visit(static_cast<std::size_t>(offset), Cell{cell_of(0), cell_of(1), cell_of(2)});
      });
    });
  });
}

/// kappa at the faces from those of the cells: harmonic means, so that the heat flow through layers is exact.
void set_faces(const Domain& domain, const Block& block, const Field& kappa, FieldSet& fields) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    fields.faces[axis].resize(block.size);
    if (axis >= domain.dimensions) continue;
    const double weight = 2.0 / (domain.spacing(axis) * domain.spacing(axis));
    for (std::size_t i = static_cast<std::size_t>(block.next[axis]); i < block.size; ++i) {
      const double low = kappa[i - static_cast<std::size_t>(block.next[axis])];
      const double both = low + kappa[i];
      fields.faces[axis][i] = both > 0.0 ? weight * low * kappa[i] / both : 0.0;  // 0: corners, which nobody reads
    }
  }
}

}  // namespace

FieldSet make_fields(const HeatParameters& parameters, const Block& block) {
  FieldSet fields;
  const Domain& domain = parameters.domain;
  const Initial& initial = parameters.initial;
  const bool has_rate = parameters.stages.size() > 2;
  for (Field* field : {&fields.T, &fields.between[0]}) field->resize(block.size);
  if (has_rate) {
    for (Field* field : {&fields.between[1], &fields.rate}) field->resize(block.size);
  }
  for_each_cell(block, [&](std::size_t i, const Cell& cell) { fields.T[i] = initial.temperature(cell); });
  if (!initial.diffusivity && !initial.source) return fields;
  Field kappa(block.size);
  fields.source.resize(block.size);
  for_each_with_ghosts(domain, block, [&](std::size_t i, const Cell& cell) {
    kappa[i] = initial.diffusivity ? initial.diffusivity(cell) : *parameters.diffusivity;
  });
  for_each_cell(block, [&](std::size_t i, const Cell& cell) {
    fields.source[i] = parameters.source + (initial.source ? initial.source(cell) : 0.0);
  });
  set_faces(domain, block, kappa, fields);
  return fields;
}

kernels::Diffusion diffusion_of(const HeatParameters& parameters, const Block& block, const FieldSet& fields) {
  kernels::Diffusion by{.constant_source = parameters.source};
  if (!fields.source.empty()) by.source = fields.source.data() + block.origin;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const double spacing = parameters.domain.spacing(axis);
    if (by.source != nullptr) {
      by.face[axis] = fields.faces[axis].data() + block.origin;
    } else if (axis < parameters.domain.dimensions) {
      by.weight[axis] = *parameters.diffusivity / (spacing * spacing);
    }
  }
  return by;
}

double fastest(const HeatParameters& parameters, const Block& block, const FieldSet& fields) {
  const kernels::Diffusion by = diffusion_of(parameters, block, fields);
  if (by.source == nullptr) return by.weight[0] + by.weight[1] + by.weight[2];
  double largest = 0.0;
  for_each_cell(block, [&](std::size_t i, const Cell&) {
    double sum = 0.0;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      sum += 0.5 * (fields.faces[axis][i] + fields.faces[axis][i + static_cast<std::size_t>(block.next[axis])]);
    }
    largest = std::max(largest, sum);
  });
  return largest;
}

}  // namespace tacit::heat
