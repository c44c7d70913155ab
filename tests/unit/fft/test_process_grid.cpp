// Grids of ranks: which are chosen, what is refused, and what their rows and columns exchange.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <complex>
#include <optional>
#include <string>
#include <vector>

#include "tacit/base/error.hpp"
#include "tacit/comm/bootstrap/threads.hpp"
#include "tacit/fft/process_grid.hpp"
#include "tacit/fft/transfer.hpp"
#include "unit/comm/ranks.hpp"
#include "unit/fft/products.hpp"

namespace tacit::fft::process_grid_test {

using Complex = std::complex<double>;

std::size_t count(std::size_t from, std::size_t to) { return (3 * from + to) % 4 * 5; }

Complex element(std::size_t from, std::size_t to, std::size_t i, int call) {
  return {static_cast<double>(100 * from + 10 * to + i), static_cast<double>(call)};
}

/// Blocks of all sizes, none among them, in calls whose memory takes turns.
void exchange(comm::Communicator& world) {
  Transfer<double> transfer(world, count);
  trace::Recorder recorder(1);
  tasks::Scheduler scheduler(1, recorder);
  scheduler.attach(world.completions());
  tasks::Graph graph;
  graph.add("exchange", {}, [&](tasks::StepContext& step) { transfer.start(step.await(world.completions())); });
  tasks::Activation all = graph.activate_all();
  const std::size_t own = number(world.rank());
  for (int call = 0; call < 5; ++call) {
    transfer.prepare();
    for (std::size_t to = 0; to < world.size(); ++to) {
      for (std::size_t i = 0; i < count(own, to); ++i) transfer.to(to)[i] = element(own, to, i, call);
    }
    scheduler.run(graph, all, {});
    for (std::size_t from = 0; from < world.size(); ++from) {
      for (std::size_t i = 0; i < count(from, own); ++i) {
        EXPECT_EQ(transfer.from(from)[i], element(from, own, i, call));
      }
    }
  }
  world.synchronise();
  scheduler.detach(world.completions());
}

TEST(Transfer, BlocksArriveOnAnyNodes) {
  for (const std::vector<std::uint32_t>& nodes :
       {std::vector<std::uint32_t>{}, std::vector<std::uint32_t>{0, 0, 1}, std::vector<std::uint32_t>{0, 1, 2}}) {
    comm::Options options = comm::testing::patient;
    options.nodes = nodes;
    comm::testing::on_ranks(3, exchange, options);
  }
}

TEST(Transfer, AloneWhatIsWrittenIsRead) {
  std::vector<Complex> memory(3);
  Transfer<double> transfer{std::span(memory)};
  transfer.prepare();
  transfer.to(0)[1] = 5.0;
  EXPECT_EQ(transfer.from(0)[1], 5.0);
  EXPECT_TRUE(transfer.is_alone());
}

TEST(GridCommunicators, SlabsComeFirstAndThenRowsOfANode) {
  const Modes modes({48, 48, 48}, Truncation::two_thirds);  // 16 wave numbers kx, 31 ky
  EXPECT_EQ(choose_grid(modes, 1, 1), (ProcessGrid{.row_size = 1, .column_size = 1}));
  EXPECT_EQ(choose_grid(modes, 31, 4), (ProcessGrid{.row_size = 1, .column_size = 31}));
  EXPECT_EQ(choose_grid(modes, 32, 0), (ProcessGrid{.row_size = 2, .column_size = 16}));
  EXPECT_EQ(choose_grid(modes, 32, 8), (ProcessGrid{.row_size = 8, .column_size = 4}));
  EXPECT_EQ(choose_grid(modes, 32, 32), (ProcessGrid{.row_size = 2, .column_size = 16}));  // too few kx for 32
}

std::string refusal(const Modes& modes, std::size_t ranks) {
  try {
    static_cast<void>(choose_grid(modes, ranks, 0));
  } catch (const base::Error& error) {
    return error.what();
  }
  return {};
}

TEST(GridCommunicators, TooManyRanksAreRefusedWithWhatWouldDo) {
  EXPECT_EQ(refusal(Modes({8, 8, 8}, Truncation::two_thirds), 37),
            "37 ranks for 8 x 8 x 8 points: no grid of ranks gives each of them something; take fewer ranks (at most "
            "15), or a number with more divisors");
}

TEST(GridCommunicators, RowsAndColumnsMayBeOneRank) {
  trace::Recorder recorder(1);
  tasks::Scheduler scheduler(1, recorder);
  comm::Communicator alone(comm::bootstrap_alone());
  GridCommunicators one(alone, {}, scheduler);
  EXPECT_EQ(&one.row(), &alone);  // nothing is split, made or polled
  EXPECT_EQ(&one.column(), &alone);
  comm::testing::on_ranks(2, [](comm::Communicator& world) {
    trace::Recorder own_recorder(1);
    tasks::Scheduler own_scheduler(1, own_recorder);
    GridCommunicators slabs(world, {.row_size = 1, .column_size = 2}, own_scheduler);
    EXPECT_EQ(slabs.row().size(), 1U);
    EXPECT_EQ(slabs.column().size(), 2U);
    EXPECT_EQ(slabs.column().rank(), world.rank());
    world.synchronise();
  });
}

TEST(GridCommunicators, OneMayGoWhileAnotherIsUsed) {
  const Modes modes({9, 8, 7}, Truncation::two_thirds);
  comm::testing::on_ranks(2, [&](comm::Communicator& world) {
    const ProcessGrid grid{.row_size = 1, .column_size = 2};
    trace::Recorder recorder(1);
    tasks::Scheduler scheduler(1, recorder);
    std::optional<GridCommunicators> first(std::in_place, world, grid, scheduler);
    GridCommunicators second(world, grid, scheduler);
    first.reset();  // the scheduler goes on polling the ranks for the other one
    const Pencils pencils(modes, grid, number(world.rank()));
    auto kept = testing::room_for<double>(modes);
    testing::run<double>(pencils, kept, second, scheduler, {.chunks = 0, .groups = 0});
    EXPECT_NE(std::ranges::count(kept, Complex(77.0)), static_cast<std::ptrdiff_t>(kept.size()));
    world.synchronise();
  });
}

}  // namespace tacit::fft::process_grid_test
