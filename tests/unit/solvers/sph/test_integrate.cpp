// Kicks and drifts by hand, with a common step and with steps of their own.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <type_traits>
#include <vector>

#include "cell_samples.hpp"
#include "tacit/base/random.hpp"
#include "tacit/solvers/sph/integrate.hpp"
#include "tacit/solvers/sph/kernels/smoothing.hpp"
#include "tacit/solvers/sph/kernels/upper_half.hpp"
#include "tacit/solvers/sph/kernels/vector/pair_kernels.hpp"

namespace tacit::sph::integrate_test {
namespace {

using testing::clock_at;
using testing::OneCell;
using testing::Steps;

/// The oracle's.
kernels::vector::DriftFunctions loops() { return kernels::vector::drift_of<base::isa::scalar>(); }

void drift_common(const OneCell& cell, double dt, int dimension = 3) {
  SphParameters physics = testing::plain_parameters();
  set_dimension(physics, dimension);
  std::vector<double> room;
  drift(cell.motion(), cell.integrated(), cell.hydro(), cell.forces(), physics, {dt, StepClock{}, false, loops().drift},
        room);
}

void drift_to(const OneCell& cell, const StepClock& clock, const SphParameters& physics, bool has_idle) {
  std::vector<double> room;
  drift(cell.motion(), cell.integrated(), cell.hydro(), cell.forces(), physics, {0.0, clock, has_idle, loops().drift},
        room);
}

/// One in which nothing meets a wall.
const particles::Domain open{{-100.0, -100.0, -100.0}, {200.0, 200.0, 200.0}, false};

/// All fields at random: places around 0, times and lengths of the order of 1.
void fill_at_random(Gas& gas) {
  std::uint64_t field = 0;
  for_each_field(gas, [&]<class T>(std::string_view name, std::vector<T>& array) {
    ++field;
    for (std::size_t i = 0; i < array.size(); ++i) {
      const double number = base::uniform(5, i, field);
      const bool has_sign = name != "h" && name != "rho" && name != "thermal" && name != "thermal_p";
      array[i] = static_cast<T>(std::is_integral_v<T> ? 4.0 * number : has_sign ? 2.0 * number - 1.0 : number);
    }
  });
}

CellReport kick_at(const OneCell& cell, const StepClock& clock, double dt = 0.0, const SphParameters& physics = {}) {
  CellReport report;
  kick(cell.integrated(), cell.motion(), cell.hydro(), cell.gradients(), cell.forces(), physics, open, clock, dt,
       report);
  return report;
}

}  // namespace

TEST(Drift, ByHandWithACommonStep) {
  OneCell cell(1);
  Gas& gas = cell.gas;
  gas.x[0] = 1.0;
  gas.vx[0] = 2.0;
  gas.vy[0] = -1.0;
  gas.thermal[0] = 3.0;
  gas.ax[0] = 4.0F;
  gas.az[0] = -8.0F;
  gas.dthermal_dt[0] = 1.0;
  gas.h[0] = 0.5;
  gas.div_v[0] = 0.6F;
  drift_common(cell, 0.5);
  EXPECT_EQ(gas.vx[0], 3.0);  // 2 + 4 / 4
  EXPECT_EQ(gas.vy[0], -1.0);
  EXPECT_EQ(gas.vz[0], -2.0);
  EXPECT_EQ(gas.thermal[0], 3.25);
  EXPECT_EQ(gas.x[0], 2.5);  // 1 + 3 / 2
  EXPECT_EQ(gas.y[0], -0.5);
  EXPECT_EQ(gas.z[0], -1.0);
  EXPECT_EQ(gas.vx_p[0], 4.0F);
  EXPECT_EQ(gas.vz_p[0], -4.0F);
  EXPECT_EQ(gas.thermal_p[0], 3.5);
  // The exponential is cut after the square: 0.1^3 / 6 = 1.7e-4 of it is left out.
  EXPECT_NEAR(gas.h[0], 0.5 * std::exp(0.1), 0.5 * 2e-4);
}

TEST(Drift, GuessesOfHChangeByAtMostAFifth) {
  for (const int d : {1, 2, 3}) {
    OneCell cell(2);
    cell.gas.h = {1.0, 1.0};
    cell.gas.div_v = {1e9F, -1e9F};
    drift_common(cell, 1.0, d);
    EXPECT_NEAR(cell.gas.h[0], std::exp(0.2), 1.5e-3);  // 0.2^3 / 6 = 1.3e-3, and the next order
    EXPECT_NEAR(cell.gas.h[1], std::exp(-0.2), 1.5e-3);
  }
}

TEST(Drift, TheThermalVariableAtMostHalves) {
  OneCell cell(1);
  cell.gas.thermal = {4.0};
  cell.gas.dthermal_dt = {-1e9};
  drift_common(cell, 1.0);
  EXPECT_EQ(cell.gas.thermal[0], 2.0);
  EXPECT_EQ(cell.gas.thermal_p[0], 1.0);
}

TEST(Drift, WithStepsOfTheirOwnMovesAndPredictsButDoesNotKick) {
  OneCell cell(2, {0}, Steps::own);
  Gas& gas = cell.gas;
  gas.bin = {1, 3};
  gas.x = {7.0, 7.0};  // drifted before, to anywhere
  gas.x_before = {0.5, 0.5};
  gas.vx = {2.0, 2.0};
  gas.ax = {4.0F, 4.0F};
  gas.thermal = {3.0, 3.0};
  gas.dthermal_dt = {1.0, 1.0};
  // Ticks of 1/2, now 2: bin 1 ends its step [0, 2), whose middle is half a unit ago; bin 3 has its middle in 2 ticks.
  drift_to(cell, clock_at(2, 0.5), testing::plain_parameters(), true);
  for (const std::size_t i : {0U, 1U}) {
    EXPECT_EQ(gas.vx[i], 2.0);
    EXPECT_EQ(gas.thermal[i], 3.0);
    EXPECT_EQ(gas.x[i], 2.5);  // both steps began at 0
  }
  EXPECT_EQ(gas.vx_p[0], 4.0F);
  EXPECT_EQ(gas.thermal_p[0], 3.5);
  EXPECT_EQ(gas.vx_p[1], -2.0F);
  EXPECT_EQ(gas.thermal_p[1], 2.0);
}

// Gas that is compressed by 1 % while its thermal variable grows by 2 %: what idle particles show their neighbours must
// follow the laws of the gas up to the square of that.
TEST(Drift, IdleParticlesFollowContinuityAndTheAdiabats) {
  for (const Scheme scheme : {Scheme::gadget2, Scheme::sphenix}) {
    SphParameters physics = testing::plain_parameters();
    physics.scheme = scheme;
    const auto omega_P = [&](double thermal, double rho) { return physics.pressure(thermal, rho) / (rho * rho); };
    const auto cs = [&](double thermal, double rho) {
      return std::sqrt(physics.gamma * physics.pressure(thermal, rho) / rho);
    };
    OneCell cell(1, {0}, Steps::own);
    Gas& gas = cell.gas;
    gas.rho_before = {2.0};
    gas.omega_P_before = {omega_P(3.0, 2.0)};
    gas.cs_before = {static_cast<float>(cs(3.0, 2.0))};
    gas.div_v = {-0.1F};
    gas.bin = {4};
    const StepClock clock = clock_at(1, 0.1);  // the first tick of 16
    gas.dthermal_dt = {0.6};
    gas.thermal = {3.0 + 0.6 * clock.ahead[4]};  // from 3 at the begin to 3.06 now
    drift_to(cell, clock, physics, true);
    const double rho = 2.0 * std::exp(0.01);
    EXPECT_NEAR(gas.thermal_p[0], 3.06, 0x1p-21 * 3.06);
    EXPECT_NEAR(gas.rho[0], rho, 1e-6 * rho);  // 0.01^3 / 6, rounding 5e-7, and -0.1F is off by 1e-9
    EXPECT_NEAR(gas.omega_P[0], omega_P(3.06, rho), 1e-6 * gas.omega_P[0]);
    EXPECT_NEAR(gas.cs[0], cs(3.06, rho), 1e-6 * cs(3.06, rho));
    gas.rho_before = {-2.0};  // the sign says that the step was cut short, nothing else
    drift_to(cell, clock, physics, true);
    EXPECT_NEAR(gas.rho[0], rho, 1e-6 * rho);
    gas.rho = {2.0};
    drift_to(cell, clock, physics, false);
    EXPECT_EQ(gas.rho[0], 2.0);  // no particle is idle: the density loop comes next
  }
}

// What neighbours see of a particle must not depend on when it was drifted, or how often.
TEST(Drift, WithStepsOfTheirOwnDoesNotDependOnEarlierDrifts) {
  OneCell once(33, {0}, Steps::own);
  fill_at_random(once.gas);
  OneCell thrice(33, {0}, Steps::own);
  thrice.gas = once.gas;
  thrice.bind();
  const SphParameters physics = testing::plain_parameters();
  drift_to(once, clock_at(4, 0.01), physics, true);
  for (const std::int64_t now : {3, 1, 4}) drift_to(thrice, clock_at(now, 0.01), physics, true);
  testing::expect_same(once.gas, thrice.gas);
}

// drifted() says for one particle what drift() says for all of a cell.
TEST(Drifted, IsWhatADriftFinds) {
  OneCell cell(9, {0}, Steps::own);
  fill_at_random(cell.gas);
  const Gas& gas = cell.gas;
  const particles::Domain walls{{}, {1.0, 1.0, 1.0}, false, 3, true};
  const StepClock clock = clock_at(5, 0.01);
  drift_to(cell, clock, testing::plain_parameters(), true);
  reflect_predicted(cell.motion(), walls);
  for (std::size_t i = 0; i < gas.size(); ++i) {
    const std::uint8_t bin = gas.bin[i];
    const Drifted now =
        drifted(cell.integrated(), cell.hydro(), cell.forces(), i, {clock.begun[bin], clock.since[bin]}, walls);
    EXPECT_EQ(now.x.x, gas.x[i]);
    EXPECT_EQ(now.x.z, gas.z[i]);
    EXPECT_EQ(static_cast<float>(now.v.y), gas.vy_p[i]);
    // What neighbours look at is rounded besides.
    EXPECT_EQ(kernels::rounded_to_upper_half(now.thermal), gas.thermal_p[i]);
    EXPECT_EQ(kernels::cut_to_upper_half(now.h), gas.h[i]);
    EXPECT_EQ(kernels::rounded_to_upper_half(now.rho), gas.rho[i]);
  }
}

TEST(Kick, ByHandWithACommonStep) {
  OneCell cell(2);
  Gas& gas = cell.gas;
  gas.vx[0] = 2.0;
  gas.ax[0] = 4.0F;
  gas.ay[0] = 16.0F;
  gas.vz[1] = -1.0;
  gas.thermal[1] = 1.0;
  gas.dthermal_dt[1] = -2.0;
  gas.div_v = {0.25F, 0.5F};
  gas.alpha_v = {0.75F, 1.0F};
  gas.dt = {3.0F, 0.125F};
  const CellReport report = kick_at(cell, StepClock{}, 0.5);
  EXPECT_EQ(gas.vx[0], 3.0);
  EXPECT_EQ(gas.vy[0], 4.0);
  EXPECT_EQ(gas.thermal[1], 0.5);
  EXPECT_EQ(gas.div_v_before, gas.div_v);
  EXPECT_EQ(gas.alpha_v_before, gas.alpha_v);
  EXPECT_EQ(report.v_max, 5.0);
  EXPECT_EQ(report.a_max, std::sqrt(272.0));
  EXPECT_EQ(report.dt, 0.125);
  EXPECT_EQ(report.not_finite, CellReport::none);
}

// Where the gas is compressed slowly, the work of both kicks becomes what the change of the density says.
TEST(Kick, InternalEnergyFollowsTheDensityInSlowFlows) {
  SphParameters physics = testing::plain_parameters();
  physics.scheme = Scheme::sphenix;
  const auto u_after = [&physics](double change, double known_change) {
    constexpr double dt = 0.5;
    OneCell cell(1);
    Gas& gas = cell.gas;
    gas.f[0] = 0.75F;
    gas.rho_before[0] = 2.0;
    gas.rho[0] = 2.0 * std::exp(change);
    gas.div_v_before[0] = gas.div_v[0] = static_cast<float>(-known_change / (0.75 * dt));
    gas.thermal[0] = 5.0;
    kick_at(cell, StepClock{}, dt, physics);
    EXPECT_EQ(gas.rho_before[0], gas.rho[0]);
    return gas.thermal[0];
  };
  EXPECT_NEAR(u_after(1e-4, 1e-4), 5.0, 1e-10);
  EXPECT_NEAR(u_after(1e-4, 3e-4), 5.0 * (1.0 - 2e-4 * 0.99 * (physics.gamma - 1.0)), 1e-7);
  EXPECT_NEAR(u_after(-5e-3, -4e-3), 5.0 * (1.0 - 1e-3 * 0.5 * (physics.gamma - 1.0)), 1e-6);
  EXPECT_EQ(u_after(0.02, 0.01), 5.0);
  physics.scheme = Scheme::gadget2;  // an entropy has no need of it
  EXPECT_EQ(u_after(1e-4, 3e-4), 5.0);
}

TEST(Kick, NamesAParticleThatIsNotFinite) {
  const auto not_finite = [](const auto& spoil) {
    OneCell cell(3);
    spoil(cell.gas);
    return kick_at(cell, StepClock{}, 0.5).not_finite;
  };
  EXPECT_EQ(not_finite([](Gas&) {}), CellReport::none);
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    for (const auto field : {&Gas::x, &Gas::z, &Gas::vy, &Gas::thermal, &Gas::dthermal_dt}) {
      EXPECT_EQ(not_finite([&](Gas& gas) { (gas.*field)[1] = bad; }), 2U);
    }
    EXPECT_EQ(not_finite([&](Gas& gas) { gas.ax[1] = static_cast<float>(bad); }), 2U);
  }
}

