// Gravity of the cells on each other: against the plain sums, a sphere that is known, and itself on other ranks.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <functional>
#include <mutex>
#include <numeric>
#include <utility>
#include <vector>

#include "tacit/base/cpu_features.hpp"
#include "tacit/base/random.hpp"
#include "tacit/comm/bootstrap/threads.hpp"
#include "tacit/fmm/direct.hpp"
#include "tacit/solvers/amr/gravity.hpp"
#include "tacit/solvers/amr/sub_grids.hpp"
#include "tacit/tasks/scheduler.hpp"
#include "tacit/trace/trace.hpp"
#include "unit/comm/polling.hpp"
#include "unit/comm/ranks.hpp"

namespace tacit::amr {
namespace {

using Density = std::function<double(const Point&)>;

/// Some gas, with a field of every cell once it is solved.
struct Cells {
  Domain domain;
  mesh::Octree tree;
  std::vector<double> x, y, z, m, spacing;  // leaf by leaf
  std::vector<double> rho;
  std::vector<double> phi, gx, gy, gz;

  Cells(const Domain& of, const Density& density) : domain(of), tree(make_tree(domain)) {
    for (const mesh::Node& leaf : tree.leaves()) {
      for (std::size_t cell = 0; cell < cells(); ++cell) {
        const Point at = centre_of(domain, leaf, cell);
        x.push_back(at[0]);
        y.push_back(at[1]);
        z.push_back(at[2]);
        rho.push_back(density(at));
        m.push_back(rho.back() * domain.volume(leaf.level));
        spacing.push_back(domain.spacing(0, leaf.level));
      }
    }
    for (auto* field : {&phi, &gx, &gy, &gz}) field->resize(size());
  }
  [[nodiscard]] std::size_t cells() const { return domain.block * domain.block * domain.block; }
  [[nodiscard]] std::size_t size() const { return m.size(); }
  [[nodiscard]] fmm::Bodies bodies() const { return {x, y, z, m}; }

