// Gravity of the particles themselves: against plain sums, on threads, from checkpoints, and what it refuses.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <span>
#include <string>
#include <vector>

#include "rank_runs.hpp"
#include "samples.hpp"
#include "tacit/base/error.hpp"
#include "tacit/base/random.hpp"
#include "tacit/fmm/direct.hpp"
#include "tacit/solvers/sph/gravity/tree.hpp"

namespace tacit::sph::gravity_test {
namespace {

using base::Vec3;
using fmm::SofteningKind;
using testing::differing_fields;
using testing::Outcome;
using testing::outcome_of;
using testing::SmallRun;
using testing::with_own_steps;
using Names = std::vector<std::string_view>;

/// G = 3, to be seen where it is forgotten.
SphParameters gravitating() {
  SphParameters parameters = testing::plain_parameters();
  parameters.scheme = Scheme::sphenix;
  parameters.boundary = Boundary::open;
  parameters.gravity = {.is_present = true, .G = 3.0, .softening = 0.02};
  return parameters;
}

InitialConditions evrard_ball(std::int64_t resolution) {
  return make(Evrard{.resolution = resolution, .radius = 1.0, .mass = 1.0, .u = 0.05});
}

/// What plain sums give the particles of a gas.
struct PlainSums {
  PlainSums(const Gas& gas, const SelfGravity& gravity) {
    for (auto* values : {&phi, &x, &y, &z}) values->assign(gas.size(), 0.0);
    const auto softening = gravity.kind == SofteningKind::plummer ? fmm::Softening::plummer(gravity.softening)
                                                                  : fmm::Softening::wendland_c2(gravity.softening);
    fmm::add_pairs({gas.x, gas.y, gas.z, gas.m}, softening, {phi, x, y, z});
    for (auto* values : {&phi, &x, &y, &z}) {
      for (double& value : *values) value *= gravity.G;
    }
  }
  std::vector<double> phi, x, y, z;
};

/// sqrt(sum |g - exact|^2 / sum |exact|^2), and the same of potentials.
struct Errors {
  double g, phi;
};
/// Over the particles that `is_seen` picks.
template <class Seen>
Errors errors_of(const Gas& gas, const SelfGravity& gravity, const Seen& is_seen) {
  const PlainSums exact(gas, gravity);
  std::array<double, 4> sums{};
  for (std::size_t i = 0; i < gas.size(); ++i) {
    if (!is_seen(i)) continue;
    const Vec3 g{exact.x[i], exact.y[i], exact.z[i]};
    const Vec3 off = Vec3{gas.gx[i], gas.gy[i], gas.gz[i]} - g;
    sums[0] += dot(off, off);
    sums[1] += dot(g, g);
    sums[2] += std::pow(gas.phi[i] - exact.phi[i], 2);
    sums[3] += std::pow(exact.phi[i], 2);
  }
  return {std::sqrt(sums[0] / sums[1]), std::sqrt(sums[2] / sums[3])};
}
Errors errors_of(const Gas& gas, const SelfGravity& gravity) {
  return errors_of(gas, gravity, [](std::size_t) { return true; });
}

/// Of the forces of a step, for which those of the begin are known.
Errors errors_with(const SphParameters& parameters, std::int64_t resolution) {
  SmallRun run(parameters, evrard_ball(resolution));
  run.step(1e-4);
  return errors_of(run.solver.gas(), parameters.gravity);
}

void save(const SmallRun& run, const std::filesystem::path& path) {
  io::FileWriter file(path);
  run.solver.save(file);
  file.commit();
}

/// sqrt(sum |r|^2 / N) about the centre of mass of particles of equal masses.
double rms_radius(const Gas& gas) {
  const auto n = static_cast<double>(gas.size());
  Vec3 sum{};
  double squares = 0.0;
  for (std::size_t i = 0; i < gas.size(); ++i) {
    const Vec3 at{gas.x[i], gas.y[i], gas.z[i]};
    sum = sum + at;
    squares += dot(at, at);
  }
  return std::sqrt(squares / n - dot(sum, sum) / (n * n));
}

/// Radius of a ball that falls freely from rest, over that of the begin: cos^2 beta, where
///
///     beta + sin(2 beta) / 2 = pi t / (2 t_ff)
double radius_in_free_fall(double t_over_t_ff) {
  double beta = 0.5;
  for (int i = 0; i < 50; ++i) {
    const double rest = beta + 0.5 * std::sin(2.0 * beta) - 0.5 * std::numbers::pi * t_over_t_ff;
    beta -= rest / (1.0 + std::cos(2.0 * beta));
  }
  return std::pow(std::cos(beta), 2);
}

}  // namespace

TEST(SphGravity, TheTreeHoldsEveryCellOnce) {
  SmallRun run(gravitating(), evrard_ball(20));
  const particles::CellTree& cells = run.solver.step_data().grid;
  const GravityTree tree(cells);
  std::vector<int> times(cells.cells(), 0);
  for (std::size_t n = 0; n < tree.nodes().size(); ++n) {
    const GravityNode& node = tree.nodes()[n];
    if (node.is_cell()) {
      ++times[node.leaf];
      EXPECT_EQ(tree.node_of_leaf(node.leaf), n);
    }
    for (std::uint32_t k = 0; k < node.children; ++k) {
      EXPECT_GT(node.first_child, n);
      EXPECT_EQ(tree.nodes()[node.first_child + k].parent, n);
    }
  }
  EXPECT_GT(cells.cells(), 8U);
  EXPECT_EQ(times, std::vector<int>(cells.cells(), 1));
}

TEST(SphGravity, ForcesAreThePlainSums) {
  for (const SofteningKind kind : {SofteningKind::wendland_c2, SofteningKind::plummer}) {
    for (const int order : {2, 4, 5}) {
      for (const double tolerance : {1e-2, 1e-3}) {
        SphParameters parameters = gravitating();
        parameters.gravity.kind = kind;
        parameters.gravity.order = order;
        parameters.gravity.tolerance = tolerance;
        const Errors errors = errors_with(parameters, 14);
        // What one source errs by is below the tolerance of the smallest acceleration of its sink. There are tens of
        // sources, of either sign, whose errors add up to some times that of one; the rms acceleration is some times
        // the smallest. In the potential a power of theta is gained.
        EXPECT_LT(errors.g, 2.0 * tolerance) << "order " << order << ", tolerance " << tolerance;
        EXPECT_LT(errors.phi, 0.1 * tolerance) << "order " << order << ", tolerance " << tolerance;
        EXPECT_GT(errors.g, 1e-6) << "no expansions, order " << order << ", tolerance " << tolerance;
      }
    }
  }
}

TEST(SphGravity, TheAngleBoundsErrorsToo) {
  double before = 1.0;
  for (const double angle : {0.8, 0.6, 0.4}) {
    SphParameters parameters = gravitating();
    parameters.gravity.opening = Opening::angle;
    parameters.gravity.angle = angle;
    const Errors errors = errors_with(parameters, 14);
    // Of the order theta^4 of the part that comes from the farthest such cells, which is some hundredths.
    EXPECT_LT(errors.g, 0.05 * std::pow(angle, 4));
    EXPECT_LT(errors.g, 0.5 * before);
    before = errors.g;
  }
}

TEST(SphGravity, ASofteningFarBelowAllDistancesIsAsGoodAsNone) {
  for (const SofteningKind kind : {SofteningKind::wendland_c2, SofteningKind::plummer}) {
    for (const double softening : {1e-9, 1e-14, 1e-40}) {
      SphParameters parameters = gravitating();
      parameters.gravity.kind = kind;
      parameters.gravity.softening = softening;
      parameters.gravity.opening = Opening::angle;
      const SmallRun run(parameters, evrard_ball(10));
      EXPECT_LT(errors_of(run.solver.gas(), parameters.gravity).g, 0.05 * std::pow(parameters.gravity.angle, 4))
          << softening;
    }
  }
}

/// Bodies in the unit ball, too few for more than one leaf, and others that floats cannot tell from these.
InitialConditions few_bodies(std::span<const Vec3> others) {
  InitialConditions bodies;
  bodies.source = "few";
  const auto add = [&](const Vec3& at) {
    bodies.id.push_back(bodies.id.size() + 1);
    bodies.x.push_back(at.x);
    bodies.y.push_back(at.y);
    bodies.z.push_back(at.z);
    bodies.m.push_back(0.05);
  };
  for (std::uint64_t i = 0; bodies.size() < 20; ++i) {
    const auto place = [i](std::uint64_t axis) { return 2.0 * base::uniform(3, i, axis) - 1.0; };
    const Vec3 at{place(0), place(1), place(2)};
    if (norm(at) < 1.0) add(at);
  }
  std::ranges::for_each(others, add);
  for (auto* v : {&bodies.vx, &bodies.vy, &bodies.vz}) v->assign(bodies.size(), 0.0);
  bodies.u.assign(bodies.size(), 1e-9);
  return bodies;
}

TEST(SphGravity, PairsAreToldApartHoweverFarOthersAre) {
  const Vec3 at{0.5, 0.3, -0.2};
  const std::vector<std::vector<Vec3>> cases{{{1e6, 0.0, 0.0}}, {{0.0, -1e8, 0.0}}, {at, at + Vec3{0.0, 6e-7, 8e-7}}};
  for (const std::vector<Vec3>& others : cases) {
    SphParameters parameters = gravitating();
    parameters.gravity.softening = 1e-7;
    SmallRun run(parameters, few_bodies(others));
    const Gas& gas = run.solver.gas();
    const PlainSums exact(gas, parameters.gravity);
    for (std::size_t i = 0; i < gas.size(); ++i) {
      const Vec3 g{exact.x[i], exact.y[i], exact.z[i]};
      // Where nothing cancels much, what floats may err by; what is far is expanded, at an angle of 1/2.
      EXPECT_LT(norm(Vec3{gas.gx[i], gas.gy[i], gas.gz[i]} - g), 2.0 * fmm::most_float_error * norm(g)) << gas.x[i];
    }
  }
}

TEST(SphGravity, MomentumIsKeptToRounding) {
  for (const Pairs pairs : {Pairs::gather, Pairs::symmetric}) {
    SphParameters parameters = gravitating();
    parameters.pairs = pairs;
    SmallRun run(parameters, evrard_ball(10));
    run.advance(3);
    const Gas& gas = run.solver.gas();
    Vec3 sum{};
    double scale = 0.0;
    for (std::size_t i = 0; i < gas.size(); ++i) {
      const Vec3 g{gas.gx[i], gas.gy[i], gas.gz[i]};
      sum = sum + gas.m[i] * g;
      scale += gas.m[i] * norm(g);
    }
    // Each g is rounded to floats, and pairs nearby are summed in them: 2^-24, times the few that do not cancel.
    EXPECT_LT(norm(sum), 0x1p-24 * scale);
  }
}

TEST(SphGravity, SameBitsOnAnyNumberOfThreads) {
  for (const bool is_individual : {false, true}) {
    SphParameters parameters = gravitating();
    parameters.has_individual_steps = is_individual;
    SmallRun reference(parameters, evrard_ball(10));
    reference.advance(20);
    for (const bool deterministic : {false, true}) {
      SmallRun run(parameters, evrard_ball(10), 2, deterministic);
      run.advance(20);
      EXPECT_EQ(differing_fields(run.solver.gas(), reference.solver.gas()), Names{});
    }
  }
}

TEST(SphGravity, ACheckpointContinuesWithTheSameBits) {
  for (const bool is_individual : {false, true}) {
    const test::Scratch scratch;
    SphParameters parameters = gravitating();
    parameters.has_individual_steps = is_individual;
    SmallRun whole(parameters, evrard_ball(10));
    whole.advance(17);
    if (is_individual) whole.step(0.3 * whole.solver.time_step());
    save(whole, scratch / "restart.hdf5");
    SmallRun resumed(parameters, io::FileReader(scratch / "restart.hdf5"), 2);
    EXPECT_EQ(resumed.solver.sums().energy(), whole.solver.sums().energy());
    whole.advance(15);
    resumed.advance(15);
    EXPECT_EQ(differing_fields(resumed.solver.gas(), whole.solver.gas()), Names{});
    EXPECT_EQ(resumed.solver.sums().energy(), whole.solver.sums().energy());
  }
}

TEST(SphGravity, SameBitsOnAnyNumberOfRanks) {
  for (const bool is_individual : {false, true}) {
    SphParameters parameters = gravitating();
    parameters.has_individual_steps = is_individual;
    const InitialConditions ball = evrard_ball(10);
    const Outcome alone = outcome_of(parameters, ball, 1, 1, 12);
    EXPECT_EQ(alone.particles.size(), ball.size());
    EXPECT_EQ(outcome_of(parameters, ball, 2, 2, 12), alone);
    EXPECT_EQ(outcome_of(parameters, ball, 3, 1, 12), alone);
  }
}

TEST(SphGravity, CutAnewAtEverySortLeavesTheSameBits) {
  SphParameters parameters = gravitating();
  InitialConditions ball = evrard_ball(10);
  for (double& vx : ball.vx) vx = 30.0;  // is sorted every few steps
  const Outcome alone = outcome_of(parameters, ball, 1, 1, 8);
  EXPECT_EQ(outcome_of(parameters, ball, 3, 1, 8, testing::Cuts::at_every_sort), alone);
}

TEST(SphGravity, FewActiveParticlesAreAttractedFromWhereAllAreNow) {
  const SphParameters parameters = with_own_steps(gravitating());
  SmallRun run(parameters, evrard_ball(16));
  const Gas& gas = run.solver.gas();
  int steps_of_few = 0;
  for (int step = 0; step < 200 && steps_of_few < 3; ++step) {
    run.advance(1);
    if (4 * run.solver.updated() > gas.size()) continue;
    ++steps_of_few;
    const auto is_active = [&](std::size_t i) { return run.solver.clock().is_active(gas.bin[i]); };
    const Errors errors = errors_of(gas, parameters.gravity, is_active);
    EXPECT_LT(errors.g, parameters.gravity.tolerance) << run.solver.updated();
    EXPECT_LT(errors.phi, 0.1 * parameters.gravity.tolerance);
  }
  EXPECT_EQ(steps_of_few, 3);
}

TEST(SphGravity, PotentialEnergyIsThatOfAllPairs) {
  for (const bool is_individual : {false, true}) {
    SphParameters parameters = gravitating();
    parameters.has_individual_steps = is_individual;
    SmallRun run(parameters, evrard_ball(10));
    const Gas& gas = run.solver.gas();
    double largest = 0.0;
    int together = 0;
    for (int look = 0; together < 2 || look < 8; ++look) {
      run.advance(5);
      if (run.solver.updated() < gas.size()) run.advance(1);
      const PlainSums exact(gas, parameters.gravity);
      double energy = 0.0;
      for (std::size_t i = 0; i < gas.size(); ++i) energy += 0.5 * gas.m[i] * exact.phi[i];
      const double off = std::abs(run.solver.sums().potential_energy.value() / energy - 1.0);
      largest = std::max(largest, off);
      if (run.solver.updated() < gas.size()) continue;
      ++together;
      EXPECT_LT(off, 1e-5);  // a hundredth of the tolerance, as potentials err by
    }
    EXPECT_LT(largest, is_individual ? 3e-3 : 1e-5);  // between the ends of steps, to first order in their differences
  }
}

TEST(SphGravity, AColdBallFallsFreely) {
  SphParameters parameters = gravitating();
  parameters.scheme = Scheme::gadget2;
  parameters.alpha = 0.0;
  const InitialConditions ball = make(Noh{.resolution = 12, .P = 1e-9, .speed = 0.0});
  const double M = 4.0 / 3.0 * std::numbers::pi;
  SmallRun run(parameters, ball);
  const double t_ff = std::numbers::pi / std::sqrt(8.0 * parameters.gravity.G * M);
  const double begin = rms_radius(run.solver.gas());
  for (const double part : {0.3, 0.6, 0.8}) {
    run.advance_to(part * t_ff);
    // A lattice of 2 * 12^3 pi/6 places is no ball: its rim is off by up to half the spacing of 0.13, and its binding
    // energy by half of the square of that, 0.8 %.
    EXPECT_NEAR(rms_radius(run.solver.gas()) / begin, radius_in_free_fall(part), 0.008) << part;
  }
}

TEST(SphGravity, KeysBecomeParameters) {
  const test::Scratch scratch;
  const std::string begin = "[time]\nend = 1\n[initial]\nsetup = \"evrard\"\n[sph]\nboundary = \"open\"\n";
  const SphParameters none = read_parameters(testing::read_text(scratch / "none.toml", begin));
  EXPECT_FALSE(none.gravity.is_present);
  const SphParameters some = read_parameters(testing::read_text(
      scratch / "some.toml",
      begin + "[gravity]\nself = true\nconstant = 2\nsoftening = \"1 m\"\nsoftening_kernel = \"plummer\"\norder = 5\n"
              "criterion = \"angle\"\nangle = 0.4\ntolerance = 1e-2\ntime_step = 0.1\n"));
  const SelfGravity& gravity = some.gravity;
  EXPECT_TRUE(gravity.is_present);
  EXPECT_EQ(gravity.G, 2.0);
  EXPECT_EQ(gravity.softening, 100.0);
  EXPECT_EQ(gravity.kind, SofteningKind::plummer);
  EXPECT_EQ(gravity.order, 5);
  EXPECT_EQ(gravity.opening, Opening::angle);
  EXPECT_EQ(gravity.angle, 0.4);
  EXPECT_EQ(gravity.tolerance, 1e-2);
  EXPECT_EQ(gravity.time_step_factor, 0.1);
  // In units of G M / R with that G.
  EXPECT_EQ(std::get<Evrard>(some.setup.value()).u, 0.05 * 2.0);
  const SphParameters nature =
      read_parameters(testing::read_text(scratch / "nature.toml", begin + "[gravity]\nself = true\nsoftening = 1\n"));
  EXPECT_EQ(nature.gravity.G, 6.67430e-8);
}

TEST(SphGravity, MemoryOnRanksHoldsMessagesToo) {
  const test::Scratch scratch;
  const auto parameters = testing::read_text(
      scratch / "run.toml",
      "[time]\nend = 1\n[initial]\nsetup = \"evrard\"\n[evrard]\nresolution = 80\n[sph]\nboundary = \"open\"\n"
      "[gravity]\nself = true\nsoftening = 1\n");
  const engine::Prediction one = solver_entry().predict(parameters, 1);
  const engine::Prediction three = solver_entry().predict(parameters, 3);
  const auto n = static_cast<double>(one.elements);
  // On each a good part of what the others have, but not all of it.
  const double on_each = (three.memory_bytes - one.memory_bytes) / 3.0;
  EXPECT_GT(on_each, 0.2 * n * 32.0);
  EXPECT_LT(on_each, 1.5 * n * 32.0);
}

TEST(SphGravity, RefusesSpacesThatItDoesNotKnow) {
  const test::Scratch scratch;
  const auto message = [&](const std::string& text, std::size_t ranks) -> std::string {
    try {
      const auto parameters =
          testing::read_text(scratch / "run.toml", "[time]\nend = 1\n[gravity]\nself = true\nsoftening = 1\n" + text);
      static_cast<void>(solver_entry().predict(parameters, ranks));
    } catch (const base::Error& error) {
      return error.what();
    }
    return "accepted";
  };
  const std::string sedov = "[initial]\nsetup = \"sedov\"\n[sph]\nboundary = \"reflecting\"\n";
  EXPECT_NE(message(sedov, 1).find("gravity.self: knows no images of the particles in walls, which a box that is "
                                   "reflecting has"),
            std::string::npos)
      << message(sedov, 1);
  const std::string plane = "[initial]\nsetup = \"noh\"\n[sph]\nboundary = \"open\"\ndimension = 2\n";
  EXPECT_NE(message(plane, 1).find("gravity.self: needs three dimensions, and sph.dimension is 2"), std::string::npos)
      << message(plane, 1);
  const std::string ball = "[initial]\nsetup = \"noh\"\n[sph]\nboundary = \"open\"\n";
  EXPECT_EQ(message(ball, 1), "accepted");
  EXPECT_EQ(message(ball, 2), "accepted");
  SphParameters parameters = gravitating();
  EXPECT_THROW(SmallRun(parameters, testing::uniform_gas(8, 0.0, 2)), base::Error);
}

}  // namespace tacit::sph::gravity_test
