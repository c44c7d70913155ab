// Runs cycles of multigrid.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/qcd/multigrid/cycle.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

#include "tacit/base/error.hpp"
#include "tacit/tasks/parallel_for.hpp"

namespace tacit::qcd::multigrid {

Cycle::Cycle(const Hierarchy& on, std::size_t most)
    : on_(on),
      space_(on.D.space()),
      outer_(on.outer, most),
      smoother_(on.D, on.aggregates, on.loops, on.settings.block_steps, most),
      coarse_(operator_for(on.coarse, space_.division(), most, many_)),
      coarser_(on.coarser != nullptr
                   ? std::make_unique<LevelCycle>(*on.coarser, coarse_, space_.division(), on.settings)
                   : nullptr),
      coarse_solve_(coarse_, coarse_options(on.settings, coarser_ == nullptr), coarser_.get()),
      b_(coarse_.make()),
      y_(coarse_.make()),
      in_(most, on.D.make()),
      out_(most, on.D.make()),
      r_(most, on.D.make()),
      numbers_(most),
      failures_(most) {
  ins_.reserve(most);
  outs_.reserve(most);
  of_x_.reserve(most);
  of_r_.reserve(most);
  std::iota(numbers_.begin(), numbers_.end(), 0U);
}

void Cycle::run(InFields<float> b, OutFields<float> x) {
  TACIT_EXPECT(b.size() == x.size() && b.size() <= failures_.size());
  coarse_.choose(std::span(numbers_).first(b.size()));
  if (coarser_) coarser_->forget_failures();
  on_.interpolation.restrict_to(b, coarse_, b_);
  coarse_iterations_ += coarse_solve_.run(b_, y_);
  cycles_ += b.size();
  for (std::size_t which = 0; which < b.size(); ++which) {
    failures_[which].clear();
    if (coarser_) failures_[which] = coarser_->failure(which);
    if (failures_[which].empty() && coarse_solve_.stagnates(which)) failures_[which] = stagnation(coarse_solve_, which);
  }
  correct(b, y_, x);
}

void Cycle::correct(InFields<float> b, const CoarseVector& y, OutFields<float> x) {
  of_x_.clear();
  of_r_.clear();
  for (std::size_t i = 0; i < x.size(); ++i) {
    of_x_.push_back(x[i]);
    of_r_.push_back(&r_[i]);
  }
  tasks::parallel_for(space_.scheduler(), 0, space_.size(), [&](std::size_t first, std::size_t last) {
    for (Field<float>* const field : x) std::fill(field->data() + first, field->data() + last, 0.0F);
  });
  on_.interpolation.prolong(y, coarse_, x);
  smoother_.dirac().apply(of_x_, of_r_);
  tasks::parallel_for(space_.scheduler(), 0, space_.lattice().half_blocks(), [&](std::size_t first, std::size_t last) {
    for (std::size_t i = 0; i < b.size(); ++i) {
      space_.loops().xpay(b[i]->data(), -1.0F, 0.0F, r_[i].data(), first, last);
    }
  });
  for (std::size_t step = on_.settings.smoothing_steps; step-- > 0;) {
    smoother_.smooth(x, of_r_, step > 0 ? Schwarz::Residual::kept : Schwarz::Residual::left);
  }
}

/// In a unit in which the norm is 1, so that all is normal in single precision.
void Cycle::apply(InFields<double> r, OutFields<double> z) {
  ins_.clear();
  outs_.clear();
  const std::span<const double> norms2 = outer_.norms2(r);
  for (std::size_t i = 0; i < r.size(); ++i) {
    convert(on_.outer, *r[i], 1.0 / std::sqrt(norms2[i]), space_, in_[i]);
    ins_.push_back(&in_[i]);
    outs_.push_back(&out_[i]);
  }
  run(ins_, outs_);
  for (std::size_t i = 0; i < r.size(); ++i) convert(space_, out_[i], std::sqrt(norms2[i]), on_.outer, *z[i]);
}

}  // namespace tacit::qcd::multigrid
