// Particles that are no gas attract and move: forces by type, bits, equilibrium, orbits, free fall, and bad input.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <numbers>
#include <string>
#include <vector>

#include "rank_runs.hpp"
#include "samples.hpp"
#include "tacit/base/error.hpp"
#include "tacit/base/random.hpp"
#include "tacit/fmm/direct.hpp"
#include "tacit/solvers/sph/formats/gadget.hpp"

namespace tacit::sph::gravity_types_test {
namespace {

using base::Vec3;
using testing::differing_fields;
using testing::Outcome;
using testing::outcome_of;
using testing::SmallRun;
using Names = std::vector<std::string_view>;

SphParameters gravitating(bool is_individual = false) {
  SphParameters parameters = testing::plain_parameters();
  parameters.scheme = Scheme::sphenix;
  parameters.boundary = Boundary::open;
  parameters.has_individual_steps = is_individual;
  parameters.gravity = {.is_present = true, .G = 2.0, .softening = 0.02};
  parameters.gravity.own_softening = {0.0, 0.1, 0.0, 0.0, 0.05, 0.0};
  return parameters;
}

void add_body(InitialConditions& all, std::uint8_t type, const Vec3& x, const Vec3& v, double m) {
  all.has_types = true;
  all.type.resize(all.size(), 0);
  all.id.push_back(all.id.size() + 1);
  all.x.push_back(x.x);
  all.y.push_back(x.y);
  all.z.push_back(x.z);
  all.vx.push_back(v.x);
  all.vy.push_back(v.y);
  all.vz.push_back(v.z);
  all.m.push_back(m);
  all.u.push_back(0.0);
  if (!all.h.empty()) all.h.push_back(0.0);
  all.type.push_back(type);
}

/// Gas in the middle of a halo, with some stars and a black hole.
InitialConditions galaxy() {
  InitialConditions all = make(Evrard{.resolution = 8, .radius = 1.0, .mass = 1.0, .u = 0.3});
  for (std::uint64_t i = 0; i < 900; ++i) {
    const auto place = [i](std::uint64_t axis) { return 1.0 + 2.0 * (base::uniform(3, i, axis) - 0.5); };
    const auto speed = [i](std::uint64_t axis) { return 0.8 * (base::uniform(3, i, axis) - 0.5); };
    const bool is_star = i % 9 == 0;
    add_body(all, is_star ? 4 : 1, {place(0), place(1), place(2)}, {speed(3), speed(4), speed(5)},
             is_star ? 1e-3 : 3e-3);
  }
  add_body(all, 5, {1.01, 0.99, 1.0}, {}, 0.05);
  return all;
}

/// Plain sums over all pairs, each with the longer softening of both, by ID.
struct Exact {
  double phi = 0.0;
  Vec3 g;
};
std::map<std::uint64_t, Exact> plain_sums(const Gas& gas, const SelfGravity& gravity) {
  std::map<std::uint64_t, Exact> sums;
  for (std::size_t i = 0; i < gas.size(); ++i) {
    Exact& sum = sums[gas.id[i]];
    for (std::size_t j = 0; j < gas.size(); ++j) {
      if (j == i) continue;
      const std::size_t a = gas.type.empty() ? 0 : gas.type[i];
      const std::size_t b = gas.type.empty() ? 0 : gas.type[j];
      const double epsilon = std::max(gravity.softening_of(a), gravity.softening_of(b));
      const fmm::Field one = fmm::field_at({gas.x[i], gas.y[i], gas.z[i]},
                                           {std::span(gas.x).subspan(j, 1), std::span(gas.y).subspan(j, 1),
                                            std::span(gas.z).subspan(j, 1), std::span(gas.m).subspan(j, 1)},
                                           fmm::Softening::wendland_c2(epsilon));
      sum.phi += gravity.G * one.potential;
      sum.g = sum.g + gravity.G * one.acceleration;
    }
  }
  return sums;
}

double error_of(const Gas& gas, const SelfGravity& gravity) {
  const auto exact = plain_sums(gas, gravity);
  double off2 = 0.0;
  double all2 = 0.0;
  for (std::size_t i = 0; i < gas.size(); ++i) {
    const Exact& sum = exact.at(gas.id[i]);
    const Vec3 off = Vec3{gas.gx[i], gas.gy[i], gas.gz[i]} - sum.g;
    off2 += dot(off, off);
    all2 += dot(sum.g, sum.g);
    EXPECT_NEAR(gas.phi[i], sum.phi, 1e-3 * std::abs(sum.phi));
  }
  return std::sqrt(off2 / all2);
}

void save(const SmallRun& run, const std::filesystem::path& path) {
  io::FileWriter file(path);
  run.solver.save(file);
  file.commit();
}

/// Radius around a place that holds half of the bodies.
double half_mass_radius(const Gas& bodies, const Vec3& centre) {
  std::vector<double> r;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    r.push_back(norm(Vec3{bodies.x[i], bodies.y[i], bodies.z[i]} - centre));
  }
  std::ranges::nth_element(r, r.begin() + static_cast<std::ptrdiff_t>(r.size() / 2));
  return r[r.size() / 2];
}

}  // namespace

