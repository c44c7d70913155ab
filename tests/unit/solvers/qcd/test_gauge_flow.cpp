// The Wilson flow and smearing: known solutions, order, invariance, topological charge, scales.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <vector>

#include "one_field.hpp"
#include "tacit/solvers/qcd/gauge/flow.hpp"
#include "tacit/solvers/qcd/gauge/flow_record.hpp"
#include "tacit/solvers/qcd/gauge/observables.hpp"
#include "tacit/solvers/qcd/gauge/smearing.hpp"

namespace tacit::qcd {
namespace {

using testing::OneField;

constexpr Extents even_box{{4, 4, 4, 4}};

/// exp(i angle diag(1, -1, 0))
Matrix3 turned(double angle) {
  Matrix3 link = Matrix3::one();
  link(0, 0) = std::polar(1.0, angle);
  link(1, 1) = std::polar(1.0, -angle);
  return link;
}

double largest_difference(const GaugeField& a, const GaugeField& b) {
  double largest = 0.0;
  for (std::size_t k = 0; k < a.links.size(); ++k) {
    for (const Complex& element : (a.links[k] - b.links[k]).m) largest = std::max(largest, std::abs(element));
  }
  return largest;
}

GaugeField flowed(const GaugeField& field, double time, double step) {
  OneField at(field);
  WilsonFlow flow(at.tasks, at.field);
  for (int n = 0; n < std::lround(time / step); ++n) flow.advance(step);
  return at.field;
}

GaugeField smeared(const GaugeField& field, const Smearing& smearing) {
  OneField at(field);
  smear(at.tasks, at.field, smearing);
  return at.field;
}

/// Of small fields the flow is diffusion: a transverse wave falls as exp(-4 sin^2(k / 2) t).
TEST(QcdFlow, ASmallWaveDiffuses) {
  const Extents extents{{8, 4, 2, 2}};
  constexpr double k = 2.0 * std::numbers::pi / 8.0;
  constexpr double height = 1e-3;
  GaugeField field(extents);
  for (std::size_t site = 0; site < extents.sites(); ++site) {
    const Coordinates x = extents.at(site);
    field.at(x, 1) = turned(height * std::cos(k * x[0]));
  }
  const GaugeField after = flowed(field, 1.0, 0.02);
  const double rate = 4.0 * std::sin(0.5 * k) * std::sin(0.5 * k);
  // The third order leaves rate^4 eps^3 / 24 = 4e-8; what is not linear, height^2.
  for (std::uint32_t x = 0; x < 8; ++x) {
    EXPECT_NEAR(std::arg(after.at({x, 1, 0, 1}, 1)(0, 0)), height * std::exp(-rate) * std::cos(k * x), 1e-6 * height);
  }
}

TEST(QcdFlow, IsOfThirdOrderAndLowersTheAction) {
  const GaugeField field = random_gauge_field(even_box, 0.6, 5);
  const GaugeField exact = flowed(field, 0.2, 0.003125);
  std::array<double, 3> errors{};
  for (std::size_t n = 0; n < 3; ++n)
    errors[n] = largest_difference(flowed(field, 0.2, 0.05 / std::pow(2.0, n)), exact);
  EXPECT_NEAR(std::log2(errors[0] / errors[1]), 3.0, 0.3);
  EXPECT_NEAR(std::log2(errors[1] / errors[2]), 3.0, 0.3);
  OneField at(field);
  const std::vector<FlowPoint> points = flow(at.tasks, at.field, {.end = 2.0, .step = 0.1, .points = 10});
  ASSERT_EQ(points.size(), 11U);
  for (std::size_t n = 1; n < points.size(); ++n) {
    EXPECT_LT(points[n].plaquette, points[n - 1].plaquette);
    EXPECT_NEAR(points[n].t, 0.2 * static_cast<double>(n), 1e-15);
  }
  EXPECT_LT(points[10].plaquette, 0.05 * points[0].plaquette);
  for (const Matrix3& link : at.field.links) ASSERT_LT(distance_from_su3(link), 1e-14);
  EXPECT_NEAR(points[0].plaquette, 36.0 * (1.0 - plaquette(field)), 1e-12);
}

/// A constant abelian field of one quantum of flux in each of two planes: a solution, which the flow leaves, of charge
/// 2 but for the sines of the lattice.
TEST(QcdFlow, AConstantFieldStaysAndHasItsCharge) {
  for (const auto& [first, second, sign] : {std::array{0, 2, 1}, std::array{0, 1, -1}}) {
    // Planes (first, other) and what is left.
    const auto mu = static_cast<std::size_t>(first);
    const std::size_t nu = sign > 0 ? 1 : 2;
    const auto rho = static_cast<std::size_t>(second);
    constexpr std::size_t sigma = 3;
    constexpr double flux = 2.0 * std::numbers::pi / 16.0;
    GaugeField field(even_box);
    for (std::size_t site = 0; site < even_box.sites(); ++site) {
      const Coordinates x = even_box.at(site);
      for (const auto& [a, b] : {std::array{mu, nu}, std::array{rho, sigma}}) {
        field.at(x, a) = turned(-flux * x[b]);
        if (x[b] == 3) field.at(x, b) = turned(flux * 4.0 * x[a]);
      }
    }
    OneField at(field);
    const std::vector<FlowPoint> points = flow(at.tasks, at.field, {.end = 1.0, .step = 0.1, .points = 2});
    for (const FlowPoint& point : points) {
      EXPECT_NEAR(point.charge, sign * 2.0 * std::pow(std::sin(flux) / flux, 2), 1e-12);
      EXPECT_NEAR(point.energy, 4.0 * std::pow(std::sin(flux), 2), 1e-12);
      EXPECT_NEAR(point.plaquette, 8.0 * (1.0 - std::cos(flux)), 1e-12);
    }
    EXPECT_LT(largest_difference(at.field, field), 1e-12);
  }
}

TEST(QcdFlow, GaugeTransformationsChangeNothingMeasured) {
  const GaugeField field = random_gauge_field(even_box, 0.5, 3);
  const std::vector<Matrix3> g = random_gauge_transformation(even_box, 9);
  OneField one(field);
  OneField other(transformed(field, g));
  const FlowSettings settings{.end = 0.4, .step = 0.05, .points = 2};
  const std::vector<FlowPoint> points = flow(one.tasks, one.field, settings);
  const std::vector<FlowPoint> others = flow(other.tasks, other.field, settings);
  for (std::size_t n = 0; n < points.size(); ++n) {
    EXPECT_GT(std::abs(points[n].charge), 1e-4);
    EXPECT_NEAR(points[n].energy, others[n].energy, 1e-12);
    EXPECT_NEAR(points[n].charge, others[n].charge, 1e-12);
  }
  EXPECT_LT(largest_difference(transformed(one.field, g), other.field), 1e-12);
  // Of a transformed vacuum nothing is left.
  OneField vacuum(transformed(GaugeField(even_box), g));
  const FlowPoint nothing = measure_flow(vacuum.tasks, vacuum.field, 0.0);
  EXPECT_NEAR(nothing.energy, 0.0, 1e-25);
  EXPECT_NEAR(nothing.charge, 0.0, 1e-25);
}

/// A step of stout is Euler's of the flow; one of APE is the same to first order, with rho = alpha / n.
TEST(QcdSmearing, StoutIsAStepOfTheFlowAndApeNearlyIs) {
  const GaugeField field = random_gauge_field(even_box, 0.4, 7);
  const auto stout = [&](double rho, StapleAxes links) {
    return smeared(field, {.kind = SmearingKind::stout, .weight = rho, .steps = 1, .links = links});
  };
  const auto ape = [&](double alpha, StapleAxes links) {
    return smeared(field, {.kind = SmearingKind::ape, .weight = alpha, .steps = 1, .links = links});
  };
  const auto of_flow = [&](double rho) {
    return largest_difference(stout(rho, StapleAxes::all), flowed(field, rho, rho));
  };
  EXPECT_NEAR(std::log2(of_flow(2e-3) / of_flow(1e-3)), 2.0, 0.05);
  for (const auto& [links, count] : {std::pair{StapleAxes::all, 6.0}, std::pair{StapleAxes::spatial, 4.0}}) {
    const auto difference = [&](double rho) { return largest_difference(stout(rho, links), ape(count * rho, links)); };
    EXPECT_NEAR(std::log2(difference(2e-3) / difference(1e-3)), 2.0, 0.1);
  }
}

TEST(QcdSmearing, IsCovariantAndKeepsLinksAlongTimeWhereAskedTo) {
  const GaugeField field = random_gauge_field(even_box, 1.0, 7);
  const std::vector<Matrix3> g = random_gauge_transformation(even_box, 2);
  for (const SmearingKind kind : {SmearingKind::ape, SmearingKind::stout}) {
    const Smearing smearing{.kind = kind, .weight = kind == SmearingKind::ape ? 0.6 : 0.1, .steps = 3};
    const GaugeField after = smeared(field, smearing);
    EXPECT_LT(largest_difference(transformed(after, g), smeared(transformed(field, g), smearing)), 1e-12);
    for (std::size_t link = 0; link < field.links.size(); ++link) {
      ASSERT_LT(distance_from_su3(after.links[link]), 1e-14);
      EXPECT_EQ(after.links[link] == field.links[link], link % axes == 3);
    }
    OneField before(field);
    OneField later(after);
    EXPECT_GT(plaquettes(later.tasks, later.field).spatial, 0.2 + plaquettes(before.tasks, before.field).spatial);
  }
}

TEST(QcdSmearing, TheNearestMatrixIsTheUnitaryFactor) {
  const std::vector<Matrix3> random = random_gauge_transformation({{2, 2, 2, 2}}, 4);
  for (std::size_t k = 1; k < random.size(); ++k) {
    Matrix3 stretch;  // positive
    for (std::size_t i = 0; i < 3; ++i) stretch(i, i) = std::pow(30.0, static_cast<double>(i));
    const Matrix3 positive = random[k - 1] * stretch * dagger(random[k - 1]);
    for (const double phase : {0.0, 0.9, -1.04}) {  // up to pi / 3
      const Matrix3 found = nearest_in_su3(std::polar(1.0, phase) * (positive * random[k]), Matrix3::one());
      for (const Complex& element : (found - random[k]).m) EXPECT_LT(std::abs(element), 1e-12) << phase;
    }
  }
  Matrix3 singular = random[1];
  for (std::size_t i = 0; i < 3; ++i) singular(2, i) = singular(1, i);
  EXPECT_EQ(nearest_in_su3(singular, random[3]), random[3]);
}

TEST(QcdFlow, ScalesAreWhereTheEnergySaysAndErrorsFollow) {
  const FlowSettings settings{.end = 4.0, .step = 0.1, .points = 16};
  EXPECT_EQ(settings.steps_per_point(), 3U);
  FlowRecord record(settings, 256);
  EXPECT_TRUE(record.scales().empty());
  std::vector<double> slopes;
  for (int row = 0; row < 32; ++row) {  // t^2 E = slope t: t0 = 0.3 / slope = w0^2
    slopes.push_back(0.1 + 0.002 * std::sin(7.0 * row));
    std::vector<FlowPoint> points;
    for (const double t : record.times()) {
      points.push_back({.t = t, .energy = t > 0.0 ? slopes.back() / t : 0.0, .plaquette = 0.0, .charge = 4.0});
    }
    record.add(row, points);
  }
  const std::vector<FlowRecord::Quantity> scales = record.scales();
  const Mean slope = mean_of(slopes);
  EXPECT_NEAR(scales[0].mean.value, 0.3 / slope.value, 1e-10);
  EXPECT_NEAR(scales[0].mean.error, 0.3 * slope.error / (slope.value * slope.value), 1e-3 * scales[0].mean.error);
  EXPECT_NEAR(scales[1].mean.value, std::sqrt(0.3 / slope.value), 1e-10);
  EXPECT_EQ(scales[2].mean.value, 4.0);
  EXPECT_EQ(scales[3].mean.value, 16.0 / 256.0);
  EXPECT_TRUE(std::isnan(find_t0(record.times(), std::vector<double>(17, 0.01))));
  EXPECT_TRUE(std::isnan(find_w0(record.times(), std::vector<double>(17, 0.001))));
}

}  // namespace
}  // namespace tacit::qcd
