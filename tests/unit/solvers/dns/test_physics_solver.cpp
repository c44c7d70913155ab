// The physics of a dns run: budgets in its statistics, checkpoints, snapshots, warnings.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "../../io/scratch.hpp"
#include "running_flow.hpp"
#include "tacit/comm/bootstrap/threads.hpp"
#include "tacit/io/compare.hpp"
#include "tacit/solvers/dns/dns_solver.hpp"
#include "tacit/solvers/dns/fields.hpp"

namespace tacit::dns::physics_solver_test {

using testing::all_modes;
using testing::cube;

/// A solver and what runs it.
class SolverRun {
 public:
  explicit SolverRun(const DnsParameters& parameters)
      : recorder_(1), scheduler_(1, recorder_), solver(parameters, {.scheduler = scheduler_, .ranks = ranks_}) {}
  SolverRun(const DnsParameters& parameters, const io::FileReader& checkpoint)
      : recorder_(1),
        scheduler_(1, recorder_),
        solver(parameters, checkpoint, {.scheduler = scheduler_, .ranks = ranks_}) {}

  void steps(int count, double dt) {
    for (int i = 0; i < count; ++i) {
      tasks::StepContext step;
      step.dt = dt;
      solver.step(step);
    }
  }
  void save(const std::filesystem::path& path) const {
    io::FileWriter file(path);
    solver.save(file);
    file.commit();
  }
  /// A snapshot in double precision.
  void write(const std::filesystem::path& path) const {
    engine::FileContext context;
    context.double_precision = true;
    solver.write_snapshot(path, context);
  }
  [[nodiscard]] double statistic(const std::string& name) const {
    for (const engine::Statistic& one : solver.statistics()) {
      if (one.name == name) return one.value;
    }
    ADD_FAILURE() << "no column " << name;
    return std::numeric_limits<double>::quiet_NaN();
  }

 private:
  trace::Recorder recorder_;
  tasks::Scheduler scheduler_;
  comm::Communicator ranks_{comm::bootstrap_alone()};