TEST(GravityOfTypes, ForcesArePlainSumsWithTheLongerSoftening) {
  for (const bool is_individual : {false, true}) {
    const SphParameters parameters = gravitating(is_individual);
    SmallRun run(parameters, galaxy());
    EXPECT_LT(error_of(run.solver.gas(), parameters.gravity), 2e-3);  // by the angle
    run.advance(1);
    if (is_individual) continue;
    EXPECT_LT(error_of(run.solver.gas(), parameters.gravity), 2.0 * parameters.gravity.tolerance);
  }
}

TEST(GravityOfTypes, GasDoesNotFeelOthersButByGravity) {
  // A halo that weighs as much as the gas, within it and around it, hardly attracts: the gas moves as it would alone.
  SphParameters parameters = gravitating();
  parameters.gravity.G = 1e-20;
  const InitialConditions gas = make(Evrard{.resolution = 8, .radius = 1.0, .mass = 1.0, .u = 0.3});
  InitialConditions both = gas;
  for (std::uint64_t i = 0; i < 1500; ++i) {
    const auto place = [i](std::uint64_t axis) { return 4.0 * base::uniform(5, i, axis) - 1.0; };
    add_body(both, 1, {place(0), place(1), place(2)}, {}, gas.m[0]);
  }
  SmallRun alone(parameters, gas);
  SmallRun beside(parameters, both);
  alone.advance_to(0.1);
  beside.advance_to(0.1);
  std::map<std::uint64_t, std::array<double, 3>> expected;
  const Gas& a = alone.solver.gas();
  for (std::size_t i = 0; i < a.size(); ++i) expected[a.id[i]] = {a.x[i], a.rho[i], a.h[i]};
  const Gas& b = beside.solver.gas();
  for (std::size_t i = 0; i < b.size(); ++i) {
    if (!b.is_gas(i)) {
      EXPECT_EQ(b.rho[i], 0.0);
      continue;
    }
    const auto& [x, rho, h] = expected.at(b.id[i]);
    // Cells differ, and with them the rounding of places to floats.
    EXPECT_NEAR(b.x[i], x, 1e-5);
    EXPECT_NEAR(b.rho[i], rho, 1e-3 * rho);
    EXPECT_NEAR(b.h[i], h, 1e-3 * h);
  }
}

TEST(GravityOfTypes, SameBitsOnAnyNumberOfThreadsAndRanks) {
  for (const bool is_individual : {false, true}) {
    const SphParameters parameters = gravitating(is_individual);
    for (const InitialConditions& all : {galaxy(), make(Plummer{.resolution = 8, .cut = 5.0, .G = 2.0})}) {
      const int steps = is_individual ? 12 : 6;
      const Outcome alone = outcome_of(parameters, all, 1, 1, steps);
      EXPECT_EQ(alone.particles.size(), all.size());
      EXPECT_EQ(outcome_of(parameters, all, 1, 2, steps), alone);
      EXPECT_EQ(outcome_of(parameters, all, 2, 2, steps), alone);
      EXPECT_EQ(outcome_of(parameters, all, 4, 1, steps), alone);
    }
  }
}

