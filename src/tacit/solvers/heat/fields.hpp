// The fields of a rank: their memory, and how they are filled at the begin.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "tacit/mesh/block_grid.hpp"
#include "tacit/mesh/cell_sums.hpp"
#include "tacit/mesh/staged_step.hpp"
#include "tacit/solvers/heat/kernels/diffusion.hpp"
#include "tacit/solvers/heat/parameters.hpp"

namespace tacit::heat {

/// What a rank has of all fields.
struct FieldSet {
  mesh::Field T;
  mesh::Field kappa;                 ///< empty where kappa and S are uniform, as those below
  std::array<mesh::Field, 3> faces;  ///< kappa / dx^2 at the face below each cell
  mesh::Field source;                ///< S
};

/// Initial temperature, diffusivity and source; no ghost cells of T yet.
[[nodiscard]] FieldSet make_fields(const HeatParameters& parameters, const mesh::BlockGrid& grid);
/// What L(T) needs of them.
[[nodiscard]] kernels::Diffusion diffusion_of(const HeatParameters& parameters, const FieldSet& fields);
/// How they are advanced, by the instructions of this processor. @param fields  stay where they are
[[nodiscard]] mesh::StagedFields staged_fields(const HeatParameters& parameters, const mesh::BlockGrid& grid,
                                               FieldSet& fields);
/// The largest of sum_i kappa / dx_i^2 in any cell [1/time]: no eigenvalue of -L is beyond four times that.
[[nodiscard]] double fastest(const HeatParameters& parameters, const mesh::BlockGrid& grid, const FieldSet& fields);

/// Calls visit(place in a field, cell of the whole grid) for the cells of this rank, x fastest.
template <class Visit>
void for_each_cell(const mesh::BlockGrid& grid, const mesh::Box& box, const Visit& visit) {
  mesh::for_points(grid, box, [&](std::size_t place, const mesh::Point& at) {
    visit(place, Cell{at[0], at[1], at[2]});
  });
}

}  // namespace tacit::heat
