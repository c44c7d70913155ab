// How fast the fields of skeleton change; compiled once per instruction set, which TACIT_ISA names.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/skeleton/kernels/rates.hpp"

#include "tacit/mesh/kernels/stage_loops.hpp"

namespace tacit::skeleton::kernels {
// Nothing here may be visible to the linker but what carries the instruction set in its name.
namespace {

using Isa = base::isa::TACIT_ISA;

struct Model {
  mesh::StageTile tile;
  Equations by;
  const double* u;

  /// The rates in the cells from `i` on, as many as P has: one line for the fast loop and for the plain one.
  template <class P>
  [[gnu::always_inline]] mesh::Rates<P, fields> rates(std::ptrdiff_t i) const {
    const P here = P::load(u + i);
    return {{mesh::laplacian<P>(tile, by.weight, u, i) + P(by.growth) * here * (P(1.0) - here)}};
  }
};

void advance(const mesh::StageTile& tile, const Equations& by, const mesh::Stage& stage, double dt,
             const mesh::StageFields* at) {
  mesh::advance_tile<Isa, fields>(tile, stage, dt, at, Model{tile, by, at[0].y});
}

}  // namespace

template <class>
Loops loops_of() noexcept {
  return {&advance};
}
template Loops loops_of<Isa>() noexcept;

}  // namespace tacit::skeleton::kernels
