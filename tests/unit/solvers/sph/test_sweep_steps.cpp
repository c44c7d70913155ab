// Steps in which each pair is visited once, beside steps in which particles gather.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "samples.hpp"

namespace tacit::sph::sweep_steps_test {
namespace {

SphParameters with_pairs(SphParameters parameters, Pairs pairs) {
  parameters.pairs = pairs;
  return parameters;
}

/// A jittered lattice in motion, with a hot half.
InitialConditions moving_gas(std::size_t n, int dimension) {
  InitialConditions gas = testing::uniform_gas(n, 0.6, dimension);
  for (std::size_t i = 0; i < gas.size(); ++i) {
    const auto random = [i](std::uint64_t draw) { return base::uniform(5, i, draw) - 0.5; };
    gas.vx[i] = random(0);
    if (dimension > 1) gas.vy[i] = random(1);
    if (dimension > 2) gas.vz[i] = random(2);
    gas.u[i] = gas.x[i] > 0.5 ? 2.0 : 1.0;
  }
  return gas;
}

void compare(const Gas& a, const Gas& b, const std::string& what) {
  const auto pa = testing::places_by_id(a);
  const auto pb = testing::places_by_id(b);
  for (const Field& field : fields) {
    std::visit(
        [&](auto array) {
          double most = 0.0, scale = 0.0;
          for (std::size_t i = 0; i < pa.size(); ++i) {
            const double x = static_cast<double>((a.*array)[pa[i]]), y = static_cast<double>((b.*array)[pb[i]]);
            most = std::max(most, std::abs(x - y));
            scale = std::max(scale, std::abs(y));
          }
          std::printf("%s %-16s %.3g of %.3g: %.3g\n", what.c_str(), std::string(field.name).c_str(), most, scale, most / scale);
        },
        field.array);
  }
}

}  // namespace

TEST(SphSweepSteps, Print) {
  for (const Scheme scheme : {Scheme::gadget2, Scheme::sphenix}) {
    for (int dimension = 1; dimension <= 3; ++dimension) {
      for (const Boundary boundary : {Boundary::periodic, Boundary::open, Boundary::reflecting}) {
      SphParameters parameters = testing::parameters_with(Kernel::cubic_spline, dimension);
      parameters.scheme = scheme;
      parameters.boundary = boundary;
      const InitialConditions gas = moving_gas(dimension == 1 ? 300 : dimension == 2 ? 40 : 12, dimension);
      testing::SmallRun gather(with_pairs(parameters, Pairs::gather), gas);
      testing::SmallRun symmetric(with_pairs(parameters, Pairs::symmetric), gas);
      compare(symmetric.solver.gas(), gather.solver.gas(), "start " + std::to_string(dimension) + "b" + std::to_string(int(boundary)) + "s" + std::to_string(int(scheme)));
      for (int k = 0; k < 3; ++k) { const double dt = gather.solver.time_step(); gather.step(dt); symmetric.step(dt); }
      compare(symmetric.solver.gas(), gather.solver.gas(), "3 steps " + std::to_string(dimension) + "b" + std::to_string(int(boundary))+ "s" + std::to_string(int(scheme)));
      }
    }
  }
}

}  // namespace tacit::sph::sweep_steps_test
