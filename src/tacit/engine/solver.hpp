// What the engine asks of a solver, and what it offers to one.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tacit/base/error.hpp"
#include "tacit/base/vec3.hpp"
#include "tacit/config/parameters.hpp"
#include "tacit/io/file.hpp"
#include "tacit/tasks/scheduler.hpp"
#include "tacit/trace/trace.hpp"

namespace tacit::comm {
class Communicator;
}

namespace tacit::engine {

/// The numbers failed: a field is not finite, an iteration does not converge, the time step vanishes.
class NumericsError : public base::Error {
 public:
  using base::Error::Error;
};

/// The conserved quantities of a state, and the natural scale of each, in code units. What the equations do not have
/// (an incompressible flow has no mass and no internal energy) is absent.
struct Conserved {
  std::optional<double> mass;
  base::Vec3 momentum;
  double momentum_scale = 0.0;  ///< sum |m v|
  double kinetic_energy = 0.0;
  std::optional<double> internal_energy;
  std::optional<double> potential_energy;
  bool keeps_energy = true;                    ///< false: energy goes (viscosity) or comes (forcing), and is no drift
  std::optional<base::Vec3> angular_momentum;  ///< absent where it is not conserved (periodic boxes)
  double angular_momentum_scale = 0.0;         ///< sum |m r x v|

  [[nodiscard]] double energy() const noexcept {
    return kinetic_energy + internal_energy.value_or(0.0) + potential_energy.value_or(0.0);
  }
};

/// A column of statistics.csv that a solver adds to those of every run, in code units.
struct Statistic {
  std::string_view name;  ///< "dissipation"; the same ones in the same order in every line
  double value = 0.0;
};

/// Files that a solver writes beside snapshots: NAME_000000.hdf5, numbered by step, at the begin and the end of a run
/// and at the first steps past multiples of `every`.
struct Series {
  std::string_view name;             ///< "spectra"
  std::optional<double> every = {};  ///< [code time]; without it only at the begin and the end
};

/// What goes into every file beside the solver's own arrays.
struct FileContext {
  std::string run_name;
  double time = 0.0;
  std::uint64_t step = 0;
  std::string parameters;                                       ///< the parameter file as used
  std::vector<std::pair<std::string, std::string>> provenance;  ///< commit, compiler, host, input hash, ...
  int compression = 4;                                          ///< gzip level, 0 for none
  bool double_precision = false;
};

/// One kind of physics, as the main loop sees it. All virtual calls are per step or rarer.
///
/// In a run across ranks every rank has a solver, and all call the same functions at the same points of the run; so
/// each of them may communicate. What they return is that of the whole state, alike on all ranks.
class Solver {
 public:
  virtual ~Solver() = default;

  /// Time of the state [code time]; set by the initial conditions or a restart.
  [[nodiscard]] virtual double start_time() const = 0;
  /// The longest stable step from the present state [code time].
  /// @throws NumericsError  if an element needs a step below time.dt_min: which, and what to do
  [[nodiscard]] virtual double time_step() const = 0;
  /// Whether the last step ended for output in the midst of steps that elements take by themselves, so that
  /// time_step() is only what is left of these, and may be as short as it likes.
  [[nodiscard]] virtual bool is_within_steps() const { return false; }
  /// Advances the state from step.time by step.dt.
  /// @throws NumericsError if the new state is not finite
  virtual void step(const tasks::StepContext& step) = 0;
  [[nodiscard]] virtual Conserved conserved() const = 0;
  /// What of the present state is not finite, in words: "the density of particle 17 is nan"; nothing if all of it
  /// is. Asked for before anything is written, once per state. Without an answer of the solver's own, the conserved
  /// quantities are looked at, which are not finite if any number is not.
  [[nodiscard]] virtual std::optional<std::string> not_finite() const;
  /// What else is of interest of the present state, at the times of statistics.csv.
  [[nodiscard]] virtual std::vector<Statistic> statistics() const { return {}; }
  /// The further files that the solver wants to write; nothing does.
  [[nodiscard]] virtual std::optional<Series> series() const { return {}; }
  /// Writes one of them. @return bytes written
  virtual std::uint64_t write_series(const std::filesystem::path& /*path*/, const FileContext& /*context*/) const {
    return 0;
  }
  /// What a person should know of the state and has not been told yet; asked for before each line of statistics.csv.
  [[nodiscard]] virtual std::vector<std::string> new_warnings() { return {}; }
  /// How many elements (particles, cells) there are.
  [[nodiscard]] virtual std::uint64_t elements() const = 0;
  /// How many of them the last step updated.
  [[nodiscard]] virtual std::uint64_t updated() const { return elements(); }
  /// Where the initial conditions came from, for provenance: ("input", path), ("input checksum", ...).
  [[nodiscard]] virtual std::vector<std::pair<std::string, std::string>> origin() const = 0;

  /// Writes the state for users' tools; of several ranks the first one writes what all have. @return bytes written
  virtual std::uint64_t write_snapshot(const std::filesystem::path& path, const FileContext& context) const = 0;
  /// Stores all that `make` needs to continue with the same bits, on any number of ranks, without touching the state.
  virtual void save(io::FileWriter& checkpoint) const = 0;
};

/// What a solver may use.
struct Resources {
  tasks::Scheduler& scheduler;
  bool deterministic = false;
  /// The ranks of the run, whose completions the scheduler polls already; null: there is only one.
  comm::Communicator* ranks = nullptr;
};

/// Whether a solver can divide its state among ranks.
enum class Spread : std::uint8_t { one_rank, ranks };

/// What `tacit check` says before anything runs.
struct Prediction {
  std::uint64_t elements = 0;
  std::string element_name;   ///< "particles"
  double memory_bytes = 0.0;  ///< at the peak, of the solver alone; ranks divide it
  double snapshot_bytes = 0.0;
  double checkpoint_bytes = 0.0;
  double start_time = 0.0;          ///< of the initial conditions [code time]
  double first_time_step = 0.0;     ///< [code time]; 0: it cannot be told
  double updates_per_core_s = 0.0;  ///< assumed speed
  std::vector<std::string> warnings = {};
};

/// A solver's entry in the registry.
struct SolverEntry {
  std::string_view name;
  std::string_view help;
  std::span<const config::KeyTable> (*tables)();
  /// @param restart  a checkpoint written by save(), or null to start from the initial conditions
  std::unique_ptr<Solver> (*make)(const config::Parameters&, const Resources&, const io::FileReader* restart);
  /// Reads and checks the whole input, but computes nothing.
  Prediction (*predict)(const config::Parameters&, std::size_t ranks);
  Spread spread = Spread::one_rank;
};

}  // namespace tacit::engine
