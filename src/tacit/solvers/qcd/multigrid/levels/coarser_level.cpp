// Sets coarser levels up, and runs their part of a cycle.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/qcd/multigrid/levels/coarser_level.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "tacit/engine/error.hpp"
#include "tacit/solvers/qcd/multigrid/block_loops.hpp"
#include "tacit/tasks/parallel_for.hpp"

namespace tacit::qcd::multigrid {
namespace {

CoarseOptions smoother_options(const Settings& settings) {
  return {.tolerance = 0.0,
          .restart = std::min(settings.coarse_smoothing_steps, CoarseOptions{}.restart),
          .iterations = settings.coarse_smoothing_steps};
}

}  // namespace

CoarseOptions coarse_options(const Settings& settings, bool is_coarsest) {
  if (is_coarsest) return {.tolerance = settings.coarse_tolerance, .iterations = settings.coarse_iterations};
  return {.tolerance = settings.coarse_tolerance,
          .restart = std::min(settings.cycle_steps, CoarseOptions{}.restart),
          .iterations = settings.cycle_steps};
}

CoarseOperator& operator_for(CoarseOperator& of, const Division& division, std::size_t vectors,
                             std::optional<CoarseOperator>& made) {
  return vectors == 1 ? of : made.emplace(of, division, vectors);
}

std::string stagnation(const CoarseSolve& solve, std::size_t which) {
  return fmt::format(
      "the coarse solve stagnates {}: larger multigrid.coarse_iterations, more multigrid.vectors, fewer "
      "multigrid.levels, or a larger mass",
      solve.report(which));
}

CoarserLevel::CoarserLevel(CoarseOperator& fine, const Division& division, const Settings& settings,
                           std::span<const Coordinates> blocks)
    : fine_(fine),
      setup_smoothing_(settings.coarse_setup_smoothing),
      aggregates_(fine.aggregates(), blocks.front()),
      interpolation_(fine, aggregates_, settings.vectors),
      coarse_(aggregates_, interpolation_.width(), division, fine.scheduler(), fine.level() + 1),
      next_(blocks.size() > 1 ? std::make_unique<CoarserLevel>(coarse_, division, settings, blocks.subspan(1))
                              : nullptr),
      smoother_(fine, smoother_options(settings)),
      sums_(fine.ranks()),
      whole_(fine.make()) {}

/// To length 1. @throws engine::NumericsError if it is 0 or not finite
void CoarserLevel::normalise(CoarseVector& vector) {
  const CoarseShape& shape = fine_.shape();
  sums_.begin(1);
  tasks::parallel_for(fine_.scheduler(), 0, fine_.aggregates().count(), [&](std::size_t first, std::size_t last) {
    CoarseSums::Terms terms(sums_);
    for (std::size_t site = first; site < last; ++site) {
      const float* const of = vector.data() + site * shape.vector();
      float square[2] = {0.0F, 0.0F};
      fine_.loops().dots(shape, &of, 1, of, square);
      terms.add(0, static_cast<double>(square[0]));
    }
    sums_.merge(terms);
  });
  sums_.run();
  const double square = sums_.value(0);
  if (!(square > 0.0)) {
    throw engine::NumericsError(fmt::format(
        "the set-up of multigrid failed: on level {} a test vector is 0 or not finite: take another mass, or fewer "
        "multigrid.levels",
        fine_.level() + 1));
  }
  const auto factor = static_cast<float>(1.0 / std::sqrt(square));
  for (float& value : vector) value *= factor;
}

/// Inverse iteration by the smoother alone.
void CoarserLevel::smooth(CoarseVector& vector) {
  for (std::size_t step = 0; step < setup_smoothing_; ++step) {
    whole_ = vector;
    static_cast<void>(smoother_.run(whole_, vector));
    normalise(vector);
  }
}

void CoarserLevel::set_up(std::vector<CoarseVector> vectors) {
  for (CoarseVector& vector : vectors) {
    normalise(vector);
    smooth(vector);
  }
  interpolation_.take(vectors);
  interpolation_.project(coarse_);
  if (!next_) return;
  std::vector<CoarseVector> coarser(vectors.size(), coarse_.make());
  for (std::size_t v = 0; v < vectors.size(); ++v) interpolation_.restrict_to(vectors[v], coarser[v]);
  next_->set_up(std::move(coarser));
}

LevelCycle::LevelCycle(CoarserLevel& level, CoarseOperator& fine, const Division& division, const Settings& settings)
    : level_(level),
      fine_(fine),
      coarse_(operator_for(level.coarse(), division, fine.vectors(), many_)),
      next_(level.next() != nullptr ? std::make_unique<LevelCycle>(*level.next(), coarse_, division, settings)
                                    : nullptr),
      solve_(coarse_, coarse_options(settings, next_ == nullptr), next_.get()),
      smoother_(fine, smoother_options(settings)),
      whole_(fine.make()),
      r_(fine.make_solved()),
      e_(fine.make_solved()),
      b_(coarse_.make()),
      c_(coarse_.make()),
      failures_(fine.vectors()) {}

const std::string& LevelCycle::failure(std::size_t which) const noexcept {
  return failures_[which].empty() && next_ ? next_->failure(which) : failures_[which];
}

void LevelCycle::forget_failures() noexcept {
  for (std::string& failure : failures_) failure.clear();
  if (next_) next_->forget_failures();
}

void LevelCycle::apply(const CoarseVector& r, CoarseVector& z) {
  coarse_.choose(fine_.chosen());
  fine_.embed(r, whole_);
  level_.interpolation().restrict_to(fine_, whole_, b_);
  level_.count(solve_.run(b_, c_));
  for (const std::uint32_t which : fine_.chosen()) {
    if (solve_.stagnates(which) && failure(which).empty()) failures_[which] = stagnation(solve_, which);
  }
  std::ranges::fill(whole_, 0.0F);
  level_.interpolation().prolong(fine_, c_, whole_);
  fine_.solved_of(whole_, z);
  fine_.apply_solved(z, r_);
  tasks::parallel_for(fine_.scheduler(), 0, r_.size(), [&](std::size_t first, std::size_t last) {
    for (std::size_t k = first; k < last; ++k) r_[k] = r[k] - r_[k];
  });
  static_cast<void>(smoother_.run_solved(r_, e_));
  tasks::parallel_for(fine_.scheduler(), 0, z.size(), [&](std::size_t first, std::size_t last) {
    for (std::size_t k = first; k < last; ++k) z[k] += e_[k];
  });
}

}  // namespace tacit::qcd::multigrid