TEST(Kick, ClosesOneStepAndOpensTheNext) {
  OneCell cell(3, {0}, Steps::own);
  Gas& gas = cell.gas;
  gas.bin = {1, 2, 3};
  gas.ax = {4.0F, 4.0F, 4.0F};
  gas.dt = {1.6F, 4.4F, 100.0F};  // 3.2, 8.8 and 200 ticks of 1/2: bins 1, 3 and 7 would do
  const CellReport report = kick_at(cell, clock_at(4, 0.5));
  // At 4 bins up to 2 are active. Half of two ticks and half of two more; half of four and of four (longer steps do not
  // begin now).
  EXPECT_EQ(gas.vx[0], 4.0);
  EXPECT_EQ(gas.vx[1], 8.0);
  EXPECT_EQ(gas.vx[2], 0.0);  // in the midst of its step
  EXPECT_EQ(gas.bin, (std::vector<std::uint8_t>{1, 2, 3}));
  EXPECT_EQ(report.lowest_bin, 1);
  EXPECT_EQ(report.highest_bin, 3);
  EXPECT_EQ(report.lowest_active_bin, 1);
  EXPECT_EQ(report.active_at, 4);
}

TEST(Kick, BinsShrinkAtOnceAndGrowByOne) {
  OneCell cell(3, {0}, Steps::own);
  Gas& gas = cell.gas;
  gas.bin = {4, 1, 0};
  gas.ax = {8.0F, 8.0F, 8.0F};
  gas.dt = {0.75F, 100.0F, 0.25F};
  const CellReport report = kick_at(cell, clock_at(16, 0.5));
  EXPECT_EQ(gas.bin, (std::vector<std::uint8_t>{0, 2, 0}));
  EXPECT_EQ(gas.vx[0], 8.0 * (4.0 + 0.25));  // half of 16 ticks, half of one
  EXPECT_EQ(gas.vx[1], 8.0 * (0.5 + 1.0));
  EXPECT_EQ(report.dt, 0.25);  // half a tick: for the solver to refuse
}

