// Gravity in periodic boxes: against Ewald's sum, on lattices, as waves, on ranks, from checkpoints, and what it
// refuses. SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <numbers>
#include <string>
#include <vector>

#include "rank_runs.hpp"
#include "samples.hpp"
#include "tacit/base/error.hpp"
#include "tacit/base/random.hpp"
#include "tacit/fmm/ewald.hpp"

namespace tacit::sph::gravity_periodic_test {
namespace {

using base::Vec3;
using testing::differing_fields;
using testing::Outcome;
using testing::outcome_of;
using testing::SmallRun;
using Names = std::vector<std::string_view>;

/// G = 3, to be seen where it is forgotten.
SphParameters gravitating(bool is_individual = false) {
  SphParameters parameters = testing::plain_parameters();
  parameters.scheme = Scheme::sphenix;
  parameters.boundary = Boundary::periodic;
  parameters.has_individual_steps = is_individual;
  parameters.gravity = {.is_present = true, .G = 3.0, .softening = 1e-3};
  return parameters;
}

InitialConditions empty_box(const Vec3& sides) {
  InitialConditions bodies;
  bodies.source = "test";
  bodies.box = sides;
  bodies.has_types = true;
  return bodies;
}

void add_body(InitialConditions& to, std::uint8_t type, const Vec3& at, double m) {
  to.id.push_back(to.id.size() + 1);
  to.type.push_back(type);
  to.x.push_back(at.x);
  to.y.push_back(at.y);
  to.z.push_back(at.z);
  for (auto* values : {&to.vx, &to.vy, &to.vz, &to.u, &to.h}) values->push_back(0.0);
  to.m.push_back(m);
}

double draw(std::uint64_t i, std::uint64_t number) { return base::uniform(17, i, number); }

/// At random all over the box.
InitialConditions uniform_bodies(std::uint64_t count, const Vec3& box) {
  InitialConditions all = empty_box(box);
  for (std::uint64_t i = 0; i < count; ++i) {
    add_body(all, 1, {box.x * draw(i, 0), box.y * draw(i, 1), box.z * draw(i, 2)},
             (0.5 + draw(i, 3)) / static_cast<double>(count));
  }
  return all;
}

/// Seven tenths in ten clumps with r^-2 cusps, some of them across the faces of the box.
InitialConditions clustered_bodies(std::uint64_t count, const Vec3& box) {
  InitialConditions all = empty_box(box);
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t clump = i % 14;
    Vec3 at{draw(i, 0), draw(i, 1), draw(i, 2)};
    if (clump < 10) {
      const double r = 0.06 * draw(i, 0);
      const double cosine = 2.0 * draw(i, 1) - 1.0;
      const double angle = 2.0 * std::numbers::pi * draw(i, 2);
      const double sine = std::sqrt(1.0 - cosine * cosine);
      const Vec3 centre{clump == 0 ? 0.0 : draw(clump, 7), clump == 1 ? 1.0 : draw(clump, 8), draw(clump, 9)};
      at = centre + r * Vec3{sine * std::cos(angle), sine * std::sin(angle), cosine};
      for (std::size_t axis = 0; axis < 3; ++axis) at[axis] -= std::floor(at[axis]);
    }
    add_body(all, 1, {box.x * at.x, box.y * at.y, box.z * at.z}, 1.0 / static_cast<double>(count));
  }
  return all;
}

/// Ewald's sum for each body, by its ID, with G = 1.
struct Exact {
  Exact(const InitialConditions& of, double softening) {
    for (auto* values : {&phi, &x, &y, &z}) values->assign(of.size(), 0.0);
    fmm::add_periodic_pairs({of.x, of.y, of.z, of.m}, of.box, fmm::Softening::wendland_c2(softening), {phi, x, y, z});
  }
  std::vector<double> phi, x, y, z;
};

struct Errors {
  double l2 = 0.0;        ///< sqrt(sum |a - exact|^2 / sum |exact|^2)
  double p99 = 0.0;       ///< 99th percentile of |a - exact| / |exact|
  double phi = 0.0;       ///< rms of the potential over that of its exact values
  double momentum = 0.0;  ///< |sum m a| / sum |m a|
};

Errors errors_of(const Gas& gas, const Exact& exact, double G) {
  std::vector<double> relative;
  std::array<double, 4> sums{};
  Vec3 total{};
  double scale = 0.0;
  for (std::size_t i = 0; i < gas.size(); ++i) {
    const std::size_t k = gas.id[i] - 1;
    const Vec3 a = (1.0 / G) * Vec3{gas.gx[i], gas.gy[i], gas.gz[i]};
    const Vec3 should{exact.x[k], exact.y[k], exact.z[k]};
    const Vec3 off = a - should;
    relative.push_back(norm(off) / norm(should));
    sums[0] += dot(off, off);
    sums[1] += dot(should, should);
    sums[2] += std::pow(gas.phi[i] / G - exact.phi[k], 2);
    sums[3] += std::pow(exact.phi[k], 2);
    total = total + gas.m[i] * a;
    scale += gas.m[i] * norm(a);
  }
  const auto rank = relative.begin() + static_cast<std::ptrdiff_t>(relative.size() * 99 / 100);
  std::ranges::nth_element(relative, rank);
  return {std::sqrt(sums[0] / sums[1]), *rank, std::sqrt(sums[2] / sums[3]), norm(total) / scale};
}

/// Equal bodies on a lattice of so many cells along each side of the unit box, with places within a cell.
InitialConditions lattice(int cells, const std::vector<Vec3>& places, std::uint8_t type = 1) {
  InitialConditions all = empty_box({1.0, 1.0, 1.0});
  const double n = cells;
  const double m = 1.0 / (n * n * n * static_cast<double>(places.size()));
  for (int i = 0; i < cells * cells * cells; ++i) {
    const Vec3 cell{double(i / (cells * cells)), double(i / cells % cells), double(i % cells)};
    for (const Vec3& at : places) add_body(all, type, (1.0 / n) * (cell + at), m);
  }
  return all;
}

/// The part of all displacements along x from a cubic lattice that is a sine over the box; `n` bodies along a side.
double amplitude_of(const Gas& gas, int n) {
  double sum = 0.0;
  for (std::size_t i = 0; i < gas.size(); ++i) {
    const double q = (double((gas.id[i] - 1) / static_cast<std::uint64_t>(n * n)) + 0.5) / double(n);
    const double away = gas.x[i] - q;
    sum += (away - std::round(away)) * std::sin(2.0 * std::numbers::pi * q);
  }
  return 2.0 * sum / static_cast<double>(gas.size());
}

/// Amplitude of a standing wave at the times of a run from rest, over that of the begin.
std::vector<double> wave_at(const SphParameters& parameters, std::uint8_t type, double u, int n,
                            const std::vector<double>& times) {
  constexpr double amplitude = 1e-3;
  InitialConditions all = lattice(n, {{0.5, 0.5, 0.5}}, type);
  for (double& x : all.x) x += amplitude * std::sin(2.0 * std::numbers::pi * x);
  if (type == 0) {
    all.has_types = false;
    all.type.clear();
    // Compressed and stretched without exchange of heat: u ~ rho^(gamma - 1).
    const double k = 2.0 * std::numbers::pi;
    const double gamma = parameters.gamma;
    for (std::size_t i = 0; i < all.size(); ++i)
      all.u[i] = u * (1.0 - (gamma - 1.0) * amplitude * k * std::cos(k * all.x[i]));
  }
  SmallRun run(parameters, all);
  std::vector<double> amplitudes;
  for (const double time : times) {
    run.advance_to(time);
    amplitudes.push_back(amplitude_of(run.solver.gas(), n) / amplitude);
  }
  return amplitudes;
}

/// Gas, a halo and stars with softenings of their own, all over a box and in a clump across its corner.
InitialConditions mixture() {
  InitialConditions all = empty_box({1.0, 1.0, 1.0});
  const auto wrapped = [](double x) { return x - std::floor(x); };
  for (std::uint64_t i = 0; i < 600; ++i) {
    const double size = i % 3 == 0 ? 0.1 : 1.0;
    add_body(all,
             i % 9 == 0   ? 4
             : i % 2 == 0 ? 1
                          : 0,
             {wrapped(size * draw(i, 0)), wrapped(size * draw(i, 1)), wrapped(1.0 - size * draw(i, 2))},
             (0.5 + draw(i, 3)) / 600.0);
    all.vx.back() = draw(i, 4) - 0.5;
    all.u.back() = all.type.back() == 0 ? 0.3 : 0.0;
  }
  return all;
}

SphParameters for_mixture(bool is_individual) {
  SphParameters parameters = gravitating(is_individual);
  parameters.gravity.softening = 0.01;
  parameters.gravity.own_softening = {0.0, 0.02, 0.0, 0.0, 0.005, 0.0};
  return parameters;
}

std::string refusal_of(const SphParameters& parameters, const InitialConditions& bodies) {
  try {
    const SmallRun run(parameters, bodies);
  } catch (const base::Error& error) {
    return error.what();
  }
  return "accepted";
}

}  // namespace

