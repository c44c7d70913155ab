// The sph solver: owns the gas and its cells, and runs the graph of a step.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tacit/base/exact_sum.hpp"
#include "tacit/engine/solver.hpp"
#include "tacit/particles/cell_tree.hpp"
#include "tacit/solvers/sph/cell_data.hpp"
#include "tacit/solvers/sph/gas.hpp"
#include "tacit/solvers/sph/log_task.hpp"
#include "tacit/solvers/sph/parameters.hpp"
#include "tacit/solvers/sph/step.hpp"
#include "tacit/solvers/sph/swept_cells.hpp"
#include "tacit/solvers/sph/time_line.hpp"

namespace tacit::sph {

/// Gas dynamics with smoothed particles, with a common time step or steps of their own.
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
  /// With steps of their own: until the next particle ends its step.
  /// @throws engine::NumericsError  if a particle needs a step below a tick of the time line
  [[nodiscard]] double time_step() const override;
  [[nodiscard]] bool is_within_steps() const override { return after_ > 0.0; }
  void step(const tasks::StepContext& step) override;
  [[nodiscard]] double shortest_step() const override { return dt_shortest_; }
  [[nodiscard]] engine::StepLimit step_limit() const override;
  [[nodiscard]] engine::MechanicalSums sums() const;
  [[nodiscard]] engine::Conserved conserved() const override { return sums().conserved(); }
  [[nodiscard]] std::optional<engine::Flaw> not_finite() const override;
  [[nodiscard]] std::uint64_t elements() const override { return gas_.size(); }
  /// Particles that ended their steps in the last step.
  [[nodiscard]] std::uint64_t updated() const override { return updated_; }
  [[nodiscard]] engine::Origin origin() const override;
  std::uint64_t write_snapshot(const std::filesystem::path& path, const engine::FileContext& context) const override;
  [[nodiscard]] engine::OutputBytes output_bytes(const engine::FileContext& context) const override;
  void save(io::FileWriter& checkpoint) const override;
  /// The particles alone: cells may be half made.
  void save_failed(io::FileWriter& file) const override;

  /// A record has position, velocity, internal energy, density and smoothing length of a particle.
  [[nodiscard]] std::optional<io::LogSchema> log_schema() const override;
  [[nodiscard]] std::uint64_t logged_elements() const override { return gas_.size(); }
  void begin_log(double time, std::uint64_t step, const io::LogReader* before) override;

  [[nodiscard]] const Gas& gas() const noexcept { return gas_; }
  /// Of the space: what the initial conditions or the checkpoint say.
  [[nodiscard]] int dimension() const noexcept { return parameters_.dimension; }
  [[nodiscard]] std::size_t cells() const noexcept { return grid_->cells(); }
  /// How often the cells and their lists were rebuilt, and how often particles were only sorted.
  [[nodiscard]] std::uint64_t rebuilds() const noexcept { return rebuilds_; }
  [[nodiscard]] std::uint64_t sorts() const noexcept { return sorts_; }
  /// How often cells' orders along axes were made and mended; none where each particle gathers.
  [[nodiscard]] SweptCells::Sorts axis_sorts() const noexcept { return swept_ ? swept_->sorts() : SweptCells::Sorts{}; }
  /// The time line, the present time on it, and who ended a step then.
  [[nodiscard]] const StepClock& clock() const noexcept { return clock_; }
  /// Number of particles in each bin of the time line; all in bin 0 with a common step.
  [[nodiscard]] std::vector<std::uint64_t> bins() const;
  /// Puts particles into bins of the time line whatever steps they could take, as the limiter does with some. Such
  /// steps last until they end; then the particles choose for themselves again. For measurements and tests.
  /// @param bins  shape (N), in the present order of the gas
  /// @pre  individual steps, and one has just ended; where a bin changes, steps of the new one begin now
  void set_bins(std::span<const std::uint8_t> bins);

 private:
  /// A particle at the present time, wherever it was drifted and kicked to.
  struct Present {
    base::Vec3 x;      ///< [length]
    base::Vec3 v;      ///< [velocity]
    double rho = 0.0;  ///< [density]
    double u = 0.0;    ///< [specific energy]
  };

  /// The same for files; not filled with zeros first, which would take as long as the rest.
  struct StoredParticle {
    std::array<double, 3> x;  ///< in the box, if that is periodic
    std::array<double, 3> v;
    double rho, u;
  };