TEST(Kick, NoBinIsAboveTheLongest) {
  OneCell cell(3, {0}, Steps::own);
  Gas& gas = cell.gas;
  gas.bin = {4, 2, 1};
  gas.dt = {100.0F, 100.0F, 0.5F};
  StepClock clock = clock_at(16, 0.5);
  clock.longest = 2;
  kick_at(cell, clock);
  EXPECT_EQ(gas.bin, (std::vector<std::uint8_t>{2, 2, 0}));
  clock = clock_at(0, 0.5);
  clock.is_first = true;
  clock.longest = 1;
  kick_at(cell, clock);
  EXPECT_EQ(gas.bin, (std::vector<std::uint8_t>{1, 1, 0}));
}

TEST(Kick, AtTheBeginningAnyBinMayBeTaken) {
  OneCell cell(2, {0}, Steps::own);
  Gas& gas = cell.gas;
  gas.ax = {8.0F, 8.0F};
  gas.dt = {0.5F, 16.5F};
  StepClock clock = clock_at(0, 0.5);
  clock.is_first = true;
  kick_at(cell, clock);
  EXPECT_EQ(gas.bin, (std::vector<std::uint8_t>{0, 5}));
  EXPECT_EQ(gas.vx[0], 2.0);  // the opening kick alone
  EXPECT_EQ(gas.vx[1], 64.0);
}