TEST(GravityPeriodic, ForcesAreEwaldsSums) {
  struct Choice {
    int order;
    double tolerance;
  };
  const Vec3 box{2.0, 2.0, 2.0};
  for (const bool is_clustered : {false, true}) {
    const InitialConditions bodies = is_clustered ? clustered_bodies(1000, box) : uniform_bodies(1000, box);
    SphParameters parameters = gravitating();
    const Exact exact(bodies, parameters.gravity.softening);
    for (const Choice& choice : {Choice{3, 1e-3}, {4, 1e-2}, {4, 1e-3}, {4, 1e-4}, {5, 1e-3}}) {
      parameters.gravity.order = choice.order;
      parameters.gravity.tolerance = choice.tolerance;
      SmallRun run(parameters, bodies);
      run.step(1e-9);
      const Errors errors = errors_of(run.solver.gas(), exact, parameters.gravity.G);
      std::printf("%s, order %d, tolerance %g: L2 %.2e, 99 %% %.2e, potential %.2e, sum of m a %.1e\n",
                  is_clustered ? "clustered" : "uniform", choice.order, choice.tolerance, errors.l2, errors.p99,
                  errors.phi, errors.momentum);
      // As in open boxes: tens of sources, each below the tolerance of the smallest acceleration.
      EXPECT_LT(errors.l2, std::min(5e-3, 2.0 * choice.tolerance));
      EXPECT_LT(errors.p99, 20.0 * choice.tolerance);
      // On the background, potentials of a uniform box nearly cancel.
      EXPECT_LT(errors.phi, is_clustered ? 0.1 * choice.tolerance : 2e-3);
      EXPECT_LT(errors.momentum, 1e-6);
      EXPECT_GT(errors.l2, 1e-7) << "no expansions";
    }
  }
}

