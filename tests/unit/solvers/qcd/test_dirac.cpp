// The Dirac operator: against its formula, in every folding; hermiticity, gauge invariance, free quarks.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <numbers>
#include <vector>

#include "on_lattice.hpp"

namespace tacit::qcd {
namespace {

using testing::all_loops;
using testing::folded;
using testing::largest_difference;
using testing::PlainField;
using testing::random_spinors;
using testing::unfolded;
using testing::Workers;

const std::vector<Extents> lattices{{{2, 2, 2, 2}}, {{4, 2, 6, 4}}, {{4, 4, 4, 4}}, {{8, 4, 4, 4}}};

template <class T>
PlainField applied(const GaugeField& field, const DiracParameters& parameters, const PlainField& psi,
                   Conjugate conjugate, const kernels::Loops<T>& loops, std::size_t workers = 1) {
  Workers on(workers);
  FieldSpace<T> space(field.extents, loops, on.scheduler);
  const DiracOperator<T> dirac(space, field, parameters);
  Field<T> out = space.make();
  dirac.apply(folded(space, psi), out, conjugate);
  return unfolded(space, out);
}

TEST(QcdDirac, IsItsFormula) {
  for (const Extents& extents : lattices) {
    const GaugeField field = random_gauge_field(extents, 0.7, 5);
    const PlainField psi = random_spinors(extents, 6);
    for (const BoundaryT boundary : {BoundaryT::periodic, BoundaryT::antiperiodic}) {
      const DiracParameters parameters{
          .mass = -0.3, .boundary = boundary, .csw = boundary == BoundaryT::periodic ? 0.0 : 1.3};
      for (const Conjugate conjugate : {Conjugate::no, Conjugate::yes}) {
        const PlainField expected = testing::plain_dirac(field, parameters, psi, conjugate);
        const PlainField found =
            applied(field, parameters, psi, conjugate, kernels::loops_of<double, base::isa::scalar>());
        // Elements are sums of 97 products of up to 4: some tens of roundings of 4.
        EXPECT_LT(largest_difference(found, expected), 2e-14) << extents.text();
        const PlainField single =
            applied(field, parameters, psi, conjugate, kernels::loops_of<float, base::isa::scalar>());
        EXPECT_LT(largest_difference(single, expected), 1e-5) << extents.text();
      }
    }
  }
}

/// S applied to the odd sites of psi, and to that its conjugate; zeros at even sites.
template <class T>
PlainField schur_of(FieldSpace<T>& space, const GaugeField& field, const DiracParameters& parameters,
                    const PlainField& psi) {
  const DiracOperator<T> dirac(space, field, parameters);
  const SchurOperator<T> schur(dirac);
  const Field<T> whole = folded(space, psi);
  Field<T> odd = schur.make();
  std::copy(whole.begin() + static_cast<std::ptrdiff_t>(odd.size()), whole.end(), odd.begin());
  Field<T> out = schur.make();
  schur.apply(odd, out, Conjugate::no);
  schur.apply(out, odd, Conjugate::yes);
  Field<T> result = space.make();
  std::copy(odd.begin(), odd.end(), result.begin() + static_cast<std::ptrdiff_t>(odd.size()));
  return unfolded(space, result);
}

template <class T>
void expect_same_bits_in_every_folding() {
  for (const Extents& extents : lattices) {
    const GaugeField field = random_gauge_field(extents, 0.7, 5);
    const PlainField psi = random_spinors(extents, 6);
    const PlainField other = random_spinors(extents, 7);
    const DiracParameters parameters{.mass = 0.2, .csw = 1.1};
    Workers alone(1);
    const auto oracle = kernels::loops_of<T, base::isa::scalar>();
    FieldSpace<T> plain(extents, oracle, alone.scheduler);
    const Field<T> x = folded(plain, psi);
    const Field<T> y = folded(plain, other);
    for (const kernels::Loops<T>& loops : all_loops<T>(extents)) {
      for (const Conjugate conjugate : {Conjugate::no, Conjugate::yes}) {
        const PlainField expected = applied(field, parameters, psi, conjugate, oracle);
        EXPECT_EQ(applied(field, parameters, psi, conjugate, loops), expected) << extents.text() << " " << loops.lanes;
        EXPECT_EQ(applied(field, parameters, psi, conjugate, loops, 2), expected)
            << extents.text() << " " << loops.lanes;
      }
      FieldSpace<T> space(extents, loops, alone.scheduler);
      EXPECT_EQ(schur_of(space, field, parameters, psi), schur_of(plain, field, parameters, psi)) << loops.lanes;
      const Field<T> u = folded(space, psi);
      const Field<T> v = folded(space, other);
      EXPECT_EQ(space.norm2(u), plain.norm2(x)) << loops.lanes;
      EXPECT_EQ(space.dot(u, v), plain.dot(x, y)) << loops.lanes;
      const auto same = [&](const char* what, auto operation) {
        Field<T> here = v;
        Field<T> there = y;
        operation(space, u, here);
        operation(plain, x, there);
        EXPECT_EQ(unfolded(space, here), unfolded(plain, there)) << what << " " << loops.lanes;
      };
      const Complex a(0.3, -1.7);
      same("axpy", [&](FieldSpace<T>& in, const Field<T>& p, Field<T>& q) { in.axpy(a, p, q); });
      same("xpay", [&](FieldSpace<T>& in, const Field<T>& p, Field<T>& q) { in.xpay(p, a, q); });
      same("advance", [&](FieldSpace<T>& in, const Field<T>& p, Field<T>& q) {
        Field<T> r = p;
        const double told = in.advance(0.7, p, p, q, r);
        EXPECT_EQ(told, in.norm2(r));
      });
    }
  }
}

TEST(QcdFoldings, GiveTheBitsOfTheScalarLoopsInDoublePrecision) { expect_same_bits_in_every_folding<double>(); }
TEST(QcdFoldings, GiveTheBitsOfTheScalarLoopsInSinglePrecision) { expect_same_bits_in_every_folding<float>(); }

TEST(QcdFoldings, VectorsAreWhatTheirFormulasSay) {
  const Extents extents{{4, 2, 2, 4}};
  Workers on(1);
  FieldSpace<double> space(extents, kernels::loops_for<double>(most_lanes(extents)), on.scheduler);
  const PlainField x = random_spinors(extents, 1);
  const PlainField y = random_spinors(extents, 2);
  const Complex a(0.3, -1.7);
  EXPECT_LT(std::abs(space.dot(folded(space, x), folded(space, y)) - testing::dot(x, y)), 1e-12);
  EXPECT_NEAR(space.norm2(folded(space, x)), testing::dot(x, x).real(), 1e-11);
  Field<double> field = folded(space, y);
  space.axpy(a, folded(space, x), field);
  PlainField expected = y;
  for (std::size_t s = 0; s < x.size(); ++s) {
    for (std::size_t i = 0; i < 12; ++i) expected[s][i] += a * x[s][i];
  }
  EXPECT_LT(largest_difference(unfolded(space, field), expected), 1e-15);
  field = folded(space, y);
  space.xpay(folded(space, x), a, field);
  for (std::size_t s = 0; s < x.size(); ++s) {
    for (std::size_t i = 0; i < 12; ++i) expected[s][i] = x[s][i] + a * y[s][i];
  }
  EXPECT_LT(largest_difference(unfolded(space, field), expected), 1e-15);
}

TEST(QcdDirac, IsGamma5Hermitian) {
  const Extents extents{{4, 4, 2, 6}};
  const GaugeField field = random_gauge_field(extents, 0.7, 5);
  const PlainField x = random_spinors(extents, 1);
  const PlainField y = random_spinors(extents, 2);
  const auto with_gamma5 = [](PlainField psi) {
    for (Spinor& spinor : psi) {
      for (std::size_t i = 0; i < 6; ++i) spinor[i] = -spinor[i];
    }
    return psi;
  };
  const auto loops = kernels::loops_for<double>(most_lanes(extents));
  const DiracParameters parameters{.mass = 0.1, .csw = 1.5};
  const PlainField dx = applied(field, parameters, x, Conjugate::no, loops);
  const PlainField dy = applied(field, parameters, y, Conjugate::yes, loops);
  const Complex left = testing::dot(y, dx);
  EXPECT_LT(std::abs(left - testing::dot(dy, x)), 1e-12 * std::abs(left));
  const PlainField turned = with_gamma5(applied(field, parameters, with_gamma5(y), Conjugate::no, loops));
  EXPECT_EQ(turned, dy);  // the same operations with other signs
}

TEST(QcdDirac, FollowsGaugeTransformations) {
  const Extents extents{{4, 2, 4, 4}};
  const GaugeField field = random_gauge_field(extents, 0.7, 5);
  const auto g = random_gauge_transformation(extents, 9);
  const auto turned = [&](const PlainField& psi) {
    PlainField result(psi.size());
    for (std::size_t site = 0; site < psi.size(); ++site) {
      for (std::size_t i = 0; i < 12; ++i) {
        for (std::size_t b = 0; b < 3; ++b) result[site][i] += g[site](i % 3, b) * psi[site][i / 3 * 3 + b];
      }
    }
    return result;
  };
  const PlainField psi = random_spinors(extents, 1);
  const auto loops = kernels::loops_for<double>(most_lanes(extents));
  const DiracParameters parameters{.mass = 0.1, .csw = 1.5};
  const PlainField before = applied(field, parameters, psi, Conjugate::no, loops);
  const PlainField after = applied(transformed(field, g), parameters, turned(psi), Conjugate::no, loops);
  EXPECT_LT(largest_difference(after, turned(before)), 3e-14);
  EXPECT_GT(largest_difference(after, before), 1.0);
}

/// D of free quarks on a plane wave e^(i p x): (m0 + sum_mu (1 - cos p_mu) + i sum_mu gamma_mu sin p_mu).
TEST(QcdDirac, OfFreeQuarksIsDiagonalInMomentum) {
  const Extents extents{{8, 4, 4, 12}};
  const auto gamma = testing::gammas();
  const double mass = 0.37;
  for (const BoundaryT boundary : {BoundaryT::periodic, BoundaryT::antiperiodic}) {
    std::array<double, 4> p{};
    const std::array<double, 4> waves{3.0, 1.0, 2.0, 5.0};
    for (std::size_t mu = 0; mu < 4; ++mu) {
      const double shift = mu == 3 && boundary == BoundaryT::antiperiodic ? 0.5 : 0.0;
      p[mu] = 2.0 * std::numbers::pi * (waves[mu] + shift) / extents.n[mu];
    }
    const Spinor amplitude = random_spinors({{2, 2, 2, 2}}, 3)[0];
    PlainField wave(extents.sites());
    for (std::size_t site = 0; site < wave.size(); ++site) {
      const Coordinates x = extents.at(site);
      double phase = 0.0;
      for (std::size_t mu = 0; mu < 4; ++mu) phase += p[mu] * x[mu];
      for (std::size_t i = 0; i < 12; ++i) wave[site][i] = std::polar(1.0, phase) * amplitude[i];
    }
    PlainField expected(wave.size());
    for (std::size_t site = 0; site < wave.size(); ++site) {
      for (std::size_t i = 0; i < 12; ++i) {
        for (std::size_t mu = 0; mu < 4; ++mu) {
          expected[site][i] += (0.25 * mass + 1.0 - std::cos(p[mu])) * wave[site][i];
          for (std::size_t r = 0; r < 4; ++r) {
            expected[site][i] += Complex(0.0, std::sin(p[mu])) * gamma[mu][i / 3][r] * wave[site][3 * r + i % 3];
          }
        }
      }
    }
    const PlainField found = applied(GaugeField(extents), {.mass = mass, .boundary = boundary}, wave, Conjugate::no,
                                     kernels::loops_for<double>(most_lanes(extents)));
    // Phases up to 100 have roundings of 1e-14, in nine terms of up to 4.
    EXPECT_LT(largest_difference(found, expected), 2e-13);
  }
}

}  // namespace
}  // namespace tacit::qcd
