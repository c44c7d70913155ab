// The solver md: owns the atoms, and is what the engine sees of them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tacit/engine/solver.hpp"
#include "tacit/solvers/md/analysis/analysis.hpp"
#include "tacit/solvers/md/atoms.hpp"
#include "tacit/solvers/md/ensembles/thermostat.hpp"
#include "tacit/solvers/md/file_rows.hpp"
#include "tacit/solvers/md/interaction.hpp"
#include "tacit/solvers/md/parameters.hpp"
#include "tacit/solvers/md/start.hpp"
#include "tacit/solvers/md/statistics.hpp"
#include "tacit/solvers/md/step.hpp"

namespace tacit::md {

/// Molecular dynamics of atoms, at constant energy or with a thermostat, or on their way to least energy.
class MdSolver final : public engine::Solver {
 public:
  /// @param checkpoint  to continue from; null: the initial conditions of the parameters
  /// @throws base::FormatError if it does not fit the parameters or is damaged; base::Error if two atoms are at one
  /// place
  MdSolver(MdParameters parameters, const engine::Resources& resources, const io::FileReader* checkpoint)
      : MdSolver(start_of(std::move(parameters), resources.ranks, checkpoint), resources) {
    begin_analysis(checkpoint);
  }

  [[nodiscard]] double start_time() const override { return parameters_.begin; }
  [[nodiscard]] double time_step() const override { return minimizer_ ? minimizer_->time_step() : parameters_.dt; }
  [[nodiscard]] bool has_converged() const override { return minimizer_ && minimizer_->has_converged(); }
  [[nodiscard]] std::optional<std::string> unfinished() const override;
  void step(const tasks::StepContext& step) override;
  [[nodiscard]] engine::StepLimit step_limit() const override { return {.element = "md.dt"}; }
  [[nodiscard]] engine::Conserved conserved() const override;
  [[nodiscard]] std::vector<engine::Statistic> statistics() const override;
  /// Atoms.
  [[nodiscard]] std::uint64_t elements() const override { return order_.atoms(); }
  [[nodiscard]] std::optional<engine::UpdateCost> update_cost() const override;
  [[nodiscard]] engine::Origin origin() const override;
  std::uint64_t write_snapshot(const std::filesystem::path& path, const engine::FileContext& context) const override;
  [[nodiscard]] std::vector<engine::Series> series() const override;
  /// Atoms in extended XYZ, and dumps of LAMMPS.
  std::uint64_t write_series(const engine::Series& series, const std::filesystem::path& path,
                             const engine::FileContext& context) const override;
  [[nodiscard]] engine::OutputBytes output_bytes(const engine::FileContext& context) const override;
  void save(io::FileWriter& checkpoint) const override;

  [[nodiscard]] std::vector<std::string> new_warnings() override;

  /// Those of this rank.
  [[nodiscard]] const Atoms& atoms() const noexcept { return atoms_; }
  [[nodiscard]] const Measured& measured() const;
  /// Energies and virials of this rank's atoms, in their order.
  [[nodiscard]] const PerAtom& per_atom() const;
  [[nodiscard]] const Step& graph() const noexcept { return step_; }
  [[nodiscard]] Step& graph() noexcept { return step_; }
  [[nodiscard]] const std::optional<Minimizer>& minimizer() const noexcept { return minimizer_; }
  [[nodiscard]] const std::optional<Thermostat>& thermostat() const noexcept { return thermostat_; }
  [[nodiscard]] const std::optional<Barostat>& barostat() const noexcept { return barostat_; }
  [[nodiscard]] const std::optional<Analysis>& analysis() const noexcept { return analysis_; }
  [[nodiscard]] const Box& box() const noexcept { return step_.box(); }

 private:
  MdSolver(Start start, const engine::Resources& resources);
  void refuse_coincidence() const;
  void refuse_rest() const;
  void begin_analysis(const io::FileReader* checkpoint);
  void write_order(io::FileWriter& file, const FileRows& rows, io::Number type) const;
  void change_box(const tasks::StepContext& step);
  [[nodiscard]] base::Vec3 virial() const;
  [[nodiscard]] double power_of_held() const;

  MdParameters parameters_;
  engine::Resources resources_;
  FileOrder order_;
  std::unique_ptr<Interaction> interaction_;
  std::optional<Thermostat> thermostat_;
  std::optional<Minimizer> minimizer_;
  std::optional<Barostat> barostat_;
  base::Vec3 virial_{};  // for the barostat: of the present forces
  Atoms atoms_;
  std::vector<std::uint64_t> group_counts_;  // see count_groups
  std::vector<std::string> force_columns_;   // of statistics, three for each held group
  double work_ = 0.0;                        // that moving groups have done
  double power_ = 0.0;                       // with which they do it now
  std::optional<Analysis> analysis_;
  mutable Step step_;  // measuring changes nothing that is seen
  mutable Statistics statistics_;
  mutable PerAtom per_atom_;
  mutable bool has_per_atom_ = false;         // of the present state
  mutable std::optional<Measured> measured_;  // likewise
};

/// The solver's entry for the registry.
[[nodiscard]] const engine::SolverEntry& solver_entry();

}  // namespace tacit::md
