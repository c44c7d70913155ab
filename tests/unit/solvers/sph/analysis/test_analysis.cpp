// Power spectra and groups of particles: against direct sums and searches, on any ranks.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstring>
#include <map>
#include <mutex>
#include <numbers>
#include <utility>
#include <vector>

#include "../rank_runs.hpp"
#include "tacit/solvers/sph/analysis/groups.hpp"
#include "tacit/solvers/sph/analysis/matter_power.hpp"

namespace tacit::sph::analysis_test {
namespace {

using base::Vec3;

double draw(std::uint64_t i, std::uint64_t of) { return base::uniform(7, i, of); }

/// Of unequal masses, half of them in clumps, some of which lie across the box's faces.
std::vector<GroupParticle> clumpy(std::size_t n, const Vec3& box) {
  std::vector<GroupParticle> all;
  for (std::uint64_t i = 0; i < n; ++i) {
    GroupParticle one{.id = 1 + (i * 7919) % (n + 1),  // a prime that does not divide n + 1: in no order
                      .x = {draw(i, 0), draw(i, 1), draw(i, 2)},
                      .v = {draw(i, 3), draw(i, 4), draw(i, 5)},
                      .m = 0.5 + draw(i, 6),
                      .links = i % 3 == 0 ? 0U : 1U};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      if (i % 2 == 0) one.x[axis] = std::floor(4.0 * one.x[axis]) / 4.0 + 0.05 * (draw(i, 7 + axis) - 0.5);
      one.x[axis] = (one.x[axis] - std::floor(one.x[axis])) * box[axis];
    }
    all.push_back(one);
  }
  return all;
}

std::vector<PointMass> masses_of(const std::vector<GroupParticle>& particles) {
  std::vector<PointMass> masses;
  for (const GroupParticle& one : particles) masses.push_back({one.x, one.m});
  return masses;
}

/// What this rank has, of a share that has nothing to do with places; in another order than the whole.
template <class T>
std::vector<T> dealt(const std::vector<T>& all, comm::Communicator& ranks) {
  std::vector<T> mine;
  for (std::size_t i = all.size(); i-- > 0;) {
    if ((i * i) % ranks.size() == comm::number(ranks.rank())) mine.push_back(all[i]);
  }
  return mine;
}

MatterPower power_on(std::size_t size, std::size_t workers, const std::vector<PointMass>& all, const Vec3& box,
                     std::size_t n) {
  MatterPower found;
  std::mutex lock;
  comm::testing::on_ranks(size, [&](comm::Communicator& world) {
    trace::Recorder recorder(workers, 64);
    tasks::Scheduler scheduler(workers, recorder);
    const comm::testing::Polling polling(scheduler, world);
    const std::function<double(double)> inverse = [](double k) { return 1.0 / k; };
    const MatterPower mine = matter_power(dealt(all, world), box, n, inverse, scheduler, world);
    const std::scoped_lock guard(lock);
    if (world.rank() == comm::RankId{0}) found = mine;
  });
  return found;
}

/// The spline of third degree around 0, by its definition on the whole line.
double spline(double s) {
  const double a = std::abs(s);
  if (a < 1.0) return (4.0 - 6.0 * a * a + 3.0 * a * a * a) / 6.0;
  return a < 2.0 ? std::pow(2.0 - a, 3) / 6.0 : 0.0;
}

/// All groups by a search over all pairs, the IDs of each in order.
std::map<std::uint64_t, std::vector<std::size_t>> by_all_pairs(const std::vector<GroupParticle>& all, const Vec3& box,
                                                               double linking) {
  const auto distance = [&](std::size_t i, std::size_t j) {
    Vec3 d = all[i].x - all[j].x;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      d[axis] = std::abs(d[axis]);
      d[axis] = std::min(d[axis], box[axis] - d[axis]);
    }
    return norm(d);
  };
  std::vector<std::uint64_t> label(all.size());
  for (std::size_t i = 0; i < all.size(); ++i) label[i] = all[i].id;
  for (bool has_changed = true; has_changed;) {
    has_changed = false;
    for (std::size_t i = 0; i < all.size(); ++i) {
      for (std::size_t j = 0; j < all.size(); ++j) {
        if (all[i].links == 0 || all[j].links == 0 || label[j] >= label[i] || distance(i, j) > linking) continue;
        label[i] = label[j];
        has_changed = true;
      }
    }
  }
  std::map<std::uint64_t, std::vector<std::size_t>> groups;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].links != 0) {
      groups[label[i]].push_back(i);
      continue;
    }
    double nearest = linking;
    std::uint64_t of = 0;
    for (std::size_t j = 0; j < all.size(); ++j) {
      if (all[j].links == 0 || distance(i, j) > nearest) continue;
      nearest = distance(i, j);
      of = label[j];
    }
    if (of != 0) groups[of].push_back(i);
  }
  return groups;
}

}  // namespace

