// Passes on several ranks: bitwise identical on any ranks, grids of them, threads, and divisions into messages.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <complex>
#include <cstring>
#include <map>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "tacit/fft/pass.hpp"
#include "tacit/fft/traffic.hpp"
#include "unit/comm/ranks.hpp"
#include "unit/fft/products.hpp"

namespace tacit::fft::pass_ranks_test {

using testing::alone;
using testing::room_for;
using testing::run;

template <class Real>
std::vector<std::complex<Real>> on_grid(const Modes& modes, const ProcessGrid& grid, std::size_t workers,
                                        const Division& division) {
  auto kept = room_for<Real>(modes);
  comm::testing::on_ranks(grid.ranks(), [&](comm::Communicator& world) {
    trace::Recorder recorder(workers);
    tasks::Scheduler scheduler(workers, recorder);
    GridCommunicators ranks(world, grid, scheduler);
    const Pencils pencils(modes, grid, number(world.rank()));
    run<Real>(pencils, kept, ranks, scheduler, division);
    world.synchronise();
  });
  return kept;
}

std::string describe(const ProcessGrid& grid, const Division& division) {
  return std::to_string(grid.column_size) + " x " + std::to_string(grid.row_size) + " ranks, " +
         std::to_string(division.chunks) + " chunks, " + std::to_string(division.groups) + " groups";
}

template <class Real>
void expect_same(const Modes& modes, const ProcessGrid& grid, std::size_t workers, const Division& division) {
  const auto expected = alone<Real>(modes);
  const auto found = on_grid<Real>(modes, grid, workers, division);
  EXPECT_EQ(0, std::memcmp(expected.data(), found.data(), expected.size() * sizeof(expected[0])))
      << describe(grid, division);
}

constexpr Division chosen{.chunks = 0, .groups = 0};

TEST(PassRanks, GridsGiveIdenticalResults) {
  const Modes modes({18, 15, 14}, Truncation::two_thirds);
  for (const ProcessGrid& grid : {ProcessGrid{1, 1}, ProcessGrid{1, 2}, ProcessGrid{2, 1}, ProcessGrid{1, 4},
                                  ProcessGrid{2, 2}, ProcessGrid{4, 1}, ProcessGrid{1, 3}, ProcessGrid{3, 1}}) {
    expect_same<double>(modes, grid, 1, chosen);
  }
  for (const ProcessGrid& grid : {ProcessGrid{1, 2}, ProcessGrid{2, 2}}) {
    expect_same<double>(modes, grid, 2, chosen);
    expect_same<float>(modes, grid, 1, chosen);
  }
}

TEST(PassRanks, DivisionsGiveIdenticalResults) {
  const Modes modes({16, 20, 18}, Truncation::spherical);
  for (const Division& division : {Division{1, 1}, Division{3, 1}, Division{1, 3}, Division{5, 2}, Division{30, 20}}) {
    expect_same<double>(modes, {.row_size = 1, .column_size = 2}, 1, division);
    expect_same<double>(modes, {.row_size = 2, .column_size = 1}, 1, division);
  }
  expect_same<double>(modes, {.row_size = 2, .column_size = 2}, 1, {.chunks = 3, .groups = 2});
}

TEST(PassRanks, ColumnsLeftOverGiveIdenticalResults) {
  // Of 9 columns one is left over, and eight planes share a block; of 11 three, for two planes. With 12 workers none
  // do.
  for (const Shape& shape : {Shape{16, 12, 40}, Shape{20, 12, 33}}) {
    const Modes modes(shape, Truncation::none);
    for (const std::size_t workers : {2U, 12U}) expect_same<double>(modes, {1, 1}, workers, chosen);
    for (const ProcessGrid& grid : {ProcessGrid{1, 2}, ProcessGrid{2, 1}, ProcessGrid{2, 2}}) {
      expect_same<double>(modes, grid, 1, {.chunks = 1, .groups = 2});
    }
  }
}

TEST(PassRanks, SomeRanksHaveNothing) {
  // 4 ranks for 2 or 3 planes, rows, or wave numbers.
  for (const Shape& shape : {Shape{2, 3, 4}, Shape{9, 7, 2}, Shape{3, 3, 3}}) {
    for (const ProcessGrid& grid : {ProcessGrid{1, 4}, ProcessGrid{2, 2}, ProcessGrid{4, 1}}) {
      expect_same<double>(Modes(shape, Truncation::two_thirds), grid, 1, chosen);
    }
  }
}

/// A rank, and what it needs for a pass.
struct RankOfGrid {
  RankOfGrid(const Modes& modes, const ProcessGrid& grid, comm::Communicator& world)
      : ranks(world, grid, scheduler), pencils(modes, grid, number(world.rank())), kept(room_for<double>(modes)) {}

  trace::Recorder recorder{1};
  tasks::Scheduler scheduler{1, recorder};
  GridCommunicators ranks;
  Pencils pencils;
  std::vector<std::complex<double>> kept;
  testing::Products<double> work{pencils, kept};

