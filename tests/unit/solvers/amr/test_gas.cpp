// The loops of a sub-grid: all instruction sets alike, fluxes of known Riemann problems, mirrored states.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include "tacit/base/cpu_features.hpp"
#include "tacit/solvers/amr/kernels/gas.hpp"
#include "tacit/solvers/amr/setups/riemann_problem.hpp"

namespace tacit::amr::kernels {
namespace {

constexpr double gamma_of_air = 1.4;
constexpr std::array all_limiters{Limiter::minmod, Limiter::van_leer, Limiter::monotonised_central};
constexpr std::array all_riemann{Riemann::hll, Riemann::hllc};

Loops loops_for(base::InstructionSet set) {
  return base::with_instruction_set(set, []<class Isa>(Isa) { return loops_of<Isa>(); });
}

Loops scalar_loops() { return loops_of<base::isa::scalar>(); }

/// Pencils of random gas, and what a sweep makes of them.
struct RandomPencils {
  RandomPencils(std::size_t cells_along, std::size_t side_by_side, unsigned seed)
      : cells(cells_along),
        lanes(side_by_side),
        primitive(variables * (cells + 2 * ghosts) * lanes),
        rate(variables * cells * lanes, -7.0),
        low(variables * lanes, -7.0),
        high(variables * lanes, -7.0) {
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<double> number(-1.5, 1.5);
    for (std::size_t i = 0; i < primitive.size(); ++i) {
      const std::size_t variable = i / ((cells + 2 * ghosts) * lanes);
      const double x = number(random);
      primitive[i] = variable == 0 || variable == 4 ? std::exp(2.0 * x) : x;
    }
  }
  void sweep(const Loops& loops, std::size_t axis, Limiter limiter, Riemann riemann) {
    loops.sweep(gamma_of_air, limiter, riemann,
                {.cells = cells,
                 .lanes = lanes,
                 .axis = axis,
                 .scale = 3.0,
                 .primitive = {primitive.data(), (cells + 2 * ghosts) * lanes},
                 .rate = {rate.data(), cells * lanes},
                 .low = {low.data(), lanes},
                 .high = {high.data(), lanes}});
  }
  std::size_t cells, lanes;
  std::vector<double> primitive, rate, low, high;
};

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
}

TEST(AmrLoops, SweepsOfAllInstructionSetsHaveTheSameBits) {
  for (const base::InstructionSet set : base::usable_instruction_sets()) {
    for (const std::size_t lanes : {1U, 3U, 8U, 17U, 64U}) {
      for (const Limiter limiter : all_limiters) {
        for (const Riemann riemann : all_riemann) {
          RandomPencils plain(8, lanes, 5);
          RandomPencils wide = plain;
          plain.sweep(scalar_loops(), 1, limiter, riemann);
          wide.sweep(loops_for(set), 1, limiter, riemann);
          EXPECT_TRUE(same_bits(plain.rate, wide.rate) && same_bits(plain.low, wide.low) &&
                      same_bits(plain.high, wide.high))
              << name_of(set) << " " << lanes;
        }
      }
    }
  }
}

/// Cold gas that is thrown about: by steps in which no wave passes a third of a cell no density and no pressure becomes
/// negative. Without shorter slopes of velocity hundreds of the cells do.
TEST(AmrLoops, ShortStepsKeepColdGasPositive) {
  std::mt19937_64 random(11);
  std::uniform_real_distribution<double> number(-1.0, 1.0);
  constexpr double coldest = 1e-4;
  for (const Limiter limiter : all_limiters) {
    for (const Riemann riemann : all_riemann) {
      RandomPencils gas(64, 64, 7);
      const std::size_t all = (gas.cells + 2 * ghosts) * gas.lanes;
      for (std::size_t i = 0; i < all; ++i) {
        gas.primitive[i] = 1.0 + 0.5 * number(random);
        for (std::size_t axis = 0; axis < 3; ++axis) gas.primitive[(1 + axis) * all + i] = number(random);
        gas.primitive[4 * all + i] = coldest * (1.5 + number(random));
      }
      gas.sweep(scalar_loops(), 0, limiter, riemann);
      // No state at a face has a larger speed, or less density; Roe's mean adds the jump of the velocity.
      const double fastest =
          1.0 + std::sqrt(0.5 * (gamma_of_air - 1.0)) * 2.0 + std::sqrt(gamma_of_air * 2.5 * coldest / 0.5);
      const double dt = 1.0 / (3.0 * 3.0 * fastest);
      std::size_t negative = 0;
      for (std::size_t i = 0; i < gas.cells * gas.lanes; ++i) {
        const std::size_t cell = i + ghosts * gas.lanes;
        const auto W = [&](std::size_t k) { return gas.primitive[k * all + cell]; };
        const auto rate = [&](std::size_t k) { return gas.rate[k * gas.cells * gas.lanes + i]; };
        const double rho = W(0) + dt * rate(0);
        double momenta = 0.0;
        double squares = 0.0;
        for (std::size_t axis = 1; axis < 4; ++axis) {
          squares += W(axis) * W(axis);
          const double m = W(0) * W(axis) + dt * rate(axis);
          momenta += m * m;
        }
        const double E = W(4) / (gamma_of_air - 1.0) + 0.5 * W(0) * squares + dt * rate(4);
        if (!(rho > 0.0 && E - 0.5 * momenta / rho > 0.0)) ++negative;
      }
      EXPECT_EQ(negative, 0U) << static_cast<int>(limiter) << " " << static_cast<int>(riemann);
    }
  }
}

TEST(AmrLoops, OtherLoopsOfAllInstructionSetsHaveTheSameBits) {
  for (const base::InstructionSet set : base::usable_instruction_sets()) {
    for (const std::size_t n : {0U, 1U, 7U, 8U, 9U, 64U, 100U}) {
      std::mt19937_64 random(n);
      std::uniform_real_distribution<double> number(0.5, 1.5);
      std::vector<double> U(variables * n);
      for (std::size_t i = 0; i < U.size(); ++i) U[i] = number(random) + (i >= 4 * n ? 9.0 : 0.0);
      const auto results = [&](const Loops& loops) {
        std::vector<double> all(3 * U.size() + 1);
        double* const first = all.data();
        loops.to_primitive(gamma_of_air, n, {U.data(), n}, {first, n});
        for (const Stage stage : {Stage::first, Stage::second}) {
          loops.update(stage, {n,
                               {U.data(), n},
                               {first, n},
                               {U.data(), n},
                               {first + (stage == Stage::first ? 1 : 2) * U.size(), n},
                               0.3});
        }
        const Condition condition = loops.look_at({gamma_of_air, {1.0, 2.0, 3.0}}, n, {U.data(), n});
        EXPECT_TRUE(condition.is_valid);
        all.back() = condition.fastest;
        return all;
      };
      EXPECT_TRUE(same_bits(results(scalar_loops()), results(loops_for(set)))) << name_of(set) << " " << n;
    }
  }
}

TEST(AmrLoops, FindsEveryCellThatIsNotValid) {
  const double nan = std::nan("");
  for (const base::InstructionSet set : base::usable_instruction_sets()) {
    for (std::size_t cell = 0; cell < 17; ++cell) {
      for (const std::array<double, 2>& bad : {std::array{-1.0, 3.0}, {0.0, 3.0}, {1.0, 0.4}, {1.0, nan}, {nan, 3.0}}) {
        std::vector<double> U(variables * 17, 1.0);
        for (std::size_t i = 0; i < 17; ++i) U[4 * 17 + i] = 3.0;
        U[cell] = bad[0];
        U[4 * 17 + cell] = bad[1];
        EXPECT_FALSE(loops_for(set).look_at({gamma_of_air, {1.0, 1.0, 1.0}}, 17, {U.data(), 17}).is_valid);
      }
    }
  }
}

/// The flux through the one face between two uniform states.
std::array<double, variables> flux_between_states(const TubeState& left, const TubeState& right, Riemann riemann) {
  RandomPencils tube(2, 1, 1);
  const std::size_t all = tube.cells + 2 * ghosts;
  for (std::size_t i = 0; i < all; ++i) {
    const TubeState& state = i < ghosts + 1 ? left : right;
    const std::array values{state.rho, state.u, 0.25, -0.5, state.P};
    for (std::size_t k = 0; k < variables; ++k) tube.primitive[k * all + i] = values[k];
  }
  tube.sweep(scalar_loops(), 0, Limiter::minmod, riemann);
  std::array<double, variables> flux{};
  // The low flux of the second cell: that through the first face, less 1 / scale times the rate of the first cell.
  for (std::size_t k = 0; k < variables; ++k) flux[k] = tube.low[k] - tube.rate[k * tube.cells] / 3.0;
  return flux;
}

TEST(AmrFluxes, OfOneStateAreThoseOfTheEquations) {
  for (const Riemann riemann : all_riemann) {
    for (const double u : {-3.0, -0.5, 0.0, 0.5, 3.0}) {
      const TubeState state{1.3, u, 0.7};
      const auto flux = flux_between_states(state, state, riemann);
      const double E = 0.7 / 0.4 + 0.5 * 1.3 * (u * u + 0.0625 + 0.25);
      const std::array expected{1.3 * u, 1.3 * u * u + 0.7, 1.3 * u * 0.25, -1.3 * u * 0.5, (E + 0.7) * u};
      // Some twenty roundings of numbers up to 30.
      for (std::size_t k = 0; k < variables; ++k) EXPECT_NEAR(flux[k], expected[k], 1e-13) << k << " " << u;
    }
  }
}

TEST(AmrFluxes, OfShocksAndContactsAreExactWhereTheSolverKnowsThem) {
  // A contact at rest passes nothing but its pressure with hllc; hll smears it.
  const auto contact = flux_between_states({1.0, 0.0, 1.0}, {0.125, 0.0, 1.0}, Riemann::hllc);
  EXPECT_EQ(contact[0], 0.0);
  EXPECT_EQ(contact[2], 0.0);
  EXPECT_EQ(contact[4], 0.0);
  EXPECT_NEAR(contact[1], 1.0, 1e-15);
  EXPECT_GT(flux_between_states({1.0, 0.0, 1.0}, {0.125, 0.0, 1.0}, Riemann::hll)[0], 0.1);
  // A shock from the left at Mach 2 into gas at rest: its speed is one of the bounds, so both give the state behind it.
  const double c = std::sqrt(1.4);
  const TubeState rest{1.0, 0.0, 1.0};
  const TubeState behind{8.0 / 3.0, 1.25 * c, 4.5};
  for (const Riemann riemann : all_riemann) {
    const auto flux = flux_between_states(behind, rest, riemann);
    EXPECT_NEAR(flux[0], behind.rho * behind.u, 1e-13);
    EXPECT_NEAR(flux[1], behind.rho * behind.u * behind.u + behind.P, 1e-13);
  }
}

TEST(AmrFluxes, OfAMirroredStateAreMirroredBitByBit) {
  for (const Limiter limiter : all_limiters) {
    for (const Riemann riemann : all_riemann) {
      RandomPencils there(8, 16, 3);
      RandomPencils back = there;
      const std::size_t all = there.cells + 2 * ghosts;
      for (std::size_t k = 0; k < variables; ++k) {
        for (std::size_t i = 0; i < all; ++i) {
          for (std::size_t lane = 0; lane < there.lanes; ++lane) {
            const double value = there.primitive[(k * all + i) * there.lanes + lane];
            back.primitive[(k * all + all - 1 - i) * there.lanes + lane] = k == 3 ? -value : value;
          }
        }
      }
      there.sweep(scalar_loops(), 2, limiter, riemann);
      back.sweep(scalar_loops(), 2, limiter, riemann);
      for (std::size_t k = 0; k < variables; ++k) {
        for (std::size_t i = 0; i < there.cells; ++i) {
          for (std::size_t lane = 0; lane < there.lanes; ++lane) {
            const double value = there.rate[(k * there.cells + i) * there.lanes + lane];
            const double mirrored = back.rate[(k * there.cells + there.cells - 1 - i) * there.lanes + lane];
            ASSERT_EQ(value, k == 3 ? -mirrored : mirrored);
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace tacit::amr::kernels
