// Sets multigrid up, and runs its cycle.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/qcd/multigrid/multigrid.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

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

}  // namespace

Multigrid::Multigrid(FieldSpace<double>& space, const DiracOperator<float>& D, const Settings& settings)
    : Multigrid(space, D, settings, SetUp::make) {}

Multigrid::Multigrid(FieldSpace<double>& space, const DiracOperator<float>& D, const Settings& settings,
                     const std::vector<Field<float>>& columns)
    : Multigrid(space, D, settings, SetUp::leave) {
  interpolation_.adopt(columns);
  interpolation_.project(D_, smoother_.inside(), coarse_);
}

Multigrid::Multigrid(FieldSpace<double>& space, const DiracOperator<float>& D, const Settings& settings, SetUp what)
    : outer_(space),
      D_(D),
      space_(D.space()),
      settings_(settings),
      loops_(block_loops_for(space_.lattice().lanes())),
      aggregates_(space_.lattice(), settings.block),
      smoother_(D, aggregates_, loops_, settings.block_steps),
      interpolation_(space_, aggregates_, loops_, settings.vectors),
      coarse_(aggregates_, interpolation_.width(), space_.division(), space_.scheduler(), 1),
      coarse_solve_(coarse_, {.tolerance = settings.coarse_tolerance, .iterations = settings.coarse_iterations}),
      b_(coarse_.make()),
      y_(coarse_.make()),
      in_(D.make()),
      out_(D.make()),
      r_(D.make()) {
  if (what == SetUp::make) set_up();
}

void Multigrid::set_up() {
  std::vector<Field<float>> vectors(settings_.vectors);
  for (std::size_t v = 0; v < vectors.size(); ++v) {
    vectors[v] = D_.make();
    fill_randomly(space_, settings_.seed, v, vectors[v]);
    for (std::size_t iteration = 0; iteration < settings_.setup_smoothing; ++iteration) {
      normalise(vectors[v]);
      std::ranges::copy(vectors[v], r_.begin());
      std::ranges::fill(vectors[v], 0.0F);
      for (std::size_t step = settings_.smoothing_steps; step-- > 0;) {
        smoother_.smooth(vectors[v], r_, step > 0 ? Schwarz::Residual::kept : Schwarz::Residual::left);
      }
    }
    normalise(vectors[v]);
  }
  make_coarse(vectors);
  for (std::size_t iteration = 0; iteration < settings_.setup_iterations; ++iteration) {
    for (std::size_t v = 0; v < vectors.size(); ++v) {
      std::ranges::copy(vectors[v], in_.begin());
      cycle(in_, vectors[v]);
      if (!failure_.empty()) {
        throw engine::NumericsError(
            fmt::format("the set-up of multigrid failed in iteration {} of {}, test vector {} of {}: {}", iteration + 1,
                        settings_.setup_iterations, v + 1, vectors.size(), failure_));
      }
      normalise(vectors[v]);
    }
    make_coarse(vectors);
  }
  coarse_iterations_ = cycles_ = 0;
}

void Multigrid::make_coarse(const std::vector<Field<float>>& vectors) {
  interpolation_.take(vectors);
  interpolation_.project(D_, smoother_.inside(), coarse_);
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

void Multigrid::cycle(const Field<float>& b, Field<float>& x) {
  failure_.clear();
  interpolation_.restrict_to(b, b_);
  coarse_iterations_ += coarse_solve_.run(b_, y_);
  ++cycles_;
  if (coarse_solve_.stagnates()) {
    failure_ = fmt::format(
        "the coarse solve stagnates {}: larger multigrid.coarse_iterations, more "
        "multigrid.vectors, or a larger mass",
        coarse_solve_.report());
  }
  std::ranges::fill(x, 0.0F);
  interpolation_.prolong(y_, x);
  D_.apply(x, r_, Conjugate::no);
  space_.xpay(b, -1.0, r_);
  for (std::size_t step = settings_.smoothing_steps; step-- > 0;) {
    smoother_.smooth(x, r_, step > 0 ? Schwarz::Residual::kept : Schwarz::Residual::left);
  }
}

void Multigrid::apply(const Field<double>& r, Field<double>& z) {
  // In a unit in which the norm is 1, so that all is normal in single precision.
  const double norm = std::sqrt(outer_.norm2(r));
  convert(outer_, r, 1.0 / norm, space_, in_);
  cycle(in_, out_);
  convert(space_, out_, norm, outer_, z);
}

}  // namespace tacit::qcd::multigrid
