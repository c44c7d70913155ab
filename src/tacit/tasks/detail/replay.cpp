// Turns a sequence of accesses into the order that they demand among tasks.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/tasks/detail/replay.hpp"

#include <algorithm>

namespace tacit::tasks::detail {

namespace {

constexpr std::array<AccessMode, 3> modes{AccessMode::read, AccessMode::write, AccessMode::commute};

constexpr bool conflict(AccessMode a, AccessMode b) { return a != b || a == AccessMode::write; }

}  // namespace

Replay::Replay(const DataTree& tree) : tree_(&tree), states_(tree.size()) {}

void Replay::add(std::uint32_t task, const Access& access) {
  ++now_;
  const std::uint32_t newest = newest_run(access.datum);
  const bool joins = newest != no_run && runs_[newest].mode == access.mode && access.mode != AccessMode::write &&
                     runs_[newest].opened > last_conflict(access.datum, access.mode);
  if (!joins) open(access);
  Run& run = runs_[states_[index(access.datum)].newest[index(access.mode)]];
  run.members.push_back(task);
  run.last = now_;
  for (DatumId up = tree_->parent(access.datum); up != DatumId::none; up = tree_->parent(up)) {
    states_[index(up)].below[index(access.mode)] = now_;
  }
}

void Replay::open(const Access& access) {
  Run run{.mode = access.mode, .datum = access.datum, .opened = now_, .last = now_, .members = {}, .predecessors = {}};
  find_predecessors(access, run);
  std::uint32_t& newest = states_[index(access.datum)].newest[index(access.mode)];
  const std::uint32_t previous = newest;
  newest = static_cast<std::uint32_t>(runs_.size());
  runs_.push_back(std::move(run));
  previous_commuting_.push_back(access.mode == AccessMode::commute ? previous : no_run);
  if (access.mode == AccessMode::commute) find_meetings(access);
}

std::uint64_t Replay::opened(DatumId datum, AccessMode mode) const {
  const std::uint32_t run = states_[index(datum)].newest[index(mode)];
  return run == no_run ? 0 : runs_[run].opened;
}

std::uint64_t Replay::last(DatumId datum, AccessMode mode) const {
  const std::uint32_t run = states_[index(datum)].newest[index(mode)];
  return run == no_run ? 0 : runs_[run].last;
}

/// When `datum` or any of its parts was touched last.
std::uint64_t Replay::last_inside(DatumId datum) const {
  const auto& below = states_[index(datum)].below;
  std::uint64_t latest = *std::max_element(below.begin(), below.end());
  for (const AccessMode mode : modes) latest = std::max(latest, last(datum, mode));
  return latest;
}

/// When an access that conflicts with `mode` came last, on the datum, its ancestors or its parts.
std::uint64_t Replay::last_conflict(DatumId datum, AccessMode mode) const {
  std::uint64_t latest = 0;
  for (const AccessMode other : modes) {
    if (!conflict(mode, other)) continue;
    latest = std::max(latest, states_[index(datum)].below[index(other)]);
    for (DatumId at = datum; at != DatumId::none; at = tree_->parent(at)) latest = std::max(latest, last(at, other));
  }
  return latest;
}

/// The newest run on the datum itself that conflicts with `mode`.
std::uint32_t Replay::newest_conflict(DatumId datum, AccessMode mode) const {
  std::uint32_t newest = no_run;
  for (const AccessMode other : modes) {
    const std::uint32_t run = states_[index(datum)].newest[index(other)];
    if (run == no_run || !conflict(mode, other)) continue;
    if (newest == no_run || runs_[run].opened > runs_[newest].opened) newest = run;
  }
  return newest;
}

std::uint32_t Replay::newest_run(DatumId datum) const { return newest_conflict(datum, AccessMode::write); }

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

void Replay::find_predecessors(const Access& access, Run& run) const {
  Times above{};
  for (DatumId up = tree_->parent(access.datum); up != DatumId::none; up = tree_->parent(up)) {
    for (const AccessMode mode : modes) above[index(mode)] = std::max(above[index(mode)], opened(up, mode));
  }
  for (DatumId up = tree_->parent(access.datum); up != DatumId::none; up = tree_->parent(up)) {
    const std::uint32_t earlier = newest_conflict(up, access.mode);
    if (earlier == no_run || stands_between(above, runs_[earlier], access.mode)) continue;
    if (!is_implied(runs_[earlier], access.datum)) run.predecessors.push_back(earlier);
  }
  const std::uint32_t own = newest_conflict(access.datum, access.mode);
  if (own != no_run && !stands_between(above, runs_[own], access.mode) &&
      !stands_between(states_[index(access.datum)].below, runs_[own], access.mode)) {
    run.predecessors.push_back(own);
  }
  const std::uint64_t implied_before = std::max(above[index(AccessMode::write)], all_implied_before(access));
  for (const DatumId part : tree_->parts(access.datum)) find_below(access, part, implied_before, above, run);
}

void Replay::find_below(const Access& access, DatumId part, std::uint64_t implied_before, const Times& above,
                        Run& run) const {
  if (last_inside(part) <= implied_before) return;
  const std::uint32_t earlier = newest_conflict(part, access.mode);
  if (earlier != no_run && runs_[earlier].last > implied_before && !is_implied(runs_[earlier], access.datum) &&
      !stands_between(above, runs_[earlier], access.mode) &&
      !stands_between(states_[index(part)].below, runs_[earlier], access.mode)) {
    run.predecessors.push_back(earlier);
  }
  const std::uint64_t implied_inside = std::max(implied_before, opened(part, AccessMode::write));
  for (const DatumId next : tree_->parts(part)) find_below(access, next, implied_inside, above, run);
}

void Replay::meet(std::uint32_t a, std::uint32_t b) {
  runs_[a].meets = runs_[b].meets = true;
  meetings_.emplace_back(a, b);
}

/// Pairs the commuting run that was just opened with those on related data, unless an access that conflicts with both
/// separates them: one on the smaller of the two data, its ancestors or its parts.
void Replay::find_meetings(const Access& access) {
  const auto run = static_cast<std::uint32_t>(runs_.size() - 1);
  const std::uint64_t separated_before = last_conflict(access.datum, AccessMode::commute);
  for (DatumId up = tree_->parent(access.datum); up != DatumId::none; up = tree_->parent(up)) {
    std::uint32_t other = states_[index(up)].newest[index(AccessMode::commute)];
    for (; other != no_run && runs_[other].last > separated_before; other = previous_commuting_[other]) {
      meet(run, other);
    }
  }
  std::uint64_t above = 0;  // what conflicts on the datum itself or above separates from all its parts
  for (DatumId at = access.datum; at != DatumId::none; at = tree_->parent(at)) {
    above = std::max({above, last(at, AccessMode::read), last(at, AccessMode::write)});
  }
  for (const DatumId part : tree_->parts(access.datum)) meet_below(run, part, above);
}

void Replay::meet_below(std::uint32_t run, DatumId part, std::uint64_t separated_before) {
  if (last_inside(part) <= separated_before) return;
  const std::uint32_t other = states_[index(part)].newest[index(AccessMode::commute)];
  if (other != no_run && runs_[other].last > last_conflict(part, AccessMode::commute)) meet(run, other);
  for (const DatumId next : tree_->parts(part)) meet_below(run, next, separated_before);
}

namespace {

/// Emits the edges of a set of runs; see Replay::edges.
class EdgeWriter {
 public:
  EdgeWriter(std::span<const Run> runs, std::uint32_t nodes) : runs_(runs), ends_(runs.size()), nodes_(nodes) {
    for (const Run& run : runs) {
      for (const std::uint32_t earlier : run.predecessors) ++ends_[earlier].followers;
    }
  }