TEST(GravityOfTypes, CutAgainAtEverySortLeavesTheSameBits) {
  const SphParameters parameters = gravitating();
  InitialConditions all = galaxy();
  for (double& vx : all.vx) vx += 30.0;  // is sorted every few steps
  const Outcome alone = outcome_of(parameters, all, 1, 1, 6);
  EXPECT_EQ(outcome_of(parameters, all, 3, 1, 6, testing::Cuts::at_every_sort), alone);
}

TEST(GravityOfTypes, ACheckpointContinuesWithTheSameBits) {
  for (const bool is_individual : {false, true}) {
    const test::Scratch scratch;
    const SphParameters parameters = gravitating(is_individual);
    SmallRun whole(parameters, galaxy());
    whole.advance(7);
    if (is_individual) whole.step(0.3 * whole.solver.time_step());
    save(whole, scratch / "restart.hdf5");
    SmallRun resumed(parameters, io::FileReader(scratch / "restart.hdf5"), 2);
    EXPECT_EQ(resumed.solver.sums().energy(), whole.solver.sums().energy());
    whole.advance(9);
    resumed.advance(9);
    EXPECT_EQ(differing_fields(resumed.solver.gas(), whole.solver.gas()), Names{});
    EXPECT_EQ(resumed.solver.sums().energy(), whole.solver.sums().energy());
    SphParameters none = parameters;
    none.gravity.is_present = false;
    EXPECT_THROW(SmallRun(none, io::FileReader(scratch / "restart.hdf5")), base::Error);
  }
}

TEST(GravityOfTypes, APlummerSphereStaysAsItIs) {
  SphParameters parameters = gravitating(true);
  parameters.gravity = {.is_present = true, .G = 1.0, .softening = 0.05};
  SmallRun run(parameters, make(Plummer{.resolution = 10}));
  const double begin = run.solver.sums().energy();
  const Vec3 centre{20.0, 20.0, 20.0};
  // -3 pi / 64 G M^2 / a, less what softening, cut and the noise of 1000 bodies take.
  EXPECT_NEAR(begin, -3.0 * std::numbers::pi / 64.0, 0.02);
  const double radius = half_mass_radius(run.solver.gas(), centre);
  EXPECT_NEAR(radius, 1.305, 0.02);  // bodies are spread evenly over the mass, and 0.4 % of it is cut off
  // A crossing time is sqrt(64 sqrt 2 / (3 pi)) = 3.1. Whenever it is asked, mostly in the midst of steps, the energy
  // is that of one state: with potentials as of the begins of the steps it would be off by up to 2e-3.
  for (int k = 1; k <= 31; ++k) {
    run.advance_to(0.2 * k);
    EXPECT_NEAR(run.solver.sums().energy(), begin, 5e-4 * std::abs(begin)) << 0.2 * k;
  }
  EXPECT_NEAR(half_mass_radius(run.solver.gas(), centre), radius, 0.04 * radius);  // 1000 bodies: 1.6 % rms
  EXPECT_LT(norm(run.solver.sums().momentum), 1e-4);
}

TEST(GravityOfTypes, EnergiesInTheMidstOfStepsLeaveNoTraces) {
  const SphParameters parameters = gravitating(true);
  SmallRun quiet(parameters, galaxy());
  SmallRun asked(parameters, galaxy());
  for (int k = 0; k < 8; ++k) {
    const double part = 0.37 * asked.solver.time_step();
    for (SmallRun* run : {&quiet, &asked}) {
      run->step(part);
      if (run == &asked) {
        EXPECT_TRUE(std::isfinite(run->solver.sums().energy()));
      }
      run->step(run->solver.time_step());
    }
  }
  EXPECT_EQ(differing_fields(asked.solver.gas(), quiet.solver.gas()), Names{});
}

TEST(GravityOfTypes, TwoBodiesKeepTheirOrbitWithoutTrend) {
  for (const bool is_individual : {true, false}) {
    SphParameters parameters = gravitating(is_individual);
    parameters.gravity = {.is_present = true, .G = 1.0, .softening = 1e-3};
    SmallRun run(parameters, make(TwoBodies{.axis = 1.0, .eccentricity = 0.9}));
    const double begin = run.solver.sums().energy();
    EXPECT_NEAR(begin, -0.125, 1e-6);  // -G m_1 m_2 / (2 a)
    // The axis is G M / (2 |E|) of the relative orbit: it errs as the energy does. Where steps are chosen by the
    // accelerations at their begins alone, the energy grows by 3e-4 of itself with each turn, or 2e-5 with one step for
    // both.
    for (int orbit = 1; orbit <= 8; ++orbit) {
      run.advance_to(2.0 * std::numbers::pi * orbit);
      EXPECT_NEAR(run.solver.sums().energy(), begin, (is_individual ? 8e-5 : 5e-6) * std::abs(begin)) << orbit;
    }
  }
}

