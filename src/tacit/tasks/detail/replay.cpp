// Turns a sequence of accesses into the order that they demand among tasks.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/tasks/detail/replay.hpp"

#include <algorithm>

namespace tacit::tasks::detail {

namespace {

constexpr std::array<AccessMode, 3> modes{AccessMode::read, AccessMode::write, AccessMode::commute};

constexpr bool conflict(AccessMode a, AccessMode b) { return a != b || a == AccessMode::write; }

}  // namespace

void Replay::reset(std::span<const DatumId> parents, std::vector<Node>& nodes, std::size_t tasks, std::size_t edges) {
  if (!tree_.is_of(parents)) {
    tree_ = DataTree(parents);
    flat_.resize(parents.size());
    nested_.resize(tree_.is_flat() ? 0 : parents.size());
  }
  if (++epoch_ == epochs) begin_epochs();
  now_ = 0;
  tasks_ = 0;
  begun_ = 0;
  runs_.clear();
  previous_commuting_.clear();
  meetings_.clear();
  members_.clear();
  predecessors_.clear();
  predecessors_.reserve(edges);
  nodes_ = &nodes;
  nodes.clear();
  nodes.reserve(tasks);
}

/// All epochs have been used: forgets what belongs to any.
void Replay::begin_epochs() {
  std::ranges::fill(flat_, Flat{});
  std::ranges::fill(nested_, Nested{});
  epoch_ = 1;
}

void Replay::add_task_in_order(std::span<const Access> accesses) {
  in_order_.assign(accesses.begin(), accesses.end());
  for (Access& access : in_order_) {
    if (access.mode == AccessMode::commute) access.mode = AccessMode::write;
  }
  add_task(in_order_);
}

void Replay::add_task(std::span<const Access> accesses) {
  if (tree_.is_flat()) {
    for (const Access& access : accesses) join_members(access);
    task_node_ = nodes();
    for (const Access& access : accesses) add_flat(access);
  } else {
    add_mixed(accesses);
  }
  static_cast<void>(emit(tasks_++));
}

/// Data of both sorts: first all that emits joins, then, when the number of the task's node is known, the rest.
void Replay::add_mixed(std::span<const Access> accesses) {
  for (const Access& access : accesses) {
    if (tree_.is_nested(access.datum)) {
      add_nested(access);
    } else {
      join_members(access);
    }
  }
  task_node_ = nodes();
  for (const std::uint32_t node : followed_) follow(node);
  followed_.clear();
  for (const std::uint32_t member : new_members_) members_[member].node = task_node_;
  new_members_.clear();
  for (const Access& access : accesses) {
    if (!tree_.is_nested(access.datum)) add_flat(access);
  }
}

/// A new node, which follows what was appended to predecessors_ since the one before.
std::uint32_t Replay::emit(std::uint32_t task) {
  nodes_->push_back({static_cast<TaskId>(task), begun_, 0, none});
  begun_ = static_cast<std::uint32_t>(predecessors_.size());
  return nodes() - 1;
}

/// Makes `node` a member.
void Replay::join_run(std::uint32_t run, std::uint32_t node) {
  Run& joined = runs_[run];
  const auto member = static_cast<std::uint32_t>(members_.size());
  members_.push_back({node, none});
  (joined.count == 0 ? joined.first_member : members_[joined.last_member].next) = member;
  joined.last_member = member;
  ++joined.count;
  joined.last = now_;
}

/// Makes the node in hand follow `node`, once.
void Replay::precede(std::uint32_t node, std::uint32_t mark) {
  Node& before = (*nodes_)[node];
  if (before.waits == mark) return;
  before.waits = mark;
  ++before.followers;
  predecessors_.push_back(node);
}

/// Makes the task in hand follow `node`.
void Replay::follow(std::uint32_t node) { precede(node, tasks_); }

void Replay::follow_members(const Run& run) {
  for_members(run, [this](std::uint32_t node) { follow(node); });
}

std::uint32_t Replay::open(const Access& access) {
  runs_.push_back({.mode = access.mode, .datum = access.datum, .opened = now_, .last = now_});
  return static_cast<std::uint32_t>(runs_.size() - 1);
}

/// Puts a join behind the members of the newest run on a datum if there are several, and the task in hand begins a run
/// that may get several too. Then that run has one member, so that the task need emit nothing but its own node.
void Replay::join_members(const Access& access) {
  Flat& state = flat_[index(access.datum)];
  if (access.mode == AccessMode::write || state.epoch != epoch_ || state.mode == access.mode) return;
  if (state.mode == AccessMode::commute) {
    static_cast<void>(end_join(runs_[state.node]));
  } else if (state.more != none) {
    const std::uint32_t mark = join_mark | nodes();
    precede(state.node, mark);
    for (std::uint32_t m = state.more; m != none; m = members_[m].next) precede(members_[m].node, mark);
    state.node = emit(none);
    state.more = none;
  }
}

void Replay::add_flat(const Access& access) {
  Flat& state = flat_[index(access.datum)];
  if (state.epoch == epoch_) {
    change(state, access);
  } else {
    state = Flat(epoch_, access.mode, none, task_node_);
    if (access.mode == AccessMode::commute) begin_commutes(state, access);
  }
}

/// The task in hand touches a datum that an earlier one has touched.
void Replay::change(Flat& state, const Access& access) {
  if (access.mode == AccessMode::write) {
    follow_all(state);
    state = Flat(epoch_, access.mode, none, task_node_);
    return;
  }
  if (state.mode != access.mode) {
    const bool commuted = state.mode == AccessMode::commute;
    const std::uint32_t gate = commuted ? end_join(runs_[state.node]) : state.node;
    state = Flat(epoch_, access.mode, gate, task_node_);
    if (access.mode == AccessMode::commute) begin_commutes(state, access);
  } else if (access.mode == AccessMode::commute) {
    join_run(state.node, task_node_);
  } else {
    members_.push_back({task_node_, state.more});
    state.more = static_cast<std::uint32_t>(members_.size() - 1);
  }
  if (state.gate != none) follow(state.gate);
}

void Replay::follow_all(const Flat& state) {
  if (state.mode == AccessMode::commute) {
    follow_members(runs_[state.node]);
    return;
  }
  follow(state.node);
  for (std::uint32_t m = state.more; m != none; m = members_[m].next) follow(members_[m].node);
}

/// Commuting runs are kept: their members must exclude each other.
void Replay::begin_commutes(Flat& state, const Access& access) {
  state.node = open(access);
  join_run(state.node, task_node_);
}

/// The one node behind all members of a run that grows no more: its only member, or a join.
std::uint32_t Replay::end_join(Run& run) {
  if (run.count == 1) return members_[run.first_member].node;
  if (run.end == none) {
    const std::uint32_t mark = join_mark | nodes();
    for_members(run, [&](std::uint32_t node) { precede(node, mark); });
    run.end = emit(none);
  }
  return run.end;
}

void Replay::add_nested(const Access& access) {
  ++now_;
  const std::uint32_t newest = newest_conflict(access.datum, AccessMode::write);  // of any mode
  const bool joins = newest != none && runs_[newest].mode == access.mode && access.mode != AccessMode::write &&
                     runs_[newest].opened > last_conflict(access.datum, access.mode);
  std::uint32_t run = newest;
  if (!joins) {
    earlier_.clear();
    find_predecessors(access);
    run = open(access);
    runs_[run].gate = gate_behind_earlier(access.mode);
    previous_commuting_.resize(runs_.size(), none);
    std::uint32_t& slot = nested(access.datum).newest[index(access.mode)];
    if (access.mode == AccessMode::commute) previous_commuting_[run] = slot;
    slot = run;
    if (access.mode == AccessMode::commute) find_meetings(access, run);
  }
  new_members_.push_back(static_cast<std::uint32_t>(members_.size()));
  join_run(run, none);
  if (runs_[run].gate != none) followed_.push_back(runs_[run].gate);
  for (DatumId up = tree_.parent(access.datum); up != DatumId::none; up = tree_.parent(up)) {
    nested(up).below[index(access.mode)] = now_;
  }
}

/// The one node behind all runs in earlier_, for the members of `run`. A write has one member, which may as well follow
/// everything itself; then there is none.
std::uint32_t Replay::gate_behind_earlier(AccessMode mode) {
  std::size_t points = 0;
  for (const std::uint32_t r : earlier_) {
    Run& before = runs_[r];
    if (++before.followers > 1) static_cast<void>(end_join(before));
    points += before.end != none ? 1 : before.count;
  }
  const std::uint32_t mark = join_mark | nodes();
  const bool needs_join = mode != AccessMode::write && points > 1;
  std::uint32_t last = none;
  for (const std::uint32_t r : earlier_) {
    const auto take = [&](std::uint32_t node) {
      last = node;
      if (mode == AccessMode::write) {
        followed_.push_back(node);
      } else if (needs_join) {
        precede(node, mark);
      }
    };
    if (runs_[r].end != none) {
      take(runs_[r].end);
    } else {
      for_members(runs_[r], take);
    }
  }
  if (mode == AccessMode::write) return none;
  return needs_join ? emit(none) : last;
}

Replay::Nested& Replay::nested(DatumId datum) {
  Nested& state = nested_[index(datum)];
  if (state.epoch != epoch_) {
    state = {};
    state.epoch = epoch_;
  }
  return state;
}

const Replay::Nested& Replay::nested(DatumId datum) const {
  static const Nested untouched{};
  const Nested& state = nested_[index(datum)];
  return state.epoch == epoch_ ? state : untouched;
}

std::uint64_t Replay::opened(DatumId datum, AccessMode mode) const {
  const std::uint32_t run = nested(datum).newest[index(mode)];
  return run == none ? 0 : runs_[run].opened;
}

std::uint64_t Replay::last(DatumId datum, AccessMode mode) const {
  const std::uint32_t run = nested(datum).newest[index(mode)];
  return run == none ? 0 : runs_[run].last;
}

/// When `datum` or any of its parts was touched last.
std::uint64_t Replay::last_inside(DatumId datum) const {
  const auto& below = nested(datum).below;
  std::uint64_t latest = *std::max_element(below.begin(), below.end());
  for (const AccessMode mode : modes) latest = std::max(latest, last(datum, mode));
  return latest;
}

/// When an access that conflicts with `mode` came last, on the datum, its ancestors or its parts.
std::uint64_t Replay::last_conflict(DatumId datum, AccessMode mode) const {
  std::uint64_t latest = 0;
  for (const AccessMode other : modes) {
    if (!conflict(mode, other)) continue;
    latest = std::max(latest, nested(datum).below[index(other)]);
    for (DatumId at = datum; at != DatumId::none; at = tree_.parent(at)) latest = std::max(latest, last(at, other));
  }
  return latest;
}

/// The newest run on the datum itself that conflicts with `mode`; with a write, the newest of all.
std::uint32_t Replay::newest_conflict(DatumId datum, AccessMode mode) const {
  std::uint32_t newest = none;
  for (const AccessMode other : modes) {
    const std::uint32_t run = nested(datum).newest[index(other)];
    if (run == none || !conflict(mode, other)) continue;
    if (newest == none || runs_[run].opened > runs_[newest].opened) newest = run;
  }
  return newest;
}

/// Whether a run on `datum` came after `earlier` and conflicts with it, so that all later runs there follow `earlier`.
bool Replay::is_implied(const Run& earlier, DatumId datum) const {
  return std::any_of(modes.begin(), modes.end(), [&](AccessMode mode) {
    return conflict(mode, earlier.mode) && opened(datum, mode) > earlier.last;
  });
}

/// The time before which every access that conflicts with `access` is implied by a run on its datum.
std::uint64_t Replay::all_implied_before(const Access& access) const {
  const std::uint64_t read = opened(access.datum, AccessMode::read);
  const std::uint64_t write = opened(access.datum, AccessMode::write);
  const std::uint64_t commute = opened(access.datum, AccessMode::commute);
  switch (access.mode) {
    case AccessMode::read:
      return std::max(write, read);  // earlier writes and commutes conflict with either
    case AccessMode::commute:
      return std::max(write, commute);
    case AccessMode::write:
      break;
  }
  return std::max(write, std::min(read, commute));
}

namespace {

/// Whether an access that conflicts with both `earlier` and `mode` came after `earlier` and orders them already.
/// @param times  when each mode was last seen on a datum that is related to both of theirs
bool stands_between(const Times& times, const Run& earlier, AccessMode mode) {
  return std::any_of(modes.begin(), modes.end(), [&](AccessMode other) {
    return conflict(other, earlier.mode) && conflict(other, mode) && times[index(other)] > earlier.last;
  });
}

}  // namespace

void Replay::find_predecessors(const Access& access) {
  Times above{};
  for (DatumId up = tree_.parent(access.datum); up != DatumId::none; up = tree_.parent(up)) {
    for (const AccessMode mode : modes) above[index(mode)] = std::max(above[index(mode)], opened(up, mode));
  }
  for (DatumId up = tree_.parent(access.datum); up != DatumId::none; up = tree_.parent(up)) {
    const std::uint32_t earlier = newest_conflict(up, access.mode);
    if (earlier == none || stands_between(above, runs_[earlier], access.mode)) continue;
    if (!is_implied(runs_[earlier], access.datum)) earlier_.push_back(earlier);
  }
  const std::uint32_t own = newest_conflict(access.datum, access.mode);
  if (own != none && !stands_between(above, runs_[own], access.mode) &&
      !stands_between(nested(access.datum).below, runs_[own], access.mode)) {
    earlier_.push_back(own);
  }
  const std::uint64_t implied_before = std::max(above[index(AccessMode::write)], all_implied_before(access));
  for (const DatumId part : tree_.parts(access.datum)) find_below(access, part, implied_before, above);
}

void Replay::find_below(const Access& access, DatumId part, std::uint64_t implied_before, const Times& above) {
  if (last_inside(part) <= implied_before) return;
  const std::uint32_t earlier = newest_conflict(part, access.mode);
  if (earlier != none && runs_[earlier].last > implied_before && !is_implied(runs_[earlier], access.datum) &&
      !stands_between(above, runs_[earlier], access.mode) &&
      !stands_between(nested(part).below, runs_[earlier], access.mode)) {
    earlier_.push_back(earlier);
  }
  const std::uint64_t implied_inside = std::max(implied_before, opened(part, AccessMode::write));
  for (const DatumId next : tree_.parts(part)) find_below(access, next, implied_inside, above);
}

void Replay::meet(std::uint32_t a, std::uint32_t b) {
  runs_[a].meets = runs_[b].meets = true;
  meetings_.emplace_back(a, b);
}

/// Pairs the commuting run that was just opened with those on related data, unless an access that conflicts with both
/// separates them: one on the smaller of the two data, its ancestors or its parts.
void Replay::find_meetings(const Access& access, std::uint32_t run) {
  const std::uint64_t separated_before = last_conflict(access.datum, AccessMode::commute);
  for (DatumId up = tree_.parent(access.datum); up != DatumId::none; up = tree_.parent(up)) {
    std::uint32_t other = nested(up).newest[index(AccessMode::commute)];
    for (; other != none && runs_[other].last > separated_before; other = previous_commuting_[other]) {
      meet(run, other);
    }
  }
  std::uint64_t above = 0;  // what conflicts on the datum itself or above separates from all its parts
  for (DatumId at = access.datum; at != DatumId::none; at = tree_.parent(at)) {
    above = std::max({above, last(at, AccessMode::read), last(at, AccessMode::write)});
  }
  for (const DatumId part : tree_.parts(access.datum)) meet_below(run, part, above);
}

void Replay::meet_below(std::uint32_t run, DatumId part, std::uint64_t separated_before) {
  if (last_inside(part) <= separated_before) return;
  const std::uint32_t other = nested(part).newest[index(AccessMode::commute)];
  if (other != none && runs_[other].last > last_conflict(part, AccessMode::commute)) meet(run, other);
  for (const DatumId next : tree_.parts(part)) meet_below(run, next, separated_before);
}

bool Replay::needs_exclusion() const noexcept {
  return std::any_of(runs_.begin(), runs_.end(), [](const Run& run) { return needs_exclusion(run); });
}

}  // namespace tacit::tasks::detail