  void write(const Run& run) {
    std::size_t points = 0;
    for (const std::uint32_t earlier : run.predecessors) points += after(earlier).size();
    if (points > 1 && run.members.size() > 1) {
      const std::uint32_t join[] = {nodes_++};
      connect_predecessors(run, join);
      connect(join, run.members);
    } else {
      connect_predecessors(run, run.members);
    }
  }

  [[nodiscard]] std::vector<Edge> take() { return std::move(edges_); }
  [[nodiscard]] std::uint32_t nodes() const noexcept { return nodes_; }

 private:
  struct End {
    std::uint32_t followers = 0;
    std::vector<std::uint32_t> join;  // empty or one node
  };

  /// The nodes that end a run: its members, or a join behind them where several runs follow.
  std::span<const std::uint32_t> after(std::uint32_t run) {
    const std::vector<std::uint32_t>& members = runs_[run].members;
    End& end = ends_[run];
    if (members.size() < 2 || end.followers < 2) return members;
    if (end.join.empty()) {
      end.join.push_back(nodes_++);
      connect(members, end.join);
    }
    return end.join;
  }

  void connect_predecessors(const Run& run, std::span<const std::uint32_t> to) {
    for (const std::uint32_t earlier : run.predecessors) connect(after(earlier), to);
  }

  void connect(std::span<const std::uint32_t> from, std::span<const std::uint32_t> to) {
    for (const std::uint32_t a : from) {
      for (const std::uint32_t b : to) edges_.push_back({a, b});
    }
  }

  std::span<const Run> runs_;
  std::vector<End> ends_;
  std::vector<Edge> edges_;
  std::uint32_t nodes_;
};

}  // namespace

std::vector<Edge> Replay::edges(std::uint32_t& nodes) const {
  EdgeWriter writer(runs_, nodes);
  for (const Run& run : runs_) writer.write(run);
  nodes = writer.nodes();
  return writer.take();
}

}  // namespace tacit::tasks::detail
