// What the gas carries: internal energy by an equation of its own, species; floors, and what they add.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "running_amr.hpp"
#include "tacit/base/cpu_features.hpp"
#include "tacit/solvers/amr/kernels/scalars.hpp"

namespace tacit::amr {
namespace {

using kernels::Fields;
using kernels::ghosts;
using kernels::Limiter;
using testing::column;
using testing::RunningAmr;

constexpr double gamma_of_air = 1.4;
constexpr std::array all_limiters{Limiter::minmod, Limiter::van_leer, Limiter::monotonised_central};

/// Pencils of gas of random density and species, and what sweeps make of them.
struct CarryingPencils {
  CarryingPencils(std::size_t side_by_side, double pressure_range, double velocity_range)
      : lanes(side_by_side),
        primitive(fields.count() * (cells + 2 * ghosts) * lanes),
        rate((fields.count() + 1) * cells * lanes, -7.0),
        side(2 * fields.count() * lanes, -7.0),
        mass((cells + 1) * lanes) {
    std::mt19937_64 random(7);
    std::uniform_real_distribution<double> number(-1.0, 1.0);
    const std::size_t all = (cells + 2 * ghosts) * lanes;
    for (std::size_t i = 0; i < all; ++i) {
      primitive[i] = std::exp(2.0 * number(random));
      for (std::size_t k = 1; k < 4; ++k) primitive[k * all + i] = 0.7 + velocity_range * number(random);
      primitive[4 * all + i] = std::exp(pressure_range * number(random));
      primitive[5 * all + i] = primitive[4 * all + i] / (gamma_of_air - 1.0);
      double rest = 1.0;
      for (std::size_t k = 6; k < 8; ++k) {
        primitive[k * all + i] = rest * (0.5 + 0.5 * number(random));
        rest -= primitive[k * all + i];
      }
      primitive[8 * all + i] = rest;
    }
  }
  void sweep(base::InstructionSet set, Limiter limiter) {
    const kernels::Pencils pencils{.cells = cells,
                                   .lanes = lanes,
                                   .axis = 1,
                                   .scale = 3.0,
                                   .primitive = {primitive.data(), (cells + 2 * ghosts) * lanes},
                                   .rate = {rate.data(), cells * lanes},
                                   .low = {side.data(), lanes},
                                   .high = {side.data() + fields.count() * lanes, lanes},
                                   .mass = mass.data()};
    base::with_instruction_set(set, [&]<class Isa>(Isa) {
      kernels::loops_of<Isa>().sweep(gamma_of_air, limiter, kernels::Riemann::hllc, pencils);
      kernels::scalar_loops_of<Isa>().sweep(gamma_of_air, limiter, fields, pencils);
    });
  }
  [[nodiscard]] double rate_at(std::size_t k, std::size_t i) const { return rate[k * cells * lanes + i]; }
  Fields fields{.has_internal_energy = true, .species = 3};
  std::size_t cells = 8;
  std::size_t lanes;
  std::vector<double> primitive, rate, side, mass;
};

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
}

TEST(AmrScalars, AllInstructionSetsHaveTheSameBits) {
  for (const base::InstructionSet set : base::usable_instruction_sets()) {
    for (const std::size_t lanes : {1U, 3U, 8U, 17U}) {
      for (const Limiter limiter : all_limiters) {
        CarryingPencils plain(lanes, 2.0, 1.5);
        CarryingPencils wide = plain;
        plain.sweep(base::InstructionSet::scalar, limiter);
        wide.sweep(set, limiter);
        EXPECT_TRUE(same_bits(plain.rate, wide.rate) && same_bits(plain.side, wide.side)) << name_of(set) << lanes;
      }
    }
  }
}

/// Contacts of any strength: the pressure that follows from the internal energy does not see the density.
TEST(AmrScalars, EnergyOfGasOfOnePressureAndVelocityStays) {
  CarryingPencils pencils(8, 0.0, 0.0);
  pencils.sweep(base::InstructionSet::scalar, Limiter::monotonised_central);
  for (std::size_t i = 0; i < pencils.cells * pencils.lanes; ++i) {
    EXPECT_NEAR(pencils.rate_at(5, i), 0.0, 2e-14);  // of 2.5 * 0.7 * 3
    EXPECT_NEAR(pencils.rate_at(9, i), 0.0, 5e-15);
  }
}

/// Sharp limiters make fractions at faces whose sum is not 1.
TEST(AmrScalars, SpeciesTogetherMoveAsTheGas) {
  for (const Limiter limiter : all_limiters) {
    CarryingPencils pencils(8, 2.0, 1.5);
    pencils.sweep(base::InstructionSet::scalar, limiter);
    for (std::size_t i = 0; i < pencils.cells * pencils.lanes; ++i) {
      const double sum = pencils.rate_at(6, i) + pencils.rate_at(7, i) + pencils.rate_at(8, i);
      EXPECT_NEAR(sum, pencils.rate_at(0, i), 1e-13 * std::max(1.0, std::abs(sum)) * 20.0);
    }
  }
}

/// A tube whose right half is below the floors, and open sides: all sums are kept with what has been added and has
/// left.
TEST(AmrFloors, CountWhatTheyAdd) {
  for (const char* const dual : {"never", "always"}) {
    RunningAmr tube(std::string("initial.setup = \"sod\"\n[sod]\nu_left = 0.5\n[amr]\nroot = [4]\nlow = \"outflow\"\n"
                                "density_floor = 0.2\npressure_floor = 0.15\ndual_energy = \"") +
                    dual + "\"\n");
    const engine::Conserved before = tube.solver().conserved();
    tube.until(0.2);
    const engine::Conserved after = tube.solver().conserved();
    for (std::size_t k = 0; k < 3; ++k)
      EXPECT_NEAR(after.quantities[k].value[0], before.quantities[k].value[0], 1e-14) << after.quantities[k].name;
    // Half of the box, from 0.125 to 0.2, but for cells that fill up first; with an internal energy of its own the
    // total one is left alone.
    EXPECT_NEAR(column(tube, "mass_added"), 0.5 * 0.075, 0.004) << dual;
    EXPECT_NEAR(column(tube, "energy_added"), dual == std::string("never") ? 0.5 * 0.125 : 0.0, 0.007);
    EXPECT_LT(column(tube, "mass_left"), -0.05);
  }
}

/// A shock heats the gas as much where internal energies have an equation of their own: the state behind is the exact
/// one. Without the total energies it would be that of an adiabatic compression, with another density.
TEST(AmrDualEnergy, HasStrongShocks) {
  const std::string tube =
      "initial.setup = \"sod\"\n[sod]\nrho_left = 1.0\nu_left = 1.0\nP_left = 1e-6\nrho_right = 1.0\nu_right = -1.0\n"
      "P_right = 1e-6\n[amr]\nroot = [16]\nlow = \"outflow\"\ndual_energy = \"always\"\ngamma = 1.6666666666666667\n";
  const auto error = [&](double jump) {
    AmrParameters parameters = testing::parameters_of(tube);
    parameters.trust.jump = jump;
    RunningAmr run(parameters);
    run.until(0.6);
    return run.statistic("error_density");
  };
  // Two shocks that stand 0.2 from the middle; smeared over two cells, of 3 in density.
  EXPECT_LT(error(kernels::default_trust.jump), 0.06);
  EXPECT_GT(error(1e9), 0.2) << "total energies are never trusted, and nothing is missed";
}

}  // namespace
}  // namespace tacit::amr
