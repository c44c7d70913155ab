// Solves: against the operator, free propagators in closed form, and those that cannot succeed.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <memory>
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
#include "tacit/solvers/qcd/sources/sources.hpp"

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

/// Every method in every precision.
struct Way {
  Method method = Method::cgnr;
  Precision precision = Precision::whole;
};
const std::vector<Way> ways{{Method::cgnr, Precision::whole},     {Method::bicgstab, Precision::whole},
                            {Method::gcr, Precision::whole},      {Method::cgnr, Precision::mixed},
                            {Method::bicgstab, Precision::mixed}, {Method::gcr, Precision::mixed}};

std::string text(const Way& way) {
  const char* const name = way.method == Method::cgnr ? "cgnr" : way.method == Method::gcr ? "gcr" : "bicgstab";
  return std::string(name) + (way.precision == Precision::mixed ? ", mixed" : "");
}

std::unique_ptr<Solve> make(const Way& way, const LinearOperator<double>& matrix, const LinearOperator<float>& single,
                            const SolveOptions& options) {
  return make_solve(way.method, matrix, way.precision == Precision::mixed ? &single : nullptr, options);
}

void run_solve(Solve& one, const Field<double>& b) {
  one.begin(b);
  while (one.status() == Solve::Status::running) one.iterate();
}

