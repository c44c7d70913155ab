// The heat solver: owns the fields, and is what the engine sees of them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tacit/engine/field_table.hpp"
#include "tacit/engine/solver.hpp"
#include "tacit/solvers/heat/fields.hpp"
#include "tacit/solvers/heat/parameters.hpp"
#include "tacit/solvers/heat/statistics.hpp"

namespace tacit::heat {

/// Diffusion of heat on a block grid: dT/dt = div(kappa grad T) + S.
class HeatSolver final : public engine::Solver {
 public:
  /// @param checkpoint  to continue from; null: the initial conditions of the parameters
  /// @throws base::FormatError if it does not fit the parameters or is damaged
  HeatSolver(const HeatParameters& parameters, const engine::Resources& resources, const io::FileReader* checkpoint);

  /// Why a fixed step is refused; nothing if it is not. @param longest  stable one
  [[nodiscard]] static std::optional<std::string> refusal(double dt, double longest);

  /// @throws engine::NumericsError if a fixed step is too long to be stable
  [[nodiscard]] double time_step() const override;
  void step(const tasks::StepContext& step) override;
  [[nodiscard]] engine::StepLimit step_limit() const override { return {.element = "the grid"}; }
  [[nodiscard]] engine::Conserved conserved() const override;
  [[nodiscard]] std::vector<engine::Statistic> statistics() const override;
  [[nodiscard]] engine::Origin origin() const override { return origin_; }
  /// Snapshots, checkpoints and what else follows from the fields.
  [[nodiscard]] const engine::FieldTable* table_of_fields() const override { return &table_; }

  [[nodiscard]] const mesh::BlockGrid& grid() const noexcept { return grid_; }
  [[nodiscard]] const FieldSet& fields() const noexcept { return fields_; }

 private:
  void fill_table();
  [[nodiscard]] const Measured& measured() const;

  HeatParameters parameters_;
  mesh::BlockGrid grid_;
  FieldSet fields_;
  engine::FieldTable table_;
  mesh::StagedStep step_;
  mutable Statistics statistics_;
  mutable std::optional<Measured> measured_;  // of the present state
  engine::Origin origin_;
  double time_ = 0.0;     // of the present state
  double longest_ = 0.0;  // stable step [time]
};

/// The solver's entry for the registry.
[[nodiscard]] const engine::SolverEntry& solver_entry();

}  // namespace tacit::heat
