// Smooths, all blocks of a colour at once.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/qcd/multigrid/schwarz.hpp"

#include "tacit/base/error.hpp"
#include "tacit/tasks/parallel_for.hpp"

namespace tacit::qcd::multigrid {

Schwarz::Schwarz(const DiracOperator<float>& D, const Aggregates& aggregates, const BlockLoops& loops,
                 std::size_t steps, std::size_t most)
    : D_(D, most), loops_(loops), steps_(steps), images_(most, D.make()) {
  in_.reserve(most);
  out_.reserve(most);
  const kernels::Hopping<float> by = D.hopping();
  inside_ = {.links = by.links,
             .clover = D.has_clover() ? by.clover : nullptr,
             .mass = by.mass,
             .first_odd = D.space().lattice().sites() / 2};
  for (std::uint32_t colour = 0; colour < 2; ++colour) {
    colours_[colour].e.assign(most, D.make());
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
  Field<float>* const of_x = &x;
  Field<float>* const of_r = &r;
  smooth({&of_x, 1}, {&of_r, 1}, residual);
}

void Schwarz::smooth(OutFields<float> x, OutFields<float> r, Residual residual) {
  TACIT_EXPECT(x.size() == r.size() && x.size() <= images_.size());
  const FieldSpace<float>& space = D_.of_one().space();
  const auto add = [&](float factor, const std::vector<Field<float>>& of, OutFields<float> to) {
    tasks::parallel_for(space.scheduler(), 0, space.lattice().half_blocks(), [&](std::size_t first, std::size_t last) {
      for (std::size_t i = 0; i < to.size(); ++i) {
        space.loops().axpy(factor, 0.0F, of[i].data(), to[i]->data(), first, last);
      }
    });
  };
  for (std::size_t number = 0; number < colours_.size(); ++number) {
    Colour& colour = colours_[number];
    // One block after the other for all fields: its links, which all use, stay in the cache.
    tasks::parallel_for(space.scheduler(), 0, colour.blocks.size(), [&](std::size_t block) {
      const SomeBlocks some{.blocks = colour.blocks.data() + block, .lanes = colour.lanes.data() + block, .count = 1};
      for (std::size_t i = 0; i < r.size(); ++i) loops_.solve(inside_, steps_, some, r[i]->data(), colour.e[i].data());
    });
    add(1.0F, colour.e, x);
    if (residual == Residual::left && number + 1 == colours_.size()) break;
    in_.clear();
    out_.clear();
    for (std::size_t i = 0; i < r.size(); ++i) {
      in_.push_back(&colour.e[i]);
      out_.push_back(&images_[i]);
    }
    D_.apply(in_, out_);
    add(-1.0F, images_, r);
  }
}

}  // namespace tacit::qcd::multigrid
