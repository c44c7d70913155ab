// The loops of a stage; compiled once per instruction set, which TACIT_ISA names.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/heat/kernels/diffusion.hpp"

#include "tacit/mesh/kernels/stage_loops.hpp"
#include "tacit/solvers/heat/kernels/diffusion_model.hpp"

namespace tacit::heat::kernels {
// Nothing here may be visible to the linker but what carries the instruction set in its name.
namespace {

using Isa = base::isa::TACIT_ISA;

void advance(const mesh::StageTile& tile, const Diffusion& by, const mesh::Stage& stage, double dt,
             const mesh::StageFields& at) {
  if (by.source == nullptr)
    return mesh::advance_tile<Isa, 1>(tile, stage, dt, &at, Model<Kappa::constant>{tile, by, at.y});
  // Once, not for each axis of each cell.
  Diffusion of_tile = by;
  of_tile.source += tile.first;
  for (const double*& face : of_tile.face) face += tile.first;
  mesh::advance_tile<Isa, 1>(tile, stage, dt, &at, Model<Kappa::given>{tile, of_tile, at.y});
}

}  // namespace

template <class>
Loops loops_of() noexcept {
  return {&advance};
}
template Loops loops_of<Isa>() noexcept;

}  // namespace tacit::heat::kernels
