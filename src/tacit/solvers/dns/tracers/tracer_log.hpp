// What the continuous log says of tracers: which are due, and their records.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "tacit/base/vec3.hpp"
#include "tacit/engine/solver.hpp"
#include "tacit/solvers/dns/tracers/tracer.hpp"
#include "tacit/tasks/graph.hpp"
#include "tacit/tasks/scheduler.hpp"

namespace tacit::dns {

/// The log of a rank's tracers. A tracer that comes from another rank gets a record at once, so that what this rank has
/// said of it last is all that it must know; readers join what ranks say.
class TracerLog {
 public:
  /// @param spacing  of grid points, the least [length]: tolerances are parts of it
  TracerLog(const engine::Log& log, double spacing, std::uint32_t rank, tasks::Scheduler& scheduler);

  /// A record: position, not brought back into the box, and velocity.
  [[nodiscard]] static io::LogSchema schema();

  /// Writes a record of each tracer. @pre their velocities are those at their positions, as for `write_due`
  void write_all(std::span<Tracer> tracers, double time);
  /// Takes what was written of tracers 0 to count - 1 from the log.
  void find_in(const io::LogReader& log, std::uint64_t count);
  /// Writes the tracers that are due, in tasks of a graph.
  void write_due(std::span<Tracer> tracers, double time);

 private:
  /// A tracer's last record on this rank.
  struct Last {
    std::uint64_t offset = 0;  // 0: none
    double time = 0.0;
    base::Vec3 position;
    base::Vec3 velocity;
  };
  /// The fields of a record, laid out as the schema says.
  struct Fields {
    std::array<double, 3> x{};
    std::array<float, 3> v{};
  };
  struct alignas(64) Due {
    std::vector<std::size_t> tracers;
  };
  [[nodiscard]] bool is_due(Tracer& tracer) const;
  void write_part(std::size_t part, std::uint32_t worker);
  void write(Tracer& tracer, io::LogBatch& batch);

  const engine::Log& log_;
  double spacing_;
  std::uint32_t rank_;
  tasks::Scheduler& scheduler_;
  std::unordered_map<std::uint64_t, Last> last_;  // by id, also of those that have gone to other ranks
  std::vector<Due> due_;                          // shape (workers)
  tasks::Graph graph_;
  tasks::Activation all_;
  std::size_t parts_;
  std::span<Tracer> tracers_;  // while the graph runs
  double time_ = 0.0;          // likewise
};

}  // namespace tacit::dns