  std::unique_ptr<Pass<double>> make_pass(const Division& division) {
    return std::make_unique<Pass<double>>(pencils, testing::Products<double>::fields, work, scheduler, Rigor::estimate,
                                          ranks, division);
  }
};

/// Transfers of a pass by name, as a trace has them.
std::map<std::string, std::vector<trace::Transfer>> transfers_of(const trace::Recorder& recorder) {
  std::map<std::string, std::vector<trace::Transfer>> all;
  for (const trace::Transfer& transfer : recorder.track(0).transfers()) {
    all[std::string(recorder.name(transfer.kind))].push_back(transfer);
  }
  return all;
}

TEST(PassRanks, TransfersHaveNamesBytesAndTheirTimesAlone) {
  const Modes modes({18, 15, 14}, Truncation::two_thirds);
  const ProcessGrid grid{.row_size = 2, .column_size = 2};
  comm::testing::on_ranks(grid.ranks(), [&](comm::Communicator& world) {
    RankOfGrid rank(modes, grid, world);
    const auto pass = rank.make_pass({.chunks = 2, .groups = 1});
    pass->run({});
    for (const auto& [name, transfers] : transfers_of(rank.recorder)) {
      for (const auto& transfer : transfers) EXPECT_EQ(transfer.alone_s, 0.0) << name;
    }
    pass->time_exchanges();
    pass->run({});
    const auto found = transfers_of(rank.recorder);
    ASSERT_EQ(found.size(), 4U);
    for (const auto& [name, transfers] : found) {
      ASSERT_EQ(transfers.size(), 4U) << name;  // two passes, two chunks
      for (std::size_t i = 2; i < transfers.size(); ++i) EXPECT_GT(transfers[i].alone_s, 0.0) << name;
      for (const auto& transfer : transfers) EXPECT_LT(transfer.alone_s, 60.0) << name;
    }
    // What a rank keeps of its modes, for all planes but its own.
    const std::size_t columns = rank.pencils.kx().size() * rank.pencils.ky().size() * (14 - rank.pencils.z().size());
    const auto& to_points = found.at("columns to points");
    EXPECT_EQ(to_points[0].bytes + to_points[1].bytes,
              testing::Products<double>::fields.in * columns * sizeof(std::complex<double>));
    const auto sent = rank.recorder.sent();
    EXPECT_EQ(sent.size(), found.size());
    const PassTraffic ahead = traffic_of_rank(rank.pencils, testing::Products<double>::fields, pass->division());
    const auto sum = [&sent](auto member) {
      return std::accumulate(sent.begin(), sent.end(), std::uint64_t{0},
                             [member](std::uint64_t so_far, const auto& phase) { return so_far + phase.*member; });
    };
    EXPECT_EQ(sum(&trace::Recorder::PhaseSum::messages), 2 * ahead.messages);
    EXPECT_EQ(sum(&trace::Recorder::PhaseSum::bytes), 2 * ahead.bytes());
    for (const auto& phase : sent) {
      std::uint64_t bytes = 0;
      for (const auto& transfer : found.at(phase.name)) bytes += transfer.bytes;
      EXPECT_EQ(phase.bytes, bytes) << phase.name;
      EXPECT_EQ(phase.messages, found.at(phase.name).size()) << phase.name << ": one other rank in a row or column";
    }
    EXPECT_TRUE(found.contains("columns to modes") && found.contains("rows to points") &&
                found.contains("rows to modes"));
    world.synchronise();
  });
}

TEST(PassRanks, BytesOfAllRanksAreTheSumOfThose) {
  const Modes modes({18, 15, 14}, Truncation::two_thirds);
  const PassFields fields{.in = 3, .out = 5, .mixed = 4};
  for (const ProcessGrid& grid : {ProcessGrid{1, 1}, ProcessGrid{1, 3}, ProcessGrid{4, 1}, ProcessGrid{2, 3}}) {
    for (const Division& division : {chosen, Division{.chunks = 3, .groups = 2}}) {
      PassTraffic sum;
      for (std::size_t rank = 0; rank < grid.ranks(); ++rank) {
        const PassTraffic one = traffic_of_rank(Pencils(modes, grid, rank), fields, division);
        sum.row_bytes += one.row_bytes;
        sum.column_bytes += one.column_bytes;
      }
      const PassTraffic all = bytes_of_all_ranks(modes, grid, fields);
      EXPECT_EQ(all.row_bytes, sum.row_bytes) << describe(grid, division);
      EXPECT_EQ(all.column_bytes, sum.column_bytes) << describe(grid, division);
    }
  }
}

TEST(PassRanks, TrafficOfTwoSlabsIsCountedByHand) {
  // 8^3 points, 5 x 8 x 8 modes. Each of two ranks sends 5 kx, 4 ky and 4 z of 3 fields there and of 4 back, in 4
  // chunks of a plane and 2 groups of kx.
  const Modes modes({8, 8, 8}, Truncation::none);
  const PassTraffic one =
      traffic_of_rank(Pencils(modes, {.row_size = 1, .column_size = 2}, 0), {.in = 3, .out = 5, .mixed = 4}, chosen);
  ASSERT_EQ(modes.count(0), 5U);
  EXPECT_EQ(one.messages, 2U * 4U * 2U);
  EXPECT_EQ(one.column_bytes, 16U * (3U + 4U) * 5U * 4U * 4U);
  EXPECT_EQ(one.row_bytes, 0U);
}

TEST(PassRanks, ExchangesOfOneShapeAreTimedOnce) {
  const Modes modes({18, 15, 14}, Truncation::two_thirds);
  const ProcessGrid grid{.row_size = 1, .column_size = 2};
  comm::testing::on_ranks(grid.ranks(), [&](comm::Communicator& world) {
    RankOfGrid rank(modes, grid, world);
    for (const std::size_t chunks : {1U, 2U, 1U}) {
      const auto pass = rank.make_pass({.chunks = chunks, .groups = 1});
      pass->time_exchanges();
      for (auto& [shape, seconds] : rank.ranks.exchange_times()) seconds.assign(seconds.size(), 0.25);
      pass->time_exchanges();
      pass->run({});
    }
    EXPECT_EQ(rank.ranks.exchange_times().size(), 2U);
    for (const auto& transfer : rank.recorder.track(0).transfers()) EXPECT_EQ(transfer.alone_s, 0.25);
    world.synchronise();
  });
}

}  // namespace tacit::fft::pass_ranks_test
