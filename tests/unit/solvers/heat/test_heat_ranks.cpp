// Heat on several ranks and threads: the same bits as on one.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <limits>

#include "running_heat.hpp"
#include "support/temporary_folder.hpp"
#include "tacit/engine/error.hpp"

namespace tacit::heat {
namespace {

using testing::outcome_of;

/// A temperature, diffusivity and source that are alike in no two places.
HeatParameters parameters_with(Cell cells, std::size_t dimensions, Wall wall, bool is_given, std::size_t stages) {
  HeatParameters p;
  p.domain.dimensions = dimensions;
  p.domain.cells = cells;
  const std::array walls{wall, Wall::periodic, wall};
  std::copy_n(walls.begin(), dimensions, p.domain.walls.begin());
  p.domain.low = {0.5, 0.0, 1.5};
  p.domain.high = {1.0, 0.0, -1.0};
  p.stages = stages == 2 ? mesh::rk2() : mesh::rkl2(stages);
  p.cfl = 0.9;
  p.initial.temperature = [](const Cell& c) {
    return std::sin(0.3 + 1.7 * static_cast<double>(c[0]) + 2.9 * static_cast<double>(c[1] * c[1] + 3 * c[2]));
  };
  if (is_given) {
    p.initial.diffusivity = [](const Cell& c) {
      return 1.0 + 0.1 * static_cast<double>((c[0] + 2 * c[1] + 5 * c[2]) % 7);
    };
    p.initial.source = [](const Cell& c) { return 0.1 * static_cast<double>(c[0] - c[1] + c[2]); };
  } else {
    p.diffusivity = 0.8;
  }
  return p;
}

TEST(HeatRanks, ResultsDoNotDependOnRanksAndThreads) {
  std::size_t number = 0;
  for (const Wall wall : {Wall::periodic, Wall::fixed, Wall::insulating}) {
    for (const auto& [cells, dimensions] :
         {std::pair<Cell, std::size_t>{{37, 1, 1}, 1}, {{9, 14, 1}, 2}, {{11, 8, 9}, 3}, {{8, 9, 4}, 3}}) {
      const std::size_t stages = number % 2 == 0 ? 2 : 5;
      const bool is_given = number % 3 == 1;
      ++number;
      const HeatParameters p = parameters_with(cells, dimensions, wall, is_given, stages);
      const double dt = testing::RunningHeat(p).solver().time_step();
      const testing::Outcome alone = outcome_of(p, 1, 1, 5, dt);
      for (const double T : alone.cells) ASSERT_LT(std::abs(T), 5.0);
      EXPECT_TRUE(outcome_of(p, 1, 2, 5, dt) == alone) << "two threads";
      for (const std::size_t ranks : {2U, 3U, 4U}) {
        EXPECT_TRUE(outcome_of(p, ranks, ranks == 2 ? 2 : 1, 5, dt) == alone)
            << ranks << " ranks, " << dimensions << " dimensions, " << stages << " stages";
      }
    }
  }
}

TEST(HeatRanks, EveryCellKnowsItsNeighboursOnOtherRanks) {
  // A message that is taken in another order shows in this test, as no two layers of cells are alike, not even turned.
  const HeatParameters p = parameters_with({6, 6, 6}, 3, Wall::periodic, false, 2);
  const testing::Outcome alone = outcome_of(p, 1, 1, 1, 1e-3);
  const auto T = [&](std::int64_t x, std::int64_t y, std::int64_t z) { return p.initial.temperature({x, y, z}); };
  for (std::int64_t z = 0; z < 6; ++z) {
    EXPECT_NE(T(0, 0, z), T(5, 5, z));
    EXPECT_NE(T(0, z, 0), T(5, z, 5));
    EXPECT_NE(T(z, 0, 0), T(z, 5, 5));
  }
  for (const std::size_t ranks : {2U, 8U}) EXPECT_TRUE(outcome_of(p, ranks, 1, 1, 1e-3) == alone);
}

TEST(HeatRanks, ASnapshotOfAStateThatIsNotFiniteIsAbsent) {
  const test::TemporaryFolder folder;
  for (const double value : {std::nan(""), std::numeric_limits<double>::infinity(), 1.0}) {
    HeatParameters p = parameters_with({6, 6, 6}, 3, Wall::periodic, false, 2);
    p.initial.temperature = [value](const Cell& c) { return c == Cell{5, 4, 5} ? value : 1.0; };
    for (const std::size_t ranks : {1U, 4U}) {
      for (const bool is_double : {false, true}) {
        const auto path = folder / fmt::format("{}_{}_{}.hdf5", value, ranks, is_double);
        comm::testing::on_ranks(ranks, [&](comm::Communicator& world) {
          const testing::RunningHeat run(p, 1, world);
          const auto write = [&] { run.solver().write_snapshot(path, {.double_precision = is_double}); };
          if (std::isfinite(value)) {
            EXPECT_NO_THROW(write());
          } else {
            EXPECT_THROW(write(), engine::NumericsError);
          }
          world.synchronise();
        });
        EXPECT_EQ(std::filesystem::exists(path), std::isfinite(value)) << path;
        if (!std::isfinite(value)) {
          EXPECT_TRUE(std::filesystem::is_empty(folder.path())) << path;
        }
      }
    }
  }
}

}  // namespace
}  // namespace tacit::heat
