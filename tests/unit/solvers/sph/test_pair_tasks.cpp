// What a cell's tasks see of its neighbours: no particle is lost, and only the active are computed.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <set>
#include <vector>

#include "samples.hpp"
#include "tacit/solvers/sph/cell_view.hpp"
#include "tacit/solvers/sph/integrate.hpp"
#include "tacit/solvers/sph/loops.hpp"

namespace tacit::sph::pair_tasks_test {
namespace {

using base::Vec3;

/// Random particles in a periodic box of 4 x 3 x 3 cells, in groups, with all that their tasks need.
struct Cells {
  explicit Cells(std::size_t n) : grid({{}, {4.0, 3.0, 3.0}, true}, 1.0, 1000, 4) {
    for_each_field(gas, [n](std::string_view /*name*/, auto& array) { array.resize(n); });
    for (std::size_t i = 0; i < n; ++i) {
      gas.id.push_back(i + 1);
      gas.x[i] = 4.0 * base::uniform(3, i, 0);
      gas.y[i] = 3.0 * base::uniform(3, i, 1);
      gas.z[i] = 3.0 * base::uniform(3, i, 2);
    }
    sort();
    for (std::size_t i = 0; i < n; ++i) {
      gas.h[i] = 0.2 + 0.2 * base::uniform(3, i, 3);
      gas.m[i] = 1.0 + static_cast<double>(i);  // tells who is in the cache
      gas.rho[i] = gas.omega_P[i] = 1.0;
      gas.bin[i] = static_cast<std::uint8_t>(4.0 * base::uniform(3, i, 4));
    }
    const std::vector<double> longest(grid.cells(), kernels::CubicSpline::gamma * 0.4);
    reach = longest;
    extent.assign(grid.cells(), 2.0);
    EXPECT_TRUE(grid.link(reach, 0.0));
    cells.resize(grid.cells());
    reports.resize(grid.cells());
    bounds.resize(grid.cells());
    boxes.resize(grid.cells());
    group_h.resize(grid.total_groups());
    limits.resize(n);
    for (std::size_t c = 0; c < cells.size(); ++c) bind(c);
  }

  void sort() {
    const auto order = grid.sort(gas.x, gas.y, gas.z, gas.id);
    const Gas old = gas;
    for (std::size_t i = 0; i < order.size(); ++i) {
      gas.id[i] = old.id[order[i]];
      gas.x[i] = old.x[order[i]];
      gas.y[i] = old.y[order[i]];
      gas.z[i] = old.z[order[i]];
    }
  }
  void bind(std::size_t c) {
    const auto groups = grid.groups(c);
    const std::size_t count = groups.size() - 1;
    const auto range = grid.range(c);
    boxes[c].resize(GroupBoxes::room_for(count));
    cells[c].bind(gas, range, groups, {{boxes[c].data(), GroupBoxes::stride_for(count)}},
                  std::span(group_h).subspan(grid.first_group(c), count),
                  std::span(limits).subspan(range.begin, range.count));
    bounds[c] = bound_groups(no_task.read(cells[c].motion), no_task.read(cells[c].hydro), loops.kernels().drift.bound);
    const auto bins = std::span(gas.bin).subspan(range.begin, range.count);
    reports[c].lowest_bin = std::ranges::min(bins);
    reports[c].highest_bin = std::ranges::max(bins);
  }
  [[nodiscard]] StepData data() {
    return {physics, grid, loops, units, clock, reach, extent, slack, cells, reports, bounds, scratch};
  }
  [[nodiscard]] Vec3 at(std::size_t i) const { return {gas.x[i], gas.y[i], gas.z[i]}; }
  /// Between nearest images.
  [[nodiscard]] double distance(std::size_t i, std::size_t j) const {
    Vec3 d = at(i) - at(j);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      d[axis] -= grid.domain().size[axis] * std::round(d[axis] / grid.domain().size[axis]);
    }
    return norm(d);
  }

