// Built-in set-ups: numbers, masses and energies of the particles they make.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <set>

#include "samples.hpp"
#include "tacit/base/exact_sum.hpp"
#include "tacit/solvers/sph/setups/setups.hpp"

namespace tacit::sph::setups_test {
namespace {

double total(const std::vector<double>& values) {
  base::ExactSum sum;
  for (const double value : values) sum.add(value);
  return sum.value();
}

double energy(const InitialConditions& gas) {
  base::ExactSum sum;
  for (std::size_t i = 0; i < gas.size(); ++i) sum.add(gas.m[i] * gas.u[i]);
  return sum.value();
}

/// What every set-up promises.
void expect_sound(const Setup& setup) {
  const InitialConditions gas = make(setup);
  ASSERT_EQ(gas.size(), particle_count(setup));
  EXPECT_EQ(std::set(gas.id.begin(), gas.id.end()).size(), gas.size());
  for (const auto* field : {&gas.y, &gas.z, &gas.vx, &gas.vy, &gas.vz, &gas.m, &gas.u, &gas.h}) {
    EXPECT_EQ(field->size(), gas.size());
  }
  for (std::size_t i = 0; i < gas.size(); ++i) {
    EXPECT_TRUE(gas.x[i] >= 0.0 && gas.x[i] < gas.box.x) << gas.x[i];
    EXPECT_TRUE(gas.y[i] >= 0.0 && gas.y[i] < gas.box.y) << gas.y[i];
    EXPECT_TRUE(gas.z[i] >= 0.0 && gas.z[i] < gas.box.z) << gas.z[i];
    EXPECT_TRUE(gas.m[i] > 0.0 && gas.u[i] > 0.0 && gas.h[i] > 0.0);
  }
  const InitialConditions again = make(setup);
  EXPECT_EQ(again.id, gas.id);
  EXPECT_EQ(again.x, gas.x);
  EXPECT_EQ(again.y, gas.y);
  EXPECT_EQ(again.z, gas.z);
  EXPECT_EQ(again.u, gas.u);
  // Of several ranks each makes its share, and together they make the same.
  constexpr std::uint64_t ranks = 3;
  InitialConditions shared;
  for (std::uint64_t rank = 0; rank < ranks; ++rank) {
    const InitialConditions part = make(setup, {rank, ranks});
    EXPECT_EQ(part.dimension, gas.dimension);
    const auto append = [](auto& to, const auto& from) { to.insert(to.end(), from.begin(), from.end()); };
    append(shared.id, part.id);
    for (const auto field : {&InitialConditions::x, &InitialConditions::y, &InitialConditions::z,
                             &InitialConditions::vx, &InitialConditions::vy, &InitialConditions::vz,
                             &InitialConditions::m, &InitialConditions::u, &InitialConditions::h}) {
      append(shared.*field, part.*field);
    }
  }
  EXPECT_EQ(shared.id, gas.id);
  for (const auto field : {&InitialConditions::x, &InitialConditions::y, &InitialConditions::z, &InitialConditions::vx,
                           &InitialConditions::vy, &InitialConditions::vz, &InitialConditions::m, &InitialConditions::u,
                           &InitialConditions::h}) {
    EXPECT_EQ(shared.*field, gas.*field);
  }
}

// Sums are exact; each of the added terms has a few roundings.
constexpr double rounding = 1e-14;

}  // namespace

TEST(Setups, AreSoundAtAnyResolution) {
  for (const std::int64_t n : {4, 5, 13}) expect_sound(Sedov{.resolution = n, .jitter = 1.0});
  for (const std::int64_t n : {8, 12, 16}) expect_sound(Sod{.resolution = n, .length = 0.3});
  for (const int d : {1, 2}) {
    for (const std::int64_t n : {4, 13}) expect_sound(Sedov{.resolution = n, .jitter = 1.0, .dimension = d});
    for (const std::int64_t n : {8, 16}) expect_sound(Sod{.resolution = n, .length = 0.3, .dimension = d});
  }
}

TEST(Setups, OfFurtherProblemsAreSoundAtAnyResolution) {
  for (const int d : {1, 2, 3}) {
    for (const std::int64_t n : {4, 9}) expect_sound(Noh{.resolution = n, .radius = 0.7, .dimension = d});
  }
  for (const int d : {2, 3}) {
    for (const std::int64_t n : {8, 13}) {
      expect_sound(Gresho{.resolution = n, .box = 0.3, .dimension = d});
      expect_sound(KelvinHelmholtz{.resolution = n, .box = 3.0, .dimension = d});
      expect_sound(KelvinHelmholtz{.resolution = n, .contrast = 1.0, .smoothing = 0.0, .dimension = d});
      expect_sound(Blob{.resolution = n, .radius = 0.3, .dimension = d});
    }
    for (const std::int64_t n : {8, 16}) expect_sound(Square{.resolution = n, .box = 0.3, .dimension = d});
  }
  for (const std::int64_t n : {4, 9}) {
    expect_sound(Evrard{.resolution = n, .radius = 0.7});
    kernels::Potential halo{.centre = {2.0, 2.0, 2.0}, .GM_halo = 1.0, .r_s = 0.2};
    expect_sound(NfwGas{.resolution = n, .radius = 2.0, .potential = halo});
    expect_sound(NfwGas{.resolution = n, .radius = 2.0, .c0 = 0.5, .potential = halo});
    halo.softening = 0.01;
    expect_sound(NfwGas{.resolution = n, .radius = 2.0, .potential = halo});
  }
}

TEST(Setups, HoldTheirMassesAndEnergiesInEachDimension) {
  for (const int d : {1, 2, 3}) {
    const InitialConditions sedov =
        make(Sedov{.resolution = 10, .box = 2.0, .rho = 3.0, .energy = 7.0, .dimension = d});
    const double volume = std::pow(2.0, d);
    EXPECT_NEAR(total(sedov.m), 3.0 * volume, 3.0 * volume * rounding);
    EXPECT_NEAR(energy(sedov), 7.0 + 1.5e-6 * volume, 7.0 * rounding);
    const InitialConditions sod =
        make(Sod{.resolution = 16, .rho_left = 3.0, .P_left = 5.0, .P_right = 0.25, .dimension = d});
    const double half = d == 1 ? 1.0 : d == 2 ? 0.5 : 0.25;
    EXPECT_NEAR(total(sod.m), half * 3.0 * 9.0 / 8.0, 4.0 * rounding);
    EXPECT_NEAR(energy(sod), (5.0 + 0.25) * half * 1.5, 8.0 * rounding);
    const auto [lightest, heaviest] = std::ranges::minmax(sod.m);
    EXPECT_EQ(lightest, heaviest);
  }
}

TEST(Setups, SedovHoldsItsMassAndEnergy) {
  const Sedov sedov{.resolution = 10, .box = 2.0, .rho = 3.0, .P = 0.5, .energy = 7.0};
  const InitialConditions gas = make(sedov);
  EXPECT_EQ(gas.size(), 1000U);
  EXPECT_NEAR(total(gas.m), 24.0, 24.0 * rounding);
  // The blob's 7 and the background P V / (gamma - 1).
  const double expected = 7.0 + 0.5 * 8.0 / (2.0 / 3.0);
  EXPECT_NEAR(energy(gas), expected, expected * rounding);
  // All of the explosion lies within two spacings of the centre.
  for (std::size_t i = 0; i < gas.size(); ++i) {
    const double r = norm(base::Vec3{gas.x[i] - 1.0, gas.y[i] - 1.0, gas.z[i] - 1.0});
    EXPECT_EQ(gas.u[i] > 0.5 / (2.0 / 3.0 * 3.0) * (1.0 + rounding), r < 0.4) << r;
  }
}

TEST(Setups, SedovsJitterIsAsLongAsAsked) {
  const InitialConditions lattice = make(Sedov{.resolution = 8, .jitter = 0.0});
  const InitialConditions gas = make(Sedov{.resolution = 8, .jitter = 0.4});
  double longest = 0.0;
  for (std::size_t i = 0; i < gas.size(); ++i) longest = std::max(longest, std::abs(gas.x[i] - lattice.x[i]));
  EXPECT_LE(longest, 0.5 * 0.4 / 8.0 * (1.0 + rounding));
  EXPECT_GE(longest, 0.45 * 0.4 / 8.0);  // of 512 uniform draws the extreme is closer: (0.9)^512 = 4e-24
}

TEST(Setups, SodHoldsTwoStatesOfEqualMasses) {
  const Sod sod{.resolution = 12, .length = 2.0, .rho_left = 3.0, .P_left = 5.0, .P_right = 0.25};
  const InitialConditions gas = make(sod);
  EXPECT_EQ(gas.box, (base::Vec3{4.0, 1.0, 1.0}));
  const auto [lightest, heaviest] = std::ranges::minmax(gas.m);
  EXPECT_EQ(lightest, heaviest);
  // Left 2 x 1 x 1 of density 3, right the same volume of 3/8; energies P V / (gamma - 1).
  EXPECT_NEAR(total(gas.m), 6.0 * 9.0 / 8.0, 7.0 * rounding);
  EXPECT_NEAR(energy(gas), (5.0 + 0.25) * 2.0 * 1.5, 16.0 * rounding);
  const auto left = std::ranges::count_if(gas.x, [](double x) { return x < 2.0; });
  EXPECT_EQ(static_cast<std::size_t>(left) * 9, gas.size() * 8);
}

TEST(Setups, LatticesFillTheirCells) {
  const Sod sod{.resolution = 8};
  const InitialConditions gas = make(sod);
  // Nearest neighbours of a body-centred cubic lattice are sqrt(3)/2 cells apart, everywhere on the left.
  double nearest = 1.0;
  for (std::size_t j = 1; j < gas.size(); ++j) {
    nearest = std::min(nearest, norm(base::Vec3{gas.x[j] - gas.x[0], gas.y[j] - gas.y[0], gas.z[j] - gas.z[0]}));
  }
  EXPECT_NEAR(nearest, std::sqrt(0.75) / 8.0, rounding);
}

}  // namespace tacit::sph::setups_test
