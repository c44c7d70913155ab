// Passes on several ranks: the same bits on any ranks, grids of them, threads, and divisions into messages.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <complex>
#include <cstring>
#include <string>
#include <vector>

#include "tacit/fft/pass.hpp"
#include "unit/comm/ranks.hpp"
#include "unit/fft/products.hpp"

namespace tacit::fft::pass_ranks_test {

using testing::alone;
using testing::room_for;
using testing::run;

template <class Real>
std::vector<std::complex<Real>> on_grid(const Modes& modes, const RankGrid& grid, std::size_t workers,
                                        const Division& division) {
  auto kept = room_for<Real>(modes);
  comm::testing::on_ranks(grid.ranks(), [&](comm::Communicator& world) {
    trace::Recorder recorder(workers);
    tasks::Scheduler scheduler(workers, recorder);
    GridRanks ranks(world, grid, scheduler);
    const Pencils pencils(modes, grid, number(world.rank()));
    run<Real>(pencils, kept, &ranks, scheduler, division);
    world.synchronise();
  });
  return kept;
}

std::string describe(const RankGrid& grid, const Division& division) {
  return std::to_string(grid.column_size) + " x " + std::to_string(grid.row_size) + " ranks, " +
         std::to_string(division.chunks) + " chunks, " + std::to_string(division.groups) + " groups";
}

template <class Real>
void expect_same(const Modes& modes, const RankGrid& grid, std::size_t workers, const Division& division) {
  const auto expected = alone<Real>(modes);
  const auto found = on_grid<Real>(modes, grid, workers, division);
  EXPECT_EQ(0, std::memcmp(expected.data(), found.data(), expected.size() * sizeof(expected[0])))
      << describe(grid, division);
}

constexpr Division chosen{.chunks = 0, .groups = 0};

TEST(PassRanks, GridsGiveTheSameBits) {
  const Modes modes({18, 15, 14}, Truncation::two_thirds);
  for (const RankGrid& grid : {RankGrid{1, 1}, RankGrid{1, 2}, RankGrid{2, 1}, RankGrid{1, 4}, RankGrid{2, 2},
                               RankGrid{4, 1}, RankGrid{1, 3}, RankGrid{3, 1}}) {
    expect_same<double>(modes, grid, 1, chosen);
  }
  for (const RankGrid& grid : {RankGrid{1, 2}, RankGrid{2, 2}}) {
    expect_same<double>(modes, grid, 2, chosen);
    expect_same<float>(modes, grid, 1, chosen);
  }
}

TEST(PassRanks, DivisionsGiveTheSameBits) {
  const Modes modes({16, 20, 18}, Truncation::spherical);
  for (const Division& division : {Division{1, 1}, Division{3, 1}, Division{1, 3}, Division{5, 2}, Division{30, 20}}) {
    expect_same<double>(modes, {.row_size = 1, .column_size = 2}, 1, division);
    expect_same<double>(modes, {.row_size = 2, .column_size = 1}, 1, division);
  }
  expect_same<double>(modes, {.row_size = 2, .column_size = 2}, 1, {.chunks = 3, .groups = 2});
}

TEST(PassRanks, SomeRanksHaveNothing) {
  // 4 ranks for 2 or 3 planes, rows, or wave numbers.
  for (const Shape& shape : {Shape{2, 3, 4}, Shape{9, 7, 2}, Shape{3, 3, 3}}) {
    for (const RankGrid& grid : {RankGrid{1, 4}, RankGrid{2, 2}, RankGrid{4, 1}}) {
      expect_same<double>(Modes(shape, Truncation::two_thirds), grid, 1, chosen);
    }
  }
}

}  // namespace tacit::fft::pass_ranks_test
