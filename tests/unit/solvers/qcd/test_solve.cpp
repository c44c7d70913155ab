// Solves: against the operator, free propagators in closed form, and those that cannot succeed.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <string>
#include <vector>

#include "on_lattice.hpp"
#include "support/count_allocations.hpp"
#include "support/under_sanitizer.hpp"
#include "tacit/engine/error.hpp"
#include "tacit/solvers/qcd/clover.hpp"
#include "tacit/solvers/qcd/correlators.hpp"
#include "tacit/solvers/qcd/methods.hpp"
#include "tacit/solvers/qcd/parameters.hpp"
#include "tacit/solvers/qcd/solve.hpp"
#include "tacit/solvers/qcd/sources.hpp"

namespace tacit::qcd {
namespace {

using testing::folded;
using testing::largest_difference;
using testing::PlainField;
using testing::random_spinors;
using testing::unfolded;
using testing::Workers;

/// A lattice with an operator on it.
struct OnLattice {
  OnLattice(const GaugeField& field, const DiracParameters& parameters, std::size_t workers = 1)
      : on(workers),
        space(field.extents, kernels::loops_for<double>(most_lanes(field.extents)), on.scheduler),
        dirac(space, field, parameters) {}
  Workers on;
  FieldSpace<double> space;
  DiracOperator<double> dirac;
};

TEST(QcdSolve, FindsWhatTheOperatorTakesBack) {
  const Extents extents{{4, 4, 2, 4}};
  const GaugeField field = random_gauge_field(extents, 0.5, 5);
  OnLattice at(field, {.mass = 0.1});
  const PlainField b = random_spinors(extents, 1);
  const Solution found = solve(at.dirac, folded(at.space, b), {.tolerance = 1e-12});
  const PlainField back = testing::plain_dirac(field, {.mass = 0.1}, unfolded(at.space, found.x));
  EXPECT_LE(found.true_residual, 1e-12);
  EXPECT_EQ(found.iterations, found.history.size());
  PlainField rest = back;
  for (std::size_t s = 0; s < rest.size(); ++s) {
    for (std::size_t i = 0; i < 12; ++i) rest[s][i] -= b[s][i];
  }
  const double residual = std::sqrt(testing::dot(rest, rest).real() / testing::dot(b, b).real());
  EXPECT_NEAR(residual, found.true_residual, 1e-14);  // both are sums of roundings of that size
  for (std::size_t n = 1; n < found.history.size(); ++n) EXPECT_LE(found.history[n], found.history[n - 1]) << n;
}

TEST(QcdSolve, BySchurComplementIsTheSame) {
  const Extents extents{{4, 4, 2, 4}};
  const GaugeField field = random_gauge_field(extents, 0.5, 5);
  for (const double csw : {0.0, 1.2}) {
    OnLattice at(field, {.mass = 0.1, .csw = csw});
    const SchurOperator<double> schur(at.dirac);
    const Field<double> b = folded(at.space, random_spinors(extents, 1));
    const Solution direct = solve(at.dirac, b, {.tolerance = 1e-13});
    const Solution found = solve(at.dirac, schur, b, {.tolerance = 1e-13});
    EXPECT_LT(found.true_residual, 2e-13);
    EXPECT_LT(found.iterations, 0.7 * static_cast<double>(direct.iterations));
    // |D^-1| is some 10.
    EXPECT_LT(largest_difference(unfolded(at.space, found.x), unfolded(at.space, direct.x)), 1e-11);
  }
}

/// The operators of a lattice in both precisions.
struct InBoth {
  InBoth(const GaugeField& field, const DiracParameters& parameters, const kernels::Loops<double>& wide,
         const kernels::Loops<float>& narrow, std::size_t workers = 1)
      : on(workers),
        space(field.extents, wide, on.scheduler),
        single(field.extents, narrow, on.scheduler),
        dirac(space, field, parameters),
        dirac_single(single, field, parameters),
        schur(dirac),
        schur_single(dirac_single) {}
  Workers on;
  FieldSpace<double> space;
  FieldSpace<float> single;
  DiracOperator<double> dirac;
  DiracOperator<float> dirac_single;
  SchurOperator<double> schur;
  SchurOperator<float> schur_single;
};

TEST(QcdMethods, FindTheSameSolutionOfBothOperators) {
  const Extents extents{{4, 4, 2, 4}};
  const GaugeField field = random_gauge_field(extents, 0.5, 5);
  InBoth at(field, {.mass = 0.1, .csw = 1.2}, kernels::loops_for<double>(most_lanes(extents)),
            kernels::loops_for<float>(most_lanes(extents)));
  const Field<double> b = folded(at.space, random_spinors(extents, 1));
  const PlainField expected = unfolded(at.space, solve(at.dirac, b, {.tolerance = 1e-13}).x);
  for (const Method method : {Method::cgnr, Method::mixed, Method::bicgstab, Method::gcr}) {
    const auto direct = make_solve(method, at.dirac, &at.dirac_single, {.tolerance = 1e-12});
    direct->begin(b);
    while (direct->status() == Solve::Status::running) direct->iterate();
    ASSERT_EQ(direct->status(), Solve::Status::converged) << direct->failure();
    EXPECT_LE(direct->true_residual(), 1e-12);
    EXPECT_LT(largest_difference(unfolded(at.space, direct->x()), expected), 1e-10);  // |D^-1| is some 10
    const auto reduced = make_solve(method, at.schur, &at.schur_single, {.tolerance = 1e-12});
    Field<double> odd = at.schur.make();
    at.schur.prepare(b, odd);
    reduced->begin(odd, std::sqrt(at.space.norm2(b)));
    while (reduced->status() == Solve::Status::running) reduced->iterate();
    ASSERT_EQ(reduced->status(), Solve::Status::converged) << reduced->failure();
    EXPECT_LT(reduced->iterations(), direct->iterations());
    Field<double> x = at.dirac.make();
    at.schur.reconstruct(b, reduced->x(), x);
    EXPECT_LT(largest_difference(unfolded(at.space, x), expected), 1e-10);
  }
}

TEST(QcdMethods, HaveTheSameBitsInEveryFoldingAndOnAnyWorkers) {
  const Extents extents{{4, 2, 4, 4}};
  const GaugeField field = random_gauge_field(extents, 0.5, 5);
  const PlainField b = random_spinors(extents, 1);
  for (const Method method : {Method::mixed, Method::bicgstab, Method::gcr}) {
    std::vector<std::vector<double>> histories;
    std::vector<PlainField> solutions;
    for (const auto& wide : testing::all_loops<double>(extents)) {
      for (const auto& narrow : testing::all_loops<float>(extents)) {
        InBoth at(field, {.mass = 0.3}, wide, narrow, solutions.size() % 2 + 1);
        const auto one = make_solve(method, at.dirac, &at.dirac_single, {.tolerance = 1e-9});
        one->begin(folded(at.space, b));
        while (one->status() == Solve::Status::running) one->iterate();
        histories.push_back(one->history());
        solutions.push_back(unfolded(at.space, one->x()));
        EXPECT_EQ(histories.back(), histories.front()) << wide.lanes << " " << narrow.lanes;
        EXPECT_EQ(solutions.back(), solutions.front());
      }
    }
  }
}

TEST(QcdMethods, MixedPrecisionSolvesWhatIsTinyOrHuge) {
  const Extents extents{{4, 2, 2, 4}};
  InBoth at(random_gauge_field(extents, 0.5, 5), {.mass = 0.3}, kernels::loops_for<double>(most_lanes(extents)),
            kernels::loops_for<float>(most_lanes(extents)));
  for (const double size : {1e-40, 1.0, 1e40}) {  // beyond single precision
    Field<double> b = folded(at.space, random_spinors(extents, 1));
    for (double& value : b) value *= size;
    MixedPrecisionCg method(at.dirac, at.dirac_single, {.tolerance = 1e-12});
    method.begin(b);
    while (method.status() == Solve::Status::running) method.iterate();
    EXPECT_EQ(method.status(), Solve::Status::converged) << size << " " << method.failure();
  }
}

TEST(QcdMethods, ConvertBetweenPrecisionsAndFoldings) {
  const Extents extents{{4, 4, 2, 4}};
  Workers on(1);
  const PlainField psi = random_spinors(extents, 1);
  for (const auto& wide : testing::all_loops<double>(extents)) {
    FieldSpace<double> space(extents, wide, on.scheduler);
    for (const auto& narrow : testing::all_loops<float>(extents)) {
      FieldSpace<float> single(extents, narrow, on.scheduler);
      Field<float> out = single.make();
      convert(space, folded(space, psi), 1.0, single, out);
      EXPECT_EQ(unfolded(single, out), unfolded(single, folded(single, psi))) << wide.lanes << " " << narrow.lanes;
      const Field<double> whole = folded(space, psi);
      Field<double> odd = space.make_half();
      std::copy(whole.begin() + static_cast<std::ptrdiff_t>(odd.size()), whole.end(), odd.begin());
      Field<float> odd_out = single.make_half();
      convert(space, odd, 1.0, single, odd_out);
      EXPECT_TRUE(
          std::equal(odd_out.begin(), odd_out.end(), out.begin() + static_cast<std::ptrdiff_t>(odd_out.size())));
    }
  }
}

TEST(QcdClover, TheInverseIsOneAndASingularTermHasNone) {
  const GaugeField field = random_gauge_field({{2, 2, 2, 2}}, 0.9, 5);
  const CloverTerm a = clover_term(field, {1, 0, 1, 0}, -4.0, 1.0);  // indefinite
  const auto inverse_of_a = inverse(a);
  ASSERT_TRUE(inverse_of_a);
  const auto back = inverse(*inverse_of_a);
  ASSERT_TRUE(back);
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR((*back)[i], a[i], 1e-12);
  EXPECT_FALSE(inverse(CloverTerm{}));
  CloverTerm diagonal{};
  for (std::size_t i = 0; i < 6; ++i) diagonal[i] = diagonal[36 + i] = static_cast<double>(i + 1);
  EXPECT_EQ((*inverse(diagonal))[3], 0.25);
  diagonal[36] = 0.0;
  EXPECT_FALSE(inverse(diagonal));
}

TEST(QcdClover, ASingularTermIsNamed) {
  // Free quarks with m0 = -4 have A = 0; a clover coefficient alone does not change that.
  OnLattice at(GaugeField(Extents{{2, 2, 2, 2}}), {.mass = -4.0, .csw = 1.0});
  try {
    const SchurOperator<double> schur(at.dirac);
    FAIL();
  } catch (const engine::NumericsError& error) {
    EXPECT_NE(std::string(error.what()).find("is singular: there is no Schur complement"), std::string::npos);
  }
  OnLattice without(GaugeField(Extents{{2, 2, 2, 2}}), {.mass = -4.0});
  EXPECT_THROW(SchurOperator<double>{without.dirac}, engine::NumericsError);
}

TEST(QcdSolve, HasTheSameBitsInEveryFoldingAndOnAnyWorkers) {
  const Extents extents{{4, 4, 4, 4}};
  const GaugeField field = random_gauge_field(extents, 0.5, 5);
  const PlainField b = random_spinors(extents, 1);
  std::vector<PlainField> solutions;
  std::vector<std::vector<double>> histories;
  for (const auto& loops : testing::all_loops<double>(extents)) {
    for (const std::size_t workers : {1U, 2U}) {
      Workers on(workers);
      FieldSpace<double> space(extents, loops, on.scheduler);
      const DiracOperator<double> dirac(space, field, {.mass = 0.3});
      const Solution found = solve(dirac, folded(space, b), {.tolerance = 1e-8});
      solutions.push_back(unfolded(space, found.x));
      histories.push_back(found.history);
      EXPECT_EQ(solutions.back(), solutions.front()) << loops.lanes << " lanes, " << workers << " workers";
      EXPECT_EQ(histories.back(), histories.front());
    }
  }
}

/// S(x) = 1/V sum_p e^(ipx) (m + sum (1 - cos p) - i sum gamma sin p) / ((m + sum (1 - cos p))^2 + sum sin^2 p)
PlainField free_propagator(const Extents& extents, double mass, BoundaryT boundary, std::size_t column) {
  const auto gamma = testing::gammas();
  PlainField result(extents.sites());
  for (std::size_t k = 0; k < extents.sites(); ++k) {
    const Coordinates wave = extents.at(k);
    std::array<double, 4> p{};
    double scalar = mass;
    double squares = 0.0;
    for (std::size_t mu = 0; mu < 4; ++mu) {
      const double shift = mu == 3 && boundary == BoundaryT::antiperiodic ? 0.5 : 0.0;
      p[mu] = 2.0 * std::numbers::pi * (wave[mu] + shift) / extents.n[mu];
      scalar += 1.0 - std::cos(p[mu]);
      squares += std::sin(p[mu]) * std::sin(p[mu]);
    }
    Spinor amplitude{};
    amplitude[column] = scalar;
    for (std::size_t mu = 0; mu < 4; ++mu) {
      for (std::size_t s = 0; s < 4; ++s) {
        amplitude[3 * s + column % 3] += Complex(0.0, -std::sin(p[mu])) * gamma[mu][s][column / 3];
      }
    }
    const double weight = 1.0 / ((scalar * scalar + squares) * static_cast<double>(extents.sites()));
    for (std::size_t site = 0; site < extents.sites(); ++site) {
      const Coordinates x = extents.at(site);
      double phase = 0.0;
      for (std::size_t mu = 0; mu < 4; ++mu) phase += p[mu] * x[mu];
      for (std::size_t i = 0; i < 12; ++i) result[site][i] += weight * std::polar(1.0, phase) * amplitude[i];
    }
  }
  return result;
}

TEST(QcdSolve, FreePropagatorAndPionAreThoseOfTheMomentumSum) {
  const Extents extents{{4, 2, 4, 8}};
  for (const BoundaryT boundary : {BoundaryT::periodic, BoundaryT::antiperiodic}) {
    OnLattice at(GaugeField(extents), {.mass = 0.4, .boundary = boundary});
    Propagator propagator;
    std::vector<double> pion(extents.n[3]);
    for (std::size_t column = 0; column < 12; ++column) {
      Field<double> b = at.space.make();
      make_source({}, column, at.space, b);
      propagator.push_back(solve(at.dirac, b, {.tolerance = 1e-14}).x);
      const PlainField expected = free_propagator(extents, 0.4, boundary, column);
      // |D^-1| <= 1 / 0.4 turns a residual of 1e-14 into 2.5e-14; the sum over 256 momenta has some roundings.
      EXPECT_LT(largest_difference(unfolded(at.space, propagator.back()), expected), 5e-14);
      for (std::size_t site = 0; site < expected.size(); ++site) {
        for (const Complex& value : expected[site]) pion[extents.at(site)[3]] += std::norm(value);
      }
    }
    const std::vector<double> found = pion_correlator(at.space, propagator);
    for (std::size_t t = 0; t < pion.size(); ++t) EXPECT_NEAR(found[t], pion[t], 1e-12 * pion[0]) << t;
  }
}

TEST(QcdSolve, PionIsGaugeInvariantAndMovesWithItsSource) {
  const Extents extents{{4, 2, 2, 4}};
  const GaugeField field = random_gauge_field(extents, 0.5, 5);
  const auto pion = [&](const GaugeField& links, const Coordinates& position) {
    OnLattice at(links, {.mass = 0.3});
    Propagator propagator;
    for (std::size_t column = 0; column < 12; ++column) {
      Field<double> b = at.space.make();
      make_source({.position = position}, column, at.space, b);
      propagator.push_back(solve(at.dirac, b, {.tolerance = 1e-13}).x);
    }
    return pion_correlator(at.space, propagator);
  };
  const auto before = pion(field, {1, 0, 1, 2});
  const auto after = pion(transformed(field, random_gauge_transformation(extents, 9)), {1, 0, 1, 2});
  for (std::size_t t = 0; t < before.size(); ++t) EXPECT_NEAR(after[t], before[t], 1e-11 * before[t]);
  EXPECT_GT(before[2], before[0]);  // where the source is
  EXPECT_EQ(from_source(before, 2)[0], before[2]);
}

TEST(QcdSolve, EffectiveMassOfACoshIsItsMass) {
  for (const double mass : {0.01, 0.5, 3.0}) {
    std::vector<double> correlator;
    for (int t = 0; t < 12; ++t) correlator.push_back(7.0 * std::cosh(mass * (t - 6.0)));
    for (const double found : effective_mass(correlator)) EXPECT_NEAR(found, mass, 1e-9 / mass);
  }
  EXPECT_TRUE(std::isnan(effective_mass(std::vector<double>{1.0, 1.0, 1.0, 1.0})[0]));
}

std::string failure_of(const OnLattice& at, const Field<double>& b, const SolveOptions& options) {
  try {
    static_cast<void>(solve(at.dirac, b, options));
  } catch (const engine::NumericsError& error) {
    return error.what();
  }
  return "none";
}

TEST(QcdSolve, ThatCannotSucceedSaysWhy) {
  const Extents extents{{4, 2, 2, 4}};
  {
    const OnLattice at(random_gauge_field(extents, 0.5, 5), {.mass = 0.3});
    EXPECT_EQ(failure_of(at, at.space.make(), {}),
              "the right-hand side is 0: its solution is 0, and no residual is small relative to it");
    const Field<double> b = folded(at.space, random_spinors(extents, 1));
    EXPECT_NE(failure_of(at, b, {.max_iterations = 3}).find("after 3 iterations, above solve.tolerance = 1e-10"),
              std::string::npos);
    EXPECT_NE(failure_of(at, b, {.tolerance = 1e-19}).find("rounding allows no less; raise solve.tolerance"),
              std::string::npos);
  }
  // Free quarks without a mass have a zero mode: constant spinors.
  const OnLattice at(GaugeField(extents), {.mass = 0.0, .boundary = BoundaryT::periodic});
  const Field<double> b = folded(at.space, random_spinors(extents, 1));
  EXPECT_NE(failure_of(at, b, {}).find("singular"), std::string::npos) << failure_of(at, b, {});
  PlainField ones(extents.sites());
  for (Spinor& spinor : ones) spinor.fill(1.0);
  EXPECT_NE(failure_of(at, folded(at.space, ones), {}).find("singular"), std::string::npos);
}

TEST(QcdSolve, AllocatesNothingAfterSetUp) {
  const Extents extents{{4, 4, 4, 4}};
  OnLattice at(random_gauge_field(extents, 0.5, 5), {.mass = 0.3});
  NormalEquationsCg method(at.dirac, {.tolerance = 1e-9});
  method.begin(folded(at.space, random_spinors(extents, 1)));
  method.iterate();
  const std::size_t before = test::allocations;
  for (int n = 0; n < 5; ++n) method.iterate();
  EXPECT_EQ(test::allocations - before, 0U);
}

}  // namespace
}  // namespace tacit::qcd
