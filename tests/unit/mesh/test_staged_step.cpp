// Steps of stages: two fields that act on each other, against a plain loop, on any ranks and threads.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "tacit/mesh/cell_sums.hpp"
#include "tacit/mesh/domain.hpp"
#include "tacit/mesh/staged_step.hpp"
#include "tacit/trace/trace.hpp"
#include "unit/comm/polling.hpp"
#include "unit/comm/ranks.hpp"

namespace tacit::mesh::staged_step_test {
namespace {

constexpr double dt = 0.02;
constexpr std::size_t steps = 4;
using Fields = std::array<std::vector<double>, 2>;

double begin_of(std::size_t field, const Point& at) {
  return 1.0 + 0.5 * std::sin(0.3 + static_cast<double>(field) + 1.7 * static_cast<double>(at[0]) +
                              2.9 * static_cast<double>(at[1] + 3 * at[2]));
}

/// du/dt = sum over neighbours of u, less u v; dv/dt = u v - v, more of the neighbours along the last axis.
std::array<double, 2> rates(const double* u, const double* v, const std::ptrdiff_t (&next)[3], std::ptrdiff_t i) {
  double sum = 0.0;
  for (const std::ptrdiff_t n : next) sum += (u[i - n] + u[i + n]) - (u[i] + u[i]);
  return {sum - u[i] * v[i], (u[i] * v[i] - v[i]) + (v[i + next[2]] - v[i - next[1]])};
}

double stage_of(const Stage& stage, double y, double prev, double base, double rate0, double rate) {
  const double change = stage.h * dt * rate;
  if (stage.form == Form::average) return 0.5 * (base + (y + change));
  if (stage.form != Form::chebyshev) return y + change;
  return (stage.mu * y + stage.nu * prev + stage.rest * base) + (change + stage.h0 * dt * rate0);
}

void advance(const StageTile& tile, const Stage& stage, double step, std::span<const StageFields> at) {
  ASSERT_EQ(step, dt);
  for (std::size_t z = 0; z < tile.n[2]; ++z) {
    for (std::size_t y = 0; y < tile.n[1]; ++y) {
      for (std::size_t x = 0; x < tile.n[0]; ++x) {
        const std::ptrdiff_t i = static_cast<std::ptrdiff_t>(x) + static_cast<std::ptrdiff_t>(y) * tile.next[1] +
                                 static_cast<std::ptrdiff_t>(z) * tile.next[2];
        const auto L = rates(at[0].y, at[1].y, tile.next, i);
        for (std::size_t f = 0; f < 2; ++f) {
          const StageFields& one = at[f];
          if (stage.form == Form::begin) one.rate[i] = L[f];
          const double rate0 = stage.form == Form::chebyshev ? one.rate[i] : 0.0;
          one.out[i] = stage_of(stage, one.y[i], one.prev[i], one.base[i], rate0, L[f]);
        }
      }
    }
  }
}

/// Beyond walls: u as before the wall, v = 1 - v.
SideRules rules_of(const Domain& domain, const BlockGrid& grid, std::size_t field) {
  SideRules rules = images_of(domain.grid(), grid);
  for (std::size_t axis = 0; axis < domain.dimensions; ++axis) {
    if (domain.walls[axis] == Wall::periodic) continue;
    const bool is_v = field == 1;
    rules[axis].fill({SideRule::Kind::mirror, is_v ? -1.0 : 1.0, is_v ? 1.0 : 0.0});
  }
  return rules;
}

std::size_t place_of(const Domain& domain, const Point& at) {
  return static_cast<std::size_t>((at[2] * domain.cells[1] + at[1]) * domain.cells[0] + at[0]);
}

Fields after_steps_on(std::size_t ranks, std::size_t workers, const Domain& domain, const std::vector<Stage>& stages) {
  Fields found;
  found.fill(std::vector<double>(domain.size(), -77.0));
  comm::testing::on_ranks(ranks, [&](comm::Communicator& world) {
    trace::Recorder recorder(workers);
    tasks::Scheduler scheduler(workers, recorder);
    const comm::testing::Polling polling(scheduler, world);
    const BlockGrid grid = grid_with_sides(domain.grid(), world.size(), world.rank());
    std::array<Field, 2> fields;
    for (std::size_t f = 0; f < 2; ++f) {
      fields[f].resize(grid.layout().size());
      for_points(grid, grid.block(), [&](std::size_t i, const Point& at) { fields[f][i] = begin_of(f, at); });
    }
    StagedStep step(grid,
                    {.fields = {fields.data(), fields.data() + 1},
                     .sides = {rules_of(domain, grid, 0), rules_of(domain, grid, 1)},
                     .stages = stages,
                     .advance = advance},
                    scheduler, world);
    step.fill_sides();
    for (std::size_t i = 0; i < steps; ++i) {
      tasks::StepContext context;
      context.dt = dt;
      step.run(context);
    }
    for (std::size_t f = 0; f < 2; ++f) {
      for_points(grid, grid.block(),
                 [&](std::size_t i, const Point& at) { found[f][place_of(domain, at)] = fields[f][i]; });
    }
    world.synchronise();
  });
  return found;
}

/// The same by plain loops over the whole grid, whose ghosts are looked up cell by cell.
Fields plainly(const Domain& domain, const std::vector<Stage>& stages) {
  const auto for_cells = [&](const auto& visit) {
    Point at{};
    for (at[2] = 0; at[2] < domain.cells[2]; ++at[2]) {
      for (at[1] = 0; at[1] < domain.cells[1]; ++at[1]) {
        for (at[0] = 0; at[0] < domain.cells[0]; ++at[0]) visit(at);
      }
    }
  };
  const auto value = [&](const Fields& of, std::size_t f, Point at) {
    bool is_beyond_wall = false;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const Index n = domain.cells[axis];
      if (axis >= domain.dimensions || (at[axis] >= 0 && at[axis] < n)) {
        at[axis] = axis >= domain.dimensions ? 0 : at[axis];
      } else if (domain.walls[axis] == Wall::periodic) {
        at[axis] = (at[axis] + n) % n;
      } else {
        at[axis] = at[axis] < 0 ? 0 : n - 1;
        is_beyond_wall = true;
      }
    }
    const double inside = of[f][place_of(domain, at)];
    if (!is_beyond_wall) return inside;
    return f == 1 ? 1.0 - inside : inside;
  };
  Fields base;
  base.fill(std::vector<double>(domain.size()));
  for (std::size_t f = 0; f < 2; ++f)
    for_cells([&](const Point& at) { base[f][place_of(domain, at)] = begin_of(f, at); });
  for (std::size_t step = 0; step < steps; ++step) {
    Fields y = base;
    Fields prev = base;
    Fields rate0 = base;
    for (const Stage& stage : stages) {
      Fields out = y;
      for_cells([&](const Point& at) {
        std::array<double, 7> u{};  // the cell, and those before and behind it along x, y and z
        std::array<double, 7> v{};
        for (std::size_t k = 0; k < 7; ++k) {
          Point of = at;
          if (k > 0) of[(k - 1) / 2] += k % 2 == 1 ? -1 : 1;
          u[k] = value(y, 0, of);
          v[k] = value(y, 1, of);
        }
        double sum = 0.0;
        for (std::size_t axis = 0; axis < 3; ++axis) sum += (u[1 + 2 * axis] + u[2 + 2 * axis]) - (u[0] + u[0]);
        const std::array L{sum - u[0] * v[0], (u[0] * v[0] - v[0]) + (v[6] - v[3])};
        for (std::size_t f = 0; f < 2; ++f) {
          const std::size_t i = place_of(domain, at);
          if (stage.form == Form::begin) rate0[f][i] = L[f];
          out[f][i] = stage_of(stage, y[f][i], prev[f][i], base[f][i], rate0[f][i], L[f]);
        }
      });
      prev = y;
      y = out;
    }
    base = y;
  }
  return base;
}

TEST(MeshStagedStep, HasTheBitsOfPlainLoopsOnAnyRanksAndThreads) {
  for (const auto& cells : {std::array<Index, 3>{23, 1, 1}, {9, 14, 1}, {11, 8, 9}}) {
    Domain domain{.dimensions = cells[2] > 1 ? 3U : cells[1] > 1 ? 2U : 1U, .cells = cells};
    for (const Wall last : {Wall::periodic, Wall::insulating}) {
      domain.walls[domain.dimensions - 1] = last;
      for (const auto& stages : {rk2(), rkl2(3), rkl2(5)}) {
        const Fields expected = plainly(domain, stages);
        for (const auto& [ranks, workers] : {std::pair{1U, 1U}, {1U, 2U}, {2U, 2U}, {3U, 1U}}) {
          EXPECT_EQ(after_steps_on(ranks, workers, domain, stages), expected)
              << ranks << " ranks, " << domain.dimensions << " axes, " << stages.size() << " stages";
        }
      }
    }
  }
}

}  // namespace
}  // namespace tacit::mesh::staged_step_test