 public:
  DnsSolver solver;
};

DnsParameters with_all() {
  DnsParameters p{.flow = cube(16, Scheme::rk4), .cfl = 0.5, .setup = TaylorGreen{}};
  p.flow.viscosity = 0.05;
  p.flow.truncation = fft::Truncation::spherical;
  p.flow.physics.scalars = {{.diffusivity = 0.1}, {.diffusivity = 0.05, .gradient = {1.0, 0.5, 0.0}}};
  p.flow.physics.stratification = 1.0;
  p.flow.physics.buoyancy_diffusivity = 0.05;
  p.flow.physics.rotation = {0.0, 0.0, 0.5};
  p.flow.physics.phase_shift = PhaseShift::random;
  p.flow.physics.forcing = {.kind = ForcingKind::eswaran_pope, .radius = 2.0, .power = 0.01, .memory = 0.5};
  p.scalars = {.fields = {ScalarField::isotropic, ScalarField::wave_y}};
  return p;
}

// Before a step and behind it, beside tracers and scalars, and on a shifted grid, which no step shows.
TEST(PhysicsSolver, PlannedSnapshotsAreThoseWrittenAtOnce) {
  const test::Scratch scratch;
  engine::FileContext context;
  context.double_precision = true;
  DnsParameters p = with_all();
  EXPECT_FALSE(SolverRun(p).solver.plan_snapshot(scratch / "none.hdf5", context));
  p.flow.physics.phase_shift = PhaseShift::none;
  p.tracers.count = 100;
  SolverRun run(p);
  run.steps(2, 0.01);
  run.write(scratch / "snapshot.hdf5");
  for (const int steps : {0, 1}) {
    const auto path = scratch / fmt::format("snapshot_{}.hdf5", steps);
    ASSERT_TRUE(run.solver.plan_snapshot(path, context));
    run.steps(steps, 0.01);
    run.solver.write_planned_snapshot(path, context);
    for (const std::string kind : {"snapshot", "tracers"}) {
      const io::Comparison same =
          io::compare_files(scratch / (kind + ".hdf5"), scratch / fmt::format("{}_{}.hdf5", kind, steps));
      EXPECT_TRUE(same.differences.empty()) << kind << ", " << io::to_text(same.differences.front());
      EXPECT_GT(same.arrays, 0U);
    }
  }
}

TEST(PhysicsSolver, NamesASumThatIsNotFinite) {
  EXPECT_FALSE(SolverRun(with_all()).solver.not_finite().has_value());
  DnsParameters fast{.flow = cube(16, Scheme::rk4), .cfl = 0.5, .setup = TaylorGreen{.speed = 1e200}};
  EXPECT_EQ(SolverRun(fast).solver.not_finite().value().text, "the kinetic energy is inf");
  DnsParameters uneven = with_all();
  uneven.flow.physics.scalars[1].gradient.x = 1e250;
  SolverRun steep(uneven);
  EXPECT_FALSE(steep.solver.not_finite().has_value());
  steep.steps(1, 1e-3);
  EXPECT_EQ(steep.solver.not_finite().value().field, "scalar2_variance");
}

TEST(PhysicsSolver, BudgetsOfScalarsAndBuoyancyClose) {
  DnsParameters p = with_all();
  p.flow.truncation = fft::Truncation::two_thirds;
  p.flow.physics.phase_shift = PhaseShift::none;
  // A random force changes from step to step, and what it does has kinks.
  p.flow.physics.forcing = {.kind = ForcingKind::constant, .radius = 2.0, .power = 0.01};
  SolverRun run(p);
  run.steps(10, 0.05);
  const double dt = 0.01;
  const auto rates = [&run] {
    const double first = -run.statistic("scalar1_dissipation");
    const double second = run.statistic("scalar2_production") - run.statistic("scalar2_dissipation");
    const double potential = -run.statistic("buoyancy_flux") - run.statistic("potential_dissipation");
    return std::array{first, second, potential};
  };
  const auto values = [&run] {
    return std::array{run.statistic("scalar1_variance"), run.statistic("scalar2_variance"),
                      run.solver.sums().potential_energy.value_or(0.0)};
  };
  const auto begin = values();
  const auto first = rates();
  run.steps(1, dt);
  const auto middle = rates();
  run.steps(1, dt);
  const auto last = rates();
  const auto end = values();
  for (std::size_t i = 0; i < 3; ++i) {
    const double simpson = dt / 3.0 * (first[i] + 4.0 * middle[i] + last[i]);
    EXPECT_GT(std::abs(simpson), 1e-6) << i;
    // Simpson's rule over a time h = 2 dt errs by h^5/2880 times the fourth derivative of rates of order one, whose
    // own rates are up to 10: 3e-9/2880 * 1e4.
    EXPECT_NEAR(end[i] - begin[i], simpson, 1e-8) << i;
  }
}

TEST(PhysicsSolver, BeginsWithScalarsOfUnitVariance) {
  const SolverRun run(with_all());
  EXPECT_NEAR(run.statistic("scalar1_variance"), 1.0, 1e-13);  // some thousand roundings
  EXPECT_NEAR(run.statistic("scalar2_variance"), 1.0, 1e-14);
  EXPECT_EQ(run.solver.sums().potential_energy, 0.0);
  EXPECT_FALSE(run.solver.sums().keeps_energy);
}

// They are kept for all that ask in one line of statistics.
TEST(PhysicsSolver, MeansAreThoseOfThePresentState) {
  SolverRun run(with_all());
  const Flow& flow = run.solver.flow();
  for (int step = 0; step < 3; ++step) {
    const engine::MechanicalSums now = run.solver.sums();
    EXPECT_EQ(now.kinetic_energy, flow.energetics().energy) << step;
    EXPECT_EQ(now.potential_energy, 0.5 * scalar_means(flow, flow.scalars() - 1).variance) << step;
    EXPECT_EQ(run.statistic("dissipation"), flow.energetics().dissipation) << step;
    EXPECT_EQ(run.statistic("scalar1_variance"), scalar_means(flow, 0).variance) << step;
    run.steps(1, 0.05);
  }
}

TEST(PhysicsSolver, MeansAreTakenOnce) {
  testing::RunningFlow run(with_all().flow);
  run.flow.set([](const base::Vec3& x) -> base::Vec3 { return {std::sin(x.y), 0.0, 0.0}; });
  run.flow.set_scalar(0, [](const base::Vec3& x) { return std::cos(x.z); });
  StateMeans means(run.flow);
  const double energy = means.energetics().energy;
  const double variance = means.scalar(0).variance;
  run.steps(1, 0.05);
  EXPECT_EQ(means.energetics().energy, energy);
  EXPECT_EQ(means.scalar(0).variance, variance);
  means.forget();
  EXPECT_EQ(means.energetics().energy, run.flow.energetics().energy);
  EXPECT_NE(means.energetics().energy, energy);
  EXPECT_NE(means.scalar(0).variance, variance);
}

TEST(PhysicsSolver, ACheckpointContinuesBitwiseIdentically) {
  const test::Scratch scratch;
  SolverRun whole(with_all());
  whole.steps(3, 0.05);
  whole.save(scratch / "checkpoint.hdf5");
  SolverRun rest(with_all(), io::FileReader(scratch / "checkpoint.hdf5"));
  EXPECT_EQ(rest.statistic("forcing_power"), whole.statistic("forcing_power"));
  whole.steps(3, 0.05);
  rest.steps(3, 0.05);
  const auto a = all_modes(whole.solver.flow());
  const auto b = all_modes(rest.solver.flow());
  EXPECT_EQ(0, std::memcmp(a.data(), b.data(), a.size() * sizeof(Complex)));

  // A flow that decays from here on, as the beginning of another run.
  DnsParameters other = with_all();
  other.flow.physics.forcing = {};
  SolverRun decaying(other, io::FileReader(scratch / "checkpoint.hdf5"));
  decaying.steps(1, 0.05);
}

TEST(PhysicsSolver, BuoyancyStaysWhereStratificationChanges) {
  const test::Scratch scratch;
  DnsParameters p = with_all();
  p.flow.physics.stratification = 2.0;
  SolverRun first(p);
  first.steps(5, 0.05);
  first.save(scratch / "checkpoint.hdf5");
  first.write(scratch / "snapshot.hdf5");
  const double before = first.solver.sums().potential_energy.value_or(0.0);
  EXPECT_GT(before, 1e-4);
  std::vector<double> buoyancy(16 * 16 * 16);
  io::FileReader(scratch / "snapshot.hdf5").read("VTKHDF/PointData/buoyancy", buoyancy);
  double square = 0.0;
  for (const double b : buoyancy) square += b * b / static_cast<double>(buoyancy.size());
  // The energy is b^2 / (2 N^2); sums of 4096 numbers that rounding moves by some units of their last places.
  constexpr double rounding = 1e-13;
  EXPECT_NEAR(square / (2.0 * 4.0) / before, 1.0, rounding);
  p.flow.physics.stratification = 6.0;
  const SolverRun restarted(p, io::FileReader(scratch / "checkpoint.hdf5"));
  EXPECT_NEAR(restarted.solver.sums().potential_energy.value_or(0.0) / before, 1.0 / 9.0, rounding);
  for (const char* name : {"checkpoint.hdf5", "snapshot.hdf5"}) {
    p.setup = FromFile{scratch / name};
    const SolverRun begun(p);
    EXPECT_NEAR(begun.solver.sums().potential_energy.value_or(0.0) / before, 1.0 / 9.0, rounding) << name;
  }
}

// What a snapshot calls buoyancy is b, what the flow carries is b/N: the way there and back is the same state.
TEST(PhysicsSolver, BuoyancyOfASnapshotIsTheInitialBuoyancy) {
  const test::Scratch scratch;
  DnsParameters p = with_all();
  p.flow.physics.stratification = 2.5;
  SolverRun first(p);
  first.steps(5, 0.05);
  first.save(scratch / "checkpoint.hdf5");
  first.write(scratch / "snapshot.hdf5");
  const auto modes = [](const SolverRun& run) { return run.solver.flow().scalar(2); };
  EXPECT_GT(testing::half_square(first.solver.flow(), modes(first)), 1e-4);
  p.setup = FromFile{scratch / "snapshot.hdf5"};
  // A few roundings of two transforms and two scalings, of numbers below one.
  const SolverRun read(p);
  EXPECT_LT(testing::distance(modes(read), modes(first)), 20 * 1.1e-16);
  p.setup = FromFile{scratch / "checkpoint.hdf5"};
  const SolverRun same(p);
  EXPECT_EQ(0, std::memcmp(modes(same).data(), modes(first).data(), modes(first).size_bytes()));
}

// The table of fields is that of the flow, in its order; files have b where the flow has b/N.
TEST(PhysicsSolver, TheTableHasAllFields) {
  const DnsParameters p = with_all();
  std::vector<std::string> names;
  for (const FieldInfo& field : fields_of(p.flow.physics)) names.push_back(field.name);
  EXPECT_EQ(names, (std::vector<std::string>{"u", "v", "w", "scalar1", "scalar2", "buoyancy"}));
  const SolverRun run(p);
  EXPECT_EQ(run.solver.flow().fields(), names.size());
  EXPECT_EQ(run.solver.flow().field(1).data(), run.solver.flow().modes(1).data());
  EXPECT_EQ(run.solver.flow().field(5).data(), run.solver.flow().scalar(2).data());
  DnsParameters stable = p;
  stable.flow.physics.stratification = 2.5;
  EXPECT_EQ(fields_of(stable.flow.physics).back().at_points, 2.5);
}

TEST(PhysicsSolver, SnapshotsHaveScalarsAtThePoints) {
  const test::Scratch scratch;
  DnsParameters p = with_all();
  p.scalars.fields = {ScalarField::zero, ScalarField::wave_y};
  const SolverRun run(p);
  run.write(scratch / "snapshot.hdf5");
  const io::FileReader file(scratch / "snapshot.hdf5");
  std::vector<double> values(16 * 16 * 16);
  file.read("VTKHDF/PointData/scalar2", values);
  const double side = 2.0 * std::numbers::pi;
  for (const std::size_t y : {0U, 3U, 9U}) {
    const double expected = std::numbers::sqrt2 * std::sin(side * static_cast<double>(y) / 16.0);
    EXPECT_NEAR(values[(5 * 16 + y) * 16 + 7], expected, 1e-14);  // a few roundings of numbers of order one
  }
  file.read("VTKHDF/PointData/buoyancy", values);
  EXPECT_EQ(values[100], 0.0);
}

TEST(PhysicsSolver, StepsFollowWavesAndForces) {
  DnsParameters p = with_all();
  const SolverRun run(p);
  const double rate = 0.5 / run.solver.time_step();
  p.flow.physics.stratification = 4.0;
  EXPECT_NEAR(0.5 / SolverRun(p).solver.time_step(), rate + 3.0, 1e-12);  // N is a rate like that of the flow
  p.flow.physics.forcing = {};
  EXPECT_NEAR(0.5 / SolverRun(p).solver.time_step(), rate + 3.0 - 2.0, 1e-12);  // and so is 1/memory
}

// The forced modes hold a thousandth of the energy: P / (2 E) is a thousand times the rate of the flow.
TEST(PhysicsSolver, ConstantPowerLimitsTheStepToWhatBringsIt) {
  for (const Scheme scheme : {Scheme::rk2, Scheme::rk4}) {
    DnsParameters p{.flow = cube(16, scheme), .cfl = DnsSolver::good(scheme), .setup = Isotropic{}};
    std::get<Isotropic>(p.setup).energy = 0.5;
    std::get<Isotropic>(p.setup).peak = 6.0;
    p.flow.form = Form::rotational;
    p.flow.physics.forcing = {.kind = ForcingKind::constant, .radius = 1.0, .power = 1.0};
    SolverRun run(p);
    EXPECT_LT(run.solver.time_step(), 2e-3);
    double time = 0.0;
    while (time < 0.1) {
      const double dt = std::min(run.solver.time_step(), 0.1 - time);
      run.steps(1, dt);
      time += dt;
      EXPECT_NEAR(run.solver.sums().kinetic_energy, 0.5 + time, 0.01) << time;
    }
    p.dt = 0.02;  // as the flow alone would allow
    EXPECT_THROW(static_cast<void>(SolverRun(p).solver.time_step()), engine::NumericsError);
  }
}

TEST(PhysicsSolver, ConstantPowerIsRefusedWhereItWouldAmplifyRounding) {
  DnsParameters p{.flow = cube(16), .cfl = 0.5, .setup = TaylorGreen{}};  // all at |k|^2 = 3
  p.flow.physics.forcing = {.kind = ForcingKind::constant, .radius = 2.0, .power = 0.1};
  EXPECT_NO_THROW(SolverRun{p});
  p.flow.physics.forcing.radius = 1.0;
  const std::string message = test::message_of<base::Error>([&] { SolverRun{p}; });
  EXPECT_TRUE(message.starts_with("dns.forcing = \"constant\" amplifies what is there, but the forced modes hold "));
  EXPECT_TRUE(message.ends_with(" up to forcing.radius = 1, raise the radius, or take \"eswaran_pope\"")) << message;
}

// What the message says is what is checked: a step of the length that it names is taken.
TEST(PhysicsSolver, AFixedStepIsRefusedWhereItSays) {
  DnsParameters p{.flow = cube(12), .cfl = 0.5, .dt = 10.0, .setup = TaylorGreen{}};
  // u + v is at most 1, and a cell is 2 pi / 12 = 0.5236 long; three times that is 1.5708.
  const std::string message =
      test::message_of<engine::NumericsError>([&] { static_cast<void>(SolverRun(p).solver.time_step()); });
  EXPECT_EQ(
      message,
      "dns.dt = 10 is too long: no step beyond 1.57 is stable; take 0.2618 or less (a Courant number of 0.5 is good "
      "for rk2), or dns.cfl");
  p.dt = 1.57;
  EXPECT_EQ(SolverRun(p).solver.time_step(), 1.57);
  p.dt = 1.572;
  EXPECT_THROW(static_cast<void>(SolverRun(p).solver.time_step()), engine::NumericsError);
  EXPECT_FALSE(DnsSolver::refusal(3.0, 1.0, Scheme::rk2, 4));
  EXPECT_TRUE(DnsSolver::refusal(3.0, 1.001, Scheme::rk2, 4));
}

// Random forces stand still, and pass by in the frame of the mean flow; nothing else sees it.
TEST(PhysicsSolver, StepsFollowWhatDiffersFromTheMeanFlow) {
  const test::Scratch scratch;
  const auto write = [&](double wind) {
    io::FileWriter file(scratch / "field.hdf5");
    std::vector<double> u;
    for (std::size_t i = 0; i < 512; ++i)
      u.push_back(wind + std::sin(2.0 * std::numbers::pi * static_cast<double>(i / 8 % 8) / 8.0));
    const std::array<std::uint64_t, 3> shape{8, 8, 8};
    file.array("u", u, shape, io::Number::float64);
    for (const char* name : {"v", "w"}) file.array(name, std::vector<double>(512), shape, io::Number::float64);
    file.commit();
  };
  DnsParameters p{.flow = cube(12), .cfl = 0.5, .setup = FromFile{scratch / "field.hdf5"}};
  write(0.0);
  const double still = SolverRun(p).solver.time_step();
  write(5.0);
  EXPECT_NEAR(SolverRun(p).solver.time_step(), still, 1e-13);
  p.flow.physics.forcing = {.kind = ForcingKind::eswaran_pope, .radius = 2.0, .power = 0.01, .memory = 0.5};
  EXPECT_NEAR(0.5 / SolverRun(p).solver.time_step(), 0.5 / still + 1.0 / 0.5 + 2.0 * 5.0, 1e-12);
}

TEST(EnergyWatch, KnowsTheLeastError) {
  FlowParameters flow = cube(8);
  EnergyWatch inviscid(flow);
  EXPECT_EQ(inviscid.error(4.0), 0.0);
  EXPECT_DOUBLE_EQ(inviscid.error(9.0), 0.5);       // 3 of 2
  EXPECT_DOUBLE_EQ(inviscid.error(2.25), -0.5);     // 1.5 of 3
  EXPECT_DOUBLE_EQ(inviscid.error(4.0), -1.0 / 3);  // 2 of 3; against 1.5 it is as much
  flow.viscosity = 0.1;
  EnergyWatch viscous(flow);
  EXPECT_EQ(viscous.error(4.0), 0.0);
  EXPECT_EQ(viscous.error(1.0), 0.0);
  EXPECT_DOUBLE_EQ(viscous.error(4.0), 1.0);
  flow.physics.forcing.kind = ForcingKind::constant;
  EXPECT_FALSE(EnergyWatch(flow).is_on());
}

TEST(PhysicsSolver, WarnsOnceOfEnergyOutOfNothing) {
  const auto warnings_after = [](Scheme scheme, double viscosity, double dt) {
    DnsParameters p{.flow = cube(16, scheme, viscosity), .cfl = 0.5, .setup = Isotropic{.peak = 2.0}};
    SolverRun run(p);
    std::vector<std::string> all;
    for (int i = 0; i < 20; ++i) {
      for (std::string& warning : run.solver.new_warnings()) all.push_back(std::move(warning));
      run.steps(1, dt);
    }
    return all;
  };
  const std::vector<std::string> found = warnings_after(Scheme::rk2, 0.0, 0.2);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_TRUE(found[0].starts_with("warning: the energy has grown by ")) << found[0];
  EXPECT_NE(found[0].find("lower dns.cfl (now 0.5), or set dns.scheme = \"rk4\""), std::string::npos) << found[0];
  EXPECT_TRUE(warnings_after(Scheme::rk2, 0.0, 0.05).empty());
  EXPECT_TRUE(warnings_after(Scheme::rk4, 0.0, 0.1).empty());
  EXPECT_TRUE(warnings_after(Scheme::rk2, 0.2, 0.05).empty());  // viscosity takes energy, which is no error
}

TEST(PhysicsSolver, WarnsOnceOfEddiesThatAreTooSmall) {
  DnsParameters p{.flow = cube(16), .cfl = 0.5, .setup = TaylorGreen{}};
  p.flow.viscosity = 0.05;
  EXPECT_TRUE(SolverRun(p).solver.new_warnings().empty());
  p.flow.viscosity = 0.001;
  SolverRun run(p);
  const auto warnings = run.solver.new_warnings();
  ASSERT_EQ(warnings.size(), 1);
  // Dissipation 2 nu 0.375, eta = (nu^3/eps)^(1/4) = 0.0340, k_max = 5.
  EXPECT_EQ(
      warnings[0],
      "warning: k_max eta = 0.17, below 1: the smallest eddies, of eta = 0.034, are not resolved at a dissipation "
      "of 0.00075. For k_max eta = 1.5 take 8.8 times as many points along each side, or a viscosity of 0.0182");
  EXPECT_TRUE(run.solver.new_warnings().empty());
  p.flow.viscosity = 0.0;
  EXPECT_TRUE(SolverRun(p).solver.new_warnings().empty());
  // What the flow does not have yet, the forcing will bring: (0.05^3 / 10)^(1/4) 5 = 0.297.
  p.flow.viscosity = 0.05;
  EXPECT_TRUE(SolverRun(p).solver.new_warnings().empty());
  p.flow.physics.forcing = {.kind = ForcingKind::constant, .radius = 2.0, .power = 10.0};
  const auto forced = SolverRun(p).solver.new_warnings();
  ASSERT_EQ(forced.size(), 1);
  EXPECT_NE(forced[0].find("k_max eta = 0.297"), std::string::npos) << forced[0];
}

}  // namespace tacit::dns::physics_solver_test