/// Two tight groups 10^4 radii apart: forces within each, and between them.
TEST(GravityOfTypes, GroupsFarApartKeepTheirOwnForces) {
  SphParameters parameters = gravitating();
  parameters.gravity = {.is_present = true, .G = 1.0, .softening = 0.05};
  const InitialConditions group = make(Plummer{.resolution = 8, .cut = 5.0});
  constexpr double apart = 1e4;
  InitialConditions both;
  both.source = "two groups";
  both.box = {2.0 * apart, 2.0 * apart, 2.0 * apart};
  for (const double x : {0.0, apart}) {
    for (std::size_t i = 0; i < group.size(); ++i) {
      add_body(both, 1, {group.x[i] + x, group.y[i], group.z[i]}, {group.vx[i], group.vy[i], group.vz[i]}, group.m[i]);
    }
  }
  SmallRun run(parameters, both);
  run.advance(2);
  EXPECT_LT(error_of(run.solver.gas(), parameters.gravity), parameters.gravity.tolerance);
  // Together they weigh 2 M: their energies, and that of their attraction.
  const double M = group.m[0] * static_cast<double>(group.size());
  SmallRun alone(parameters, group);
  alone.advance(2);
  const double expected = 2.0 * alone.solver.sums().potential_energy.value() - M * M / apart;
  EXPECT_NEAR(run.solver.sums().potential_energy.value(), expected, 1e-5 * std::abs(expected));
  double pull = 0.0;  // on the first group
  const Gas& all = run.solver.gas();
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all.id[i] <= group.size()) pull += all.m[i] * all.gx[i];
  }
  // Forces within the group are 1e8 times as large, each rounded to a float: their sum errs by 1e-7 of some 0.1.
  EXPECT_NEAR(pull, M * M / (apart * apart), 1e-7);
}

/// Two bodies about a point mass that is fixed: both accelerations, and both energies.
TEST(GravityOfTypes, ExternalFieldsActBesideSelfGravity) {
  for (const bool is_individual : {true, false}) {
    SphParameters parameters = gravitating(is_individual);
    parameters.gravity = {.is_present = true, .G = 1.0, .softening = 1e-3};
    parameters.potential.GM_point = 0.5;
    parameters.potential.time_step_factor = 0.1;
    parameters.potential.centre = {2.0, 2.0, 2.0};
    parameters.is_centre_given = {true, true, true};
    // Two bodies opposite each other on a circle of radius 1: v^2 = G M + G m / 4.
    constexpr double m = 0.2;
    const double speed = std::sqrt(0.5 + 0.25 * m);
    InitialConditions pair;
    pair.source = "pair";
    pair.box = {4.0, 4.0, 4.0};
    add_body(pair, 4, {3.0, 2.0, 2.0}, {0.0, speed, 0.0}, m);
    add_body(pair, 4, {1.0, 2.0, 2.0}, {0.0, -speed, 0.0}, m);
    SmallRun run(parameters, pair);
    const double begin = m * speed * speed - 2.0 * m * 0.5 - 0.5 * m * m;
    EXPECT_NEAR(run.solver.sums().energy(), begin, 1e-6);
    const double period = 2.0 * std::numbers::pi / speed;
    for (int k = 1; k <= 8; ++k) {
      run.advance_to(0.25 * k * period);
      EXPECT_NEAR(run.solver.sums().energy(), begin, 1e-4 * std::abs(begin)) << k;
      const Gas& gas = run.solver.gas();
      const double r = norm(Vec3{gas.x[0], gas.y[0], gas.z[0]} - Vec3{2.0, 2.0, 2.0});
      EXPECT_NEAR(r, 1.0, 1e-2) << k;  // where it was drifted to, at most half a step of 0.03 ago
    }
  }
}

