// Chooses grids of ranks, and splits communicators by them.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/fft/process_grid.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "tacit/base/error.hpp"

namespace tacit::fft {
namespace {

/// Ranks of each node; 0 where nodes differ.
std::size_t ranks_of_node(const comm::Communicator& ranks) {
  std::vector<std::size_t> sizes;
  for (const comm::RankInfo& rank : ranks.ranks()) {
    sizes.resize(std::max<std::size_t>(sizes.size(), rank.node + 1U));
    ++sizes[rank.node];
  }
  return std::ranges::all_of(sizes, [&](std::size_t size) { return size == sizes.front(); }) ? sizes.front() : 0;
}

}  // namespace

bool has_work_for_all(const Modes& modes, const ProcessGrid& grid) noexcept {
  return grid.column_size <= std::min(modes.points()[2], modes.count(1)) &&
         grid.row_size <= std::min(modes.points()[1], modes.count(0));
}

ProcessGrid choose_grid(const Modes& modes, std::size_t ranks, std::size_t ranks_of_node) {
  const ProcessGrid slabs{.row_size = 1, .column_size = ranks};
  if (has_work_for_all(modes, slabs)) return slabs;
  ProcessGrid first{.row_size = 0, .column_size = 0};
  for (std::size_t row = 1; row <= ranks; ++row) {
    if (ranks % row != 0) continue;
    const ProcessGrid grid{.row_size = row, .column_size = ranks / row};
    if (!has_work_for_all(modes, grid)) continue;
    if (row == ranks_of_node) return grid;
    if (first.row_size == 0) first = grid;
  }
  if (first.row_size != 0) return first;
  const std::size_t most = std::min(modes.points()[2], modes.count(1)) * std::min(modes.points()[1], modes.count(0));
  throw base::Error(
      fmt::format("{} ranks for {} x {} x {} points: no grid of ranks gives each of them something; take fewer ranks "
                  "(at most {}), or a number with more divisors",
                  ranks, modes.points()[0], modes.points()[1], modes.points()[2], most));
}

ProcessGrid choose_grid(const Modes& modes, const comm::Communicator& ranks) {
  return choose_grid(modes, ranks.size(), ranks_of_node(ranks));
}

void check_grid(const ProcessGrid& grid, const comm::Communicator& ranks) {
  if (grid.ranks() == ranks.size()) return;
  throw base::Error(
      fmt::format("a grid with {} ranks in a row and {} in a column has {}, but there are {}: the product must be that",
                  grid.row_size, grid.column_size, grid.ranks(), ranks.size()));
}

GridCommunicators::GridCommunicators(comm::Communicator& world, const ProcessGrid& grid, tasks::Scheduler& scheduler)
    : world_(world), grid_(grid), scheduler_(scheduler) {
  check_grid(grid, world);
  if (world.size() == 1) return;
  const std::uint32_t rank = number(world.rank());
  const auto row_size = static_cast<std::uint32_t>(grid.row_size);
  row_.emplace(world.split(rank / row_size, rank % row_size));
  column_.emplace(world.split(rank % row_size, rank / row_size));
  scheduler_.attach(world.completions());
}

GridCommunicators::~GridCommunicators() {
  if (world_.size() > 1) scheduler_.detach(world_.completions());
}

}  // namespace tacit::fft
