// Displaced lattices: their spectrum, second order against direct sums, the same waves at any resolution and on any
// ranks. SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "../rank_runs.hpp"
#include "tacit/particles/domain.hpp"
#include "tacit/solvers/sph/setups/lattice.hpp"
#include "universes.hpp"

namespace tacit::sph::displacements_test {
namespace {

using base::Vec3;
using testing::for_each_wave;
using testing::lambda_cdm;
using testing::mode_of;
using testing::universe;
using Complex = std::complex<double>;

/// Of each particle by its ID: all numbers, bit by bit.
using ById = std::map<std::uint64_t, std::array<double, 9>>;

void add_to(ById& found, const InitialConditions& all) {
  for (std::size_t i = 0; i < all.size(); ++i) {
    found[all.id[i]] = {all.x[i],  all.y[i],  all.z[i],
                        all.vx[i], all.vy[i], all.vz[i],
                        all.m[i],  all.u[i],  static_cast<double>(all.type[i])};
  }
}

ById on(std::size_t ranks, std::size_t workers, const Cosmological& of) {
  ById found;
  std::mutex lock;
  comm::testing::on_ranks(ranks, [&](comm::Communicator& world) {
    trace::Recorder recorder(workers, 64);
    tasks::Scheduler scheduler(workers, recorder);
    const comm::testing::Polling polling(scheduler, world);
    const InitialConditions mine = make(of, scheduler, world);
    const std::scoped_lock guard(lock);
    add_to(found, mine);
  });
  return found;
}

/// Runs `look` with displacements on one rank.
template <class Look>
void with_displacements(const RandomDensity& density, std::size_t n, const Look& look) {
  trace::Recorder recorder(1, 64);
  tasks::Scheduler scheduler(1, recorder);
  comm::Communicator alone(comm::bootstrap_alone());
  Displacements displacements(density, n, LptOrder::second, scheduler, alone);
  look(displacements);
}

/// A mode of what stands at the places (i + offset) / n, shape (z, y, x).
Complex mode_on_lattice(std::span<const double> values, std::size_t n, double offset, const WaveNumbers& k) {
  Complex sum;
  std::size_t p = 0;
  for (std::size_t z = 0; z < n; ++z) {
    for (std::size_t y = 0; y < n; ++y) {
      for (std::size_t x = 0; x < n; ++x) {
        const double waves = static_cast<double>(k[0]) * (static_cast<double>(x) + offset) +
                             static_cast<double>(k[1]) * (static_cast<double>(y) + offset) +
                             static_cast<double>(k[2]) * (static_cast<double>(z) + offset);
        const double angle = 2.0 * std::numbers::pi * waves / static_cast<double>(n);
        sum += values[p++] * Complex{std::cos(angle), -std::sin(angle)};
      }
    }
  }
  return sum / static_cast<double>(values.size());
}

}  // namespace

// Of the particles themselves, by direct sums, against the modes that were asked for.
TEST(InitialDensity, ParticlesHaveThePowerThatWasAskedForBelowHalfOfNyquist) {
  constexpr std::size_t n = 16;
  const double begin = 0.005;
  Cosmological of = universe(16, 200.0, begin);
  const double growth = linear_growth(lambda_cdm, begin).D / linear_growth(lambda_cdm, 1.0).D;
  const InitialConditions all = make(of);
  std::array<double, n> found{};
  std::array<double, n> asked{};
  for_each_wave(4, [&](const WaveNumbers& k) {
    const auto bin = static_cast<std::size_t>(std::lround(std::sqrt(k[0] * k[0] + k[1] * k[1] + k[2] * k[2])));
    found[bin] += std::norm(mode_of(all.x, all.y, all.z, of.density.box, k));
    asked[bin] += std::norm(growth * of.density.mode(k));
  });
  for (std::size_t bin = 1; bin <= n / 4; ++bin) EXPECT_NEAR(found[bin] / asked[bin], 1.0, 1e-3) << bin;
}

TEST(InitialDensity, TheSameWavesAtAnyResolution) {
  const RandomDensity density = universe(8, 100.0, 0.02).density;
  std::vector<Complex> coarse;
  const auto take = [](std::vector<Complex>& to, double offset, std::size_t n) {
    return [&to, offset, n](Displacements& displacements) {
      displacements.find(LptOrder::first, offset);
      for_each_wave(3, [&](const WaveNumbers& k) {
        for (std::size_t axis = 0; axis < 3; ++axis) {
          to.push_back(mode_on_lattice(displacements.along(axis), n, offset, k));
        }
      });
    };
  };
  with_displacements(density, 8, take(coarse, 0.0, 8));
  for (const std::size_t n : {9, 15}) {
    std::vector<Complex> fine;
    with_displacements(density, n, take(fine, 0.5, n));
    double largest = 0.0;
    for (std::size_t i = 0; i < coarse.size(); ++i) {
      largest = std::max(largest, std::abs(coarse[i] - fine[i]) / std::abs(coarse[0]));
    }
    EXPECT_LT(largest, 1e-12);
  }
}

// The convolution of all pairs of modes. Where two axes fold back at once, aliases are left.
TEST(InitialDensity, SecondOrderIsTheSumOverAllPairsOfModes) {
  constexpr std::int64_t most = 3;
  const RandomDensity density = universe(8, 100.0, 0.02).density;
  std::map<WaveNumbers, Complex> source;
  for_each_wave(most, [&](const WaveNumbers& p) {
    const Complex of_p = density.mode(p);
    for_each_wave(most, [&](const WaveNumbers& q) {
      const auto dot = static_cast<double>(p[0] * q[0] + p[1] * q[1] + p[2] * q[2]);
      const auto p2 = static_cast<double>(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]);
      const auto q2 = static_cast<double>(q[0] * q[0] + q[1] * q[1] + q[2] * q[2]);
      source[{p[0] + q[0], p[1] + q[1], p[2] + q[2]}] += 0.5 * (1.0 - dot * dot / (p2 * q2)) * of_p * density.mode(q);
    });
  });
  with_displacements(density, 8, [&](Displacements& displacements) {
    displacements.find(LptOrder::second, 0.5);
    const double unit = 2.0 * std::numbers::pi / density.box;
    int compared = 0;
    for_each_wave(most, [&](const WaveNumbers& k) {
      const auto folded = std::ranges::count_if(k, [](std::int64_t waves) { return std::abs(waves) >= 2; });
      if (folded > 1) return;
      ++compared;
      const auto k2 = static_cast<double>(k[0] * k[0] + k[1] * k[1] + k[2] * k[2]);
      for (std::size_t axis = 0; axis < 3; ++axis) {
        const Complex expected = Complex{0.0, -static_cast<double>(k[axis]) / (unit * k2)} * source[k];
        EXPECT_NEAR(std::abs(mode_on_lattice(displacements.along(axis), 8, 0.5, k) - expected), 0.0,
                    1e-12 / unit * std::abs(source[{1, 0, 0}]) + 1e-12 * std::abs(expected));
      }
    });
    EXPECT_EQ(compared, 26 + 3 * 9 * 4);
  });
}