TEST(GravityPeriodic, BoxesNeedNotBeCubes) {
  const Vec3 box{1.0, 2.0, 1.4};
  const InitialConditions bodies = uniform_bodies(300, box);
  const SphParameters parameters = gravitating();
  SmallRun run(parameters, bodies);
  run.step(1e-9);
  const Errors errors = errors_of(run.solver.gas(), Exact(bodies, parameters.gravity.softening), parameters.gravity.G);
  EXPECT_LT(errors.l2, 2.0 * parameters.gravity.tolerance);
  EXPECT_LT(errors.momentum, 1e-6);
}

TEST(GravityPeriodic, OnLatticesAllForcesCancel) {
  const std::vector<Vec3> simple{{0.3, 0.1, 0.9}};
  const std::vector<Vec3> body{{0.0, 0.0, 0.0}, {0.5, 0.5, 0.5}};
  const std::vector<Vec3> face{{0.2, 0.2, 0.2}, {0.7, 0.7, 0.2}, {0.7, 0.2, 0.7}, {0.2, 0.7, 0.7}};
  struct Case {
    int cells;
    const std::vector<Vec3>& places;
    double nearest;  ///< distance, in sides of a cell
  };
  for (const auto& [cells, places, nearest] :
       {Case{8, simple, 1.0}, Case{6, body, std::sqrt(0.75)}, Case{5, face, std::sqrt(0.5)}}) {
    const InitialConditions bodies = lattice(cells, places);
    const SphParameters parameters = gravitating();
    SmallRun run(parameters, bodies);
    run.step(1e-9);
    const double of_neighbour = parameters.gravity.G * bodies.m[0] / std::pow(nearest / cells, 2);
    double largest = 0.0;
    for (std::size_t i = 0; i < run.solver.gas().size(); ++i) {
      const Gas& gas = run.solver.gas();
      largest = std::max(largest, norm(Vec3{gas.gx[i], gas.gy[i], gas.gz[i]}) / of_neighbour);
    }
    std::printf("%d^3 cells of %zu: largest force %.1e of a neighbour's\n", cells, places.size(), largest);
    // The tolerance is one of what a neighbour does; there are tens of sources.
    EXPECT_LT(largest, 5.0 * parameters.gravity.tolerance);
  }
}