// By definition: all points of the mesh from all particles, and all modes from all points.
TEST(MatterPower, IsThatOfDirectSums) {
  constexpr std::size_t n = 10;
  const Vec3 box{2.0, 2.0, 2.0};
  const std::vector<PointMass> all = masses_of(clumpy(40, box));
  double mass = 0.0;
  double squares = 0.0;
  for (const PointMass& one : all) {
    mass += one.m;
    squares += one.m * one.m;
  }
  std::vector<double> density(n * n * n);
  for (std::size_t p = 0; p < density.size(); ++p) {
    const std::array<std::size_t, 3> at{p % n, p / n % n, p / n / n};
    for (const PointMass& one : all) {
      double share = one.m;
      for (std::size_t axis = 0; axis < 3; ++axis) {
        double s = one.x[axis] / box[axis] * n - static_cast<double>(at[axis]);
        s -= std::rint(s / n) * n;
        share *= spline(s);
      }
      density[p] += share / mass;  // of a mean of 1/n^3, so that modes are those of the density over its mean
    }
  }
  std::array<double, 5> power{};
  std::array<double, 5> k_mean{};
  std::array<std::uint64_t, 5> modes{};
  constexpr int most = 5;
  for (int i = -most; i <= most; ++i) {
    for (int j = -most; j <= most; ++j) {
      for (int l = -most; l <= most; ++l) {
        const double waves = std::sqrt(i * i + j * j + l * l);
        const auto shell = static_cast<std::size_t>(std::lround(waves));
        if (shell < 1 || shell >= 4) continue;
        std::complex<double> mode;
        for (std::size_t p = 0; p < density.size(); ++p) {
          const double phase = 2.0 * std::numbers::pi / n *
                               (i * static_cast<double>(p % n) + j * static_cast<double>(p / n % n) +
                                l * static_cast<double>(p / n / n));
          mode += density[p] * std::complex<double>{std::cos(phase), -std::sin(phase)};
        }
        double window = 1.0;
        for (const int w : {i, j, l}) {
          const double x = std::numbers::pi * w / n;
          if (w != 0) window *= std::pow(std::sin(x) / x, 4);
        }
        power[shell] += 8.0 * std::norm(mode) / (window * window);
        k_mean[shell] += waves * std::numbers::pi;
        ++modes[shell];
      }
    }
  }
  const MatterPower found = power_on(1, 1, all, box, n);
  ASSERT_EQ(found.k.size(), 3U);
  for (std::size_t shell = 1; shell < 4; ++shell) {
    const auto count = static_cast<double>(modes[shell]);
    EXPECT_EQ(found.modes[shell - 1], modes[shell]);
    EXPECT_NEAR(found.k[shell - 1], k_mean[shell] / count, 1e-13 * found.k[shell - 1]);
    EXPECT_NEAR(found.power[shell - 1], power[shell] / count, 1e-12 * found.power[shell - 1]);
    EXPECT_NEAR(found.expected[shell - 1], 1.0 / found.k[shell - 1], 0.02);
  }
  EXPECT_NEAR(found.shot_noise, 8.0 * squares / (mass * mass), 1e-14);
}

TEST(MatterPower, IsTheSameOnAnyRanksAndThreads) {
  const Vec3 box{2.0, 3.0, 2.5};
  const std::vector<PointMass> all = masses_of(clumpy(500, box));
  const MatterPower alone = power_on(1, 1, all, box, 12);
  EXPECT_GT(alone.k.size(), 3U);
  for (const auto& [ranks, workers] : {std::pair{1, 2}, std::pair{2, 1}, std::pair{4, 2}}) {
    const MatterPower other =
        power_on(static_cast<std::size_t>(ranks), static_cast<std::size_t>(workers), all, box, 12);
    EXPECT_EQ(other.k, alone.k);
    EXPECT_EQ(other.power, alone.power);
    EXPECT_EQ(other.modes, alone.modes);
    EXPECT_EQ(other.expected, alone.expected);
    EXPECT_EQ(other.shot_noise, alone.shot_noise);
  }
}

