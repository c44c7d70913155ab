// Sets multigrid up, and runs its cycle.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/qcd/multigrid/multigrid.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "tacit/base/random.hpp"
#include "tacit/engine/error.hpp"
#include "tacit/tasks/parallel_for.hpp"

namespace tacit::qcd::multigrid {
namespace {

/// Real and imaginary parts uniform in [-1/2, 1/2), keyed by the site of the whole lattice.
void fill_randomly(const FieldSpace<float>& space, std::uint64_t seed, std::size_t vector, Field<float>& field) {
  const Lattice& lattice = space.lattice();
  tasks::parallel_for(space.scheduler(), 0, lattice.part().own.sites(), [&](std::size_t number) {
    const Coordinates at = lattice.part().at(number);
    const std::uint64_t first = lattice.extents().index(at) * Spinor().size();
    Spinor value;
    for (std::size_t i = 0; i < value.size(); ++i) {
      const std::uint64_t draw = 2 * vector;
      value[i] = {base::uniform(seed, first + i, draw) - 0.5, base::uniform(seed, first + i, draw + 1) - 0.5};
    }
    space.set(field, at, value);
  });
}

std::unique_ptr<CoarserLevel> levels_below(CoarseOperator& coarse, const FieldSpace<float>& space,
                                           const Settings& settings) {
  const std::vector<Coordinates> blocks = blocks_of_levels(settings, space.lattice().extents());
  if (blocks.size() == 1) return nullptr;
  return std::make_unique<CoarserLevel>(coarse, space.division(), settings, std::span(blocks).subspan(1));
}

}  // namespace

Multigrid::Multigrid(FieldSpace<double>& space, const DiracOperator<float>& D, const Settings& settings)
    : Multigrid(space, D, settings, SetUp::make) {}

Multigrid::Multigrid(FieldSpace<double>& space, const DiracOperator<float>& D, const Settings& settings,
                     std::vector<Field<float>> vectors)
    : Multigrid(space, D, settings, SetUp::leave) {
  make_coarse(vectors);
  make_coarser(vectors);
  keep(std::move(vectors));
}

Multigrid::Multigrid(FieldSpace<double>& space, const DiracOperator<float>& D, const Settings& settings, SetUp what)
    : outer_(space),
      D_(D),
      space_(D.space()),
      settings_(settings),
      loops_(block_loops_for(space_.lattice().lanes())),
      aggregates_(space_.lattice(), settings.block),
      interpolation_(space_, aggregates_, loops_, settings.vectors),
      coarse_(aggregates_, interpolation_.width(), space_.division(), space_.scheduler(), 1),
      coarser_(levels_below(coarse_, space_, settings)),
      cycle_(hierarchy(), 1) {
  if (what == SetUp::make) set_up();
}

Hierarchy Multigrid::hierarchy() noexcept {
  return {.outer = outer_,
          .D = D_,
          .settings = settings_,
          .loops = loops_,
          .aggregates = aggregates_,
          .interpolation = interpolation_,
          .coarse = coarse_,
          .coarser = coarser_.get()};
}

Cycle& Multigrid::cycle_of(std::size_t most) {
  if (most == 1) return cycle_;
  if (!many_ || most_ < most) {
    many_.reset();  // there is one at a time
    many_ = std::make_unique<Cycle>(hierarchy(), most);
    most_ = most;
  }
  return *many_;
}

void Multigrid::set_up() {
  std::vector<Field<float>> vectors(settings_.vectors);
  Field<float> r = D_.make();
  for (std::size_t v = 0; v < vectors.size(); ++v) {
    vectors[v] = D_.make();
    fill_randomly(space_, settings_.seed, v, vectors[v]);
    for (std::size_t iteration = 0; iteration < settings_.setup_smoothing; ++iteration) {
      normalise(vectors[v]);
      std::ranges::copy(vectors[v], r.begin());
      std::ranges::fill(vectors[v], 0.0F);
      for (std::size_t step = settings_.smoothing_steps; step-- > 0;) {
        cycle_.smoother().smooth(vectors[v], r, step > 0 ? Schwarz::Residual::kept : Schwarz::Residual::left);
      }
    }
    normalise(vectors[v]);
  }
  make_coarse(vectors);
  for (std::size_t iteration = 0; iteration < settings_.setup_iterations; ++iteration) {
    improve(vectors, iteration);
    make_coarse(vectors);
  }
  make_coarser(vectors);
  keep(std::move(vectors));
}

/// The cycle of two levels is applied to each, with coarse solves of many at once: these share matrices, messages and
/// sums.
void Multigrid::improve(std::vector<Field<float>>& vectors, std::size_t iteration) {
  // In parts of about one size.
  const std::size_t most = std::min(settings_.setup_at_once, CoarseOperator::most_at_once(coarse_.shape().width));
  const std::size_t parts = (vectors.size() + most - 1) / most;
  const std::size_t at_once = (vectors.size() + parts - 1) / parts;
  CoarseOperator all(coarse_, space_.division(), at_once);
  CoarseSolve solve(all, coarse_options(settings_, true));
  CoarseVector b = all.make();
  CoarseVector y = all.make();
  CoarseVector one = coarse_.make();
  Field<float> in = D_.make();
  std::vector<const Field<float>*> some;
  std::vector<std::uint32_t> places;
  const std::size_t numbers = coarse_.numbers();
  for (std::size_t first = 0; first < vectors.size(); first += at_once) {
    some.clear();
    places.clear();
    for (std::size_t v = first; v < std::min(first + at_once, vectors.size()); ++v) {
      places.push_back(static_cast<std::uint32_t>(some.size()));
      some.push_back(&vectors[v]);
    }
    all.choose(places);
    interpolation_.restrict_to(some, all, b);
    static_cast<void>(solve.run(b, y));
    for (const std::uint32_t v : places) {
      if (solve.stagnates(v)) {
        throw engine::NumericsError(
            fmt::format("the set-up of multigrid failed in iteration {} of {}, test vector {} of {}: {}", iteration + 1,
                        settings_.setup_iterations, first + v + 1, vectors.size(), stagnation(solve, v)));
      }
      for (std::size_t k = 0; k < aggregates_.count(); ++k) {
        std::copy_n(y.data() + k * all.numbers() + v * numbers, numbers, one.data() + k * numbers);
      }
      std::ranges::copy(vectors[first + v], in.begin());
      const Field<float>* const from = &in;
      Field<float>* const to = &vectors[first + v];
      cycle_.correct({&from, 1}, one, {&to, 1});
      normalise(vectors[first + v]);
    }
  }
}

void Multigrid::keep(std::vector<Field<float>> vectors) {
  if (settings_.writes_setup) test_vectors_ = std::move(vectors);
}

void Multigrid::make_coarse(const std::vector<Field<float>>& vectors) {
  interpolation_.take(vectors);
  interpolation_.project(D_, cycle_.smoother().inside(), coarse_);
}

/// The third level and those below it.
void Multigrid::make_coarser(const std::vector<Field<float>>& vectors) {
  if (!coarser_) return;
  std::vector<CoarseVector> restricted(vectors.size(), coarse_.make());
  for (std::size_t v = 0; v < vectors.size(); ++v) interpolation_.restrict_to(vectors[v], restricted[v]);
  coarser_->set_up(std::move(restricted));
}

/// @throws engine::NumericsError if it is 0 or not finite
void Multigrid::normalise(Field<float>& x) {
  const double square = space_.norm2(x);
  if (!(square > 0.0) || !std::isfinite(square)) {
    throw engine::NumericsError(
        "the set-up of multigrid failed: the smoother has made a test vector 0 or not finite; the operator is singular "
        "on a block: take another mass");
  }
  const auto factor = static_cast<float>(1.0 / std::sqrt(square));
  tasks::parallel_for(space_.scheduler(), 0, x.size(), [&](std::size_t first, std::size_t last) {
    for (std::size_t k = first; k < last; ++k) x[k] *= factor;
  });
}

}  // namespace tacit::qcd::multigrid
