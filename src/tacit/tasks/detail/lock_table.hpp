// Locks on hierarchical data and the tasks that wait for them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "tacit/tasks/graph.hpp"

namespace tacit::tasks::detail {

/// Exclusion on data, where a lock on a datum excludes its ancestors and its parts.
///
/// A task gets all its locks or none, so no two tasks can wait for each other. A task that fails is parked at the datum
/// that was taken and comes back when that is released. Each datum is one atomic word: whether it is locked, how many
/// locked data lie below it, and the list of tasks parked at it. Thread-safe; never blocks.
///
/// A datum without parts wakes one parked task when it is released, so that a thousand tasks on one datum cost a
/// thousand wakes. Why no task is forgotten: while such a datum is free and has parked tasks, one that it has woken is
/// on its way. That task locks it (and its unlock wakes the next), or finds it locked again (and parks, to be woken by
/// its holder), or fails at another datum: then it takes this one and gives it back, which wakes the next. A
/// datum with parts wakes all, since those that want different parts may go on together.
class LockTable {
 public:
  /// Makes room and forgets what an aborted run may have left.
  /// @param parents  shape (data); must outlive the use of the table
  /// @param next     shape (nodes): links for the lists of parked nodes, shared with the queues
  void reset(std::span<const DatumId> parents, std::uint32_t* next, std::size_t nodes);

  /// Locks all of `data`, none of which is a part of another, for `node`; or parks `node`.
  /// @param woken  gets nodes appended that must be tried again, because something was taken and given back
  /// @return       true: locked. false: parked, and an unlock will return `node`
  [[nodiscard]] bool lock_or_park(std::uint32_t node, std::span<const DatumId> data, std::vector<std::uint32_t>& woken);

  /// Releases what lock_or_park took.
  /// @param woken  gets the nodes to try again appended
  void unlock(std::span<const DatumId> data, std::vector<std::uint32_t>& woken);

  /// Calls visit(node, datum) for each parked node. While nothing runs; for "who waits for what".
  template <class Visit>
  void for_parked(Visit visit) const {
    for (std::size_t datum = 0; datum < parents_.size(); ++datum) {
      auto node = static_cast<std::uint32_t>(words_[datum].load(std::memory_order_acquire) >> 32U) - 1;
      for (; node != 0xffffffffU; node = next_[node]) visit(node, static_cast<DatumId>(datum));
    }
  }

 private:
  // A word: bit 0 locked; bits 1..30 locked data below; bit 31 has parts; bits 32..63 the first parked node, plus 1.
  using Word = std::uint64_t;
  static constexpr Word locked_bit = 1;
  static constexpr Word part_unit = 2;
  static constexpr Word parts_mask = 0x7ffffffeU;
  static constexpr Word whole_bit = 0x80000000U;
  static constexpr Word busy_mask = locked_bit | parts_mask;
  static constexpr Word state_mask = 0xffffffffU;

  [[nodiscard]] std::atomic<Word>& word(DatumId datum) { return words_[static_cast<std::size_t>(datum)]; }
  [[nodiscard]] DatumId try_lock(std::span<const DatumId> data, DatumId came_from, std::vector<std::uint32_t>& woken);
  [[nodiscard]] DatumId try_lock_one(DatumId datum, std::vector<std::uint32_t>& woken);
  [[nodiscard]] bool count_part(DatumId datum);
  [[nodiscard]] bool park(std::uint32_t node, DatumId datum);
  void unlock_one(DatumId datum, std::vector<std::uint32_t>& woken);
  void release(DatumId datum, Word what, std::vector<std::uint32_t>& woken);
  void uncount_parts(DatumId from, DatumId to, std::vector<std::uint32_t>& woken);

  std::span<const DatumId> parents_;
  bool nested_ = false;                         // some datum is a part of another
  std::unique_ptr<std::atomic<Word>[]> words_;  // per datum
  std::size_t capacity_ = 0;
  std::vector<DatumId> parked_at_;  // per node
  std::uint32_t* next_ = nullptr;
};

}  // namespace tacit::tasks::detail
