// Tracers and their splines: orders, paths that are known, bitwise identical on threads and after a restart.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <numbers>
#include <vector>

#include "running_flow.hpp"
#include "support/temporary_folder.hpp"
#include "tacit/base/random.hpp"
#include "tacit/solvers/dns/setups/setups.hpp"
#include "tacit/solvers/dns/tracers/tracers.hpp"

namespace tacit::dns::tracers_test {

using testing::RunningFlow;

constexpr double pi = std::numbers::pi;

struct Setting {
  fft::Shape points{16, 16, 16};
  base::Vec3 box{2 * pi, 2 * pi, 2 * pi};
  double viscosity = 0.0;
  Scheme scheme = Scheme::rk4;
  std::size_t workers = 1;
};

RunningFlow running(const Setting& setting) {
  return RunningFlow(
      {.points = setting.points, .box = setting.box, .viscosity = setting.viscosity, .scheme = setting.scheme},
      setting.workers);
}

void step(Flow& flow, Tracers& tracers, double dt) {
  flow.step(dt, [&](kernels::Substage substage) { tracers.advance(substage, dt); });
}

/// Arnold-Beltrami-Childress in a box of sides 2 pi: steady where there is no viscosity.
base::Vec3 abc(const base::Vec3& x) {
  return {std::sin(x.z) + 0.7 * std::cos(x.y), 0.9 * std::sin(x.x) + std::cos(x.z),
          0.7 * std::sin(x.y) + 0.9 * std::cos(x.x)};
}
constexpr double abc_sum = 1.9;  // the largest sum of two of its amplitudes

/// Bound of cubic spline interpolation, 5/384 h^4 max |f''''| for each function of one variable; see Hall & Meyer
/// (1976), J. Approx. Theory 16, 105. A component of the ABC flow is a sum of two of them.
double abc_spline_error(std::size_t n) { return 5.0 / 384.0 * std::pow(2 * pi / static_cast<double>(n), 4) * abc_sum; }

base::Vec3 random_place(std::uint64_t number, const base::Vec3& box) {
  // From three boxes below to three above.
  const auto coordinate = [&](std::size_t axis) { return box[axis] * (6.0 * base::uniform(7, number, axis) - 3.0); };
  return {coordinate(0), coordinate(1), coordinate(2)};
}

double largest(const base::Vec3& v) { return std::max({std::abs(v.x), std::abs(v.y), std::abs(v.z)}); }

TEST(Spline, WeightsAreThoseOfTheBasis) {
  for (const double t : {0.0, 0.25, 0.5, 0.9}) {
    const auto w = spline_weights(t);
    EXPECT_NEAR(w[0] + w[1] + w[2] + w[3], 1.0, 4e-16);  // four roundings
    // A cubic spline with the coefficients d is the line d itself.
    EXPECT_NEAR(-w[0] + w[2] + 2.0 * w[3], t, 4e-16);
  }
  EXPECT_EQ(spline_weights(0.0)[0], 1.0 / 6.0);
  EXPECT_EQ(spline_weights(0.0)[3], 0.0);
}

TEST(Spline, PlacesAreWithinTheGrid) {
  for (const double x : {-1e-20, -1.0, 0.0, 0.999999999999999999, 1.0, 5.3, -7.0, 1e30, std::nan("")}) {
    const GridPlace place = grid_place(x, 12, 1.0);
    EXPECT_LT(place.cell, 12U) << x;
    EXPECT_GE(place.fraction, 0.0) << x;
    EXPECT_LT(place.fraction, 1.0) << x;
  }
  EXPECT_EQ(grid_place(-0.25, 12, 1.0).cell, 9U);
  EXPECT_EQ(grid_place(1.5, 12, 1.0).cell, 6U);
}

// In a box that is no cube, with sizes that are no powers of two.
TEST(Spline, AgreesWithTheFlowAtThePoints) {
  RunningFlow run = running({.points = {12, 10, 14}, .box = {2.0, 3.0, 5.0}});
  make(Isotropic{.peak = 2.0}, run.flow);
  VelocitySpline spline(run.flow, run.scheduler);
  spline.update();
  const auto& n = run.flow.parameters().points;
  const auto at = [&](std::size_t i, std::size_t axis) {
    return run.flow.parameters().box[axis] * static_cast<double>(i) / static_cast<double>(n[axis]);
  };
  double difference = 0.0;
  double speed = 0.0;
  run.flow.at_points([&](std::size_t y, std::size_t z, const std::array<const double*, 3>& row) {
    for (std::size_t x = 0; x < n[0]; ++x) {
      const base::Vec3 exact{row[0][x], row[1][x], row[2][x]};
      difference = std::max(difference, largest(spline.at({at(x, 0), at(y, 1), at(z, 2)}) - exact));
      speed = std::max(speed, largest(exact));
    }
  });
  EXPECT_GT(speed, 0.5);
  // The coefficients are up to 27 times as large as the field, and carry a dozen roundings of two transforms.
  EXPECT_LT(difference, 27 * 12 * 1.1e-16 * speed);
}

TEST(Spline, HasFourthOrder) {
  std::vector<double> error;
  for (const std::size_t n : {16U, 32U, 64U}) {
    RunningFlow run = running({.points = {n, n, n}});
    run.flow.set(abc);
    VelocitySpline spline(run.flow, run.scheduler);
    spline.update();
    double worst = 0.0;
    for (std::uint64_t i = 0; i < 2000; ++i) {
      const base::Vec3 x = random_place(i, run.flow.parameters().box);
      worst = std::max(worst, largest(spline.at(x) - abc(x)));
    }
    EXPECT_LT(worst, abc_spline_error(n));
    error.push_back(worst);
  }
  // The next term is (k h)^2 / 20 or so smaller, 0.4^2 / 20 < 0.01; the random places miss the worst by some percent.
  EXPECT_NEAR(std::log2(error[0] / error[1]), 4.0, 0.1);
  EXPECT_NEAR(std::log2(error[1] / error[2]), 4.0, 0.1);
}

TEST(Tracers, FollowAUniformFlowExactly) {
  for (const auto scheme : {Scheme::rk2, Scheme::rk4}) {
    RunningFlow run = running({.scheme = scheme});
    const base::Vec3 wind{0.5, -0.25, 2.0};
    run.flow.set([&](const base::Vec3&) { return wind; });
    Tracers tracers(run.flow, {.count = 100}, run.scheduler);
    for (int i = 0; i < 64; ++i) step(run.flow, tracers, 0.125);
    for (const Tracer& tracer : tracers.tracers()) {
      // 64 steps of up to five roundings of a number of up to 16 + 2 pi.
      EXPECT_LT(largest(tracer.position - (tracer.start + 8.0 * wind)), 64 * 5 * 22.3 * 1.1e-16);
    }
    tracers.measure();
    const TracerMeans means = tracers.means();
    EXPECT_NEAR(means.square_displacement, 64.0 * base::dot(wind, wind), 1e-11);  // 2 * 16 times the above
    EXPECT_NEAR(means.correlation, 1.0, 1e-14);  // the roundings of a spline of a constant
  }
}

/// x(t) = x0 + t sin z0, as z stays.
TEST(Tracers, FollowAShear) {
  RunningFlow run = running({});
  run.flow.set([](const base::Vec3& x) -> base::Vec3 { return {std::sin(x.z), 0.0, 0.0}; });
  Tracers tracers(run.flow, {.count = 200, .seed = 3}, run.scheduler);
  for (int i = 0; i < 20; ++i) step(run.flow, tracers, 0.5);
  for (const Tracer& tracer : tracers.tracers()) {
    EXPECT_NEAR(tracer.position.x - tracer.start.x, 10.0 * std::sin(tracer.start.z), 10.0 * abc_spline_error(16));
    EXPECT_NEAR(tracer.position.z, tracer.start.z, 1e-14);
  }
}

base::Vec3 abc_path(base::Vec3 x, double time) {
  constexpr int steps = 4000;
  const double dt = time / steps;
  for (int i = 0; i < steps; ++i) {
    const base::Vec3 a = abc(x);
    const base::Vec3 b = abc(x + 0.5 * dt * a);
    const base::Vec3 c = abc(x + 0.5 * dt * b);
    const base::Vec3 d = abc(x + dt * c);
    x = x + dt / 6.0 * (a + 2.0 * b + 2.0 * c + d);
  }
  return x;
}

// A steady flow with paths in all directions, against an integration with the exact velocity.
TEST(Tracers, FollowTheAbcFlow) {
  constexpr std::size_t n = 32;
  constexpr double time = 2.0;
  RunningFlow run = running({.points = {n, n, n}});
  run.flow.set(abc);
  Tracers tracers(run.flow, {.count = 100}, run.scheduler);
  for (int i = 0; i < 40; ++i) step(run.flow, tracers, time / 40);
  // Gradients are up to 1.9 each; an error of the velocity grows by Gronwall as (exp(L t) - 1) / L, and that of the
  // scheme, (0.05)^4 * 2^4 / 120 per unit of time, is a tenth of the spline's.
  const double growth = (std::exp(abc_sum * time) - 1.0) / abc_sum;
  for (const Tracer& tracer : tracers.tracers()) {
    EXPECT_LT(largest(tracer.position - abc_path(tracer.start, time)), 1.5 * abc_spline_error(n) * growth);
  }
}

/// Positions at t = 1.6 in a flow that changes with time.
std::vector<base::Vec3> places_after(Scheme scheme, int steps) {
  RunningFlow run = running({.viscosity = 0.05, .scheme = scheme});
  make(Isotropic{.peak = 2.0}, run.flow);
  Tracers tracers(run.flow, {.count = 50}, run.scheduler);
  for (int i = 0; i < steps; ++i) step(run.flow, tracers, 1.6 / steps);
  std::vector<base::Vec3> places;
  for (const Tracer& tracer : tracers.tracers()) places.push_back(tracer.position);
  return places;
}

double distance(const std::vector<base::Vec3>& a, const std::vector<base::Vec3>& b) {
  double sum = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += base::dot(a[i] - b[i], a[i] - b[i]);
  return std::sqrt(sum);
}

TEST(Tracers, HaveTheOrderOfTheFlow) {
  const auto exact = places_after(Scheme::rk4, 256);
  for (const auto& [scheme, order] : {std::pair{Scheme::rk2, 2.0}, std::pair{Scheme::rk4, 4.0}}) {
    const double coarse = distance(places_after(scheme, 32), exact);
    const double fine = distance(places_after(scheme, 64), exact);
    // Terms of the next order shift it by dt times the fastest rate, 0.05 * 5. The spline's third derivative jumps
    // between cells, which costs a step in which that happens its fourth order, so that rk4 may lose some.
    EXPECT_NEAR(std::log2(coarse / fine), order, 0.3) << coarse << " " << fine;
  }
}

std::vector<double> positions_after(std::size_t workers) {
  RunningFlow run = running({.points = {12, 18, 16}, .viscosity = 0.01, .scheme = Scheme::rk2, .workers = workers});
  make(Isotropic{.peak = 2.0}, run.flow);
  Tracers tracers(run.flow, {.count = 333}, run.scheduler);
  for (int i = 0; i < 5; ++i) step(run.flow, tracers, 0.1);
  tracers.measure();
  std::vector<double> numbers{tracers.means().square_displacement, tracers.means().correlation};
  for (const Tracer& tracer : tracers.tracers()) {
    numbers.insert(numbers.end(), {tracer.position.x, tracer.position.y, tracer.position.z, tracer.velocity.x});
  }
  return numbers;
}

TEST(Tracers, ThreadsGiveIdenticalResults) {
  const auto one = positions_after(1);
  for (const std::size_t workers : {2U, 4U}) EXPECT_EQ(positions_after(workers), one) << workers;
}

TEST(Tracers, StartWhereTheSeedSays) {
  RunningFlow run = running({});
  run.flow.set(abc);
  const Tracers few(run.flow, {.count = 10, .seed = 5}, run.scheduler);
  const Tracers more(run.flow, {.count = 20, .seed = 5}, run.scheduler);
  const Tracers others(run.flow, {.count = 10, .seed = 6}, run.scheduler);
  for (std::size_t i = 0; i < 10; ++i) {
    EXPECT_EQ(few.tracers()[i].position, more.tracers()[i].position);
    EXPECT_NE(few.tracers()[i].position, others.tracers()[i].position);
  }
}

TEST(Tracers, GoOnBitwiseIdenticallyAfterARestart) {
  const test::TemporaryFolder folder;
  const auto path = folder.path() / "checkpoint.hdf5";
  RunningFlow run = running({.viscosity = 0.01});
  make(Isotropic{.peak = 2.0}, run.flow);
  Tracers tracers(run.flow, {.count = 60}, run.scheduler);
  for (int i = 0; i < 3; ++i) step(run.flow, tracers, 0.1);
  {
    io::FileWriter file(path);
    tracers.save(file);
    file.commit();
  }
  Tracers again(run.flow, {.count = 60}, run.scheduler, io::FileReader(path));
  tracers.measure();
  again.measure();
  EXPECT_EQ(tracers.means().square_displacement, again.means().square_displacement);
  EXPECT_EQ(tracers.means().correlation, again.means().correlation);
  for (std::size_t i = 0; i < 60; ++i) {
    EXPECT_EQ(again.tracers()[i].id, i);
    EXPECT_EQ(again.tracers()[i].position, tracers.tracers()[i].position);
    EXPECT_EQ(again.tracers()[i].start, tracers.tracers()[i].start);
    EXPECT_EQ(again.tracers()[i].velocity, tracers.tracers()[i].velocity);
  }
  EXPECT_THROW(Tracers(run.flow, {.count = 61}, run.scheduler, io::FileReader(path)), base::FormatError);
}

// In the layout of VTK's poly data: all of them, in the box, in the order of their ids.
TEST(Tracers, WriteAFileForParaView) {
  const test::TemporaryFolder folder;
  const auto path = folder.path() / "tracers_0000.hdf5";
  RunningFlow run = running({});
  run.flow.set([](const base::Vec3&) -> base::Vec3 { return {1.0, -3.0, 0.0}; });
  Tracers tracers(run.flow, {.count = 40}, run.scheduler);
  for (int i = 0; i < 10; ++i) step(run.flow, tracers, 0.5);
  tracers.measure();
  const engine::FileContext context{
      .run_name = "abc", .coordinate = 5.0, .step = 10, .provenance = {{"commit", "0123"}}, .double_precision = true};
  EXPECT_GT(tracers.write(path, context), 40U * 9 * 8);
  const io::FileReader file(path);
  EXPECT_EQ(file.text_attribute("Provenance", "commit"), "0123");
  EXPECT_EQ(file.text_attribute("Header", "RunName"), "abc");
  EXPECT_EQ(file.attribute("Header", "Step"), std::vector{10.0});
  EXPECT_EQ(file.text_attribute("VTKHDF", "Type"), "PolyData");
  EXPECT_EQ(file.text_attribute("Provenance", "commit"), "0123");
  EXPECT_EQ(file.info("VTKHDF/Points").shape, (std::vector<std::uint64_t>{40, 3}));
  EXPECT_EQ(file.info("VTKHDF/Vertices/Connectivity").shape, std::vector<std::uint64_t>{40});
  EXPECT_EQ(file.info("VTKHDF/Lines/Connectivity").shape, std::vector<std::uint64_t>{0});
  std::vector<double> points(120);
  std::vector<double> displacement(120);
  std::vector<std::uint64_t> ids(40);
  file.read("VTKHDF/Points", points);
  file.read("VTKHDF/PointData/displacement", displacement);
  file.read("VTKHDF/PointData/id", ids);
  for (std::size_t i = 0; i < 40; ++i) {
    EXPECT_EQ(ids[i], i);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      EXPECT_GE(points[3 * i + axis], 0.0);
      EXPECT_LT(points[3 * i + axis], 2 * pi);
    }
    EXPECT_NEAR(displacement[3 * i + 1], -15.0, 1e-12);  // 10 steps of a few roundings of numbers up to 20
  }
}

}  // namespace tacit::dns::tracers_test