  // Beginning (sph_start.cpp).
  void take(InitialConditions initial);
  void bring_guesses_near();
  void start();
  void set_thermal();
  void keep_internal_energies();
  void open_time_line();
  void place_potential();
  // Cells (sph_cells.cpp).
  void rebuild_cells();
  [[nodiscard]] bool connect_cells();
  void wrap_positions();
  void sort_particles();
  void apply_order(std::span<const std::uint32_t> order);
  void bind_cells();
  void measure_units();
  void require_finite_positions() const;
  void sort_or_rebuild();
  [[nodiscard]] bool do_cells_suit() const;
  [[nodiscard]] bool do_cells_suit_sweeps() const;
  [[nodiscard]] std::uint64_t unresolved() const;
  [[nodiscard]] bool move_within_slack(double dt);
  [[nodiscard]] particles::Domain surroundings(double margin) const;
  [[nodiscard]] particles::Domain domain(double H) const;
  [[nodiscard]] std::span<const double> support_radii();
  // Steps (sph_solver.cpp).
  void step_together(const tasks::StepContext& step);
  void step_individually(const tasks::StepContext& step);
  void set_clock(std::int64_t now);
  void choose_active();
  void advance_active(const tasks::StepContext& step);
  void evaluate_active(const tasks::StepContext& step);
  void close_active(const tasks::StepContext& step);
  void drift_all(const tasks::StepContext& step);
  void limit_steps(const tasks::StepContext& step);
  void find_next_time();
  void run(tasks::Activation& part, const tasks::StepContext& step);
  [[nodiscard]] bool visits_pairs_once() const;
  void advance_all(const tasks::StepContext& step);
  void evaluate_all(const tasks::StepContext& step);
  void rerun_within_reach(const tasks::StepContext& step);
  void collect_reports(const tasks::StepContext& step);
  // State (sph_state.cpp, sph_files.cpp).
  [[nodiscard]] Present present(std::size_t i, std::size_t cell) const;
  [[nodiscard]] std::vector<Present> all_present() const;
  [[nodiscard]] std::unique_ptr<StoredParticle[]> all_stored() const;
  void fold_back(Present& particle) const;
  template <class Sum>
  struct Sums;
  void add_to(Sums<base::BufferedSum>& sums, std::size_t i, const Present& now) const;
  [[nodiscard]] bool keeps_angular_momentum() const noexcept;
  [[nodiscard]] bool are_finite() const;
  void load(const io::FileReader& checkpoint);
  void load_grid(const io::FileReader& checkpoint, std::size_t particles);
  void load_reports(const io::FileReader& checkpoint);
  void save_particles(io::FileWriter& file) const;
  [[nodiscard]] std::string settings() const;
  [[nodiscard]] std::array<double, 3> period() const noexcept;
  void log_all(double time);
  void find_in_log(const io::LogReader& log);

  SphParameters parameters_;
  base::UnitSystem units_;
  engine::Resources resources_;
  base::Vec3 box_;
  double start_time_ = 0.0;
  double rho_0_ = 1.0;  // from which a barotropic gas counts the work of its bath [density]
  engine::Origin origin_;

  Gas gas_;
  OtherParticles others_;  // carried along
  std::optional<particles::CellTree> grid_;
  std::vector<double> reach_;     // shape (cells) [length]
  std::vector<double> extent_;    // shape (cells) [length]
  std::vector<double> slack_;     // shape (cells): how far particles may move before they must be sorted again [length]
  std::vector<double> moved_;     // shape (cells): bound of how far they have moved since [length]
  std::size_t largest_cell_ = 0;  // so many particles in one cell that cells must be rebuilt
  CacheUnits cache_units_;
  std::vector<CellData> cells_;
  std::vector<CellReport> reports_;
  std::vector<CellBounds> bounds_;                   // shape (cells)
  std::vector<double> boxes_;                        // GroupBoxes of the cells, one after the other
  std::vector<double> group_h_;                      // shape (groups) [length]
  std::vector<std::uint8_t> limits_;                 // shape (N)
  LastRecords last_records_;                         // empty without a log
  std::vector<double> spare_;                        // shape (N)
  std::vector<Scratch> scratch_;                     // one per worker
  std::optional<kernels::vector::PairLoops> loops_;  // since the dimension is known
  /// Where pairs are visited once. Mutable because a run that continues from a checkpoint begins without orders, so
  /// that the run that wrote it must do so too, or sums would be taken in other orders.
  mutable std::optional<SweptCells> swept_;
  std::unique_ptr<StepData> step_data_;  // the tasks hold references to it
  std::optional<StepGraph> graph_;

  StepClock clock_;                    // of the last step
  std::int64_t next_ = 0;              // ticks at the end of the next step
  double after_ = 0.0;                 // time since the last end of steps, where output is wanted in between [time]
  std::vector<std::uint32_t> active_;  // cells with particles that end their steps
  bool is_most_active_ = true;         // more cells are active than are worth choosing
  double dt_stable_ = 0.0;
  double dt_shortest_ = std::numeric_limits<double>::infinity();  // stable step of any particle [time]
  std::uint64_t updated_ = 0;
  std::uint64_t rebuilds_ = 0;
  std::uint64_t sorts_ = 0;
};

/// The solver's entry for the registry.
[[nodiscard]] const engine::SolverEntry& solver_entry();

}  // namespace tacit::sph
