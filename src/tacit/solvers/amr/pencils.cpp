// Turns sub-grids into pencils and back.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/amr/pencils.hpp"

#include <algorithm>

namespace tacit::amr {
namespace {

/// Calls row(place among the lanes, place among the cells) for the rows of a layer.
template <class Row>
void for_rows_of_layer(const PencilShape& shape, std::size_t layer, const Row& row) {
  for (std::size_t slow = 0; slow < shape.across[1]; ++slow) {
    row(slow * shape.across[0], layer * shape.next + slow * shape.next_across[1]);
  }
}

}  // namespace

PencilShape::PencilShape(const Domain& domain, std::size_t along)
    : axis(along), cells(domain.cells_of_block(along)), ghosts(domain.ghosts) {
  std::size_t stride = 1;
  std::size_t other = 0;
  for (std::size_t a = 0; a < 3; ++a) {
    if (a == along) {
      next = stride;
    } else {
      across[other] = domain.cells_of_block(a);
      next_across[other++] = stride;
    }
    stride *= domain.cells_of_block(a);
  }
}

void take_layers(const PencilShape& shape, std::size_t fields, kernels::Variables<const double> cells,
                 std::size_t first, std::size_t count, kernels::Variables<double> to) {
  for (std::size_t variable = 0; variable < fields; ++variable) {
    const double* const from = cells.of(variable);
    for (std::size_t layer = 0; layer < count; ++layer) {
      double* const out = to.of(variable) + layer * shape.lanes();
      for_rows_of_layer(shape, first + layer, [&](std::size_t lane, std::size_t cell) {
        if (shape.next_across[0] == 1) {
          std::copy_n(from + cell, shape.across[0], out + lane);
        } else {
          for (std::size_t i = 0; i < shape.across[0]; ++i) out[lane + i] = from[cell + i * shape.next_across[0]];
        }
      });
    }
  }
}

void put_layers(const PencilShape& shape, std::size_t fields, kernels::Variables<const double> layers, Mode mode,
                kernels::Variables<double> cells) {
  for (std::size_t variable = 0; variable < fields; ++variable) {
    double* const to = cells.of(variable);
    for (std::size_t layer = 0; layer < shape.cells; ++layer) {
      const double* const from = layers.of(variable) + layer * shape.lanes();
      for_rows_of_layer(shape, layer, [&](std::size_t lane, std::size_t cell) {
        for (std::size_t i = 0; i < shape.across[0]; ++i) {
          double& out = to[cell + i * shape.next_across[0]];
          out = mode == Mode::set ? from[lane + i] : out + from[lane + i];
        }
      });
    }
  }
}

namespace {

/// Behind the ghost cells of outflow: where the gas before the side moves inwards these become mirrored ones, so that
/// fluxes of both states at the side cancel, and no mass passes.
void keep_out(const PencilShape& shape, std::size_t fields, mesh::Side side, kernels::Variables<double> pencil) {
  const std::size_t lanes = shape.lanes();
  const bool is_low = side == mesh::Side::low;
  const std::size_t first = is_low ? shape.ghosts : shape.ghosts + shape.cells - 1;  // before the side
  const double* const normal = pencil.of(1 + shape.axis);
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    const double u = normal[first * lanes + lane];
    if (is_low ? !(u > 0.0) : !(u < 0.0)) continue;
    for (std::size_t depth = 0; depth < shape.ghosts; ++depth) {
      const std::size_t inner = is_low ? first + depth : first - depth;
      const std::size_t ghost = is_low ? first - 1 - depth : first + 1 + depth;
      for (std::size_t variable = 0; variable < fields; ++variable) {
        const double value = pencil.of(variable)[inner * lanes + lane];
        pencil.of(variable)[ghost * lanes + lane] = variable == 1 + shape.axis ? -value : value;
      }
    }
  }
}

}  // namespace

void fill_outside(const PencilShape& shape, std::size_t fields, mesh::Side side, Wall wall,
                  kernels::Variables<double> pencil) {
  const std::size_t lanes = shape.lanes();
  const std::size_t ghosts = shape.ghosts;
  const bool is_low = side == mesh::Side::low;
  for (std::size_t variable = 0; variable < fields; ++variable) {
    const bool turns = wall == Wall::reflecting && variable == 1 + shape.axis;
    for (std::size_t depth = 0; depth < ghosts; ++depth) {
      const std::size_t ghost = is_low ? ghosts - 1 - depth : ghosts + shape.cells + depth;
      const std::size_t inner = wall == Wall::reflecting ? depth : 0;
      const std::size_t cell = is_low ? ghosts + inner : ghosts + shape.cells - 1 - inner;
      const double* const from = pencil.of(variable) + cell * lanes;
      double* const to = pencil.of(variable) + ghost * lanes;
      for (std::size_t lane = 0; lane < lanes; ++lane) to[lane] = turns ? -from[lane] : from[lane];
    }
  }
  if (wall == Wall::diode) keep_out(shape, fields, side, pencil);
}

Scratch::Scratch(const Domain& domain, const kernels::Fields& fields) {
  const std::size_t cells = domain.cells_of_block(0) * domain.cells_of_block(1) * domain.cells_of_block(2);
  const std::size_t lanes = cells / domain.block;
  const std::size_t ghosts = domain.ghosts;
  const std::array sizes{cells, cells, ghosts * lanes, cells + 2 * ghosts * lanes, cells};
  std::size_t all = 0;
  for (const std::size_t size : sizes) all += size;
  const std::size_t faces_of_axis = cells + lanes;
  const std::size_t rows = fields.count() + (fields.has_internal_energy ? 1 : 0);
  memory_.resize(all * rows + 3 * faces_of_axis);
  double* first = memory_.data();
  const auto part = [&](std::size_t size) {
    const kernels::Variables<double> view{first, size};
    first += size * rows;
    return view;
  };
  primitive = part(sizes[0]);
  rate = part(sizes[1]);
  layers = part(sizes[2]);
  pencils = part(sizes[3]);
  pencil_rate = part(sizes[4]);
  for (double*& of_axis : faces) {
    of_axis = first;
    first += faces_of_axis;
  }
}

}  // namespace tacit::amr