TEST(Kick, NotesFromWhereTheNextStepDrifts) {
  OneCell cell(2, {0}, Steps::own);
  Gas& gas = cell.gas;
  gas.bin = {1, 3};
  gas.x = {1.5, 1.5};
  gas.z = {-2.5, -2.5};
  gas.h = {0.25, 0.25};
  gas.rho = {3.0, 3.0};
  gas.omega_P = {0.75, 0.75};
  gas.cs = {1.25F, 1.25F};
  gas.dt = {1.6F, 1.6F};
  kick_at(cell, clock_at(2, 0.5));
  EXPECT_EQ(gas.x_before, (std::vector<double>{1.5, 0.0}));  // the second is in the midst of its step
  EXPECT_EQ(gas.z_before, (std::vector<double>{-2.5, 0.0}));
  EXPECT_EQ(gas.h_before, (std::vector<double>{0.25, 0.0}));
  EXPECT_EQ(gas.rho_before, (std::vector<double>{3.0, 0.0}));
  EXPECT_EQ(gas.omega_P_before, (std::vector<double>{0.75, 0.0}));
  EXPECT_EQ(gas.cs_before, (std::vector<float>{1.25F, 0.0F}));
}

TEST(Kick, TurnsVelocitiesOfParticlesThatMetAWall) {
  OneCell cell(1, {0}, Steps::own);
  Gas& gas = cell.gas;
  gas.bin = {1};
  gas.x_before = {0.75};
  gas.vx = {0.5};  // for one unit of time: to 1.25, that is 0.75 on the way back
  gas.x = {0.75};
  gas.ax = {-0.25F};
  gas.dt = {1.0F};
  CellReport report;
  kick(cell.integrated(), cell.motion(), cell.hydro(), cell.gradients(), cell.forces(), {},
       {{}, {1.0, 1.0, 1.0}, false, 3, true}, clock_at(2, 0.5), 0.0, report);
  EXPECT_EQ(gas.bin[0], 1);
  EXPECT_EQ(gas.vx[0], -0.5 - 0.25 * 0.5 - 0.25 * 0.5);  // turned, to the end of its step, to the middle of the next
  EXPECT_EQ(gas.x_before[0], 0.75);
}

