// What tests of multigrid have in common: operators on one rank, and vectors of coarse lattices.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <functional>
#include <vector>

#include "tacit/solvers/qcd/multigrid/multigrid.hpp"
#include "tacit/solvers/qcd/solve.hpp"
#include "unit/solvers/qcd/on_division.hpp"
#include "unit/solvers/qcd/on_lattice.hpp"

namespace tacit::qcd::multigrid::testing {

using qcd::testing::gather;
using qcd::testing::on_division;
using qcd::testing::OnRank;
using qcd::testing::own_links;
using qcd::testing::own_part;
using qcd::testing::PlainField;
using qcd::testing::random_spinors;
using qcd::testing::Ranks;
using qcd::testing::Workers;

/// Operators on a lattice of one rank.
struct Operators {
  Operators(const GaugeField& field, const DiracParameters& parameters, std::size_t workers = 1)
      : on(workers),
        space(field.extents, kernels::loops_for<double>(most_lanes(field.extents)), on.scheduler),
        narrow(field.extents, kernels::loops_for<float>(most_lanes(field.extents)), on.scheduler),
        dirac(space, field, parameters),
        single(narrow, field, parameters) {}
  Workers on;
  FieldSpace<double> space;
  FieldSpace<float> narrow;
  DiracOperator<double> dirac;
  DiracOperator<float> single;
};

/// Zeros where vectors are filled up.
inline CoarseVector random_coarse(const CoarseOperator& on, std::uint64_t seed) {
  CoarseVector c = on.make();
  for (std::size_t k = 0; k < c.size(); ++k) {
    if (k % on.shape().rows < on.shape().width) c[k] = static_cast<float>(base::uniform(seed, k, 0) - 0.5);
  }
  return c;
}

inline double largest_difference(const CoarseVector& a, const CoarseVector& b) {
  double largest = 0.0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    largest = std::max(largest, std::abs(static_cast<double>(a[k]) - static_cast<double>(b[k])));
  }
  return largest;
}

inline std::complex<double> product(const CoarseOperator& on, const CoarseVector& a, const CoarseVector& b) {
  std::complex<double> sum;
  const std::size_t rows = on.shape().rows;
  for (std::size_t k = 0; k < a.size(); k += 2 * rows) {
    for (std::size_t row = k; row < k + rows; ++row) {
      sum += std::conj(std::complex<double>(a[row], a[row + rows])) * std::complex<double>(b[row], b[row + rows]);
    }
  }
  return sum;
}

inline void run_solve(Solve& one, const Field<double>& b) {
  one.begin(b);
  while (one.status() == Solve::Status::running) one.iterate();
}

/// x <- an approximate D^-1 b.
inline void run_cycle(Multigrid& multigrid, const Field<float>& b, Field<float>& x) {
  const Field<float>* const from = &b;
  Field<float>* const to = &x;
  multigrid.cycle().run({&from, 1}, {&to, 1});
}

/// A solve with its history.
struct Solved {
  PlainField x;
  std::vector<double> history;
  friend bool operator==(const Solved&, const Solved&) = default;
};

inline constexpr Extents extents_of_ranks{{4, 4, 4, 8}};

inline Solved solve_on(const Ranks& ranks, std::size_t workers, const Settings& settings,
                       const kernels::Loops<float>* loops = nullptr,
                       const std::function<void(Multigrid&, std::size_t rank)>& spoil = {}) {
  Solved result{PlainField(extents_of_ranks.sites()), {}};
  const GaugeField gauge = random_gauge_field(extents_of_ranks, 0.4, 5);
  const PlainField b = random_spinors(extents_of_ranks, 1);
  on_division(
      ranks, workers,
      [&](OnRank& rank, const Division& division) {
        const std::size_t most = most_lanes(division.part());
        FieldSpace<double> space(division, kernels::loops_for<double>(most), rank.on.scheduler);
        FieldSpace<float> narrow(division, loops != nullptr ? *loops : kernels::loops_for<float>(most),
                                 rank.on.scheduler);
        const GaugeField links = own_links(gauge, division.part());
        const DiracOperator<double> dirac(space, links, {.mass = 0.1, .csw = 1.0});
        const DiracOperator<float> single(narrow, links, dirac.parameters());
        Multigrid multigrid(space, single, settings);
        if (spoil) spoil(multigrid, number(rank.world.rank()));
        const auto one = make_solve(Method::multigrid, dirac, nullptr, {.tolerance = 1e-5}, &multigrid.cycle());
        run_solve(*one, own_part(space, b));
        EXPECT_EQ(one->status(), Solve::Status::converged) << one->failure();
        gather(space, one->x(), result.x);
        if (number(rank.world.rank()) == 0) result.history = one->history();
      },
      extents_of_ranks);
  return result;
}

}  // namespace tacit::qcd::multigrid::testing