  tasks::StepContext no_task;
  SphParameters physics = testing::plain_parameters();
  Gas gas;
  particles::CellTree grid;
  kernels::vector::PairLoops loops = pair_loops(Kernel::cubic_spline, 3);
  CacheUnits units;
  StepClock clock;
  std::vector<double> reach, extent, slack;
  std::vector<CellData> cells;
  std::vector<CellReport> reports;
  std::vector<Scratch> scratch{1};
  std::vector<CellBounds> bounds;
  std::vector<std::vector<double>> boxes;  // of each cell
  std::vector<double> group_h;
  std::vector<std::uint8_t> limits;
};

/// Masses tell who is among the candidates.
std::set<float> masses(const kernels::vector::VectorCache& cache) {
  const auto candidates = cache.candidates();
  return {candidates.m, candidates.m + candidates.size};
}

/// All particles j for which `sees(i, j)` holds for some i of the cell.
template <class Sees>
std::set<float> seen_from(const Cells& cells, std::size_t c, const Sees& sees) {
  std::set<float> seen;
  const auto [begin, count] = cells.grid.range(c);
  for (std::size_t j = 0; j < cells.gas.size(); ++j) {
    for (std::size_t i = begin; i < begin + count; ++i) {
      if (sees(i, j)) seen.insert(static_cast<float>(cells.gas.m[j]));
    }
  }
  return seen;
}

/// All wanted particles of a cell.
Selection selection_of(const CellView& cell) {
  std::vector<GroupSelection> groups;
  return cell.select(groups);
}

kernels::Box box_of(Cells& cells, std::size_t c) {
  const StepData data = cells.data();
  const auto& hydro = cells.no_task.read(cells.cells[c].hydro);
  const auto& motion = cells.no_task.read(cells.cells[c].motion);
  return selection_of({data, c, motion, hydro, {}, {}, true}).box;
}

}  // namespace

TEST(CollectMotion, LosesNobodyAndTakesNobodyFromAfar) {
  Cells cells(1500);
  const StepData data = cells.data();
  for (const double radius : {0.05, 0.3, 0.7}) {
    for (std::size_t c = 0; c < cells.grid.cells(); c += 5) {
      const kernels::Box box = box_of(cells, c);
      auto& cache = cells.scratch[0].cache;
      collect_motion(data, c, {box, radius}, cache, cells.no_task);
      const auto found = masses(cache);
      const auto needed =
          seen_from(cells, c, [&](std::size_t i, std::size_t j) { return cells.distance(i, j) < radius; });
      EXPECT_TRUE(std::ranges::includes(found, needed)) << radius;
      EXPECT_EQ(found.size(), cache.size()) << "a particle came twice";
      // A particle that is further from the box than the radius and a quantum in each direction stays away.
      const Vec3 half = 0.5 * Vec3{box.high.x - box.low.x, box.high.y - box.low.y, box.high.z - box.low.z};
      const double most = norm(half) + radius + 1e-5;
      const Vec3 middle = Vec3{box.low.x, box.low.y, box.low.z} + half;
      for (std::size_t j = 0; j < cells.gas.size(); ++j) {
        if (!found.contains(static_cast<float>(cells.gas.m[j]))) continue;
        Vec3 d = cells.at(j) - middle;
        for (std::size_t axis = 0; axis < 3; ++axis) {
          d[axis] -= cells.grid.domain().size[axis] * std::round(d[axis] / cells.grid.domain().size[axis]);
        }
        EXPECT_LE(norm(d), most);
      }
    }
  }
}

