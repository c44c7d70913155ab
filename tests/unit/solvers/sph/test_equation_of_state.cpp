// The ideal gas: values by hand, and functions that undo each other.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tacit/solvers/sph/kernels/equation_of_state.hpp"

namespace tacit::sph::kernels::equation_of_state_test {

TEST(EquationOfState, ValuesByHand) {
  // rho = 8, A = 2, gamma = 5/3: rho^gamma = 32, rho^(gamma - 1) = 4. pow and the rounded exponent err by a few ulp.
  EXPECT_NEAR(pressure(2.0, 8.0, 5.0 / 3.0), 64.0, 64.0 * 1e-15);
  EXPECT_NEAR(internal_energy(2.0, 8.0, 5.0 / 3.0), 12.0, 12.0 * 1e-15);
  EXPECT_NEAR(entropic_function(12.0, 8.0, 5.0 / 3.0), 2.0, 2.0 * 1e-15);
  EXPECT_DOUBLE_EQ(sound_speed(5.0, 2.0, 1.6), 2.0);
}

TEST(EquationOfState, EnergyAndEntropyUndoEachOther) {
  for (const double gamma : {1.001, 1.4, 5.0 / 3.0, 2.0}) {
    for (const double rho : {1e-12, 0.3, 1.0, 4e9}) {
      for (const double u : {1e-20, 1.0, 3e15}) {
        const double A = entropic_function(u, rho, gamma);
        EXPECT_NEAR(internal_energy(A, rho, gamma), u, 1e-14 * u);  // two pow and four roundings
        // P = (gamma - 1) rho u; pow(rho, gamma) and pow(rho, gamma - 1) differ by the rounding of gamma, times ln rho.
        EXPECT_NEAR(pressure(A, rho, gamma) / ((gamma - 1.0) * rho * u), 1.0, 1e-14);
      }
    }
  }
}

TEST(EquationOfState, ColdGasHasNoPressure) {
  EXPECT_EQ(entropic_function(0.0, 3.0, 1.4), 0.0);
  EXPECT_EQ(pressure(0.0, 3.0, 1.4), 0.0);
  EXPECT_EQ(internal_energy(0.0, 3.0, 1.4), 0.0);
  EXPECT_EQ(sound_speed(0.0, 3.0, 1.4), 0.0);
}

}  // namespace tacit::sph::kernels::equation_of_state_test
