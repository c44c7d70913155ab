// Halos as messages of an exchange, on one to four ranks: every ghost point has the value of the point it stands for.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "tacit/exchange/exchange.hpp"
#include "tacit/mesh/halo.hpp"
#include "tacit/mesh/tiles.hpp"
#include "tacit/tasks/scheduler.hpp"
#include "tacit/trace/trace.hpp"
#include "unit/comm/ranks.hpp"
#include "unit/mesh/grids.hpp"

namespace tacit::mesh::halo_test {

using testing::axes_outside;
using testing::describe;
using testing::for_points;
using testing::global_number;
using testing::rank_id;

using Spinor = std::array<float, 3>;
constexpr double untouched = -1234.5;

double value_of(const BlockGrid& grid, const Point& local, std::uint64_t step, double field) {
  return 1e6 * static_cast<double>(step) + 1e5 * field + static_cast<double>(global_number(grid, local));
}

std::size_t axes_of(Neighbours which) {
  return which == Neighbours::faces ? 1 : which == Neighbours::faces_and_edges ? 2 : 4;
}

/// A rank with two arrays for each of two fields, which swap in every step.
class Rank {
  auto field(std::size_t f) {
    return [this, f](tasks::StepContext& step) { return std::span<double>(fields_[f][step.step % 2]); };
  }

 public:
  Rank(const GridSpec& spec, Neighbours which, comm::Communicator& world)
      : grid_(spec, world), which_(which), tiles_(cut_tiles(grid_, {.interior_pieces = 2}, which)), exchange_(world) {
    scheduler_.attach(world.completions());
    for (auto& arrays : fields_) arrays.fill(std::vector<double>(grid_.layout().size(), untouched));
    const FieldData u = add_field(graph_, tiles_);
    for (std::size_t p = 0; p < tiles_.pieces.size(); ++p) {
      graph_.add("set", tasks::writes(u.pieces[p]),
                 [this, p](tasks::StepContext& step) { set(tiles_.pieces[p].box, step.step); });
    }
    exchange::Messages halo;
    add_halo<double>(halo, grid_, {.neighbours = tiles_.neighbours}, halo_accesses(tiles_, u), field(0), field(1));
    exchange_.add(graph_, "halo", std::move(halo));
    exchange_.connect();
    activation_ = graph_.activate_all();
  }

  void run(std::uint64_t number) {
    for (auto& arrays : fields_) std::ranges::fill(arrays[number % 2], untouched);
    tasks::StepContext step;
    step.step = number;
    scheduler_.run(graph_, activation_, step);
    for (std::size_t f = 0; f < 2; ++f) check(number, f);
  }

 private:
  void set(const Box& box, std::uint64_t step) {
    for_points(box, [&](const Point& point) {
      for (std::size_t f = 0; f < 2; ++f) {
        fields_[f][step % 2][grid_.layout().index(point)] = value_of(grid_, point, step, static_cast<double>(f));
      }
    });
  }
  void check(std::uint64_t step, std::size_t f) {
    std::size_t wrong = 0;
    for_points(grid_.block_with_ghosts(), [&](const Point& point) {
      const bool is_filled = axes_outside(grid_, point) <= axes_of(which_) && global_number(grid_, point) >= 0;
      const double expected = is_filled ? value_of(grid_, point, step, static_cast<double>(f)) : untouched;
      wrong += fields_[f][step % 2][grid_.layout().index(point)] != expected ? 1 : 0;
    });
    EXPECT_EQ(wrong, 0U) << "field " << f << ", step " << step;
  }