TEST(QcdMethods, FindTheSameSolutionOfBothOperators) {
  const Extents extents{{4, 4, 2, 4}};
  const GaugeField field = random_gauge_field(extents, 0.5, 5);
  InBoth at(field, {.mass = 0.1, .csw = 1.2}, kernels::loops_for<double>(most_lanes(extents)),
            kernels::loops_for<float>(most_lanes(extents)));
  const Field<double> b = folded(at.space, random_spinors(extents, 1));
  const PlainField expected = unfolded(at.space, solve(at.dirac, b, {.tolerance = 1e-13}).x);
  for (const Way& way : ways) {
    const auto direct = make(way, at.dirac, at.dirac_single, {.tolerance = 1e-12});
    run_solve(*direct, b);
    ASSERT_EQ(direct->status(), Solve::Status::converged) << text(way) << " " << direct->failure();
    EXPECT_LE(direct->true_residual(), 1e-12);
    EXPECT_LT(largest_difference(unfolded(at.space, direct->x()), expected), 1e-10);  // |D^-1| is some 10
    const auto reduced = make(way, at.schur, at.schur_single, {.tolerance = 1e-12});
    Field<double> odd = at.schur.make();
    at.schur.prepare(b, odd);
    reduced->begin(odd, std::sqrt(at.space.norm2(b)));
    while (reduced->status() == Solve::Status::running) reduced->iterate();
    ASSERT_EQ(reduced->status(), Solve::Status::converged) << text(way) << " " << reduced->failure();
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
  for (const Way& way : ways) {
    std::vector<std::vector<double>> histories;
    std::vector<PlainField> solutions;
    for (const auto& wide : testing::all_loops<double>(extents)) {
      for (const auto& narrow : testing::all_loops<float>(extents)) {
        InBoth at(field, {.mass = 0.3}, wide, narrow, solutions.size() % 2 + 1);
        const auto one = make(way, at.dirac, at.dirac_single, {.tolerance = 1e-9});
        run_solve(*one, folded(at.space, b));
        histories.push_back(one->history());
        solutions.push_back(unfolded(at.space, one->x()));
        EXPECT_EQ(histories.back(), histories.front()) << text(way) << " " << wide.lanes << " " << narrow.lanes;
        EXPECT_EQ(solutions.back(), solutions.front());
      }
    }
  }
}

/// Counts how often an operator is applied.
class Counting final : public LinearOperator<double> {
 public:
  explicit Counting(const LinearOperator<double>& matrix) : matrix_(matrix) {}
  void apply(const Field<double>& in, Field<double>& out, Conjugate conjugate) const override {
    ++count;
    matrix_.apply(in, out, conjugate);
  }
  [[nodiscard]] FieldSpace<double>& space() const override { return matrix_.space(); }
  [[nodiscard]] Field<double> make() const override { return matrix_.make(); }
  mutable std::size_t count = 0;

 private:
  const LinearOperator<double>& matrix_;
};

TEST(QcdMethods, MixedPrecisionIteratesInSingle) {
  const Extents extents{{4, 4, 4, 4}};
  InBoth at(random_gauge_field(extents, 0.5, 5), {.mass = 0.1, .csw = 1.0},
            kernels::loops_for<double>(most_lanes(extents)), kernels::loops_for<float>(most_lanes(extents)));
  const Field<double> b = folded(at.space, random_spinors(extents, 1));
  for (const Method method : {Method::cgnr, Method::bicgstab, Method::gcr}) {
    const auto whole = make_solve(method, at.dirac, nullptr, {.tolerance = 1e-12});
    run_solve(*whole, b);
    const Counting counted(at.dirac);
    const auto mixed = make_solve(method, counted, &at.dirac_single, {.tolerance = 1e-12});
    run_solve(*mixed, b);
    ASSERT_EQ(mixed->status(), Solve::Status::converged) << mixed->failure();
    // A residual for each of the 12 decades, some more as updates come late, and the last one.
    EXPECT_LE(counted.count, 20U);
    // Directions are kept: without them each decade would begin slowly.
    EXPECT_LT(mixed->iterations(), 1.2 * static_cast<double>(whole->iterations()))
        << mixed->iterations() << " of " << whole->iterations();
  }
}

TEST(QcdMethods, MixedPrecisionSolvesWhatIsTinyOrHuge) {
  const Extents extents{{4, 2, 2, 4}};
  InBoth at(random_gauge_field(extents, 0.5, 5), {.mass = 0.3}, kernels::loops_for<double>(most_lanes(extents)),
            kernels::loops_for<float>(most_lanes(extents)));
  for (const double size : {1e-40, 1.0, 1e40}) {  // beyond single precision
    Field<double> b = folded(at.space, random_spinors(extents, 1));
    for (double& value : b) value *= size;
    for (const Method method : {Method::cgnr, Method::bicgstab, Method::gcr}) {
      const auto one = make_solve(method, at.dirac, &at.dirac_single, {.tolerance = 1e-12});
      run_solve(*one, b);
      EXPECT_EQ(one->status(), Solve::Status::converged) << size << " " << one->failure();
    }
  }
}

/// Squares of 2^-532 and 2^-664 are 0 or denormal, those of 2^565 infinite. Powers of two turn no bit of a solution.
TEST(QcdMethods, ASourceTimesAPowerOfTwoHasTheSameSolutionTimesThat) {
  const Extents extents{{4, 2, 2, 4}};
  InBoth at(random_gauge_field(extents, 0.5, 5), {.mass = 0.3}, kernels::loops_for<double>(most_lanes(extents)),
            kernels::loops_for<float>(most_lanes(extents)));
  const Field<double> b = folded(at.space, random_spinors(extents, 1));
  const auto times = [](Field<double> field, int power) {
    for (double& value : field) value = std::ldexp(value, power);
    return field;
  };
  for (const Way& way : ways) {
    const auto plain = make(way, at.schur, at.schur_single, {.tolerance = 1e-11});
    for (const int power : {-664, -532, -266, 332, 565}) {
      const auto one = make(way, at.schur, at.schur_single, {.tolerance = 1e-11});
      const auto solution = [&](Solve& method, const Field<double>& source) {
        Field<double> odd = at.schur.make();
        at.schur.prepare(source, odd);
        method.begin(odd, at.space.norm(source));
        while (method.status() == Solve::Status::running) method.iterate();
        Field<double> x = at.dirac.make();
        at.schur.reconstruct(source, method.x(), x);
        return x;
      };
      const Field<double> large = times(b, power);
      const Field<double> x = solution(*plain, b);
      const Field<double> y = solution(*one, large);
      ASSERT_EQ(one->status(), Solve::Status::converged) << text(way) << ", " << power << ": " << one->failure();
      Field<double> rest = at.dirac.make();
      EXPECT_LT(true_residual(at.dirac, large, y, rest), 2e-11) << text(way) << ", " << power;
      EXPECT_LT(largest_difference(unfolded(at.space, times(y, -power)), unfolded(at.space, x)), 1e-10)
          << text(way) << ", " << power;
      EXPECT_EQ(one->iterations(), plain->iterations());
    }
  }
}

/// A wave i^x of upper spins, and m0 = -1: D b = i gamma_x b, whose product with b is 0 as gamma_x turns upper spins
/// into lower ones. Conjugate gradients need one iteration; the others none, as they cannot go on.
TEST(QcdMethods, ABreakdownIsTold) {
  const Extents extents{{4, 2, 2, 2}};
  InBoth at(GaugeField(extents), {.mass = -1.0, .boundary = BoundaryT::periodic},
            kernels::loops_for<double>(most_lanes(extents)), kernels::loops_for<float>(most_lanes(extents)));
  PlainField wave(extents.sites());
  const std::array<Complex, 4> turns{{{1.0, 0.0}, {0.0, 1.0}, {-1.0, 0.0}, {0.0, -1.0}}};
  for (std::size_t site = 0; site < wave.size(); ++site) {
    for (std::size_t i = 0; i < 6; ++i) wave[site][i] = turns[extents.at(site)[0]] * static_cast<double>(i + 1);
  }
  const Field<double> b = folded(at.space, wave);
  for (const Way& way : ways) {
    const auto one = make(way, at.dirac, at.dirac_single, {.tolerance = 1e-6});
    run_solve(*one, b);
    if (way.method == Method::cgnr) {
      EXPECT_EQ(one->status(), Solve::Status::converged) << one->failure();
      EXPECT_EQ(one->iterations(), 1U);
      continue;
    }
    EXPECT_EQ(one->status(), Solve::Status::failed) << text(way);
    EXPECT_NE(one->failure().find("cannot go on; take solve.method = \"cgnr\""), std::string::npos) << one->failure();
    EXPECT_EQ(one->iterations(), 0U);
  }
}

TEST(QcdMethods, ThatDoNotProgressSaySo) {
  // Free quarks without a mass have a zero mode, which b has, too.
  const Extents extents{{4, 2, 2, 4}};
  InBoth at(GaugeField(extents), {.mass = 0.0, .boundary = BoundaryT::periodic},
            kernels::loops_for<double>(most_lanes(extents)), kernels::loops_for<float>(most_lanes(extents)));
  const Field<double> b = folded(at.space, random_spinors(extents, 1));
  for (const Way& way : ways) {
    const auto one = make(way, at.dirac, at.dirac_single, {.patience = 50});
    run_solve(*one, b);
    EXPECT_EQ(one->status(), Solve::Status::failed) << text(way);
    EXPECT_NE(one->failure().find("singular"), std::string::npos) << text(way) << ": " << one->failure();
    EXPECT_EQ(one->failure().find("cgnr") == std::string::npos, way.method == Method::cgnr) << one->failure();
    EXPECT_GT(one->history().size(), 0U);
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
      make_source({}, column, point_shape(extents, {}), at.space, b);
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

TEST(QcdSolve, CorrelatorsAreGaugeInvariantAndMoveWithTheirSource) {
  const Extents extents{{4, 2, 2, 4}};
  const GaugeField field = random_gauge_field(extents, 0.5, 5);
  const auto correlators = [&](const GaugeField& links, const Coordinates& position) {
    OnLattice at(links, {.mass = 0.3, .csw = 1.2});
    const SchurOperator<double> schur(at.dirac);
    Propagator propagator;
    for (std::size_t column = 0; column < 12; ++column) {
      Field<double> b = at.space.make();
      make_source({}, column, point_shape(extents, position), at.space, b);
      propagator.push_back(solve(at.dirac, schur, b, {.tolerance = 1e-13}).x);
    }
    return std::array{pion_correlator(at.space, propagator), rho_correlator(at.space, propagator)};
  };
  const auto before = correlators(field, {1, 0, 1, 2});
  const auto after = correlators(transformed(field, random_gauge_transformation(extents, 9)), {1, 0, 1, 2});
  for (const std::size_t meson : {0U, 1U}) {
    for (std::size_t t = 0; t < before[meson].size(); ++t) {
      EXPECT_NEAR(after[meson][t], before[meson][t], 1e-11 * before[0][2]) << t;
    }
  }
  EXPECT_GT(before[0][2], before[0][0]);  // where the source is
  EXPECT_EQ(from_source(before[0], 2)[0], before[0][2]);
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
  FieldSpace<float> narrow(extents, kernels::loops_for<float>(most_lanes(extents)), at.on.scheduler);
  const DiracOperator<float> single(narrow, random_gauge_field(extents, 0.5, 5), at.dirac.parameters());
  const Field<double> b = folded(at.space, random_spinors(extents, 1));
  for (const Way& way : ways) {
    const auto one = make(way, at.dirac, single, {.tolerance = 1e-9});
    one->begin(b);
    one->iterate();
    const std::size_t before = test::allocations;
    for (int n = 0; n < 5; ++n) one->iterate();
    EXPECT_EQ(test::allocations - before, 0U) << text(way);
    ASSERT_EQ(one->status(), Solve::Status::running) << text(way);
  }
}

}  // namespace
}  // namespace tacit::qcd
