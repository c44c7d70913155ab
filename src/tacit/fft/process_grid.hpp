// The rows and columns of a grid of ranks, as communicators that several transforms share.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <optional>
#include <vector>

#include "tacit/comm/communicator.hpp"
#include "tacit/fft/pencils.hpp"
#include "tacit/tasks/scheduler.hpp"

namespace tacit::fft {

/// Whether every rank has points and modes.
[[nodiscard]] bool has_work_for_all(const Modes& modes, const ProcessGrid& grid) noexcept;

/// Slabs as long as every rank has some points and modes then, else the shortest rows that do it; rows that are the
/// ranks of one node go before others, so that their exchanges stay there.
/// @param ranks          of the run
/// @param ranks_of_node  on each node; 0: they differ
/// @throws base::Error where a rank would have nothing on any grid: how many ranks could be used
[[nodiscard]] ProcessGrid choose_grid(const Modes& modes, std::size_t ranks, std::size_t ranks_of_node);
/// The same for the ranks of a communicator.
[[nodiscard]] ProcessGrid choose_grid(const Modes& modes, const comm::Communicator& ranks);

/// @throws base::Error unless the grid has as many ranks as there are
void check_grid(const ProcessGrid& grid, const comm::Communicator& ranks);

/// All that the exchanges of a pass depend on, on a given grid of ranks: numbers of points, of modes, of fields.
using ExchangeShape = std::array<std::size_t, 12>;

/// This rank's row and column. Every rank makes it, and destroys it, at the same point.
///
///     fft::GridCommunicators ranks(world, {.row_size = 1, .column_size = world.size()}, scheduler);
///     fft::Pass<double> pass(pencils, fields, work, scheduler, rigor, ranks);
///
/// The scheduler polls a communicator of several ranks as long as this lives.
class GridCommunicators {
 public:
  /// @throws base::Error unless the grid has as many ranks as `world`
  GridCommunicators(comm::Communicator& world, const ProcessGrid& grid, tasks::Scheduler& scheduler);
  ~GridCommunicators();
  GridCommunicators(const GridCommunicators&) = delete;
  GridCommunicators& operator=(const GridCommunicators&) = delete;

  [[nodiscard]] comm::Communicator& world() noexcept { return world_; }
  [[nodiscard]] const ProcessGrid& grid() const noexcept { return grid_; }
  /// The ranks that exchange x and y, by place in the row.
  [[nodiscard]] comm::Communicator& row() noexcept { return row_ ? *row_ : world_; }
  /// The ranks that exchange y and z, by place in the column.
  [[nodiscard]] comm::Communicator& column() noexcept { return column_ ? *column_ : world_; }

  /// What the exchanges of passes take alone [s], in an order of theirs: those that were measured.
  [[nodiscard]] std::map<ExchangeShape, std::vector<double>>& exchange_times() noexcept { return exchange_times_; }

 private:
  comm::Communicator& world_;
  ProcessGrid grid_;
  tasks::Scheduler& scheduler_;
  std::optional<comm::Communicator> row_;  // neither where the world is one rank, which is both
  std::optional<comm::Communicator> column_;
  std::map<ExchangeShape, std::vector<double>> exchange_times_;
};

}  // namespace tacit::fft
