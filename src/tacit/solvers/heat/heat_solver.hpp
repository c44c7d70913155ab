// The heat solver: owns the fields, and is what the engine sees of them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "tacit/base/exact_sum.hpp"
#include "tacit/engine/with_slots.hpp"
#include "tacit/solvers/heat/fields.hpp"
#include "tacit/solvers/heat/parameters.hpp"
#include "tacit/stencil/grid_solver.hpp"

namespace tacit::heat {

/// Diffusion of heat on a block grid: dT/dt = div(kappa grad T) + S.
class HeatSolver final : public stencil::GridSolver, public engine::WithSlots {
 public:
  /// @param checkpoint  to continue from; null: the initial conditions of the parameters
  /// @throws base::FormatError if it does not fit the parameters or is damaged
  HeatSolver(const HeatParameters& parameters, const engine::Resources& resources, const io::FileReader* checkpoint);

  void step(const tasks::StepContext& step) override;
  [[nodiscard]] engine::Conserved conserved() const override;
  [[nodiscard]] std::vector<engine::Statistic> statistics() const override;
  [[nodiscard]] std::vector<std::string> new_warnings() override { return launches_.new_warnings(); }

  [[nodiscard]] const FieldSet& fields() const noexcept { return fields_; }
  [[nodiscard]] const gpu::Slots* slots() const noexcept override { return launches_.slots(); }

 private:
  using Measured = std::array<mesh::Sums, 4>;  // see statistics.cpp

  void bind_fields(const HeatParameters& parameters);
  /// The exact solution at a time of the run, where one is known.
  [[nodiscard]] std::optional<ExactAt> exact_at(double time) const;
  [[nodiscard]] const Measured& measured() const;
  [[nodiscard]] Measured measure() const;
  [[nodiscard]] std::array<double, 2> launched_and_all() const;
  void add_flow(std::size_t axis, mesh::Side side, base::ExactSum& flow) const;

  FieldSet fields_;
  mesh::LaunchSlots launches_;
  std::optional<Exact> exact_;
  bool keeps_heat_;
  double begin_;                              // time of the initial conditions
  double time_;                               // of the present state
  mutable std::optional<Measured> measured_;  // of the present state
};

/// The solver's entry for the registry.
[[nodiscard]] const engine::SolverEntry& solver_entry();

}  // namespace tacit::heat
