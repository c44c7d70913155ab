// Smooths, all blocks of a colour at once.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/qcd/multigrid/schwarz.hpp"

#include "tacit/tasks/parallel_for.hpp"

namespace tacit::qcd::multigrid {

Schwarz::Schwarz(const DiracOperator<float>& D, const Aggregates& aggregates, const BlockLoops& loops,
                 std::size_t steps)
    : D_(D), loops_(loops), steps_(steps), image_(D.make()) {
  const kernels::Hopping<float> by = D.hopping();
  inside_ = {.links = by.links,
             .clover = D.has_clover() ? by.clover : nullptr,
             .mass = by.mass,
             .first_odd = D.space().lattice().sites() / 2};
  for (std::uint32_t colour = 0; colour < 2; ++colour) {
    colours_[colour].e = D.make();
    for (std::size_t block = 0; block < aggregates.blocks(); ++block) {
      std::uint32_t lanes = 0;
      for (std::size_t lane = 0; lane < aggregates.lanes(); ++lane) {
        if (aggregates.colour(block * aggregates.lanes() + lane) == colour) lanes |= 1U << lane;
      }
      if (lanes == 0) continue;
      colours_[colour].blocks.push_back(static_cast<std::uint32_t>(block));
      colours_[colour].lanes.push_back(lanes);
    }
  }
}

void Schwarz::smooth(Field<float>& x, Field<float>& r, Residual residual) {
  FieldSpace<float>& space = D_.space();
  for (std::size_t number = 0; number < colours_.size(); ++number) {
    Colour& colour = colours_[number];
    tasks::parallel_for(space.scheduler(), 0, colour.blocks.size(), [&](std::size_t first, std::size_t last) {
      const SomeBlocks some{
          .blocks = colour.blocks.data() + first, .lanes = colour.lanes.data() + first, .count = last - first};
      loops_.solve(inside_, steps_, some, r.data(), colour.e.data());
    });
    space.axpy(1.0, colour.e, x);
    if (residual == Residual::left && number + 1 == colours_.size()) break;
    D_.apply(colour.e, image_, Conjugate::no);
    space.axpy(-1.0, image_, r);
  }
}

}  // namespace tacit::qcd::multigrid