  void solve(const GravityOptions& options = {}, std::size_t workers = 1) {
    comm::Communicator alone(comm::bootstrap_alone());
    solve(options, workers, alone);
  }
  /// What this rank has of it; others are not touched.
  void solve(const GravityOptions& options, std::size_t workers, comm::Communicator& ranks) {
    trace::Recorder recorder(workers);
    tasks::Scheduler scheduler(workers, recorder);
    const comm::testing::Polling polling(scheduler, ranks);
    const engine::Resources resources{scheduler, false, ranks};
    Gravity gravity(domain, options, tree, resources);
    const Share share = share_of(domain, tree, ranks.size(), ranks.rank());
    gravity.rebuild(share.own, share.division);
    gravity.solve([&](std::size_t leaf) { return rho.data() + leaf * cells(); });
    for (std::size_t leaf = share.own.begin; leaf < share.own.end; ++leaf) {
      const auto field = gravity.field(leaf);
      std::size_t k = 0;
      for (auto* to : {&phi, &gx, &gy, &gz})
        std::copy_n(field.of(k++), cells(), to->begin() + static_cast<std::ptrdiff_t>(leaf * cells()));
    }
  }
};

struct Errors {
  double potential = 0.0;  ///< largest, over the largest potential
  double mean = 0.0;       ///< root of mean squares of accelerations over that of them
};

/// Against sums over all cells, at every `stride`-th of them.
Errors errors_of(const Cells& cells, std::size_t stride) {
  Errors errors;
  double largest = 0.0;
  double squares = 0.0;
  double all = 0.0;
  for (std::size_t c = 0; c < cells.size(); c += stride) {
    const fmm::Field sum = fmm::field_at(cells.bodies().at(c), cells.bodies(), {});
    // The cell itself is a body at the same place, and does not act in the plain sums.
    const double phi = sum.potential - Gravity::self_potential * cells.m[c] / cells.spacing[c];
    errors.potential = std::max(errors.potential, std::abs(cells.phi[c] - phi));
    largest = std::max(largest, std::abs(phi));
    const base::Vec3 d = base::Vec3{cells.gx[c], cells.gy[c], cells.gz[c]} - sum.acceleration;
    squares += dot(d, d);
    all += dot(sum.acceleration, sum.acceleration);
  }
  errors.potential /= largest;
  errors.mean = std::sqrt(squares / all);
  return errors;
}

double noise(const Point& at) {
  const auto bits = [](double x) { return static_cast<std::uint64_t>(x * 1e6); };
  return base::uniform(7, bits(at[0]) * 2000003 + bits(at[1]) * 1000003 + bits(at[2]), 0);
}
double clumps(const Point& at) {
  const auto clump = [&](double x, double y, double z, double a) {
    const double r2 = (at[0] - x) * (at[0] - x) + (at[1] - y) * (at[1] - y) + (at[2] - z) * (at[2] - z);
    return 1.0 / ((a * a + r2) * (a * a + r2));
  };
  return (0.5 + noise(at)) * (clump(0.3, 0.4, 0.35, 0.1) + clump(0.7, 0.8, 0.6, 0.05));
}

Domain box_of(std::uint32_t level, std::vector<Region> regions = {}, std::size_t block = 8) {
  Domain domain{.block = block, .level = level, .regions = std::move(regions)};
  for (auto& sides : domain.sides) sides = {Wall::outflow, Wall::outflow};
  return domain;
}

/// Three levels, with borders of both kinds in all directions.
Domain nested() {
  return box_of(2, {{.level = 3, .low = {0.3, 0.3, 0.3}, .high = {0.45, 0.45, 0.45}},
                    {.level = 4, .low = {0.32, 0.4, 0.33}, .high = {0.35, 0.42, 0.36}}});
}

/// The same in few cells.
Domain cornered() { return box_of(1, {{.level = 3, .low = {0.0, 0.4, 0.9}, .high = {0.1, 0.5, 1.0}}}); }

TEST(AmrGravity, IsThatOfPlainSums) {
  // What is cut off falls with the order: at the first three, by a factor of 2.7 (accelerations), here.
  const double bounds[] = {0.0, 0.0, 6e-2, 2e-2, 7e-3, 3e-3};
  Cells cells(box_of(2), clumps);
  for (const int order : {2, 3, 4, 5}) {
    cells.solve({.order = order});
    const Errors errors = errors_of(cells, 61);
    EXPECT_LT(errors.mean, bounds[order]) << order;
    EXPECT_LT(errors.potential, 0.2 * bounds[order]) << order;
    EXPECT_GT(errors.mean, 0.1 * bounds[order]) << order << ": the bound says nothing";
  }
}

TEST(AmrGravity, SmallerAnglesAreMoreAccurate) {
  Cells cells(box_of(2), clumps);
  double before = 6e-3;
  for (const double angle : {0.5, 0.4, 1.0 / 3.0}) {
    cells.solve({.order = 4, .angle = angle});
    const Errors errors = errors_of(cells, 61);
    EXPECT_LT(errors.mean, before) << angle;
    before = errors.mean;
  }
  EXPECT_LT(before, 1e-3);
}

TEST(AmrGravity, IsThatOfPlainSumsBetweenLevels) {
  Cells cells(nested(), clumps);
  ASSERT_EQ(cells.tree.finest(), 4U);
  ASSERT_EQ(cells.tree.coarsest(), 2U);
  for (const auto& [angle, bound] : {std::pair{0.5, 7e-3}, std::pair{0.4, 1.5e-3}}) {
    cells.solve({.order = 4, .angle = angle});
    const Errors errors = errors_of(cells, 397);
    EXPECT_LT(errors.mean, bound) << angle;
    EXPECT_LT(errors.potential, 0.5 * bound) << angle;
  }
}

/// Roots that make no cube, at the corner of which most of the largest one is empty; sub-grids of several units.
TEST(AmrGravity, TakesAnyRootBlocksAndSubGrids) {
  Domain domain = box_of(0, {{.level = 1, .low = {1.2, 0.2, 0.1}, .high = {1.7, 0.9, 0.4}}}, 16);
  domain.roots = {3, 2, 1};
  domain.box = {3.0, 2.0, 1.0};
  Cells cells(domain, clumps);
  cells.solve({.order = 4});
  const Errors errors = errors_of(cells, 197);
  EXPECT_LT(errors.mean, 1.4e-2);
  EXPECT_LT(errors.potential, 3e-3);
}

/// What one cell does to another and the reverse are cut off alike, between levels, too.
TEST(AmrGravity, ForcesAddUpToZeroAndActBothWays) {
  for (const GravityOptions& options : {GravityOptions{.order = 3}, {.order = 4, .angle = 0.4}}) {
    Cells cells(cornered(), clumps);
    cells.solve(options);
    std::array<double, 3> sum{};
    std::array<double, 3> scale{};
    for (std::size_t c = 0; c < cells.size(); ++c) {
      const std::array g{cells.gx[c], cells.gy[c], cells.gz[c]};
      for (std::size_t axis = 0; axis < 3; ++axis) {
        sum[axis] += cells.m[c] * g[axis];
        scale[axis] += cells.m[c] * std::abs(g[axis]);
      }
    }
    // Sums of 14 000 terms round by 1e-16 of their partial sums, as random numbers do.
    for (std::size_t axis = 0; axis < 3; ++axis) EXPECT_LT(std::abs(sum[axis]), 1e-14 * scale[axis]) << axis;

    Cells other(cornered(), [](const Point& at) { return 1.0 + at[0] * noise(at); });
    other.solve(options);
    const double there = std::inner_product(other.m.begin(), other.m.end(), cells.phi.begin(), 0.0);
    const double here = std::inner_product(cells.m.begin(), cells.m.end(), other.phi.begin(), 0.0);
    EXPECT_NEAR(there, here, 1e-13 * std::abs(there));
  }
}

/// A uniform sphere of mass 4 pi / 3 R^3: analytic potential and field, inside of it and out.
TEST(AmrGravity, OfASphere) {
  constexpr double R = 0.25;
  const auto is_within = [](const Point& at) {
    const double r2 = (at[0] - 0.5) * (at[0] - 0.5) + (at[1] - 0.5) * (at[1] - 0.5) + (at[2] - 0.5) * (at[2] - 0.5);
    return r2 < R * R;
  };
  Cells cells(box_of(3, {}), [&](const Point& at) { return is_within(at) ? 1.0 : 0.0; });
  const double mass = std::accumulate(cells.m.begin(), cells.m.end(), 0.0);
  const double G = 2.0;
  cells.solve({.constant = G, .order = 4});
  double potential_error = 0.0;
  double field_error = 0.0;
  for (std::size_t c = 0; c < cells.size(); ++c) {
    const std::array d{cells.x[c] - 0.5, cells.y[c] - 0.5, cells.z[c] - 0.5};
    const double r = std::sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    const double phi = r < R ? -G * mass * (3.0 * R * R - r * r) / (2.0 * R * R * R) : -G * mass / r;
    const double g = r < R ? -G * mass * r / (R * R * R) : -G * mass / (r * r);
    potential_error = std::max(potential_error, std::abs(cells.phi[c] - phi));
    const double towards = (cells.gx[c] * d[0] + cells.gy[c] * d[1] + cells.gz[c] * d[2]) / r;
    // At the surface the cells are its steps.
    if (std::abs(r - R) > 0.04) field_error = std::max(field_error, std::abs(towards - g));
  }
  // Over the values at the surface; what the steps of the surface and expansions leave.
  EXPECT_LT(potential_error, 3e-3 * G * mass / R);
  EXPECT_LT(field_error, 1e-2 * G * mass / (R * R));
}

TEST(AmrGravity, HasTheSameBitsOnAnyRanksAndThreads) {
  const auto all_of = [](const Cells& cells) {
    std::vector<double> all;
    for (const auto* field : {&cells.phi, &cells.gx, &cells.gy, &cells.gz})
      all.insert(all.end(), field->begin(), field->end());
    return all;
  };
  const GravityOptions options{.order = 3, .angle = 0.4};
  Cells alone(cornered(), clumps);
  alone.solve(options);
  Cells with_threads(cornered(), clumps);
  with_threads.solve(options, 2);
  EXPECT_EQ(all_of(alone), all_of(with_threads));
  for (const std::size_t ranks : {2U, 4U}) {
    Cells together(cornered(), clumps);
    std::mutex mutex;
    comm::testing::on_ranks(ranks, [&](comm::Communicator& world) {
      Cells mine(cornered(), clumps);
      mine.solve(options, 1, world);
      const std::lock_guard lock(mutex);
      const auto add = [](std::vector<double>& to, const std::vector<double>& from) {
        for (std::size_t c = 0; c < to.size(); ++c) to[c] += from[c];  // 0 but on one rank
      };
      add(together.phi, mine.phi);
      add(together.gx, mine.gx);
      add(together.gy, mine.gy);
      add(together.gz, mine.gz);
    });
    EXPECT_EQ(all_of(alone), all_of(together)) << ranks;
  }
}

TEST(AmrGravity, HasTheSameBitsInAllInstructionSets) {
  const std::vector<double> numbers = [] {
    std::vector<double> some(40000);
    for (std::size_t k = 0; k < some.size(); ++k) some[k] = base::uniform(3, k, 0) - 0.3;
    return some;
  }();
  const auto results_of = [&](const kernels::GravityLoops& loops) {
    std::vector<double> sums(4 * 512 + 4 * 64 + 56 * 8 + 4 * 64, 0.25);
    const auto at = [&](std::size_t first, std::size_t next) {
      double* const to = sums.data() + first;
      return kernels::UnitSums{to, to + next, to + 2 * next, to + 3 * next};
    };
    const std::vector<int> along(9, 1);
    loops.add_near({.reach = 1,
                    .masses = numbers.data() + 8,
                    .table = numbers.data() + 5000,
                    .along_x = along.data(),
                    .sums = at(0, 512)});
    loops.add_pair({.masses = numbers.data(), .x = 5.5, .y = -2.5, .z = 0.5, .spacing = 0.5, .sums = at(2048, 64)});
    loops.add_siblings[5]({numbers.data(), numbers.data() + 100, sums.data() + 2304});
    loops.at_cells[4]({numbers.data(), numbers.data() + 600, at(2752, 64)});
    return sums;
  };
  const auto results_in = [&](base::InstructionSet set) {
    return results_of(base::with_instruction_set(set, []<class Isa>(Isa) { return kernels::gravity_loops_of<Isa>(); }));
  };
  const std::vector<double> expected = results_of(kernels::gravity_loops_of<base::isa::scalar>());
  for (const base::InstructionSet set : base::usable_instruction_sets()) EXPECT_EQ(results_in(set), expected);
}

}  // namespace
}  // namespace tacit::amr
