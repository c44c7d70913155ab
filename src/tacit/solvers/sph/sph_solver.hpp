// The sph solver as the engine sees it: the gas, its cells and its steps, and what is written of them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tacit/base/exact_sum.hpp"
#include "tacit/engine/solver.hpp"
#include "tacit/exchange/reductions.hpp"
#include "tacit/solvers/sph/checkpoint_values.hpp"
#include "tacit/solvers/sph/formats/swift_snapshot.hpp"
#include "tacit/solvers/sph/gas.hpp"
#include "tacit/solvers/sph/gas_cells.hpp"
#include "tacit/solvers/sph/gas_steps.hpp"
#include "tacit/solvers/sph/log_task.hpp"
#include "tacit/solvers/sph/parameters.hpp"
#include "tacit/solvers/sph/stored_particle.hpp"
#include "tacit/solvers/sph/time_line.hpp"
#include "tacit/solvers/sph/update_cost.hpp"

namespace tacit::sph {

/// Gas dynamics with smoothed particles, with a common time step or steps of their own: owns the gas; GasCells sorts it
/// and runs its tasks, GasSteps says which and when.
class SphSolver final : public engine::Solver {
 public:
  /// Starts from initial conditions, of which this rank has its share: finds smoothing lengths, turns internal energies
  /// into entropies, computes forces.
  SphSolver(const SphParameters& parameters, const base::UnitSystem& units, InitialConditions initial,
            const engine::Resources& resources);
  /// Continues from a checkpoint.
  /// @throws base::FormatError if it does not fit these parameters or is damaged
  SphSolver(const SphParameters& parameters, const base::UnitSystem& units, const io::FileReader& file,
            const engine::Resources& resources);

  [[nodiscard]] double start_time() const override { return start_time_; }
  /// With steps of their own: until the next particle ends its step.
  /// @throws engine::NumericsError  if a particle needs a step below a tick of the time line
  [[nodiscard]] double time_step() const override;
  [[nodiscard]] bool is_within_steps() const override { return steps_.after() > 0.0; }
  void step(const tasks::StepContext& step) override { steps_.step(step); }
  [[nodiscard]] double shortest_step() const override { return steps_.shortest(); }
  [[nodiscard]] engine::StepLimit step_limit() const override;
  /// Of an expanding box, energies of peculiar motion, and the momentum sum m a^2 dx/dt, which is conserved.
  [[nodiscard]] engine::MechanicalSums sums() const { return all_sums().mechanical; }
  /// Of an expanding box, as the energy what the equation of Layzer and Irvine leaves as it is:
  ///
  ///     a^2 (T + U + W) - integral of a W da
  ///
  /// with the kinetic energy T of peculiar velocities a dx/dt, the internal energy U and the potential energy W of what
  /// exceeds the mean density.
  [[nodiscard]] engine::Conserved conserved() const override;
  [[nodiscard]] std::optional<engine::Flaw> not_finite() const override;
  /// Where most kernels are as wide as they may be, and hold too few particles.
  [[nodiscard]] std::vector<std::string> new_warnings() override;
  [[nodiscard]] std::uint64_t elements() const override { return cells_.particles(); }
  /// Particles that ended their steps in the last step.
  [[nodiscard]] std::uint64_t updated() const override { return steps_.updated(); }
  /// None where pairs are visited once, which several ranks cannot; nor with self-gravity, whose messages go to all.
  [[nodiscard]] std::vector<engine::StepTraffic> traffic() const override;
  /// Of the sums over neighbours; none with self-gravity, whose sums have as many parts as the particles ask for.
  [[nodiscard]] std::optional<engine::UpdateCost> update_cost() const override {
    if (physics_.gravity.is_present) return std::nullopt;
    return sph::update_cost(physics_);
  }
  [[nodiscard]] engine::Origin origin() const override;
  std::uint64_t write_snapshot(const std::filesystem::path& path, const engine::FileContext& context) const override;
  [[nodiscard]] engine::OutputBytes output_bytes(const engine::FileContext& context) const override;
  /// Power spectra and groups, when snapshots are written.
  [[nodiscard]] std::vector<engine::Series> series() const override;
  std::uint64_t write_series(const engine::Series& series, const std::filesystem::path& path,
                             const engine::FileContext& context) const override;
  void save(io::FileWriter& checkpoint) const override;
  /// The particles alone: cells may be half made.
  void save_failed(io::FileWriter& file) const override;

  /// A record has position, velocity, internal energy, density and smoothing length of a particle.
  [[nodiscard]] std::optional<io::LogSchema> log_schema() const override;
  [[nodiscard]] std::uint64_t logged_elements() const override { return gas_.size(); }
  /// On several ranks particles come within a step. Those that find no room are logged a step later.
  [[nodiscard]] std::uint64_t log_records() const override {
    constexpr std::uint64_t arrivals = 1024;
    return resources_.ranks.size() == 1 ? gas_.size() : gas_.size() + gas_.size() / 4 + arrivals;
  }
  void begin_log(double time, std::uint64_t step, const io::LogReader* before) override;

