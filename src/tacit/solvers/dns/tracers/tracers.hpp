// Particles without mass that the flow carries along, and what they tell of it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <vector>

#include "tacit/base/vec3.hpp"
#include "tacit/engine/solver.hpp"
#include "tacit/exchange/migration.hpp"
#include "tacit/io/file.hpp"
#include "tacit/solvers/dns/tracers/spline.hpp"
#include "tacit/solvers/dns/tracers/tracer.hpp"
#include "tacit/solvers/dns/tracers/tracer_log.hpp"

namespace tacit::dns {

struct TracerParameters {
  std::uint64_t count = 0;  ///< in the whole box
  std::uint64_t seed = 1;   ///< of the places where they begin
};

/// Means over all tracers.
struct TracerMeans {
  double square_displacement = 0.0;  ///< of |x(t) - x(0)|^2 [length^2]
  double correlation = 0.0;          ///< of v(0) . v(t), over the mean of v(0)^2; 0 where that is 0
};

/// Tracers: dx/dt = u(x, t), by the Runge-Kutta scheme of the flow, with cubic splines between the points of the grid.
///
/// They begin at places that the seed and their number alone decide. A rank has those in its part of the box and sends
/// the others on before each substage. What happens to one does not depend on the others, on threads, on ranks or on
/// where it stands in memory. All ranks call the same functions in the same order.
class Tracers {
 public:
  /// @param flow, scheduler  outlive this; the flow's present field gives the first velocities
  /// @param log  null: there is none
  Tracers(const Flow& flow, const TracerParameters& parameters, tasks::Scheduler& scheduler,
          const engine::Log* log = nullptr);
  /// Continues with those of a checkpoint.
  /// @throws base::FormatError if it has not `count` of them, or one that is not finite
  Tracers(const Flow& flow, const TracerParameters& parameters, tasks::Scheduler& scheduler,
          const io::FileReader& checkpoint, const engine::Log* log = nullptr);

  /// Moves all by one substage of a step of length dt [time]; to be called before the flow's own, whose field is used.
  /// In the first substage those that are due are logged.
  /// @param time  when the step begins
  void advance(kernels::Substage substage, double dt, double time = 0.0);
  /// Begins the log of the present state, or takes from it what was logged before the checkpoint.
  void begin_log(double time, const io::LogReader* before);
  /// Logs those of the present state that are due.
  void log(double time);
  /// Takes the velocities of the flow's present field.
  void measure();
  /// Of the present positions and velocities: call `measure` before. Bitwise identical on any ranks, in any order.
  [[nodiscard]] TracerMeans means() const;
  /// Those of this rank, in any order; of a run on one rank by rising id.
  [[nodiscard]] std::span<const Tracer> tracers() const noexcept { return tracers_; }
  [[nodiscard]] std::size_t bytes() const noexcept;

  /// Stores what a restart on any number of ranks needs.
  void save(io::FileWriter& checkpoint) const;
  /// A file of its own that ParaView opens: points in the box with id, velocity and displacement, by rising id, with
  /// the header and provenance of snapshots.
  /// @return  bytes written, 0 on ranks but the first
  std::uint64_t write(const std::filesystem::path& path, const engine::FileContext& context) const;

 private:
  struct Begin {};
  /// Without tracers yet.
  Tracers(const Flow& flow, const TracerParameters& parameters, tasks::Scheduler& scheduler, const engine::Log* log,
          Begin begin);
  void load(const io::FileReader& checkpoint);
  void load_logged(const io::FileReader& checkpoint);
  /// The ids for which this rank is asked in files: they are divided evenly.
  [[nodiscard]] fft::Range ids_of(std::size_t rank) const noexcept;
  [[nodiscard]] fft::Range own_ids() const noexcept;
  /// The number of this rank.
  [[nodiscard]] std::size_t own_place() const noexcept;
  /// The tracers with these ids, by rising id.
  [[nodiscard]] std::vector<Tracer> with_own_ids() const;
  /// Sends the tracers to the ranks in whose parts of the box they are.
  void settle();

  const Flow& flow_;
  tasks::Scheduler& scheduler_;
  std::uint64_t count_;
  VelocitySpline spline_;
  mutable exchange::Migration<Tracer> migration_;  // of copies, too
  std::vector<std::size_t> row_place_of_;          // of a point along y, shape (ny)
  std::vector<std::size_t> column_base_of_;        // first rank of the row that has a point along z, shape (nz)
  std::vector<Tracer> tracers_;
  std::optional<TracerLog> log_;
};

}  // namespace tacit::dns
