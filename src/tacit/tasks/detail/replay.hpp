// Turns a sequence of accesses into the order that they demand among tasks.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "tacit/tasks/detail/data_tree.hpp"

namespace tacit::tasks::detail {

/// For each access mode a time, counted in accesses from 1; 0 is never.
using Times = std::array<std::uint64_t, 3>;

inline constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

/// Consecutive accesses of one mode to one datum, with nothing of a conflicting mode in between on that datum, its
/// ancestors or its parts. A write is a run by itself. Kept for nested data, and for commutes on any datum.
struct Run {
  AccessMode mode = AccessMode::read;
  bool meets = false;  ///< commuting: another commuting run on a related datum is unordered with it
  DatumId datum = DatumId::none;
  std::uint32_t first_member = none;  ///< of the list of members
  std::uint32_t last_member = none;
  std::uint32_t count = 0;      ///< of members
  std::uint32_t gate = none;    ///< the one node that every member follows
  std::uint32_t end = none;     ///< the join behind all members, once several runs follow
  std::uint32_t followers = 0;  ///< runs that follow
  std::uint64_t opened = 0;     ///< when its first member came, counted in accesses from 1
  std::uint64_t last = 0;       ///< when its last member came
};

/// Replays the tasks' accesses in order and emits nodes (tasks, and joins where several tasks precede several others),
/// each after its predecessors.
///
/// Two accesses conflict if their data are equal or one contains the other, unless both read or both commute. The order
/// of the nodes is exactly the transitive closure of all conflicting pairs. Why so few predecessors are enough:
///
///  - on one datum, every run precedes all later ones: neighbours of different mode conflict, and neighbours of the
///    same mode were separated by an access that conflicts with both;
///  - so of each related datum only the newest conflicting run counts, and not even that if an earlier run of the
///    own datum conflicts with it and came later, or if an access above or below stands between the two.
///
/// Memory is kept from one replay to the next; data that no task touches cost nothing.
class Replay {
 public:
  /// Resets to an empty sequence.
  /// @param parents  shape (data): DatumId::none for a root; parents come before their parts; must outlive the replay
  /// @param nodes    is emptied and then gets the nodes; must outlive the replay. A node's `task` is the task's number
  ///                 here, `first` its first predecessor; `waits` are marks of the replay's own
  /// @param tasks    how many tasks are to be expected, a hint as the next
  /// @param edges    how many predecessors
  void reset(std::span<const DatumId> parents, std::vector<Node>& nodes, std::size_t tasks, std::size_t edges);

  /// Adds a task with its accesses, as merge_accesses leaves them. Tasks are numbered from 0 in the order of calls.
  void add_task(std::span<const Access> accesses);
  /// The same with commutes taken as writes.
  void add_task_in_order(std::span<const Access> accesses);

  [[nodiscard]] std::uint32_t nodes() const noexcept { return static_cast<std::uint32_t>(nodes_->size()); }
  /// The number of the task, or `none` for a join.
  [[nodiscard]] std::uint32_t task_of(std::uint32_t node) const {
    return static_cast<std::uint32_t>((*nodes_)[node].task);
  }
  /// Nodes, each once, all smaller than `node`.
  [[nodiscard]] std::span<const std::uint32_t> predecessors(std::uint32_t node) const {
    const std::uint32_t first = (*nodes_)[node].first;
    const std::size_t end = node + 1 < nodes() ? (*nodes_)[node + 1].first : predecessors_.size();
    return {predecessors_.data() + first, end - first};
  }
  /// The predecessors of all nodes, one node after the other.
  [[nodiscard]] const std::vector<std::uint32_t>& all_predecessors() const noexcept { return predecessors_; }
  [[nodiscard]] std::size_t edges() const noexcept { return predecessors_.size(); }

  [[nodiscard]] const std::vector<Run>& runs() const noexcept { return runs_; }
  /// Calls `visit` with each node of a run, in order.
  template <class Visit>
  void for_members(const Run& run, Visit visit) const {
    for (std::uint32_t m = run.first_member; m != none; m = members_[m].next) visit(members_[m].node);
  }
  /// Whether tasks of a commuting run may meet each other.
  [[nodiscard]] static bool needs_exclusion(const Run& run) {
    return run.mode == AccessMode::commute && (run.count > 1 || run.meets);
  }
  [[nodiscard]] bool needs_exclusion() const noexcept;
  /// Pairs of commuting runs, one on a part of the other's datum, with no order among them.
  [[nodiscard]] const std::vector<std::pair<std::uint32_t, std::uint32_t>>& meetings() const noexcept {
    return meetings_;
  }