TEST(ChangeBin, MovesVelocitiesToTheMiddleOfTheNewStep) {
  OneCell cell(1, {0}, Steps::own);
  Gas& gas = cell.gas;
  gas.bin = {5};
  gas.vx = {10.0};
  gas.ax = {2.0F};
  gas.thermal = {10.0};
  gas.dthermal_dt = {1.0};
  const StepClock clock = clock_at(12, 1.0);
  const auto change_to = [&](std::uint8_t bin) {
    change_bin(cell.integrated(), cell.hydro(), cell.forces(), 0, bin, testing::plain_parameters(), open, clock);
  };
  // From the middle of [0, 32) at 16 to that of [12, 16) at 14; then to that of [12, 13).
  change_to(2);
  EXPECT_EQ(gas.bin[0], 2);
  EXPECT_EQ(gas.vx[0], 6.0);
  EXPECT_EQ(gas.thermal[0], 8.0);
  change_to(0);
  EXPECT_EQ(gas.vx[0], 3.0);
}

// A particle that is woken stays where it is, whatever step it is put into.
TEST(ChangeBin, LeavesTheParticleWhereItIs) {
  const particles::Domain walls{{}, {1.0, 1.0, 1.0}, false, 3, true};
  const StepClock clock = clock_at(22, 0.01);
  for (const Scheme scheme : {Scheme::gadget2, Scheme::sphenix}) {
    SphParameters physics = testing::plain_parameters();
    physics.scheme = scheme;
    for (const auto bin : std::array<std::uint8_t, 4>{0, 1, 3, 6}) {  // 3: a step that holds the present time
      OneCell cell(20, {0}, Steps::own);
      fill_at_random(cell.gas);
      Gas& gas = cell.gas;
      for (std::size_t i = 0; i < gas.size(); ++i) {
        gas.bin[i] = 5;
        gas.rho_before[i] = 1.0 + std::abs(gas.rho_before[i]);
        gas.dthermal_dt[i] *= 0.1 * gas.thermal[i];  // so that it never halves
        gas.vx[i] *= 10.0;                           // some meet a wall
      }
      // To what is idle at the present time: as the drift to it, which belongs to the tick before.
      const auto now = [&](std::size_t i) {
        return drifted(
            cell.integrated(), cell.hydro(), cell.forces(), i,
            {clock.line.since_next_begin(gas.bin[i], clock.now), clock.line.since_next_middle(gas.bin[i], clock.now)},
            walls);
      };
      for (std::size_t i = 0; i < gas.size(); ++i) {
        const Drifted before = now(i);
        change_bin(cell.integrated(), cell.hydro(), cell.forces(), i, bin, physics, walls, clock);
        const Drifted after = now(i);
        ASSERT_EQ(gas.bin[i], bin);
        EXPECT_NEAR(after.x.x, before.x.x, 1e-14);
        EXPECT_NEAR(after.x.y, before.x.y, 1e-14);
        EXPECT_NEAR(after.v.x, before.v.x, 1e-13);
        EXPECT_NEAR(after.h, before.h, 1e-14);
        EXPECT_NEAR(after.rho, before.rho, 1e-14);
        EXPECT_NEAR(after.thermal, before.thermal, 1e-14);
        EXPECT_LT(gas.rho_before[i], 0.0);
      }
    }
  }
}

