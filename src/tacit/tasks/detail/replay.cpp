// Turns a sequence of accesses into the order that they demand among tasks.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/tasks/detail/replay.hpp"

#include <algorithm>

namespace tacit::tasks::detail {

namespace {

constexpr std::array<AccessMode, 3> modes{AccessMode::read, AccessMode::write, AccessMode::commute};

constexpr bool conflict(AccessMode a, AccessMode b) { return a != b || a == AccessMode::write; }

}  // namespace

void Replay::reset(std::span<const DatumId> parents) {
  if (!tree_.is_of(parents)) {
    tree_ = DataTree(parents);
    flat_.resize(parents.size());
    nested_.resize(tree_.is_flat() ? 0 : parents.size());
  }
  ++epoch_;
  now_ = 0;
  tasks_ = 0;
  runs_.clear();
  previous_commuting_.clear();
  meetings_.clear();
  members_.clear();
  task_of_.clear();
  first_.assign(1, 0);
  predecessors_.clear();
  seen_by_.clear();
}

void Replay::add_task(std::span<const Access> accesses) {
  first_of_task_ = static_cast<std::uint32_t>(members_.size());
  for (const Access& access : accesses) {
    if (tree_.is_nested(access.datum)) {
      add_nested(access);
    } else {
      add_flat(access);
    }
  }
  finish_task();
}

void Replay::add_task_in_order(std::span<const Access> accesses) {
  first_of_task_ = static_cast<std::uint32_t>(members_.size());
  for (Access access : accesses) {
    if (access.mode == AccessMode::commute) access.mode = AccessMode::write;
    if (tree_.is_nested(access.datum)) {
      add_nested(access);
    } else {
      add_flat(access);
    }
  }
  finish_task();
}

/// Emits the task's node behind all that it follows, and enters it in the runs that it has joined.
void Replay::finish_task() {
  for (const std::uint32_t node : followed_) {
    if (seen_by_[node] == tasks_) continue;
    seen_by_[node] = tasks_;
    predecessors_.push_back(node);
  }
  followed_.clear();
  const std::uint32_t node = emit(tasks_);
  for (std::size_t m = first_of_task_; m < members_.size(); ++m) members_[m].node = node;
  ++tasks_;
}

/// A new node, which follows what was appended to predecessors_ since the one before.
std::uint32_t Replay::emit(std::uint32_t task) {
  task_of_.push_back(task);
  first_.push_back(static_cast<std::uint32_t>(predecessors_.size()));
  seen_by_.push_back(none);
  return nodes() - 1;
}

/// Makes the task in hand a member; its node is entered when it is known.
void Replay::join_run(std::uint32_t run) {
  Run& joined = runs_[run];
  const auto member = static_cast<std::uint32_t>(members_.size());
  members_.push_back({});
  (joined.count == 0 ? joined.first_member : members_[joined.last_member].next) = member;
  joined.last_member = member;
  ++joined.count;
  joined.last = now_;
  follow(joined.gate);
}

void Replay::follow(std::uint32_t node) {
  if (node != none) followed_.push_back(node);
}

void Replay::follow_members(const Run& run) {
  for_members(run, [this](std::uint32_t node) { followed_.push_back(node); });
}

std::uint32_t Replay::open(const Access& access) {
  runs_.push_back({.mode = access.mode, .datum = access.datum, .opened = now_, .last = now_});
  return static_cast<std::uint32_t>(runs_.size() - 1);
}

void Replay::add_flat(const Access& access) {
  ++now_;
  Flat& state = flat_[index(access.datum)];
  const std::uint32_t before = state.epoch == epoch_ ? state.run : none;
  const bool joins = before != none && access.mode != AccessMode::write && runs_[before].mode == access.mode;
  if (joins) {
    join_run(before);
    return;
  }
  const std::uint32_t run = open(access);
  state = {epoch_, run};
  if (before != none) {
    if (runs_[before].count == 1) {
      runs_[run].gate = members_[runs_[before].first_member].node;
    } else if (access.mode == AccessMode::write) {
      follow_members(runs_[before]);
    } else {
      const std::uint32_t gate = end_join(runs_[before]);
      runs_[run].gate = gate;
    }
  }
  join_run(run);
}

/// The one node behind all members of a run that grows no more: its only member, or a join.
std::uint32_t Replay::end_join(Run& run) {
  if (run.count == 1) return members_[run.first_member].node;
  if (run.end == none) {
    for_members(run, [this](std::uint32_t node) { predecessors_.push_back(node); });
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
    runs_[run].gate = gate_behind_earlier(access.mode, run);
    previous_commuting_.resize(runs_.size(), none);
    std::uint32_t& slot = nested(access.datum).newest[index(access.mode)];
    if (access.mode == AccessMode::commute) previous_commuting_[run] = slot;
    slot = run;
    if (access.mode == AccessMode::commute) find_meetings(access, run);
  }
  join_run(run);
  for (DatumId up = tree_.parent(access.datum); up != DatumId::none; up = tree_.parent(up)) {
    nested(up).below[index(access.mode)] = now_;
  }
}

/// The one node behind all runs in earlier_, for the members of `run`. A write has one member, which may as well follow
/// everything itself; then there is none.
std::uint32_t Replay::gate_behind_earlier(AccessMode mode, std::uint32_t run) {
  std::size_t points = 0;
  for (const std::uint32_t r : earlier_) {
    Run& before = runs_[r];
    if (++before.followers > 1) static_cast<void>(end_join(before));
    points += before.end != none ? 1 : before.count;
  }
  const std::uint32_t mark = join_mark | run;
  const bool needs_join = mode != AccessMode::write && points > 1;
  std::uint32_t last = none;
  for (const std::uint32_t r : earlier_) {
    const auto take = [&](std::uint32_t node) {
      last = node;
      if (mode == AccessMode::write) {
        followed_.push_back(node);
      } else if (needs_join && seen_by_[node] != mark) {
        seen_by_[node] = mark;
        predecessors_.push_back(node);
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