 private:
  static constexpr std::uint32_t epochs = 1U << 30U;  // as many as Flat can tell apart
  /// The newest run on a datum without parents and parts. Most have one member, so that has a place here.
  struct Flat {
    Flat() = default;
    /// A run with one member. @param epoch  below `epochs`
    Flat(std::uint32_t epoch_now, AccessMode of, std::uint32_t behind, std::uint32_t member)
        : epoch(epoch_now % epochs), mode(of), gate(behind), node(member) {}
    std::uint32_t epoch : 30 = 0;
    AccessMode mode : 2 = AccessMode::read;
    std::uint32_t gate = none;
    std::uint32_t node = none;  // the first member; of a commuting run: the run
    std::uint32_t more = none;  // the newest of the other members, from where `next` leads to older ones
  };
  struct Nested {
    std::uint32_t epoch = 0;
    std::array<std::uint32_t, 3> newest{none, none, none};  // run of each mode on the datum itself
    Times below{};                                          // last access of each mode to any of its parts
  };
  /// With its number, marks the nodes that a join follows; tasks and nodes number less than 2^31.
  static constexpr std::uint32_t join_mark = 1U << 31U;
  struct Member {
    std::uint32_t node = none;
    std::uint32_t next = none;
  };

  void begin_epochs();
  // Nodes.
  void add_mixed(std::span<const Access> accesses);
  void join_members(const Access& access);
  void add_flat(const Access& access);
  void change(Flat& state, const Access& access);
  void follow_all(const Flat& state);
  void follow_members(const Run& run);
  void begin_commutes(Flat& state, const Access& access);
  void add_nested(const Access& access);
  [[nodiscard]] std::uint32_t emit(std::uint32_t task);
  void join_run(std::uint32_t run, std::uint32_t node);
  void follow(std::uint32_t node);
  void precede(std::uint32_t node, std::uint32_t mark);
  [[nodiscard]] std::uint32_t end_join(Run& run);
  [[nodiscard]] std::uint32_t gate_behind_earlier(AccessMode mode);
  std::uint32_t open(const Access& access);

  // Order among runs on nested data.
  Nested& nested(DatumId datum);
  [[nodiscard]] const Nested& nested(DatumId datum) const;
  [[nodiscard]] std::uint64_t opened(DatumId datum, AccessMode mode) const;
  [[nodiscard]] std::uint64_t last(DatumId datum, AccessMode mode) const;
  [[nodiscard]] std::uint64_t last_inside(DatumId datum) const;
  [[nodiscard]] std::uint64_t last_conflict(DatumId datum, AccessMode mode) const;
  [[nodiscard]] std::uint32_t newest_conflict(DatumId datum, AccessMode mode) const;
  [[nodiscard]] bool is_implied(const Run& earlier, DatumId datum) const;
  [[nodiscard]] std::uint64_t all_implied_before(const Access& access) const;
  void find_predecessors(const Access& access);
  void find_below(const Access& access, DatumId part, std::uint64_t implied_before, const Times& above);
  void find_meetings(const Access& access, std::uint32_t run);
  void meet_below(std::uint32_t run, DatumId part, std::uint64_t separated_before);
  void meet(std::uint32_t a, std::uint32_t b);

  DataTree tree_;
  std::uint32_t epoch_ = 0;
  std::vector<Flat> flat_;
  std::vector<Nested> nested_;  // empty if no datum is nested
  std::vector<Run> runs_;
  std::vector<std::uint32_t> previous_commuting_;  // per run: the commuting run before it on the same nested datum
  std::vector<std::pair<std::uint32_t, std::uint32_t>> meetings_;
  std::vector<Member> members_;
  std::uint64_t now_ = 0;

  std::uint32_t tasks_ = 0;
  std::vector<Node>* nodes_ = nullptr;       // `waits` is the newest task that follows a node, so that it does so once
  std::vector<std::uint32_t> predecessors_;  // nodes
  std::uint32_t begun_ = 0;                  // the first predecessor of the node in hand
  // The task in hand.
  std::uint32_t task_node_ = 0;             // its node, once no more joins come
  std::vector<std::uint32_t> new_members_;  // its entries in members_ that were made before that is known
  std::vector<std::uint32_t> followed_;     // nodes, likewise
  std::vector<Access> in_order_;            // its accesses with writes for commutes
  std::vector<std::uint32_t> earlier_;      // runs that the one to be opened follows
};

/// A sequence of the tasks that keeps the order that `replay` demands, and the order of ranks among tasks that commute
/// on the same datum or on a datum and its part. Replayed with commutes as writes it cannot give a cycle.
///
/// Ranks may contradict what is demanded (a reader of what a commuting task of higher rank writes, itself commuting
/// with it at a lower rank). Then what is demanded holds, and ranks decide only what it leaves open; this depends on
/// the graph alone, never on threads.
///
/// @param rank  shape (tasks): place of each by (key, name of kind, creation)
[[nodiscard]] std::vector<std::uint32_t> commuting_sequence(const Replay& replay, std::span<const std::uint32_t> rank);

}  // namespace tacit::tasks::detail
