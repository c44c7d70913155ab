// Densities, moments and slices against fields whose values at points are known.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numeric>

#include "running_flow.hpp"
#include "tacit/solvers/dns/setups/setups.hpp"
#include "tacit/solvers/dns/statistics/distributions.hpp"

namespace tacit::dns::distributions_test {

using testing::RunningFlow;

/// A flow in the plane, u = dpsi/dy and v = -dpsi/dx, psi = cos p + cos q + cos r: the wave vectors of p, q and r add
/// up to 0, so that derivatives are skew.
struct Phases {
  double p, q, r;
};
Phases phases(double x, double y) { return {x + y, x - 2 * y, -2 * x + y}; }
base::Vec3 velocity(const base::Vec3& x) {
  const auto [p, q, r] = phases(x.x, x.y);
  return {-std::sin(p) + 2 * std::sin(q) - std::sin(r), std::sin(p) + std::sin(q) - 2 * std::sin(r), 0.0};
}
double du_dx(double x, double y) {
  const auto [p, q, r] = phases(x, y);
  return -std::cos(p) + 2 * std::cos(q) + 2 * std::cos(r);
}
/// -laplace psi.
double vorticity_z(double x, double y) {
  const auto [p, q, r] = phases(x, y);
  return 2 * std::cos(p) + 5 * std::cos(q) + 5 * std::cos(r);
}

/// The mean of a function of x and y over a fine grid, which is exact for few waves.
double mean(const std::function<double(double, double)>& f) {
  constexpr int n = 64;
  double sum = 0.0;
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) sum += f(2 * std::numbers::pi * i / n, 2 * std::numbers::pi * j / n);
  }
  return sum / (n * n);
}

TEST(DnsDistributions, MomentsOfAKnownField) {
  RunningFlow run(testing::cube(24, Scheme::rk4, 0.01));
  run.flow.set(velocity);
  const double square = mean([](double x, double y) { return std::pow(du_dx(x, y), 2); });
  const double cube = mean([](double x, double y) { return std::pow(du_dx(x, y), 3); });
  const double fourth = mean([](double x, double y) { return std::pow(du_dx(x, y), 4); });
  EXPECT_GT(std::abs(cube), 0.1);
  const auto found = moments_of(run.flow, Quantity::gradient);
  // 24 points integrate what has up to 12 waves exactly; rounding of numbers up to 5 and their fourth powers.
  EXPECT_NEAR(found[0].root_mean_square, std::sqrt(square), 1e-14);
  EXPECT_NEAR(found[0].skewness, cube / std::pow(square, 1.5), 1e-13);
  EXPECT_NEAR(found[0].flatness, fourth / (square * square), 1e-13);
  EXPECT_NEAR(mean_squares(run.flow, Quantity::gradient)[0], square, 1e-13);
  // Of the three derivatives the second is minus the first, and the third is 0.
  EXPECT_NEAR(derivative_skewness(run.flow), 0.0, 1e-14);
  const double omega2 = mean([](double x, double y) { return std::pow(vorticity_z(x, y), 2); });
  EXPECT_NEAR(mean_squares(run.flow, Quantity::vorticity)[2], omega2, 1e-13 * omega2);
  EXPECT_NEAR(moments_of(run.flow, Quantity::vorticity)[2].root_mean_square, std::sqrt(omega2), 1e-13);
}

// Three waves a sin(k x) whose k add up to 0: of (sum of c_i cos_i)^3 the mean is 6/4 c_1 c_2 c_3, c = k_x a_x for
// du/dx. Here that is -3 for du/dx and 0 for the others, and the squares add up to 6.
TEST(DnsDistributions, SkewnessOfThreeWaves) {
  RunningFlow run(testing::cube(16, Scheme::rk4, 0.01));
  run.flow.set([](const base::Vec3& x) -> base::Vec3 {
    const double first = std::sin(x.x + x.y);
    const double second = std::sin(x.x - x.y + x.z);
    const double third = std::sin(-2.0 * x.x - x.z);
    return {first + second + third, -first + second, first - 2.0 * third};
  });
  EXPECT_NEAR(derivative_skewness(run.flow), -1.0 / std::pow(2.0, 1.5), 1e-14);  // roundings of numbers of order 1
}

