// Locks on hierarchical data and the tasks that wait for them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "tacit/tasks/graph.hpp"

namespace tacit::tasks::detail {

/// Exclusion on data, where a lock on a datum excludes its ancestors and its parts.
///
/// A task gets all its locks or none, so no two tasks can wait for each other. Not safe for threads: the scheduler
/// calls it under its mutex.
class LockTable {
 public:
  static constexpr std::uint32_t no_task = std::numeric_limits<std::uint32_t>::max();

  /// Forgets all locks and waiting tasks. Allocates only if there are more data or tasks than ever before.
  /// @param parents  shape (data); must outlive the use of the table
  void reset(std::span<const DatumId> parents, std::size_t tasks);

  /// Locks all of `data`, none of which is a part of another.
  /// @return  DatumId::none on success; otherwise the datum to park at, and nothing is locked
  [[nodiscard]] DatumId try_lock(std::span<const DatumId> data);

  /// Keeps `task` until the locks at `datum` change.
  void park(std::uint32_t task, DatumId datum);

  /// Releases what try_lock took.
  /// @param woken  gets the tasks to try again appended
  void unlock(std::span<const DatumId> data, std::vector<std::uint32_t>& woken);

 private:
  struct State {
    bool locked = false;
    std::uint32_t locked_parts = 0;  // locked data below this one
    std::uint32_t parked = no_task;  // head of the list of waiting tasks
  };
  [[nodiscard]] DatumId obstacle(DatumId datum) const;
  void wake(State& state, std::vector<std::uint32_t>& woken);

  std::span<const DatumId> parents_;
  std::vector<State> states_;
  std::vector<std::uint32_t> next_parked_;  // per task
};

}  // namespace tacit::tasks::detail
