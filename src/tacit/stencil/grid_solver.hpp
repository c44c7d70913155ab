// What solvers on a grid have in common for the engine: the grid, the table of fields, steps of stages.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "tacit/engine/field_table.hpp"
#include "tacit/engine/solver.hpp"
#include "tacit/exchange/reductions.hpp"
#include "tacit/mesh/block_grid.hpp"
#include "tacit/mesh/cell_sums.hpp"
#include "tacit/mesh/staged_step.hpp"
#include "tacit/stencil/grid_setting.hpp"

namespace tacit::stencil {

/// A solver whose fields are advanced by stages. What derives from it owns them: it binds them to the table and calls
/// `begin`, both in its constructor, and measures them.
class GridSolver : public engine::Solver {
 public:
  /// @throws engine::NumericsError if a fixed step is too long to be stable
  [[nodiscard]] double time_step() const override;
  void step(const tasks::StepContext& step) override { step_->run(step); }
  [[nodiscard]] engine::StepLimit step_limit() const override { return {.element = "the grid"}; }
  [[nodiscard]] std::optional<engine::UpdateCost> update_cost() const override { return cost_; }
  [[nodiscard]] engine::Origin origin() const override { return origin_; }
  /// Snapshots, checkpoints and what else follows from the fields.
  [[nodiscard]] const engine::FieldTable* table_of_fields() const override { return &table_; }
  [[nodiscard]] const mesh::BlockGrid& grid() const noexcept { return grid_; }

 protected:
  /// @param rows  the fields of this run   @param title  of their group in checkpoints
  GridSolver(const GridSetting& setting, std::span<const engine::FieldRow> rows, std::string title,
             const engine::Origin& origin, const engine::Resources& resources);
  /// The state is that of the fields, or of a checkpoint, if there is one. All ranks call it once.
  /// @param fastest  the largest rate at which anything decays on this rank [1/time]: it bounds the step
  /// @param rates    what the rates of all fields take in a cell, beside the stages
  /// @throws base::FormatError if the checkpoint does not fit the setting or is damaged
  void begin(mesh::StagedFields staged, double fastest, const engine::UpdateCost& rates,
             const io::FileReader* checkpoint);

  [[nodiscard]] const mesh::Domain& domain() const noexcept { return setting_.domain; }
  [[nodiscard]] engine::FieldTable& table() noexcept { return table_; }
  /// Sums over the cells of this rank: see mesh::sums_over_points.
  /// @param visit  (std::array<PointSums, N>&, place in a field, cell of the whole grid)
  template <std::size_t N, class Visit>
  [[nodiscard]] std::array<mesh::Sums, N> sums_over_cells(const Visit& visit) const {
    return mesh::sums_over_points<N>(grid_, resources_.scheduler,
                                     [visit](auto& numbers, std::size_t place, const mesh::Point& at) {
                                       visit(numbers, place, mesh::Cell{at[0], at[1], at[2]});
                                     });
  }
  /// Makes them those of all ranks.
  void join_ranks(std::span<mesh::Sums> sums) const { mesh::join_ranks(reductions_, sums); }

 private:
  GridSetting setting_;
  engine::Origin origin_;
  engine::Resources resources_;
  mesh::BlockGrid grid_;
  engine::FieldTable table_;
  mutable exchange::RankReductions reductions_;
  std::optional<mesh::StagedStep> step_;
  double fastest_ = 0.0;  // of all ranks [1/time]
  engine::UpdateCost cost_;
};

/// What is known of such a run ahead.
/// @param kept     further fields in memory, which no step advances
/// @param fastest  the largest rate at which anything decays [1/time], where the parameters alone tell it
/// @param rates    what the rates of all fields take in a cell, beside the stages
/// @throws config::Error if the grid cannot be divided among so many ranks
[[nodiscard]] engine::Prediction predict(const GridSetting& setting, std::span<const engine::FieldRow> rows,
                                         std::size_t kept, std::optional<double> fastest,
                                         const engine::UpdateCost& rates, const config::Parameters& parameters,
                                         std::size_t ranks);

}  // namespace tacit::stencil