// What neighbours see of the gas of a particle must not jump as it is woken.
TEST(ChangeBin, KeepsWhatNeighboursSee) {
  SphParameters physics = testing::plain_parameters();
  for (const Scheme scheme : {Scheme::gadget2, Scheme::sphenix}) {
    physics.scheme = scheme;
    OneCell cell(1, {0}, Steps::own);
    Gas& gas = cell.gas;
    gas.bin = {5};
    gas.thermal = {2.0};
    gas.dthermal_dt = {0.3};
    gas.div_v = {-0.2F};
    gas.rho_before = {1.5};
    gas.h_before = {0.5};
    gas.omega_P_before = {0.7};
    gas.cs_before = {1.1F};
    drift_to(cell, clock_at(22, 0.01), physics, true);
    const double omega_P = gas.omega_P[0];
    const float cs = gas.cs[0];
    change_bin(cell.integrated(), cell.hydro(), cell.forces(), 0, 3, physics, open, clock_at(22, 0.01));
    drift_to(cell, clock_at(22, 0.01), physics, true);
    EXPECT_NEAR(gas.omega_P[0], omega_P, 1e-14);
    EXPECT_NEAR(gas.cs[0], cs, 1e-6);
  }
}

TEST(Reflect, FoldsPositionsAndTurnsVelocities) {
  const particles::Domain walls{{}, {1.0, 1.0, 1.0}, false, 2, true};
  for (const bool is_predicted : {false, true}) {
    OneCell cell(2);
    Gas& gas = cell.gas;
    gas.x = {1.25, 0.5};
    gas.y = {-0.25, 0.5};
    gas.vx = gas.vy = {3.0, 3.0};
    gas.vx_p = gas.vy_p = {4.0F, 4.0F};
    gas.ax = gas.ay = {5.0F, 5.0F};
    if (is_predicted) {
      reflect_predicted(cell.motion(), walls);
    } else {
      reflect(cell.motion(), cell.integrated(), cell.forces(), walls);
    }
    EXPECT_EQ(gas.x, (std::vector<double>{0.75, 0.5}));
    EXPECT_EQ(gas.y, (std::vector<double>{0.25, 0.5}));
    for (const auto v : {&Gas::vx_p, &Gas::vy_p}) EXPECT_EQ(gas.*v, (std::vector<float>{-4.0F, 4.0F}));
    const double sign = is_predicted ? 1.0 : -1.0;
    for (const auto v : {&Gas::vx, &Gas::vy}) EXPECT_EQ(gas.*v, (std::vector<double>{sign * 3.0, 3.0}));
    for (const auto a : {&Gas::ax, &Gas::ay}) {
      EXPECT_EQ(gas.*a, (std::vector<float>{static_cast<float>(sign) * 5.0F, 5.0F}));
    }
  }
}

