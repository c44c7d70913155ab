// The fields of a rank: their memory, how they are filled at the begin, and what the loops are told of them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "tacit/mesh/block_grid.hpp"
#include "tacit/mesh/cells.hpp"
#include "tacit/mesh/staged_step.hpp"
#include "tacit/solvers/heat/kernels/diffusion.hpp"
#include "tacit/solvers/heat/parameters.hpp"

namespace tacit::heat {

/// What a rank has of all fields. To be moved, not copied: `by` knows where their numbers are.
struct FieldSet {
  mesh::Field T;
  mesh::Field kappa;                 ///< empty where kappa and S are uniform, as those below
  std::array<mesh::Field, 3> faces;  ///< kappa / dx^2 at the face below each cell
  mesh::Field source;                ///< S
  kernels::Diffusion by;             ///< L(T)
};

/// Initial temperature, diffusivity and source; no ghost cells of T yet.
[[nodiscard]] FieldSet make_fields(const HeatParameters& parameters, const mesh::BlockGrid& grid);
/// L(T) where diffusivity and source are uniform.
[[nodiscard]] kernels::Diffusion uniform_diffusion(const HeatParameters& parameters);
/// How they are advanced, by the instructions of this processor or in launch slots. @param fields  stay where they are
/// @param slots  outlive what is returned; null: none
[[nodiscard]] mesh::StagedFields staged_fields(const HeatParameters& parameters, const mesh::BlockGrid& grid,
                                               FieldSet& fields, gpu::Slots* slots);
/// The rate at which nothing decays faster [1/time]: four times the largest of sum_i kappa / dx_i^2 in any cell.
[[nodiscard]] double fastest(const kernels::Diffusion& by, const mesh::BlockGrid& grid);
[[nodiscard]] double fastest(const kernels::Diffusion& uniform);

}  // namespace tacit::heat