TEST(DnsDistributions, DensitiesAddUpAndTellTheirTails) {
  RunningFlow run(testing::cube(24, Scheme::rk4, 0.01));
  run.flow.set(velocity);
  const Distribution wide = distribution_of(run.flow, Quantity::velocity, {.bins = 40, .range = 5.0}, 3);
  for (std::size_t c = 0; c < 2; ++c) {
    const double inside = std::accumulate(wide.density[c].begin(), wide.density[c].end(), 0.0) * (10.0 / 40.0);
    EXPECT_NEAR(inside, 1.0, 1e-14);  // shares of 24^3 points, some roundings
    EXPECT_EQ(wide.outside[c], 0.0);
  }
  EXPECT_NEAR(wide.density[2][20], 40.0 / 10.0, 1e-14) << "a component that is 0 everywhere stands in the middle";
  const Distribution narrow = distribution_of(run.flow, Quantity::velocity, {.bins = 7, .range = 0.5}, 3);
  const double inside = std::accumulate(narrow.density[0].begin(), narrow.density[0].end(), 0.0) / 7.0;
  EXPECT_GT(narrow.outside[0], 0.1);
  EXPECT_NEAR(inside + narrow.outside[0], 1.0, 1e-14);
  EXPECT_NEAR(narrow.centre.front(), -0.5 + 0.5 / 7.0, 1e-15);
}

TEST(DnsDistributions, DensityOfAWave) {
  FlowParameters parameters = testing::cube(8, Scheme::rk4, 0.01);
  parameters.points[2] = 64;
  RunningFlow run(parameters);
  run.flow.set([](const base::Vec3& x) -> base::Vec3 { return {std::sin(x.z), 0.0, 0.0}; });
  const Distribution found =
      distribution_of(run.flow, Quantity::velocity, {.bins = 4, .range = 1.01 * std::sqrt(2.0)}, 0);
  const auto points = [&](std::size_t bin) { return found.density[0][bin] * found.centre[3] / 1.5 * 64.0; };
  // Edges at sin = -1.01, -0.505, 0, 0.505, 1.01. Of 64 phases 21 lie in each outer bin, 10 between, and on 0 two.
  EXPECT_NEAR(points(0), 21.0, 1e-12);
  EXPECT_NEAR(points(3), 21.0, 1e-12);
  EXPECT_NEAR(points(1), 11.0, 1.0 + 1e-12) << "on which side of 0 a rounded 0 falls is left open";
  EXPECT_NEAR(points(1) + points(2), 22.0, 1e-12);
  EXPECT_NEAR(found.moments[0].flatness, 1.5, 1e-13);  // mean of sin^4 is 3/8, with the roundings of 64 terms
  EXPECT_NEAR(found.moments[0].skewness, 0.0, 1e-13);
}

TEST(DnsDistributions, SlicesAreThePlaneThatWasAskedFor) {
  RunningFlow run({.points = {16, 12, 20}, .box = {6.0, 5.0, 4.0}, .viscosity = 0.01});
  make(Isotropic{.energy = 0.5, .peak = 2.0, .seed = 3}, run.flow);
  const auto u = testing::at_points(run.flow);
  const Distribution found = distribution_of(run.flow, Quantity::velocity, {}, 13);
  for (std::size_t c = 0; c < 3; ++c) {
    const auto plane = u[c].begin() + 13 * 12 * 16;
    EXPECT_EQ(found.slice[c], std::vector<double>(plane, plane + 12 * 16));
  }
}

TEST(DnsDistributions, ThreadsGiveIdenticalResults) {
  const auto found = [](std::size_t workers) {
    RunningFlow run(testing::cube(20, Scheme::rk4, 0.01), workers);
    make(Isotropic{.energy = 0.5, .peak = 3.0, .seed = 5}, run.flow);
    return distribution_of(run.flow, Quantity::vorticity, {}, 0);
  };
  const Distribution one = found(1);
  const Distribution more = found(3);
  for (std::size_t c = 0; c < 3; ++c) {
    EXPECT_EQ(one.density[c], more.density[c]);
    EXPECT_EQ(one.moments[c].flatness, more.moments[c].flatness);
    EXPECT_EQ(one.slice[c], more.slice[c]);
  }
}

}  // namespace tacit::dns::distributions_test
