// What the continuous log says of particles, what is remembered of their last records, and the task that writes them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tacit/engine/solver.hpp"
#include "tacit/solvers/sph/pair_tasks.hpp"

namespace tacit::sph {

/// The fields of a record, laid out as `log_schema` says; code units.
struct LoggedFields {
  std::array<double, 3> x{};
  std::array<float, 3> v{};
  float u = 0.0F;
  float rho = 0.0F;
  float h = 0.0F;
};

/// @param period  of positions, 0 along an axis that is not periodic [length]
[[nodiscard]] io::LogSchema log_schema_of_particles(const std::array<double, 3>& period);

/// What a worker needs to log a cell.
struct alignas(64) LogScratch {
  std::vector<std::pair<std::size_t, LoggedFields>> due;  ///< by number in the cell
};

/// Of each particle's last record, in the present order of the gas; shape (N). It travels with a particle to another
/// rank, but for the offset: there the particle goes on where that rank has said something of it last.
struct LastRecords {
  bool are_there = false;              ///< also on a rank without particles
  std::vector<std::uint64_t> offset;   ///< in the log of this rank; 0: there is none
  std::vector<double> time;            ///< [time]
  std::vector<double> x, y, z;         ///< [length]
  std::vector<float> vx, vy, vz;       ///< [velocity]
  std::vector<float> u, rho;           ///< [specific energy], [density]
  std::vector<std::uint32_t> steps;    ///< own ones since then
  std::array<double, 3> period{};      ///< of positions, as in the schema [length]
  std::vector<LogScratch> of_workers;  ///< shape (workers)
  /// By ID: the last records in the log of this rank of particles that other ranks have.
  std::unordered_map<std::uint64_t, std::uint64_t> of_gone;

  void resize(std::size_t particles);
  /// Calls f(array) for each of the arrays.
  template <class F>
  void for_each(const F& f) {
    f(offset);
    f(time);
    for (auto* values : {&x, &y, &z}) f(*values);
    for (auto* values : {&vx, &vy, &vz, &u, &rho}) f(*values);
    f(steps);
  }
  /// Calls f(name, array) for what checkpoints of several ranks have of them: a rank's log alone does not say it.
  template <class Records, class F>
  static void for_each_named(Records& records, const F& f) {
    f("log_time", records.time);
    f("log_x", records.x);
    f("log_y", records.y);
    f("log_z", records.z);
    f("log_vx", records.vx);
    f("log_vy", records.vy);
    f("log_vz", records.vz);
    f("log_u", records.u);
    f("log_rho", records.rho);
  }
  /// Before particles leave this rank, and when others have come: places in its log.
  /// @param id  shape (N)
  void note_leaving(std::span<const std::uint64_t> id, std::span<const std::uint32_t> to, std::uint32_t own);
  /// @param first  of those that have come; all behind it have
  void find_offsets(std::span<const std::uint64_t> id, std::size_t first);
  /// Notes a record of particle i.
  void note(std::size_t i, std::uint64_t at, double t, const LoggedFields& logged);
  /// How far the particle is from what its last record says: the largest of
  ///
  ///     |x - x_last - v_last (t - t_last)| / h,  |v - v_last| / (|v_last| + cs),  |u / u_last - 1|,  |rho / rho_last -
  ///     1|
  [[nodiscard]] double deviation(std::size_t i, double t, const LoggedFields& now, double cs) const noexcept;
};

/// Writes records of those of the cell's active particles for which they are due, at the end of their steps.
/// @pre the cell's particles have been kicked
void log_particles(const StepData& data, std::size_t c, const tasks::StepContext& step);

}  // namespace tacit::sph
