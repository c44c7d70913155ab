// The coefficients of the schemes in time against what they stand for.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tacit/mesh/kernels/stages.hpp"

namespace tacit::mesh {
namespace {

/// What the stages make of du/dt = lambda u within one step, z = lambda dt.
double growth(const std::vector<Stage>& stages, double z) {
  const double begin = 1.0;
  std::vector<double> y{begin};
  for (const Stage& stage : stages) {
    const double now = y.back();
    const double prev = y.size() > 1 ? y[y.size() - 2] : begin;
    const double change = stage.h * z * now;
    double next = now + change;
    if (stage.form == Form::average) next = 0.5 * (begin + next);
    if (stage.form == Form::chebyshev) {
      next = stage.mu * now + stage.nu * prev + stage.rest * begin + change + stage.h0 * z * begin;
    }
    y.push_back(next);
  }
  return y.back();
}

TEST(MeshStages, GrowthIsThatOfTheLegendrePolynomial) {
  for (const std::size_t s : {3U, 5U, 9U, 31U}) {
    const auto stages = static_cast<double>(s);
    const double w1 = 4.0 / (stages * stages + stages - 2.0);
    const double b = (stages * stages + stages - 2.0) / (2.0 * stages * (stages + 1.0));
    for (int i = 0; i <= 100; ++i) {
      const double z = -stable_limit(rkl2(s)) * i / 100.0;
      // R(z) = 1 - b + b P_s(1 + w1 z); s stages round s times a few numbers below 3.
      const double expected = 1.0 - b + b * std::legendre(static_cast<unsigned>(s), 1.0 + w1 * z);
      EXPECT_NEAR(growth(rkl2(s), z), expected, 1e-14 * stages * stages) << s << " " << z;
    }
  }
}

TEST(MeshStages, SchemesAreOfOrderTwoAndStableUpToTheirLimit) {
  for (const auto& stages : {rk2(), rkl2(3), rkl2(9)}) {
    // One step differs from exp(z) by c z^3, so that half of it differs by an eighth; c z^4 is left at z = 0.01.
    const double ratio = (growth(stages, -0.02) - std::exp(-0.02)) / (growth(stages, -0.01) - std::exp(-0.01));
    EXPECT_NEAR(ratio, 8.0, 0.2);
    const double limit = stable_limit(stages);
    for (int i = 0; i <= 1000; ++i) EXPECT_LE(std::abs(growth(stages, -limit * i / 1000.0)), 1.0 + 1e-12);
    // The polynomial of rkl2 leaves some room.
    EXPECT_GT(std::abs(growth(stages, -1.3 * limit)), 1.0);
  }
}

}  // namespace
}  // namespace tacit::mesh