TEST(InitialDensity, GasAndBodiesOnAnyRanks) {
  Cosmological both = universe(10, 50.0, 0.02);
  both.has_gas = true;
  both.u = 1e-3;
  const ById alone = on(1, 1, both);
  EXPECT_EQ(alone.size(), 2000U);
  EXPECT_EQ(on(1, 2, both), alone);
  EXPECT_EQ(on(2, 1, both), alone);
  EXPECT_EQ(on(4, 2, both), alone);
  ById by_shares;
  for (std::uint64_t rank = 0; rank < 3; ++rank) add_to(by_shares, make(both, Share{rank, 3}));
  EXPECT_EQ(by_shares, alone);

  Vec3 momentum;
  double mass = 0.0;
  double gas = 0.0;
  double speed = 0.0;
  for (const auto& [id, of] : alone) {
    momentum = momentum + of[6] * Vec3{of[3], of[4], of[5]};
    speed += of[6] * norm(Vec3{of[3], of[4], of[5]});
    mass += of[6];
    if (of[8] == 0.0) gas += of[6];
    EXPECT_EQ(of[7], of[8] == 0.0 ? 1e-3 : 0.0);
  }
  EXPECT_LT(norm(momentum), 1e-13 * speed);
  const double critical = lambda_cdm.critical_density(3.0) * 50.0 * 50.0 * 50.0;
  EXPECT_NEAR(mass, 0.3 * critical, 1e-12 * critical);
  EXPECT_NEAR(gas, 0.05 * critical, 1e-12 * critical);
}

TEST(InitialDensity, GrowthOfSecondOrder) {
  constexpr Cosmology matter_alone{.H0 = 1.0, .omega_m = 1.0, .omega_lambda = 0.0};
  for (const double a : {1e-3, 0.1, 1.0}) {
    const Growth now = growth(matter_alone, a);
    EXPECT_NEAR(now.second.D, -3.0 / 7.0 * a * a, 1e-8 * a * a);
    EXPECT_NEAR(now.second.f, 2.0, 1e-8);
  }
  // Bouchet et al. (1995): -3/7 D^2 Omega^(-1/143) and 2 Omega^(6/11), to half a percent in flat universes.
  const Growth today = growth(lambda_cdm, 1.0);
  EXPECT_NEAR(today.second.D / (-3.0 / 7.0 * std::pow(today.linear.D, 2) * std::pow(0.3, -1.0 / 143.0)), 1.0, 5e-3);
  EXPECT_NEAR(today.second.f / (2.0 * std::pow(0.3, 6.0 / 11.0)), 1.0, 5e-3);
  // With radiation, of which little is left: what it has cost the first order, squared, and somewhat more.
  const Growth early = growth({.H0 = 1.0, .omega_m = 0.3, .omega_lambda = 0.7 - 1e-4, .omega_r = 1e-4}, 0.2);
  EXPECT_NEAR(early.second.D / (-3.0 / 7.0 * early.linear.D * early.linear.D), 1.0, 5e-3);
}

