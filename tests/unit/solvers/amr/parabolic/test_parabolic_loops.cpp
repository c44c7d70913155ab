// The loops of the parabolic reconstruction: all instruction sets alike, mirrored states, cold gas, what gas carries.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include "tacit/base/cpu_features.hpp"
#include "tacit/solvers/amr/kernels/parabolic.hpp"

namespace tacit::amr::kernels::parabolic_test {
namespace {

constexpr double gamma_of_air = 1.4;
constexpr double scale = 3.0;
constexpr std::array all_riemann{Riemann::hll, Riemann::hllc};

/// What random gas is like: its density and pressure about exp(+-range), velocities up to so much.
struct Roughness {
  double density = 2.0;
  double pressure = 2.0;
  double velocity = 1.5;
  double coldest = 1.0;
};

/// Pencils of random gas with an internal energy and three species, and what sweeps make of them.
struct RoughPencils {
  RoughPencils(std::size_t cells_along, std::size_t side_by_side, const Roughness& rough)
      : cells(cells_along),
        lanes(side_by_side),
        all((cells + 2 * parabolic_ghosts) * lanes),
        primitive(fields.count() * all),
        rate((fields.count() + 1) * cells * lanes, -7.0),
        side(2 * fields.count() * lanes, -7.0),
        mass((cells + 1) * lanes) {
    std::mt19937_64 random(7);
    std::uniform_real_distribution<double> number(-1.0, 1.0);
    for (std::size_t i = 0; i < all; ++i) {
      primitive[i] = std::exp(rough.density * number(random));
      for (std::size_t k = 1; k < 4; ++k) primitive[k * all + i] = 0.7 + rough.velocity * number(random);
      primitive[4 * all + i] = rough.coldest * std::exp(rough.pressure * number(random));
      primitive[5 * all + i] = primitive[4 * all + i] / (gamma_of_air - 1.0);
      double rest = 1.0;
      for (std::size_t k = 6; k < 8; ++k) {
        primitive[k * all + i] = rest * (0.5 + 0.5 * number(random));
        rest -= primitive[k * all + i];
      }
      primitive[8 * all + i] = rest;
    }
  }
  void sweep(base::InstructionSet set, std::size_t axis, Riemann riemann) {
    const Pencils pencils{.cells = cells,
                          .lanes = lanes,
                          .axis = axis,
                          .scale = scale,
                          .primitive = {primitive.data(), all},
                          .rate = {rate.data(), cells * lanes},
                          .low = {side.data(), lanes},
                          .high = {side.data() + fields.count() * lanes, lanes},
                          .mass = mass.data()};
    base::with_instruction_set(set, [&]<class Isa>(Isa) {
      const ParabolicLoops loops = parabolic_loops_of<Isa>();
      loops.sweep(gamma_of_air, riemann, pencils);
      loops.sweep_scalars(gamma_of_air, fields, pencils);
    });
  }
  [[nodiscard]] double rate_at(std::size_t k, std::size_t i) const { return rate[k * cells * lanes + i]; }
  Fields fields{.has_internal_energy = true, .species = 3};
  std::size_t cells, lanes, all;
  std::vector<double> primitive, rate, side, mass;
};

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
}

TEST(AmrParabolas, AllInstructionSetsHaveTheSameBits) {
  for (const base::InstructionSet set : base::usable_instruction_sets()) {
    for (const std::size_t lanes : {1U, 3U, 8U, 17U, 64U}) {
      for (const Riemann riemann : all_riemann) {
        RoughPencils plain(8, lanes, {});
        RoughPencils wide = plain;
        plain.sweep(base::InstructionSet::scalar, 1, riemann);
        wide.sweep(set, 1, riemann);
        EXPECT_TRUE(same_bits(plain.rate, wide.rate) && same_bits(plain.side, wide.side) &&
                    same_bits(plain.mass, wide.mass))
            << name_of(set) << " " << lanes;
      }
    }
  }
}

TEST(AmrParabolas, OfAMirroredStateAreMirroredBitByBit) {
  for (const Riemann riemann : all_riemann) {
    RoughPencils there(8, 16, {});
    RoughPencils back = there;
    const std::size_t layers = there.all / there.lanes;
    for (std::size_t k = 0; k < there.fields.count(); ++k) {
      for (std::size_t i = 0; i < there.all; ++i) {
        const std::size_t mirrored = (layers - 1 - i / there.lanes) * there.lanes + i % there.lanes;
        const double value = there.primitive[k * there.all + i];
        back.primitive[k * there.all + mirrored] = k == 3 ? -value : value;
      }
    }
    there.sweep(base::InstructionSet::scalar, 2, riemann);
    back.sweep(base::InstructionSet::scalar, 2, riemann);
    for (std::size_t k = 0; k <= there.fields.count(); ++k) {
      for (std::size_t i = 0; i < there.cells * there.lanes; ++i) {
        const std::size_t mirrored = (there.cells - 1 - i / there.lanes) * there.lanes + i % there.lanes;
        ASSERT_EQ(there.rate_at(k, i), k == 3 ? -back.rate_at(k, mirrored) : back.rate_at(k, mirrored)) << k;
      }
    }
  }
}

/// Cold gas of densities that are 50 times apart, thrown about: steps in which no wave passes a third of a cell leave
/// every density and pressure positive. Without shorter velocities, or without positive thirds of the density, many
/// are not.
TEST(AmrParabolas, ShortStepsKeepColdGasPositive) {
  for (const Riemann riemann : all_riemann) {
    RoughPencils gas(64, 64, {.density = 2.0, .pressure = 1.0, .velocity = 1.0, .coldest = 1e-4});
    gas.sweep(base::InstructionSet::scalar, 0, riemann);
    // Parabolas go beyond both cells at a face by a sixth of the curvature at most, which is up to 5 times the range.
    // Roe's mean adds the jump of the velocity; sound in the thinnest gas of a face, a hundredth of a cell's, is slow.
    const double fastest = 4.0 * (1.7 + std::sqrt(0.5 * (gamma_of_air - 1.0)) * 2.0);
    const double dt = 1.0 / (3.0 * scale * fastest);
    std::size_t negative = 0;
    for (std::size_t i = 0; i < gas.cells * gas.lanes; ++i) {
      const std::size_t cell = i + parabolic_ghosts * gas.lanes;
      const auto W = [&](std::size_t k) { return gas.primitive[k * gas.all + cell]; };
      const double rho = W(0) + dt * gas.rate_at(0, i);
      double momenta = 0.0;
      double squares = 0.0;
      for (std::size_t axis = 1; axis < 4; ++axis) {
        squares += W(axis) * W(axis);
        const double m = W(0) * W(axis) + dt * gas.rate_at(axis, i);
        momenta += m * m;
      }
      const double E = W(4) / (gamma_of_air - 1.0) + 0.5 * W(0) * squares + dt * gas.rate_at(4, i);
      if (!(rho > 0.0 && E - 0.5 * momenta / rho > 0.0)) ++negative;
    }
    EXPECT_EQ(negative, 0U) << static_cast<int>(riemann);
  }
}

/// Contacts of any strength: the pressure that follows from the internal energy does not see the density.
TEST(AmrParabolas, EnergyOfGasOfOnePressureAndVelocityStays) {
  RoughPencils pencils(8, 8, {.density = 2.0, .pressure = 0.0, .velocity = 0.0});
  pencils.sweep(base::InstructionSet::scalar, 1, Riemann::hllc);
  for (std::size_t i = 0; i < pencils.cells * pencils.lanes; ++i) {
    EXPECT_NEAR(pencils.rate_at(5, i), 0.0, 2e-14);  // of 2.5 * 0.7 * 3
    EXPECT_NEAR(pencils.rate_at(9, i), 0.0, 5e-15);
  }
}

TEST(AmrParabolas, SpeciesTogetherMoveAsTheGas) {
  RoughPencils pencils(8, 8, {});
  pencils.sweep(base::InstructionSet::scalar, 1, Riemann::hllc);
  for (std::size_t i = 0; i < pencils.cells * pencils.lanes; ++i) {
    const double sum = pencils.rate_at(6, i) + pencils.rate_at(7, i) + pencils.rate_at(8, i);
    EXPECT_NEAR(sum, pencils.rate_at(0, i), 1e-13 * std::max(1.0, std::abs(sum)) * 20.0);
  }
}

}  // namespace
}  // namespace tacit::amr::kernels::parabolic_test
