// The sph solver: owns the gas and its cells, and runs the graph of a step.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tacit/engine/solver.hpp"
#include "tacit/particles/cell_grid.hpp"
#include "tacit/solvers/sph/cell_data.hpp"
#include "tacit/solvers/sph/gas.hpp"
#include "tacit/solvers/sph/parameters.hpp"
#include "tacit/solvers/sph/step.hpp"

namespace tacit::sph {

/// Gas dynamics with smoothed particles and a common time step.
class SphSolver final : public engine::Solver {
 public:
  /// Starts from initial conditions: finds smoothing lengths, turns internal energies into entropies, computes forces.
  SphSolver(const SphParameters& parameters, const base::UnitSystem& units, InitialConditions initial,
            const engine::Resources& resources);
  /// Continues from a checkpoint.
  /// @throws base::FormatError if it does not fit these parameters or is damaged
  SphSolver(const SphParameters& parameters, const base::UnitSystem& units, const io::FileReader& checkpoint,
            const engine::Resources& resources);

  [[nodiscard]] double start_time() const override { return start_time_; }
  [[nodiscard]] double time_step() const override { return dt_stable_; }
  void step(const tasks::StepContext& step) override;
  [[nodiscard]] engine::Conserved conserved() const override;
  [[nodiscard]] std::uint64_t elements() const override { return gas_.size(); }
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> origin() const override;
  std::uint64_t write_snapshot(const std::filesystem::path& path, const engine::FileContext& context) const override;
  void save(io::FileWriter& checkpoint) const override;

  [[nodiscard]] const Gas& gas() const noexcept { return gas_; }
  /// Of the space: what the initial conditions or the checkpoint say.
  [[nodiscard]] int dimension() const noexcept { return parameters_.dimension; }
  [[nodiscard]] std::size_t cells() const noexcept { return grid_->cells(); }
  /// How often the cells and their lists were made anew, and how often particles were only sorted.
  [[nodiscard]] std::uint64_t rebuilds() const noexcept { return rebuilds_; }
  [[nodiscard]] std::uint64_t sorts() const noexcept { return sorts_; }

 private:
  void take(InitialConditions initial);
  void load(const io::FileReader& checkpoint);
  void load_grid(const io::FileReader& checkpoint, std::size_t particles);
  [[nodiscard]] std::string physics() const;
  void place_potential();
  void rebuild_cells();
  void connect_cells();
  void sort_particles();
  void require_finite_positions() const;
  void apply_order(std::span<const std::uint32_t> order);
  void bind_cells();
  void run(tasks::Activation& part, const tasks::StepContext& step);
  void run_within_reach(tasks::Activation StepGraph::*part, const tasks::StepContext& step);
  void set_entropies();
  void collect_reports(const tasks::StepContext& step);
  [[nodiscard]] particles::Domain domain() const;
  [[nodiscard]] std::vector<double> support_radii() const;

  SphParameters parameters_;
  base::UnitSystem units_;
  engine::Resources resources_;
  base::Vec3 box_;
  double start_time_ = 0.0;
  double rho_0_ = 1.0;  // from which a barotropic gas counts the work of its bath [density]
  std::string source_;
  std::string checksum_;

  Gas gas_;
  OtherParticles others_;  // carried along
  std::optional<particles::CellGrid> grid_;
  std::vector<double> reach_;  // shape (cells) [length]
  double slack_ = 0.0;         // how far particles may move before they must be sorted again [length]
  double moved_ = 0.0;         // bound of how far they have moved since [length]
  std::vector<CellData> cells_;
  std::vector<CellReport> reports_;
  std::vector<kernels::NeighbourCache> scratch_;  // one per worker
  std::vector<SourceScratch> source_scratch_;     // one per worker
  std::optional<StepGraph> graph_;

  double dt_stable_ = 0.0;
  double v_max_ = 0.0;
  double a_max_ = 0.0;
  std::uint64_t rebuilds_ = 0;
  std::uint64_t sorts_ = 0;
};

/// The solver's entry for the registry.
[[nodiscard]] const engine::SolverEntry& solver_entry();

}  // namespace tacit::sph