TEST(GravityPeriodic, ForcesAreTheGradientOfTheEnergy) {
  const InitialConditions bodies = clustered_bodies(400, {1.0, 1.0, 1.0});
  SphParameters parameters = gravitating();
  parameters.gravity.softening = 0.01;
  parameters.gravity.tolerance = 1e-4;
  parameters.gravity.order = 5;
  constexpr double step = 2e-3;
  const auto moved = [&](double by) {
    InitialConditions all = bodies;
    for (std::size_t i = 0; i < all.size(); ++i) {
      all.x[i] += by * std::sin(2.0 * std::numbers::pi * all.y[i]);
      all.y[i] += by * std::sin(2.0 * std::numbers::pi * all.y[i]);
    }
    return all;
  };
  const SmallRun plus(parameters, moved(step));
  const SmallRun minus(parameters, moved(-step));
  const SmallRun middle(parameters, bodies);
  const Gas& gas = middle.solver.gas();
  double work = 0.0;
  for (std::size_t i = 0; i < gas.size(); ++i) {
    work += gas.m[i] * (gas.gx[i] + gas.gy[i]) * std::sin(2.0 * std::numbers::pi * gas.y[i]);
  }
  const double energy_plus = plus.solver.sums().potential_energy.value();
  const double energy_minus = minus.solver.sums().potential_energy.value();
  EXPECT_GT(std::abs(energy_plus - energy_minus), 1e-4 * std::abs(energy_plus));
  EXPECT_NEAR(-(energy_plus - energy_minus) / (2.0 * step), work, 1e-2 * std::abs(work));
}

TEST(GravityPeriodic, EnergyIsKept) {
  for (const bool is_individual : {false, true}) {
    SphParameters parameters = gravitating(is_individual);
    parameters.gravity.softening = 0.02;
    parameters.gravity.time_step_factor = 0.05;
    SmallRun run(parameters, clustered_bodies(300, {1.0, 1.0, 1.0}));
    const double begin = run.solver.sums().energy();
    run.advance_to(0.1);  // in which clumps fall together
    const double kinetic = run.solver.sums().kinetic_energy;
    EXPECT_GT(kinetic, 0.1 * std::abs(begin));
    std::printf("drift %.2e\n", (run.solver.sums().energy() - begin) / kinetic);
    EXPECT_NEAR(run.solver.sums().energy(), begin, 5e-3 * kinetic) << is_individual;
  }
}

TEST(GravityPeriodic, ColdWavesGrowAsJeansSays) {
  SphParameters parameters = gravitating();
  parameters.gravity.softening = 0.01;
  const double omega = std::sqrt(4.0 * std::numbers::pi * parameters.gravity.G);  // of mean density 1
  const std::vector<double> times{0.5 / omega, 1.0 / omega, 2.0 / omega};
  const std::vector<double> grown = wave_at(parameters, 1, 0.0, 12, times);
  for (std::size_t k = 0; k < times.size(); ++k) {
    std::printf("omega t = %g: %.5f, exact %.5f\n", omega * times[k], grown[k], std::cosh(omega * times[k]));
    EXPECT_NEAR(grown[k] / std::cosh(omega * times[k]), 1.0, 0.01);
  }
}

TEST(GravityPeriodic, WavesInGasSwingOrGrowAsJeansSays) {
  SphParameters parameters = gravitating();
  parameters.gravity = {.is_present = true, .G = 1.0, .softening = 0.02};
  parameters.cfl = 0.3;
  const double k = 2.0 * std::numbers::pi;
  for (const double ratio : {4.0, 0.25}) {  // (c k)^2 over 4 pi G rho
    const double gravity = 4.0 * std::numbers::pi;
    const double u = ratio * gravity / (k * k) / (parameters.gamma * (parameters.gamma - 1.0));
    const double rate = std::sqrt(std::abs(gravity * (1.0 - ratio)));
    const double time = 1.0 / rate;
    const double found = wave_at(parameters, 0, u, 12, {time}).front();
    const double exact = ratio > 1.0 ? std::cos(1.0) : std::cosh(1.0);
    std::printf("(c k)^2 / (4 pi G rho) = %g: %.5f, exact %.5f\n", ratio, found, exact);
    // With twelve particles along the wave kernels smooth pressure and density by some percent, and viscosity damps.
    EXPECT_NEAR(found, exact, 0.05);
  }
}