TEST(BoundGroups, AreTheSmallestBoxesAndTheLargestH) {
  OneCell cell(50, {0, 20});
  Gas& gas = cell.gas;
  for (std::size_t i = 0; i < 50; ++i) {
    gas.x[i] = base::uniform(1, i, 0);
    gas.y[i] = base::uniform(1, i, 1);
    gas.z[i] = base::uniform(1, i, 2);
    gas.h[i] = base::uniform(1, i, 3);
  }
  const CellBounds all = bound_groups(cell.motion(), cell.hydro(), loops().bound);
  const std::array<std::size_t, 3> ends{0, 20, 50};
  for (const std::size_t g : {0U, 1U}) {
    const auto of = [&](const std::vector<double>& values) {
      return std::span(values).subspan(ends[g], ends[g + 1] - ends[g]);
    };
    EXPECT_EQ(cell.boxes[g].low.x, std::ranges::min(of(gas.x)));
    EXPECT_EQ(cell.boxes[g].high.y, std::ranges::max(of(gas.y)));
    EXPECT_EQ(cell.boxes[g].low.z, std::ranges::min(of(gas.z)));
    EXPECT_EQ(cell.group_h[g], std::ranges::max(of(gas.h)));
  }
  EXPECT_EQ(all.box.low.y, std::ranges::min(gas.y));
  EXPECT_EQ(all.box.high.z, std::ranges::max(gas.z));
  EXPECT_EQ(all.h, std::ranges::max(gas.h));
  const kernels::Box box = cell.boxes[0];
  EXPECT_EQ(box.distance2(box.low.x, box.high.y, box.low.z), 0.0);
  EXPECT_DOUBLE_EQ(box.distance2(box.low.x - 3.0, box.high.y + 4.0, box.low.z), 25.0);
}

// Every instruction set computes each number alone, so all must give the oracle's bits.
TEST(Drift, IsTheSameToTheBitWithEveryInstructionSet) {
  for (const base::InstructionSet set : base::usable_instruction_sets()) {
    const auto functions = kernels::vector::pair_kernels<kernels::CubicSpline>(set).drift;
    for (const std::size_t n : {0U, 1U, 7U, 8U, 9U, 33U}) {
      for (const bool is_common : {false, true}) {
        OneCell oracle(n, {0}, is_common ? Steps::common : Steps::own);
        fill_at_random(oracle.gas);
        OneCell cell(n, {0}, is_common ? Steps::common : Steps::own);
        cell.gas = oracle.gas;
        cell.bind();
        StepClock clock = clock_at(8, 0.25);
        clock.is_common = is_common;
        std::vector<double> room;
        const auto drift_by = [&](const OneCell& who, kernels::vector::DriftFunction loop) {
          drift(who.motion(), who.integrated(), who.hydro(), who.forces(), testing::plain_parameters(),
                {0.125, clock, true, loop}, room);
        };
        drift_by(oracle, loops().drift);
        drift_by(cell, functions.drift);
        const CellBounds expected = bound_groups(oracle.motion(), oracle.hydro(), loops().bound);
        const CellBounds bounds = bound_groups(cell.motion(), cell.hydro(), functions.bound);
        EXPECT_EQ(oracle.sides, cell.sides);
        EXPECT_EQ(expected.h, bounds.h);
        testing::expect_same(oracle.gas, cell.gas);
      }
    }
  }
}

}  // namespace tacit::sph::integrate_test