TEST(GravityOfTypes, ColdBodiesFallFreely) {
  SphParameters parameters = gravitating();
  parameters.gravity = {.is_present = true, .G = 1.0, .softening = 0.02};
  const InitialConditions ball = make(ColdSphere{.resolution = 16});
  SmallRun run(parameters, ball);
  const double t_ff = std::numbers::pi / std::sqrt(8.0);
  const auto rms = [&] {
    const Gas& all = run.solver.gas();
    double sum = 0.0;
    for (std::size_t i = 0; i < all.size(); ++i)
      sum += std::pow(norm(Vec3{all.x[i], all.y[i], all.z[i]} - Vec3{1, 1, 1}), 2);
    return std::sqrt(sum / static_cast<double>(all.size()));
  };
  const double begin = rms();
  for (const double part : {0.4, 0.7, 0.85}) {
    run.advance_to(part * t_ff);
    double beta = 0.5;  // r = R cos^2 beta, beta + sin(2 beta) / 2 = pi t / (2 t_ff)
    for (int i = 0; i < 50; ++i) {
      beta -= (beta + 0.5 * std::sin(2.0 * beta) - 0.5 * std::numbers::pi * part) / (1.0 + std::cos(2.0 * beta));
    }
    EXPECT_NEAR(rms() / begin, std::pow(std::cos(beta), 2), 0.01) << part;
  }
}

TEST(GravityOfTypes, FewBodiesSimplyWork) {
  for (const bool is_individual : {false, true}) {
    const SphParameters parameters = gravitating(is_individual);
    InitialConditions one;
    one.source = "one";
    one.box = {1.0, 1.0, 1.0};
    add_body(one, 5, {0.5, 0.5, 0.5}, {1.0, 0.0, 0.0}, 3.0);
    SmallRun alone(parameters, one);
    alone.step(0.25);
    EXPECT_EQ(alone.solver.sums().energy(), 1.5);
    InitialConditions same = one;  // at one place
    for (int i = 0; i < 100; ++i) add_body(same, 1, {0.5, 0.5, 0.5}, {1.0, 0.0, 0.0}, 1.0);
    SmallRun together(parameters, same);
    together.step(0.25);
    const Gas& gas = together.solver.gas();
    EXPECT_TRUE(std::ranges::all_of(gas.gx, [](float g) { return g == 0.0F; }));
    EXPECT_TRUE(std::isfinite(together.solver.sums().energy()));
    EXPECT_EQ(outcome_of(parameters, same, 3, 1, 1), outcome_of(parameters, same, 1, 1, 1));
  }
}

TEST(GravityOfTypes, WhatKnowsGasAloneIsRefused) {
  SphParameters parameters = gravitating();
  parameters.pairs = Pairs::symmetric;
  EXPECT_THROW(SmallRun(parameters, galaxy()), base::Error);
  parameters = gravitating();
  parameters.gravity.is_present = false;
  EXPECT_THROW(SmallRun(parameters, galaxy()), base::Error);
}

/// Two bodies of a halo, whose mass is in the table, and two stars.
struct BodyFile {
  std::array<double, 7> counts{0, 2, 0, 0, 2, 0, 0};
  std::vector<double> star_masses{0.5, 0.25};
  std::vector<std::uint64_t> halo_ids{1, 2}, star_ids{7, 8};

  void write(const std::filesystem::path& path) const {
    io::FileWriter file(path);
    file.group("Header");
    file.attribute("Header", "BoxSize", std::array{4.0});
    file.attribute("Header", "NumPart_ThisFile", std::span<const double>(counts));
    file.attribute("Header", "MassTable", std::array{0.0, 3.0, 0.0, 0.0, 0.0, 0.0, 1.0});
    const std::vector<double> vectors{1, 1, 1, 2, 2, 2};
    const std::array<std::uint64_t, 2> shape{2, 3};
    const std::array<std::uint64_t, 1> list{2};
    for (const std::string group : {"PartType1", "PartType4", "PartType6"}) {
      file.group(group);
      for (const char* name : {"/Coordinates", "/Velocities"}) {
        file.array(group + name, std::span<const double>(vectors), shape, io::Number::float64);
      }
      const std::vector<std::uint64_t>& ids = group == "PartType1" ? halo_ids : star_ids;
      if (!ids.empty()) file.array(group + "/ParticleIDs", std::span<const std::uint64_t>(ids), list);
    }
    file.array("PartType4/Masses", std::span<const double>(star_masses), list, io::Number::float64);
    file.array("PartType4/Age", std::span<const double>(star_masses), list, io::Number::float64);
    file.commit();
  }
  /// The message without the path.
  [[nodiscard]] std::string refusal(bool has_gravity = true) const {
    const test::Scratch scratch;
    write(scratch / "ic.hdf5");
    try {
      static_cast<void>(read_gadget(scratch / "ic.hdf5", {.boundary = Boundary::open, .has_gravity = has_gravity}));
    } catch (const base::FormatError& error) {
      return std::string(error.what()).substr((scratch / "ic.hdf5").string().size() + 2);
    }
    return "accepted";
  }
};