TEST(InitialDensity, KeysThatContradictEachOther) {
  const test::Scratch scratch;
  std::string table;
  for (const char* k : {"0.01", "0.1", "1.0", "2.0"}) table += std::string(k) + " 100\n";
  test::put(scratch / "short.dat", table);
  const std::string plain =
      "[units]\nlength = \"1 Mpc\"\nmass = \"1e10 Msun\"\nvelocity = \"1 km/s\"\n"
      "[time]\nbegin = 0.02\nend = 1.0\n[gravity]\nself = true\nsoftening = 0.05\n"
      "[initial]\nsetup = \"cosmological\"\n"
      "[cosmology]\nexpanding = true\nh = 0.7\nomega_m = 0.3\nomega_b = 0.05\n"
      "[cosmological]\nbox = \"100 Mpc\"\nresolution = 32\n";
  const auto refusal = [&](const std::string& from, const std::string& to, const std::string& more) -> std::string {
    std::string text = plain;
    if (!from.empty()) text.replace(text.find(from), from.size(), to);
    try {
      static_cast<void>(read_parameters(testing::read_text(scratch / "run.toml", text + more)));
    } catch (const config::Error& error) {
      const config::Problem& first = error.problems().front();
      return first.key + ": " + first.message;
    }
    return "";
  };
  EXPECT_EQ(refusal("", "", "sigma_8 = 0.8\n"), "");
  EXPECT_EQ(refusal("", "", "A_s = 2.1e-9\ngas = true\ngas_temperature = \"100 K\"\n"), "");
  const std::string text = plain + "sigma_8 = 0.8\ngas = true\ngas_temperature = \"100 K\"\n";
  const SphParameters read = read_parameters(testing::read_text(scratch / "run.toml", text));
  // 3/2 k T / (1.22 m_p) at 100 K is 1.0149e10 cm^2/s^2.
  EXPECT_NEAR(std::get<Cosmological>(*read.setup).u, 0.02 * 0.02 * 1.0149, 1e-7);
  EXPECT_EQ(refusal("", "", ""),
            "cosmological.sigma_8: is missing: a transfer function does not say how high the spectrum is");
  EXPECT_EQ(refusal("", "", "sigma_8 = 0.8\nA_s = 2e-9\n"),
            "cosmological.A_s: stands beside cosmological.sigma_8; only one of them is used");
  EXPECT_EQ(refusal("omega_b = 0.05\n", "", "sigma_8 = 0.8\n"),
            "cosmology.omega_b: must be more than 0 and less than omega_m for the oscillations of baryons in "
            "cosmological.spectrum");
  EXPECT_EQ(refusal("omega_b = 0.05\n", "", "sigma_8 = 0.8\nspectrum = \"no_wiggles\"\n"), "");
  EXPECT_EQ(refusal("omega_b = 0.05\n", "", "sigma_8 = 0.8\nspectrum = \"no_wiggles\"\ngas = true\n"),
            "cosmological.gas: is gas beside bodies, so cosmology.omega_b must be more than 0 and less than omega_m");
  EXPECT_EQ(refusal("", "", "spectrum = \"table\"\nspectrum_file = \"short.dat\"\n"),
            "cosmological.spectrum_file: has k from 0.01 to 2 h/Mpc, and waves in the box have k from 0.08976 to 2.332 "
            "h/Mpc");
  EXPECT_EQ(refusal("32", "16", "spectrum = \"table\"\nspectrum_file = \"short.dat\"\n"), "");
  EXPECT_EQ(refusal("", "", "spectrum = \"table\"\nspectrum_file = \"short.dat\"\nn_s = 1\n"),
            "cosmological.n_s: says nothing of a table, which has a slope");
  EXPECT_EQ(
      refusal("expanding = true\nh = 0.7\nomega_m = 0.3\nomega_b = 0.05\n", "expanding = false\n", "sigma_8 = 0.8\n"),
      "cosmology.expanding: cosmological is the matter of a box that expands");

  Cosmological vast = universe(16384, 100.0, 0.02);
  vast.resolution = 16384;
  try {
    static_cast<void>(on(1, 1, vast));
    FAIL();
  } catch (const base::Error& error) {
    EXPECT_TRUE(std::string(error.what())
                    .starts_with("cosmological.resolution = 16384: to displace 16384^3 particles takes 8.44e+05 GB of "
                                 "memory, and there are "))
        << error.what();
  }
}

}  // namespace tacit::sph::displacements_test