  [[nodiscard]] const Gas& gas() const noexcept { return gas_; }
  /// Of the space: what the initial conditions or the checkpoint say.
  [[nodiscard]] int dimension() const noexcept { return physics_.dimension; }
  [[nodiscard]] std::size_t cells() const noexcept { return cells_.tree().cells(); }
  /// How often the cells and their lists were rebuilt, and how often particles were only sorted.
  [[nodiscard]] std::uint64_t rebuilds() const noexcept { return cells_.rebuilds(); }
  [[nodiscard]] std::uint64_t sorts() const noexcept { return cells_.sorts(); }
  /// How often cells' orders along axes were made and mended; none where each particle gathers.
  [[nodiscard]] SweptCells::Sorts axis_sorts() const noexcept { return cells_.axis_sorts(); }
  /// The time line, the present time on it, and who ended a step then.
  [[nodiscard]] const StepClock& clock() const noexcept { return clock_; }
  /// How often leaves went to other ranks though cells stayed; and that they do so at every sorting, for tests.
  [[nodiscard]] std::uint64_t cuts() const noexcept { return cells_.cuts(); }
  void cut_at_every_sort() noexcept { cells_.cut_at_every_sort(); }
  /// For measurements. @see GasCells
  void cut_next(topology::Method method) noexcept { cells_.cut_next(method); }
  [[nodiscard]] std::int64_t ticks_in_tasks() const noexcept { return cells_.ticks_in_tasks(); }
  /// Of others' cells; null on one rank.
  [[nodiscard]] const CellCopies* copies() const noexcept { return cells_.data().copies; }
  /// What the tasks of a step see, for tests.
  [[nodiscard]] const StepData& step_data() const noexcept { return cells_.data(); }
  /// Number of particles in each bin of the time line; all in bin 0 with a common step.
  [[nodiscard]] std::vector<std::uint64_t> bins() const;
  /// Puts particles into bins of the time line whatever steps they could take, as the limiter does with some. Such
  /// steps last until they end; then the particles choose for themselves again. For measurements and tests.
  /// @param bins  shape (N), in the present order of the gas
  /// @pre  individual steps, and one has just ended; where a bin changes, steps of the new one begin now
  void set_bins(std::span<const std::uint8_t> bins) { steps_.set_bins(bins); }

 private:
  /// A particle at the present time, wherever it was drifted and kicked to.
  struct Present {
    base::Vec3 x;      ///< [length]
    base::Vec3 v;      ///< [velocity]
    double rho = 0.0;  ///< [density]
    double u = 0.0;    ///< [specific energy]
    double h = 0.0;    ///< [length]
  };

  // Beginning (sph_start.cpp).
  struct Start {
    InitialConditions initial;
    std::vector<double> spacing = {};  ///< of each particle of gas: see particles::local_spacing [length]
  };
  [[nodiscard]] static Start with_spacing(InitialConditions initial, comm::Communicator& ranks);
  SphSolver(const SphParameters& parameters, const base::UnitSystem& units, Start start,
            const engine::Resources& resources);
  void take(Start start);
  void warn_of_shown_box(const InitialConditions& initial);
  void check_types(bool are_there_others) const;
  void check_expansion(const InitialConditions& initial) const;
  void bring_guesses_near(std::span<const double> spacing);
  void set_thermal();
  void keep_internal_energies();
  // State (sph_state.cpp, sph_files.cpp).
  [[nodiscard]] StepClock::SinceNext since_next() const;
  [[nodiscard]] Present present(std::size_t i, std::size_t cell, const StepClock::SinceNext& since_them) const;
  [[nodiscard]] std::vector<Present> all_present() const;
  [[nodiscard]] std::unique_ptr<StoredParticle[]> all_stored() const;
  [[nodiscard]] SnapshotHeader snapshot_header(const engine::FileContext& context) const;
  [[nodiscard]] double scale_factor() const noexcept;
  // Analysis (analysis/files.cpp).
  struct Linkers {
    std::uint64_t count = 0;  ///< particles that make groups
    bool are_gas = false;
  };
  [[nodiscard]] Linkers linkers() const;
  void write_power(io::FileWriter& file) const;
  void write_groups(io::FileWriter& file) const;
  struct AllSums {
    engine::MechanicalSums mechanical;
    double given = 0.0;  ///< of an expanding box: the integral of a W da [energy]
  };
  [[nodiscard]] AllSums all_sums() const;
  template <class Sum>
  struct Sums;
  void add_to(Sums<base::BufferedSum>& sums, std::size_t i, const Present& now, double phi) const;
  [[nodiscard]] bool keeps_angular_momentum() const noexcept;
  [[nodiscard]] bool are_finite() const;
  [[nodiscard]] std::optional<engine::Flaw> find_not_finite() const;
  [[nodiscard]] std::optional<std::string> warning_of_kernels();
  void load_particles(const io::FileReader& file, const checkpoint::Parts& parts);
  void save_last_records(io::FileWriter& file, const checkpoint::Parts& parts) const;
  void load_last_records(const io::FileReader& file, const checkpoint::Parts& parts);
  enum class Saved : std::uint8_t { needed, all };
  void save_particles(io::FileWriter& file, const checkpoint::Parts& parts, Saved saved) const;
  void drift_to_present();
  [[nodiscard]] std::string settings() const;
  void log_all(double time);
  void find_in_log(const io::LogReader& log);

  const base::Vec3 box_;        // 0 of an open domain that has none
  const base::Vec3 shown_box_;  // the same, or what pictures show where there is none: nothing that acts looks at it
  const Physics physics_;
  base::UnitSystem units_;
  engine::Resources resources_;
  mutable exchange::RankReductions reductions_{resources_.ranks};
  double start_time_ = 0.0;
  bool has_warned_ = false;
  std::vector<std::string> start_warnings_;
  double rho_0_ = 1.0;  // from which a barotropic gas counts the work of its bath [density]
  engine::Origin origin_;

  Gas gas_;
  OtherParticles others_;     // carried along
  LastRecords last_records_;  // empty without a log
  StepClock clock_;           // of the last step
  GasCells cells_;
  GasSteps steps_;
};

/// The solver's entry for the registry.
[[nodiscard]] const engine::SolverEntry& solver_entry();

}  // namespace tacit::sph