  BlockGrid grid_;
  Neighbours which_;
  Tiles tiles_;
  trace::Recorder recorder_{2};
  tasks::Scheduler scheduler_{2, recorder_};
  tasks::Graph graph_;
  exchange::Exchange exchange_;
  tasks::Activation activation_;
  std::array<std::array<std::vector<double>, 2>, 2> fields_;
};

void expect_halo(const GridSpec& spec, Neighbours which, std::size_t ranks) {
  SCOPED_TRACE(describe(spec, ranks));
  comm::testing::on_ranks(ranks, [&](comm::Communicator& world) {
    Rank rank(spec, which, world);
    for (std::uint64_t step = 0; step < 3; ++step) rank.run(step);
    world.synchronise();
  });
}

TEST(MeshHalo, FillsEveryGhostPoint) {
  const std::vector<std::vector<Index>> sizes{{9, 7}, {6, 7, 5}, {4, 5, 4, 5}};
  for (const auto& points : sizes) {
    for (const unsigned periodic : {0U, 5U, 15U}) {
      for (const Neighbours which : {Neighbours::faces, Neighbours::all}) {
        for (const std::size_t ranks : {1U, 2U, 4U}) {
          if (periodic == 0U && ranks != 2) continue;  // walls only: little to say
          expect_halo({.points = points, .boundaries = testing::boundaries(points.size(), periodic), .ghosts = 2},
                      which, ranks);
        }
      }
    }
  }
}

TEST(MeshHalo, GridsThatAreGivenFillEveryGhostPoint) {
  expect_halo({.points = {11}, .boundaries = testing::boundaries(1, 1), .ghosts = 2}, Neighbours::faces, 3);
  expect_halo({.points = {8, 6, 4}, .boundaries = testing::boundaries(3, 7), .ranks = {4, 1, 1}}, Neighbours::all, 4);
  expect_halo({.points = {8, 6, 4}, .boundaries = testing::boundaries(3, 3), .ranks = {2, 2, 1}},
              Neighbours::faces_and_edges, 4);
  expect_halo({.points = {8, 6}, .boundaries = testing::boundaries(2, 3), .ghosts = 0}, Neighbours::all, 2);
}

/// A halo of own functions: of three components two travel, with the other sign across the ends of x.
class OwnPacking {
 public:
  explicit OwnPacking(const BlockGrid& grid) : grid_(grid), field_(grid.layout().size(), Spinor{}) {
    for_points(grid.block(), [&](const Point& point) {
      const auto number = static_cast<float>(global_number(grid, point));
      field_[grid.layout().index(point)] = {number, -number, 0.5F};
    });
  }
  void pack(const Neighbour& to, std::span<float> message) const {
    std::size_t next = 0;
    const bool is_end = to.offset[0] > 0 && grid_.coordinates()[0] == grid_.ranks(0) - 1;
    for_points(to.send, [&](const Point& point) {
      const Spinor& spinor = field_[grid_.layout().index(point)];
      for (std::size_t c = 0; c < 2; ++c) message[next++] = is_end ? -spinor[c] : spinor[c];
    });
    EXPECT_EQ(next, message.size());
  }
  void unpack(const Neighbour& from, std::span<const float> message) {
    std::size_t next = 0;
    for_points(from.receive, [&](const Point& point) {
      Spinor& spinor = field_[grid_.layout().index(point)];
      for (std::size_t c = 0; c < 2; ++c) spinor[c] = message[next++];
    });
    EXPECT_EQ(next, message.size());
  }
  void check() const {
    for (const Neighbour& there : grid_.neighbours(Neighbours::faces)) {
      const bool is_end = there.offset[0] < 0 && grid_.coordinates()[0] == 0;
      for_points(there.receive, [&](const Point& point) {
        const auto number = static_cast<float>(global_number(grid_, point));
        const Spinor expected = is_end ? Spinor{-number, number, 0.0F} : Spinor{number, -number, 0.0F};
        EXPECT_EQ(field_[grid_.layout().index(point)], expected);
      });
    }
  }

 private:
  const BlockGrid& grid_;
  std::vector<Spinor> field_;
};

TEST(MeshHalo, OwnFunctionsPackAndUnpack) {
  for (const std::size_t ranks : {1U, 2U, 4U}) {
    comm::testing::on_ranks(ranks, [](comm::Communicator& world) {
      const BlockGrid grid({.points = {4, 3, 4, 8}, .boundaries = testing::boundaries(4, 15)}, world);
      const Tiles tiles = cut_tiles(grid);
      OwnPacking packing(grid);
      trace::Recorder recorder(1);
      tasks::Scheduler scheduler(1, recorder);
      scheduler.attach(world.completions());
      tasks::Graph graph;
      exchange::Exchange exchange(world);
      exchange::Messages halo;
      add_packed_halo<float>(
          halo, {.neighbours = tiles.neighbours, .elements_per_point = 2, .first_key = 100},
          halo_accesses(tiles, add_field(graph, tiles)),
          [&packing](tasks::StepContext&, const Neighbour& to, std::span<float> message) { packing.pack(to, message); },
          [&packing](tasks::StepContext&, const Neighbour& from, std::span<const float> message) {
            packing.unpack(from, message);
          });
      exchange.add(graph, "halo", std::move(halo));
      exchange.connect();
      tasks::Activation activation = graph.activate_all();
      tasks::StepContext step;
      scheduler.run(graph, activation, step);
      packing.check();
      world.synchronise();
    });
  }
}

TEST(MeshHalo, MessagesHaveTheKeysOfTheirDirections) {
  const BlockGrid grid({.points = {6, 4}, .boundaries = testing::boundaries(2, 3)}, 1, rank_id(0));
  const auto neighbours = grid.neighbours(Neighbours::all);
  const HaloAccesses accesses{.pack = std::vector<tasks::Accesses>(8), .unpack = std::vector<tasks::Accesses>(8)};
  std::vector<double> u(grid.layout().size());
  const auto field = [&u](tasks::StepContext&) { return std::span<double>(u); };
  exchange::Messages halo;
  add_halo<double>(halo, grid, {.neighbours = neighbours, .first_key = 1000}, accesses, field, field, field);
  ASSERT_EQ(halo.sent().size(), 8U);
  ASSERT_EQ(halo.received().size(), 8U);
  for (std::size_t i = 0; i < 8; ++i) {
    EXPECT_EQ(halo.sent()[i].message.key, 1000 + neighbours[i].send_key);
    EXPECT_EQ(halo.received()[i].message.key, 1000 + neighbours[i].receive_key);
    EXPECT_EQ(halo.sent()[i].message.count, 3 * neighbours[i].send.points());
  }
  const HaloAccesses too_few{.pack = std::vector<tasks::Accesses>(8), .unpack = std::vector<tasks::Accesses>(7)};
  EXPECT_THROW(add_halo<double>(halo, grid, {.neighbours = neighbours}, too_few, field), base::PreconditionError);
}

}  // namespace tacit::mesh::halo_test
