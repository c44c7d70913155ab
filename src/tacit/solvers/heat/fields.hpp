// The fields of a rank: their memory, and how they are filled at the begin.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "tacit/base/pack_memory.hpp"
#include "tacit/mesh/block_grid.hpp"
#include "tacit/mesh/cell_sums.hpp"
#include "tacit/mesh/sides.hpp"
#include "tacit/solvers/heat/parameters.hpp"

namespace tacit::heat {

/// Memory of a field, ghost cells included, as the grid lays it out.
using Field = base::PackVector<double>;

/// What a rank has of all fields.
struct FieldSet {
  Field T;
  std::array<Field, 2> between;  ///< T after stages in the midst of a step; the second one for more than two stages
  Field rate;                    ///< L(T) at the begin of a step, where the scheme keeps it
  Field kappa;                   ///< empty where kappa and S are constant, as those below
  std::array<Field, 3> faces;    ///< kappa / dx^2 at the face below each cell
  Field source;                  ///< S
};

/// The grid, divided so that the least is exchanged. @throws base::Error if there are too many ranks
[[nodiscard]] mesh::BlockGrid make_grid(const Domain& domain, std::size_t ranks, comm::RankId own);
/// What its ghost cells hold that no other rank sends.
[[nodiscard]] mesh::SideRules sides_of(const Domain& domain, const mesh::BlockGrid& grid);

/// Initial temperature, diffusivity and source; no ghost cells of T yet.
[[nodiscard]] FieldSet make_fields(const HeatParameters& parameters, const mesh::BlockGrid& grid);
/// What L(T) needs of them.
[[nodiscard]] kernels::Diffusion diffusion_of(const HeatParameters& parameters, const FieldSet& fields);
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
