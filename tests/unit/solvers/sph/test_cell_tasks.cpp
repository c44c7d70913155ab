// The work of a cell's tasks: kicks and drifts by hand, and culling that loses no neighbour.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>

#include "samples.hpp"
#include "tacit/solvers/sph/cell_tasks.hpp"

namespace tacit::sph::cell_tasks_test {
namespace {

/// One cell's particles with views of all of them.
struct Cell {
  explicit Cell(std::size_t n) {
    for (const Field& field : fields) (gas.*field.array).assign(n, 0.0);
    gas.id.assign(n, 0);
    for (std::size_t i = 0; i < n; ++i) gas.id[i] = i + 1;
    const auto of = [](std::vector<double>& v) { return std::span<double>(v); };
    motion = {of(gas.x), of(gas.y), of(gas.z), of(gas.m), of(gas.vx_p), of(gas.vy_p), of(gas.vz_p), of(gas.A_p)};
    integrated = {gas.id, of(gas.vx), of(gas.vy), of(gas.vz), of(gas.A)};
    hydro = {of(gas.h), of(gas.rho), of(gas.omega_P), of(gas.cs), of(gas.balsara), of(gas.div_v)};
    forces = {of(gas.ax), of(gas.ay), of(gas.az), of(gas.dA_dt), of(gas.v_sig)};
  }
  Gas gas;
  Motion motion;
  Integrated integrated;
  Hydro hydro;
  Forces forces;
};

/// Particles in [low, low + 1)^3 with smoothing lengths up to 0.3.
Cell random_cell(std::size_t n, double low, std::uint64_t seed) {
  Cell cell(n);
  for (std::size_t i = 0; i < n; ++i) {
    cell.gas.x[i] = low + base::uniform(seed, i, 0);
    cell.gas.y[i] = base::uniform(seed, i, 1);
    cell.gas.z[i] = base::uniform(seed, i, 2);
    cell.gas.h[i] = 0.3 * base::uniform(seed, i, 3);
    cell.gas.m[i] = static_cast<double>(i);  // tells who is in the cache
  }
  return cell;
}

std::set<double> masses(const kernels::NeighbourCache& cache) {
  return {cache.m.begin(), cache.m.begin() + static_cast<std::ptrdiff_t>(cache.size)};
}

}  // namespace

TEST(KickAndDrift, ByHand) {
  Cell cell(1);
  Gas& gas = cell.gas;
  gas.x[0] = 1.0;
  gas.vx[0] = 2.0;
  gas.vy[0] = -1.0;
  gas.A[0] = 3.0;
  gas.ax[0] = 4.0;
  gas.az[0] = -8.0;
  gas.dA_dt[0] = 1.0;
  gas.h[0] = 0.5;
  gas.div_v[0] = 0.6;
  kick_and_drift(cell.motion, cell.integrated, cell.hydro, cell.forces, 0.5, 3);
  EXPECT_EQ(gas.vx[0], 3.0);  // 2 + 4 / 4
  EXPECT_EQ(gas.vy[0], -1.0);
  EXPECT_EQ(gas.vz[0], -2.0);
  EXPECT_EQ(gas.A[0], 3.25);
  EXPECT_EQ(gas.x[0], 2.5);  // 1 + 3 / 2
  EXPECT_EQ(gas.y[0], -0.5);
  EXPECT_EQ(gas.z[0], -1.0);
  EXPECT_EQ(gas.vx_p[0], 4.0);
  EXPECT_EQ(gas.vz_p[0], -4.0);
  EXPECT_EQ(gas.A_p[0], 3.5);
  EXPECT_DOUBLE_EQ(gas.h[0], 0.5 * std::exp(0.1));
}

TEST(KickAndDrift, GuessesOfHChangeByAtMostAFifth) {
  Cell cell(2);
  cell.gas.h = {1.0, 1.0};
  cell.gas.div_v = {1e9, -1e9};
  cell.hydro.h = cell.gas.h;
  cell.hydro.div_v = cell.gas.div_v;
  kick_and_drift(cell.motion, cell.integrated, cell.hydro, cell.forces, 1.0, 3);
  EXPECT_DOUBLE_EQ(cell.gas.h[0], std::exp(0.2));
  EXPECT_DOUBLE_EQ(cell.gas.h[1], std::exp(-0.2));
}

TEST(Kick, ByHand) {
  Cell cell(2);
  Gas& gas = cell.gas;
  gas.vx[0] = 2.0;
  gas.ax[0] = 4.0;
  gas.ay[0] = 16.0;
  gas.vz[1] = -1.0;
  gas.A[1] = 1.0;
  gas.dA_dt[1] = -2.0;
  CellReport report;
  kick(cell.motion, cell.integrated, cell.forces, 0.5, report);
  EXPECT_EQ(gas.vx[0], 3.0);
  EXPECT_EQ(gas.vy[0], 4.0);
  EXPECT_EQ(gas.A[1], 0.5);
  EXPECT_EQ(report.v_max, 5.0);
  EXPECT_EQ(report.not_finite, CellReport::none);
}

TEST(Kick, NamesAParticleThatIsNotFinite) {
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    for (const auto field : {&Gas::x, &Gas::z, &Gas::vy, &Gas::A, &Gas::ax, &Gas::dA_dt}) {
      Cell cell(3);
      (cell.gas.*field)[1] = bad;
      CellReport report;
      kick(cell.motion, cell.integrated, cell.forces, 0.5, report);
      EXPECT_EQ(report.not_finite, 2U);
    }
  }
}