TEST(GravityPeriodic, SameBitsOnAnyNumberOfThreadsAndRanks) {
  for (const bool is_individual : {false, true}) {
    const SphParameters parameters = for_mixture(is_individual);
    const InitialConditions all = mixture();
    const int steps = is_individual ? 10 : 5;
    const Outcome alone = outcome_of(parameters, all, 1, 1, steps);
    EXPECT_EQ(alone.particles.size(), all.size());
    EXPECT_EQ(outcome_of(parameters, all, 1, 2, steps), alone);
    EXPECT_EQ(outcome_of(parameters, all, 2, 2, steps), alone);
    EXPECT_EQ(outcome_of(parameters, all, 4, 1, steps), alone);
  }
}

TEST(GravityPeriodic, ACheckpointContinuesWithTheSameBits) {
  for (const bool is_individual : {false, true}) {
    const test::Scratch scratch;
    const SphParameters parameters = for_mixture(is_individual);
    SmallRun whole(parameters, mixture());
    whole.advance(5);
    if (is_individual) whole.step(0.3 * whole.solver.time_step());
    io::FileWriter file(scratch / "restart.hdf5");
    whole.solver.save(file);
    file.commit();
    SmallRun resumed(parameters, io::FileReader(scratch / "restart.hdf5"), 2);
    whole.advance(6);
    resumed.advance(6);
    EXPECT_EQ(differing_fields(resumed.solver.gas(), whole.solver.gas()), Names{});
    EXPECT_EQ(resumed.solver.sums().energy(), whole.solver.sums().energy());
  }
}

TEST(GravityPeriodic, FewBodiesSimplyWork) {
  // One body is at rest among its images, of which the potential is that of a cubic lattice.
  const SphParameters parameters = gravitating();
  InitialConditions one = empty_box({2.0, 2.0, 2.0});
  add_body(one, 5, {1.9, 0.0, 0.3}, 0.5);
  SmallRun alone(parameters, one);
  alone.step(0.25);
  const Gas& gas = alone.solver.gas();
  EXPECT_LT(norm(Vec3{gas.gx[0], gas.gy[0], gas.gz[0]}), 1e-6);
  EXPECT_NEAR(gas.phi[0], 3.0 * 0.5 / 2.0 * 2.837297479, 1e-5);
  // Two at any distance, seen across a face.
  InitialConditions two = one;
  add_body(two, 5, {0.3, 0.1, 1.2}, 0.5);
  SmallRun pair(parameters, two);
  pair.step(1e-9);
  EXPECT_LT(errors_of(pair.solver.gas(), Exact(two, 1e-3), 3.0).l2, 5e-3);
}

TEST(GravityPeriodic, RefusesBoxesThatItDoesNotKnow) {
  SphParameters parameters = gravitating();
  const auto begins = [&](const InitialConditions& bodies, const std::string& message) {
    const std::string refusal = refusal_of(parameters, bodies);
    EXPECT_EQ(refusal.substr(0, message.size()), message);
  };
  begins(uniform_bodies(8, {1.0, 1.0, 3.0}),
         "gravity.self: the box of 1 x 1 x 3 is too elongated for periodic images: its longest side may be at most 2 "
         "times the shortest");
  parameters.gravity.softening = 0.2;
  begins(uniform_bodies(8, {1.0, 1.0, 1.0}),
         "gravity.softening: 0.2 is too long for a periodic box of 1 x 1 x 1: particles may be softened within half of "
         "its shortest side, so at most 0.1666");
  parameters.gravity.softening = 0.1;
  parameters.gravity.own_softening[4] = 0.3;
  begins(uniform_bodies(8, {1.0, 1.0, 1.0}),
         "gravity.softening_stars: 0.3 is too long for a periodic box of 1 x 1 x 1");
}

}  // namespace tacit::sph::gravity_periodic_test
