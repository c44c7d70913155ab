// Locks on hierarchical data and the tasks that wait for them.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/tasks/detail/lock_table.hpp"

#include "tacit/tasks/detail/data_tree.hpp"

namespace tacit::tasks::detail {

void LockTable::reset(std::span<const DatumId> parents, std::size_t tasks) {
  parents_ = parents;
  states_.assign(parents.size(), State{});
  next_parked_.assign(tasks, no_task);
}

/// The datum whose lock or whose parts' locks exclude a lock on `datum`; none if it is free.
DatumId LockTable::obstacle(DatumId datum) const {
  if (states_[index(datum)].locked_parts > 0) return datum;
  for (DatumId at = datum; at != DatumId::none; at = parents_[index(at)]) {
    if (states_[index(at)].locked) return at;
  }
  return DatumId::none;
}

DatumId LockTable::try_lock(std::span<const DatumId> data) {
  for (const DatumId datum : data) {
    const DatumId busy = obstacle(datum);
    if (busy != DatumId::none) return busy;
  }
  for (const DatumId datum : data) {
    states_[index(datum)].locked = true;
    for (DatumId up = parents_[index(datum)]; up != DatumId::none; up = parents_[index(up)]) {
      ++states_[index(up)].locked_parts;
    }
  }
  return DatumId::none;
}

void LockTable::park(std::uint32_t task, DatumId datum) {
  next_parked_[task] = states_[index(datum)].parked;
  states_[index(datum)].parked = task;
}

void LockTable::unlock(std::span<const DatumId> data, std::vector<std::uint32_t>& woken) {
  for (const DatumId datum : data) {
    states_[index(datum)].locked = false;
    wake(states_[index(datum)], woken);
    for (DatumId up = parents_[index(datum)]; up != DatumId::none; up = parents_[index(up)]) {
      if (--states_[index(up)].locked_parts == 0) wake(states_[index(up)], woken);
    }
  }
}

void LockTable::wake(State& state, std::vector<std::uint32_t>& woken) {
  for (std::uint32_t task = state.parked; task != no_task; task = next_parked_[task]) woken.push_back(task);
  state.parked = no_task;
}

}  // namespace tacit::tasks::detail