TEST(Groups, AreThoseOfASearchOverAllPairsOnAnyRanks) {
  const Vec3 box{1.0, 1.25, 1.5};
  const std::vector<GroupParticle> all = clumpy(600, box);
  // Of many small groups, of some, and of one that is nearly all; slabs as thin as a quarter of the box along x.
  for (const double linking : {0.03, 0.06, 0.12, 0.24}) {
    const auto expected = by_all_pairs(all, box, linking);
    std::vector<Group> alone;
    for (const std::size_t size : {1U, 2U, 3U, 4U}) {
      std::vector<Group> found;
      std::mutex lock;
      comm::testing::on_ranks(size, [&](comm::Communicator& world) {
        const std::vector<Group> mine = find_groups(dealt(all, world), box, linking, 1, world);
        const std::scoped_lock guard(lock);
        if (!found.empty()) {
          ASSERT_EQ(std::memcmp(found.data(), mine.data(), mine.size() * sizeof(Group)), 0);
        }
        found = mine;
      });
      if (size == 1) alone = found;
      ASSERT_EQ(found.size(), alone.size());
      EXPECT_EQ(std::memcmp(found.data(), alone.data(), alone.size() * sizeof(Group)), 0) << size << " " << linking;
    }
    ASSERT_EQ(alone.size(), expected.size());
    for (const Group& group : alone) {
      ASSERT_TRUE(expected.contains(group.id));
      double mass = 0.0;
      double joined_mass = 0.0;
      std::uint64_t joined = 0;
      Vec3 momentum;
      for (const std::size_t i : expected.at(group.id)) {
        mass += all[i].m;
        momentum = momentum + all[i].m * all[i].v;
        if (all[i].links != 0) continue;
        ++joined;
        joined_mass += all[i].m;
      }
      EXPECT_EQ(group.particles + group.joined, expected.at(group.id).size());
      EXPECT_EQ(group.joined, joined);
      EXPECT_NEAR(group.mass, mass, 1e-12 * mass);
      EXPECT_NEAR(group.joined_mass, joined_mass, 1e-12 * mass);
      EXPECT_NEAR(norm(group.velocity - (1.0 / mass) * momentum), 0.0, 1e-12);
    }
  }
  // Least members; the heaviest comes first.
  comm::testing::on_ranks(2, [&](comm::Communicator& world) {
    const auto is_large = [](const Group& group) { return group.particles >= 4; };
    const std::vector<Group> any = find_groups(dealt(all, world), box, 0.06, 1, world);
    const std::vector<Group> large = find_groups(dealt(all, world), box, 0.06, 4, world);
    EXPECT_GT(large.size(), 3U);
    EXPECT_EQ(static_cast<std::ptrdiff_t>(large.size()), std::ranges::count_if(any, is_large));
    EXPECT_TRUE(std::ranges::all_of(large, is_large));
    EXPECT_TRUE(std::ranges::is_sorted(large, std::greater{}, &Group::mass));
  });
}

TEST(Groups, ThePlaceOfOneAcrossTheFacesIsWhereItsMassLies) {
  const Vec3 box{1.0, 1.0, 1.0};
  const std::vector<GroupParticle> two{{.id = 5, .x = {0.99, 0.5, 0.01}, .v = {1.0, 0.0, 0.0}, .m = 1.0},
                                       {.id = 3, .x = {0.02, 0.5, 0.98}, .v = {0.0, 0.0, 4.0}, .m = 3.0}};
  comm::testing::on_ranks(2, [&](comm::Communicator& world) {
    const std::vector<Group> found = find_groups(dealt(two, world), box, 0.1, 2, world);
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].id, 3U);
    EXPECT_NEAR(norm(found[0].centre - Vec3{0.0125, 0.5, 0.9875}), 0.0, 1e-15);
    EXPECT_NEAR(norm(found[0].velocity - Vec3{0.25, 0.0, 3.0}), 0.0, 1e-15);
    EXPECT_TRUE(find_groups(dealt(two, world), box, 0.01, 1, world).size() == 2);
  });
}

}  // namespace tacit::sph::analysis_test