TEST(GravityOfTypes, FilesGiveAllTypes) {
  const test::Scratch scratch;
  BodyFile().write(scratch / "ic.hdf5");
  const InitialConditions all = read_gadget(scratch / "ic.hdf5", {.boundary = Boundary::open, .has_gravity = true});
  EXPECT_TRUE(all.has_types);
  EXPECT_EQ(all.type, (std::vector<std::uint8_t>{1, 1, 4, 4}));
  EXPECT_EQ(all.m, (std::vector<double>{3.0, 3.0, 0.5, 0.25}));
  EXPECT_EQ(all.id, (std::vector<std::uint64_t>{1, 2, 7, 8}));
  EXPECT_EQ(all.x, (std::vector<double>{1.0, 2.0, 1.0, 2.0}));
  EXPECT_EQ(all.left_out, (std::vector<std::string>{"PartType4/Age"}));
  EXPECT_TRUE(all.others.types.empty());
  BodyFile without;
  without.halo_ids.clear();
  without.star_ids.clear();
  without.write(scratch / "none.hdf5");
  EXPECT_EQ(read_gadget(scratch / "none.hdf5", {.boundary = Boundary::open, .has_gravity = true}).id,
            (std::vector<std::uint64_t>{1, 2, 3, 4}));
}

TEST(GravityOfTypes, FilesThatCannotBeAreRefused) {
  EXPECT_EQ(
      BodyFile{}.refusal(false),
      "has no gas (PartType0); it has 2 of PartType1 (dark matter), 2 of PartType4 (stars), which move and attract "
      "with gravity.self = true");
  BodyFile twins;
  twins.star_ids = {7, 2};
  EXPECT_EQ(twins.refusal(),
            "particles of PartType1 (dark matter) and PartType4 (stars) have the same ID 2; expected "
            "unique IDs among all types");
  BodyFile light;
  light.star_masses = {0.5, 0.0};
  EXPECT_EQ(light.refusal(), "PartType4/Masses: particle 1 (ID 8) has mass 0; expected a mass > 0, at most 1e60");
  BodyFile unknown;
  unknown.counts[6] = 2;
  EXPECT_EQ(unknown.refusal(),
            "has 2 of PartType6 (neutrinos), whose attraction is not known here: gravity.self knows the types 0 to 5; "
            "give them one of these, or remove them");
}

TEST(GravityOfTypes, KeysBecomeSofteningsByType) {
  const test::Scratch scratch;
  const std::string begin =
      "[time]\nend = 1\n[initial]\nsetup = \"plummer\"\n[sph]\nboundary = \"open\"\n[gravity]\nself = true\nconstant = "
      "1\n"
      "softening = 0.1\nsoftening_stars = 0.2\n";
  const SphParameters some = read_parameters(testing::read_text(scratch / "some.toml", begin));
  EXPECT_EQ(some.gravity.softening_of(0), 0.1);
  EXPECT_EQ(some.gravity.softening_of(1), 0.1);
  EXPECT_EQ(some.gravity.softening_of(4), 0.2);
  EXPECT_EQ(some.gravity.least_softening(), 0.1);
  EXPECT_THROW(static_cast<void>(read_parameters(
                   testing::read_text(scratch / "plummer.toml", begin + "softening_kernel = \"plummer\"\n"))),
               base::Error);
}

}  // namespace tacit::sph::gravity_types_test
