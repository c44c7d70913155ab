// Locks on hierarchical data and the tasks that wait for them.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/tasks/detail/lock_table.hpp"

#include <algorithm>

namespace tacit::tasks::detail {

void LockTable::reset(std::span<const DatumId> parents, std::uint32_t* next, std::size_t nodes) {
  parents_ = parents;
  next_ = next;
  if (parents.size() > capacity_) {
    capacity_ = std::max(parents.size(), 2 * capacity_);
    words_ = std::make_unique<std::atomic<Word>[]>(capacity_);
  }
  nested_ = std::ranges::any_of(parents, [](DatumId parent) { return parent != DatumId::none; });
  for (std::size_t i = 0; i < parents.size(); ++i) words_[i].store(0, std::memory_order_relaxed);
  if (nested_) {
    for (const DatumId parent : parents) {
      if (parent != DatumId::none) word(parent).store(whole_bit, std::memory_order_relaxed);
    }
  }
  parked_at_.assign(nodes, DatumId::none);
}

bool LockTable::lock_or_park(std::uint32_t node, std::span<const DatumId> data, std::vector<std::uint32_t>& woken) {
  DatumId came_from = parked_at_[node];
  for (;;) {
    const DatumId busy = try_lock(data, came_from, woken);
    if (busy == DatumId::none) return true;
    // The task may be woken and tried by another worker as soon as it is parked: nothing of it is touched after that.
    parked_at_[node] = busy;
    if (park(node, busy)) return false;
    came_from = busy;  // it has become free: as good as having been woken there
  }
}

/// @param came_from  the datum that has woken the task, or none
/// @return           none, or the datum that was taken; nothing is locked then
DatumId LockTable::try_lock(std::span<const DatumId> data, DatumId came_from, std::vector<std::uint32_t>& woken) {
  bool locked_there = came_from == DatumId::none;
  for (std::size_t i = 0; i < data.size(); ++i) {
    const DatumId busy = try_lock_one(data[i], woken);
    if (busy == DatumId::none) {
      locked_there = locked_there || data[i] == came_from;
      continue;
    }
    for (std::size_t k = 0; k < i; ++k) unlock_one(data[k], woken);
    const bool pass_on = !locked_there && busy != came_from && (word(came_from).load() & whole_bit) == 0;
    if (pass_on && try_lock_one(came_from, woken) == DatumId::none) unlock_one(came_from, woken);
    return busy;
  }
  return DatumId::none;
}

DatumId LockTable::try_lock_one(DatumId datum, std::vector<std::uint32_t>& woken) {
  if (nested_) {
    for (DatumId up = parents_[static_cast<std::size_t>(datum)]; up != DatumId::none;
         up = parents_[static_cast<std::size_t>(up)]) {
      if (count_part(up)) continue;
      uncount_parts(parents_[static_cast<std::size_t>(datum)], up, woken);
      return up;
    }
  }
  std::atomic<Word>& state = word(datum);
  Word seen = state.load(std::memory_order_relaxed);
  while ((seen & busy_mask) == 0) {
    if (state.compare_exchange_weak(seen, seen | locked_bit, std::memory_order_acquire, std::memory_order_relaxed)) {
      return DatumId::none;
    }
  }
  if (nested_) uncount_parts(parents_[static_cast<std::size_t>(datum)], DatumId::none, woken);
  return datum;
}

/// Counts a locked part at `datum` unless that is locked itself.
bool LockTable::count_part(DatumId datum) {
  std::atomic<Word>& state = word(datum);
  Word seen = state.load(std::memory_order_relaxed);
  while ((seen & locked_bit) == 0) {
    if (state.compare_exchange_weak(seen, seen + part_unit, std::memory_order_acquire, std::memory_order_relaxed)) {
      return true;
    }
  }
  return false;
}

/// @return  false if `datum` has become free, so that nothing would wake the node
bool LockTable::park(std::uint32_t node, DatumId datum) {
  std::atomic<Word>& state = word(datum);
  Word seen = state.load(std::memory_order_relaxed);
  while ((seen & busy_mask) != 0) {
    next_[node] = static_cast<std::uint32_t>(seen >> 32U) - 1;
    const Word parked = (seen & state_mask) | (static_cast<Word>(node) + 1) << 32U;
    if (state.compare_exchange_weak(seen, parked, std::memory_order_release, std::memory_order_relaxed)) return true;
  }
  return false;
}

void LockTable::unlock(std::span<const DatumId> data, std::vector<std::uint32_t>& woken) {
  for (const DatumId datum : data) unlock_one(datum, woken);
}

void LockTable::unlock_one(DatumId datum, std::vector<std::uint32_t>& woken) {
  release(datum, locked_bit, woken);
  if (nested_) uncount_parts(parents_[static_cast<std::size_t>(datum)], DatumId::none, woken);
}

/// Takes `what` off the word. If that leaves the datum free, wakes one parked task or, of a datum with parts, all.
///
/// Only the holder of the lock of a datum without parts takes from its list, so the link of the first task is safe to
/// read; a list that is taken as a whole has no other owner.
void LockTable::release(DatumId datum, Word what, std::vector<std::uint32_t>& woken) {
  std::atomic<Word>& state = word(datum);
  Word seen = state.load(std::memory_order_acquire);
  for (;;) {
    const Word left = (seen & state_mask) - what;
    const auto first = static_cast<std::uint32_t>(seen >> 32U);
    const bool wakes = first != 0 && (left & busy_mask) == 0;
    Word wanted = left | (seen & ~state_mask);
    if (wakes) {
      const bool all = (left & whole_bit) != 0;
      wanted = all ? left : left | (static_cast<Word>(next_[first - 1]) + 1) << 32U;
    }
    if (!state.compare_exchange_weak(seen, wanted, std::memory_order_acq_rel, std::memory_order_acquire)) continue;
    if (!wakes) return;
    std::uint32_t node = first - 1;
    const bool all = (left & whole_bit) != 0;
    do {
      const std::uint32_t next = next_[node];
      woken.push_back(node);
      node = next;
    } while (all && node != 0xffffffffU);
    return;
  }
}

/// Undoes count_part from `from` up to, but without, `to`.
void LockTable::uncount_parts(DatumId from, DatumId to, std::vector<std::uint32_t>& woken) {
  for (DatumId up = from; up != to; up = parents_[static_cast<std::size_t>(up)]) release(up, part_unit, woken);
}

}  // namespace tacit::tasks::detail
