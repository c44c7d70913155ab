// A solver on a periodic grid as the engine sees it, whatever its fields are.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tacit/engine/field_table.hpp"
#include "tacit/engine/solver.hpp"
#include "tacit/exchange/reductions.hpp"
#include "tacit/mesh/block_grid.hpp"
#include "tacit/mesh/staged_step.hpp"
#include "tacit/stencil/keys.hpp"

namespace tacit::stencil {

/// Owns the fields of a definition, and makes of them all that follows.
class StencilSolver final : public engine::Solver {
 public:
  /// @param checkpoint  to continue from; null: the initial conditions of the setting
  /// @throws base::FormatError if it does not fit the setting or is damaged
  StencilSolver(const Definition& definition, const Setting& setting, const engine::Resources& resources,
                const io::FileReader* checkpoint);

  /// @throws engine::NumericsError if a fixed step is too long to be stable
  [[nodiscard]] double time_step() const override;
  void step(const tasks::StepContext& step) override { step_.run(step); }
  [[nodiscard]] engine::StepLimit step_limit() const override { return {.element = "the grid"}; }
  /// Mean, variance, least and largest number of each field.
  [[nodiscard]] std::vector<engine::Statistic> statistics() const override;
  [[nodiscard]] engine::Origin origin() const override { return setting_.origin; }
  [[nodiscard]] const engine::FieldTable* table_of_fields() const override { return &table_; }

 private:
  [[nodiscard]] mesh::StagedFields staged_fields();

  const Definition& definition_;
  Setting setting_;
  mesh::BlockGrid grid_;
  std::vector<mesh::Field> fields_;  // of the rows
  engine::FieldTable table_;
  mesh::StagedStep step_;
  tasks::Scheduler& scheduler_;
  mutable exchange::RankReductions reductions_;
  std::vector<std::string> columns_;  // of statistics
};

}  // namespace tacit::stencil
