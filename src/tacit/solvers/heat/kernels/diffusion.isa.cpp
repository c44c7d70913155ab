// The loops of a stage; compiled once per instruction set, which TACIT_ISA names.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/heat/kernels/diffusion.hpp"

#include <cstddef>

#include "tacit/mesh/kernels/stage_loops.hpp"

namespace tacit::heat::kernels {
// Nothing here may be visible to the linker but what carries the instruction set in its name.
namespace {

using Isa = base::isa::TACIT_ISA;
enum class Kappa : std::uint8_t { constant, given };

template <Kappa kappa>
struct Model {
  mesh::StageTile tile;
  Diffusion by;  // its fields begin where the tile does
  const double* y;

  /// L(y) in the cells from `i` on. Differences come first, so that of a uniform field nothing is left.
  template <class P>
  [[gnu::always_inline]] mesh::Rates<P, 1> rates(std::ptrdiff_t i) const {
    const P here = P::load(y + i);
    P sum = kappa == Kappa::constant ? P(by.constant_source) : P::load(by.source + i);
    for (int axis = 0; axis < 3; ++axis) {
      const std::ptrdiff_t next = tile.next[axis];
      const P low = P::load(y + i - next);
      const P high = P::load(y + i + next);
      if constexpr (kappa == Kappa::constant) {
        sum += P(by.weight[axis]) * ((low + high) - (here + here));
      } else {
        const double* const face = by.face[axis] + i;
        sum += P::load(face + next) * (high - here) - P::load(face) * (here - low);
      }
    }
    return {{sum}};
  }
};

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