TEST(BoundingBox, IsTheSmallestAndOfNothingIsFarFromEverything) {
  const Cell cell = random_cell(50, 0.0, 1);
  const kernels::Box box = bounding_box(cell.motion);
  EXPECT_EQ(box.low.x, *std::ranges::min_element(cell.gas.x));
  EXPECT_EQ(box.high.z, *std::ranges::max_element(cell.gas.z));
  EXPECT_EQ(box.distance2(box.low.x, box.high.y, box.low.z), 0.0);
  EXPECT_EQ(box.distance2(box.low.x - 3.0, box.high.y + 4.0, box.low.z), 25.0);
  EXPECT_EQ(bounding_box(Cell(0).motion).distance2(0.0, 0.0, 0.0), std::numeric_limits<double>::infinity());
  EXPECT_EQ(largest_h(Cell(0).hydro), 0.0);
  EXPECT_EQ(largest_h(cell.hydro), *std::ranges::max_element(cell.gas.h));
}

TEST(AppendMotion, KeepsWhatMayBeSeenAndDropsWhatCannot) {
  const Cell here = random_cell(40, 0.0, 1);
  const Cell there = random_cell(200, 0.0, 2);
  const base::Vec3 shift{1.2, 0.5, -0.25};
  const kernels::Box box = bounding_box(here.motion);
  for (const double radius : {0.05, 0.3, 0.6, 10.0}) {
    kernels::NeighbourCache cache;
    append_motion(cache, there.motion, {.shift = shift}, box, radius);
    std::set<double> within_box;
    std::set<double> seen;
    for (std::size_t j = 0; j < 200; ++j) {
      const base::Vec3 at{there.gas.x[j] + shift.x, there.gas.y[j] + shift.y, there.gas.z[j] + shift.z};
      if (box.distance2(at.x, at.y, at.z) < radius * radius) within_box.insert(there.gas.m[j]);
      for (std::size_t i = 0; i < 40; ++i) {
        if (norm(at - base::Vec3{here.gas.x[i], here.gas.y[i], here.gas.z[i]}) < radius) seen.insert(there.gas.m[j]);
      }
    }
    EXPECT_EQ(masses(cache), within_box);
    EXPECT_TRUE(std::ranges::includes(masses(cache), seen));
    EXPECT_EQ(radius > 5.0, cache.size == 200);
    for (std::size_t k = 0; k < cache.size; ++k) {
      EXPECT_EQ(cache.x[k], there.gas.x[static_cast<std::size_t>(cache.m[k])] + shift.x);
    }
  }
}

TEST(AppendMotionAndHydro, KeepsAlsoThoseWhoseKernelsReachBack) {
  const Cell here = random_cell(40, 0.0, 1);
  const Cell there = random_cell(300, 1.0, 2);
  const kernels::Box box = bounding_box(here.motion);
  constexpr double support = kernels::CubicSpline::gamma;
  constexpr double radius = 0.1;
  kernels::NeighbourCache cache;
  append_motion_and_hydro(cache, there.motion, there.hydro, {}, box, radius, support);
  std::set<double> seen;
  for (std::size_t j = 0; j < 300; ++j) {
    for (std::size_t i = 0; i < 40; ++i) {
      const double r = norm(
          base::Vec3{there.gas.x[j] - here.gas.x[i], there.gas.y[j] - here.gas.y[i], there.gas.z[j] - here.gas.z[i]});
      if (r < std::max(radius, support * there.gas.h[j])) seen.insert(there.gas.m[j]);
    }
  }
  EXPECT_TRUE(std::ranges::includes(masses(cache), seen));
  EXPECT_GT(seen.size(), 20U);
  EXPECT_LT(cache.size, 300U);
  for (std::size_t k = 0; k < cache.size; ++k) EXPECT_EQ(cache.h[k], there.gas.h[static_cast<std::size_t>(cache.m[k])]);
}

TEST(NeighbourCache, FindsExactlyThoseWithinTheRadius) {
  for (const std::size_t n : {0U, 1U, 7U, 8U, 9U, 500U}) {
    const Cell cell = random_cell(n, 0.0, 5);
    kernels::NeighbourCache cache;
    cache.reserve(n);
    append_motion_and_hydro(cache, cell.motion, cell.hydro, {}, {{0, 0, 0}, {1, 1, 1}}, 1.0, 1.0);
    const kernels::Point at{0.5, 0.5, 0.5};
    for (const double radius : {0.0, 0.2, 0.4, 2.0}) {
      std::set<std::uint32_t> within;
      std::set<std::uint32_t> either;
      for (std::uint32_t j = 0; j < n; ++j) {
        const double dx = 0.5 - cache.x[j];
        const double dy = 0.5 - cache.y[j];
        const double dz = 0.5 - cache.z[j];
        const double r2 = dx * dx + dy * dy + dz * dz;
        const double reach = std::max(radius, 1.8 * cache.h[j]);
        if (r2 < radius * radius) within.insert(j);
        if (r2 < reach * reach) either.insert(j);
      }
      const auto hits = [&cache] {
        return std::set<std::uint32_t>(cache.hit.begin(), cache.hit.begin() + static_cast<std::ptrdiff_t>(cache.hits));
      };
      kernels::find_within(cache, at, radius);
      EXPECT_EQ(hits(), within);
      EXPECT_EQ(cache.hits, within.size());
      kernels::find_within_either(cache, at, radius, 1.8);
      EXPECT_EQ(hits(), either);
    }
  }
}

}  // namespace tacit::sph::cell_tasks_test