TEST(CollectGas, TakesAlsoThoseWhoseKernelsReachBack) {
  Cells cells(1500);
  const StepData data = cells.data();
  constexpr double support = kernels::CubicSpline::gamma;
  for (const double radius : {0.05, 0.5}) {
    for (std::size_t c = 0; c < cells.grid.cells(); c += 5) {
      auto& cache = cells.scratch[0].cache;
      collect_gas(data, c, {box_of(cells, c), radius, Seen::either}, cache, cells.no_task);
      const auto found = masses(cache);
      const auto needed = seen_from(cells, c, [&](std::size_t i, std::size_t j) {
        return cells.distance(i, j) < std::max(radius, support * cells.gas.h[j]);
      });
      EXPECT_TRUE(std::ranges::includes(found, needed)) << radius;
      EXPECT_LT(found.size(), cells.gas.size());
    }
  }
}

TEST(Selection, IsTheBoxAroundTheActive) {
  Cells cells(1500);
  cells.clock.is_common = false;
  cells.clock.active = 1;
  const StepData data = cells.data();
  for (std::size_t c = 0; c < cells.grid.cells(); ++c) {
    const auto& motion = cells.no_task.read(cells.cells[c].motion);
    const auto& hydro = cells.no_task.read(cells.cells[c].hydro);
    const auto bins = cells.no_task.read(cells.cells[c].integrated).bin;
    const CellView cell{data, c, motion, hydro, bins, {}, data.are_all_active(c)};
    Selection expected;
    for (std::size_t i = 0; i < motion.size(); ++i) {
      EXPECT_EQ(cell.is_wanted(i), bins[i] <= 1);
      if (bins[i] > 1) continue;
      const kernels::Point at{motion.x[i], motion.y[i], motion.z[i]};
      expected.add({at, at}, hydro.h[i], 1);
    }
    const Selection found = selection_of(cell);
    EXPECT_EQ(found.count, expected.count);
    EXPECT_EQ(found.h, expected.h);
    EXPECT_EQ(found.box.low.x, expected.box.low.x);
    EXPECT_EQ(found.box.high.z, expected.box.high.z);
    const std::vector<std::uint8_t> done(motion.size(), 1);
    EXPECT_EQ(selection_of({data, c, motion, hydro, bins, done, false}).count, 0U);
  }
  EXPECT_EQ(Selection{}.count, 0U);
  EXPECT_EQ(Selection{}.box.distance2(0.0, 0.0, 0.0), std::numeric_limits<double>::infinity());
}

TEST(Densities, OfTheActiveAlone) {
  Cells cells(1500);
  cells.gas.m.assign(cells.gas.size(), 36.0 / 1500.0);
  cells.physics.smoothing.h_max = 0.4;
  cells.clock.is_common = false;
  cells.clock.active = 1;
  const StepData data = cells.data();
  const Gas before = cells.gas;
  std::size_t idle = 0;
  for (std::size_t c = 0; c < cells.grid.cells(); ++c) compute_densities(data, c, cells.no_task);
  for (std::size_t c = 0; c < cells.grid.cells(); ++c) compute_forces(data, c, cells.no_task);
  for (std::size_t i = 0; i < before.size(); ++i) {
    const bool is_active = before.bin[i] <= 1;
    EXPECT_EQ(cells.gas.rho[i] != before.rho[i], is_active);
    EXPECT_EQ(cells.gas.h[i] != before.h[i], is_active);
    EXPECT_EQ(cells.gas.dt[i] != before.dt[i], is_active);
    idle += is_active ? 0U : 1U;
  }
  EXPECT_GT(idle, 500U);
}

TEST(Densities, ACellReportsThatItsListIsTooShort) {
  Cells cells(1500);
  cells.gas.m.assign(cells.gas.size(), 36.0 / 1500.0);
  cells.physics.smoothing.h_max = 10.0;
  const StepData data = cells.data();
  // The fitting h is about 1.2348 (36 / 1500)^(1/3) = 0.36, of support 0.65.
  cells.reach[0] = 0.5;
  compute_densities(data, 0, cells.no_task);
  EXPECT_TRUE(cells.reports[0].out_of_reach);
  cells.reach[0] = 1.2;
  compute_densities(data, 0, cells.no_task);
  EXPECT_FALSE(cells.reports[0].out_of_reach);
}

}  // namespace tacit::sph::pair_tasks_test
