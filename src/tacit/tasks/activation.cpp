// Choosing a part of a graph: edges, priorities and locks among its tasks, and their picture.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <ostream>
#include <tuple>

#include "tacit/tasks/detail/activation_scratch.hpp"
#include "tacit/tasks/detail/data_tree.hpp"
#include "tacit/tasks/graph.hpp"

namespace tacit::tasks {

using detail::index;
using detail::Replay;

/// The place of each task by (key, name of kind, creation).
std::vector<std::uint32_t> Graph::key_ranks(std::span<const TaskId> tasks) const {
  std::vector<std::uint32_t> order(tasks.size());
  std::iota(order.begin(), order.end(), 0U);
  const auto key = [&](std::uint32_t i) {
    const Task& task = tasks_.tasks[index(tasks[i])];
    return std::tuple(task.key, kind_name(task.kind), i);
  };
  std::sort(order.begin(), order.end(), [&](auto a, auto b) { return key(a) < key(b); });
  std::vector<std::uint32_t> rank(tasks.size());
  for (std::uint32_t place = 0; place < rank.size(); ++place) rank[order[place]] = place;
  return rank;
}

namespace {

/// Fills `first` and `locks`, CSR over nodes: the data on which each must exclude others; both empty if there are none.
void collect_locks(const Replay& replay, std::vector<std::uint32_t>& first, std::vector<DatumId>& locks) {
  first.clear();
  locks.clear();
  if (!replay.needs_exclusion()) return;
  first.assign(replay.nodes() + 1, 0);
  const auto for_each_lock = [&](auto visit) {
    for (const detail::Run& run : replay.runs()) {
      if (!Replay::needs_exclusion(run)) continue;
      replay.for_members(run, [&](std::uint32_t node) { visit(node, run.datum); });
    }
  };
  for_each_lock([&](std::uint32_t node, DatumId) { ++first[node + 1]; });
  std::partial_sum(first.begin(), first.end(), first.begin());
  locks.resize(first.back());
  for_each_lock([&](std::uint32_t node, DatumId datum) { locks[first[node]++] = datum; });
  std::copy_backward(first.begin(), first.end() - 1, first.end());
  first.front() = 0;
}

}  // namespace

void Graph::replay(Scratch& scratch, Activation& into) const {
  scratch.replay.reset(parents_, into.nodes_, scratch.chosen.size(), tasks_.accesses.size());
  for (const TaskId task : scratch.chosen) scratch.replay.add_task(conflicts_of(index(task)));
}

/// Replays the chosen tasks again, those that commute in the order of their keys. Sorts scratch.chosen into that order.
void Graph::replay_ordered(Scratch& scratch, Activation& into) const {
  std::vector<TaskId> sequence;
  sequence.reserve(scratch.chosen.size());
  for (const std::uint32_t i : detail::commuting_sequence(scratch.replay, key_ranks(scratch.chosen))) {
    sequence.push_back(scratch.chosen[i]);
  }
  scratch.chosen = std::move(sequence);
  scratch.replay.reset(parents_, into.nodes_, scratch.chosen.size(), tasks_.accesses.size());
  for (const TaskId task : scratch.chosen) scratch.replay.add_task_in_order(conflicts_of(index(task)));
}

/// Makes the activation of scratch.chosen.
void Graph::activate_chosen(Scratch& scratch, Activation& into) const {
  replay(scratch, into);
  into.first_lock_.clear();
  into.locks_.clear();
  if (conflicts_ == Conflicts::any_order) {
    collect_locks(scratch.replay, into.first_lock_, into.locks_);
  } else if (scratch.replay.needs_exclusion()) {
    replay_ordered(scratch, into);
  }
  into.size_ = scratch.chosen.size();
  into.dealt_to_ = 0;
  into.is_fresh_ = false;
  into.sharing_.reset();
  into.has_run_ = false;
  fill_nodes(scratch, into, find_longest_paths(scratch, into));
  set_places(into);
}

/// Finds the cost of the longest path that begins with each node, and how many predecessors it has.
/// @return  the largest cost
float Graph::find_longest_paths(Scratch& scratch, Activation& into) const {
  const std::span<const std::uint32_t> predecessors = scratch.replay.all_predecessors();
  scratch.priority.assign(into.nodes_.size(), 0.0F);
  scratch.relation_priority.assign(later_.size() + 1, 0.0F);
  float longest = 0.0F;
  auto end = static_cast<std::uint32_t>(predecessors.size());
  for (std::size_t n = into.nodes_.size(); n-- > 0;) {
    Activation::Node& node = into.nodes_[n];
    if (node.task != TaskId::none) {
      node.task = scratch.chosen[index(node.task)];
      const std::uint32_t relation = relation_of(node.task);
      float& related = scratch.relation_priority[relation];
      if (relation != 0) scratch.priority[n] = std::max(scratch.priority[n], related);
      scratch.priority[n] =
          std::min(scratch.priority[n] + tasks_.tasks[index(node.task)].cost, std::numeric_limits<float>::max());
      // Those that are earlier come after it here. Where it is not active, they have nothing to do with each other.
      if (relation != 0 && later_[relation - 1] == node.task) related = scratch.priority[n];
    }
    const float priority = scratch.priority[n];
    longest = std::max(longest, priority);
    for (const std::uint32_t before : predecessors.subspan(node.first, end - node.first)) {
      scratch.priority[before] = std::max(scratch.priority[before], priority);
    }
    node.waits = end - node.first;
    end = node.first;
  }
  return longest;
}

/// Turns predecessors into successors, and costs into levels.
void Graph::fill_nodes(const Scratch& scratch, Activation& into, float longest) const {
  const std::span<const std::uint32_t> predecessors = scratch.replay.all_predecessors();
  const std::size_t count = into.nodes_.size();
  into.level_.resize(count);
  into.roots_.clear();
  constexpr float top = Activation::levels - 1;
  const float scale = longest > top * std::numeric_limits<float>::min() ? top / longest : 0.0F;
  std::uint32_t end = 0;
  for (std::size_t n = 0; n < count; ++n) {
    Activation::Node& node = into.nodes_[n];
    into.level_[n] = static_cast<std::uint8_t>(scale * scratch.priority[n]);
    if (node.waits == 0) into.roots_.push_back(static_cast<std::uint32_t>(n));
    end += node.followers;
    node.first = end;  // from where it goes down to the beginning
  }
  into.successors_.resize(end);
  std::size_t next = predecessors.size();
  for (std::size_t n = count; n-- > 0;) {
    const std::uint32_t waits = into.nodes_[n].waits;
    next -= waits;
    for (const std::uint32_t before : predecessors.subspan(next, waits)) {
      into.successors_[--into.nodes_[before].first] = static_cast<std::uint32_t>(n);
    }
  }
}

/// Where each task's data live: the place of the first datum that it writes, or else of the first that it touches.
void Graph::set_places(Activation& activation) const {
  activation.place_.clear();
  if (places_.empty()) return;
  activation.place_.assign(activation.nodes_.size(), -1.0F);
  for (std::size_t n = 0; n < activation.nodes_.size(); ++n) {
    const TaskId task = activation.nodes_[n].task;
    if (task == TaskId::none) continue;
    const std::span<const Access> accesses = declared_by(task);
    auto of = std::ranges::find_if(accesses, [](const Access& access) { return access.mode != AccessMode::read; });
    if (of == accesses.end()) of = accesses.begin();
    if (of != accesses.end() && index(of->datum) < places_.size()) activation.place_[n] = places_[index(of->datum)];
  }
}

/// Distributes the roots over workers, each a block in order of creation (unless they have places), so that a worker
/// begins with the same data in every step; and sorts each worker's by falling level.
void Activation::deal(std::size_t workers) {
  if (dealt_to_ == workers) return;
  dealt_to_ = workers;
  const std::size_t count = roots_.size();
  const auto bin_of = [&](std::size_t i) {
    std::size_t worker = i * workers / count;
    if (!place_.empty() && place_[roots_[i]] >= 0.0F) {
      worker = home_of(place_[roots_[i]], workers);
    }
    return worker * levels + (levels - 1 - level_[roots_[i]]);
  };
  std::vector<std::uint32_t>& first = first_in_bin_;
  first.assign(workers * levels + 1, 0);
  for (std::size_t i = 0; i < count; ++i) ++first[bin_of(i) + 1];
  std::partial_sum(first.begin(), first.end(), first.begin());
  first_dealt_.resize(workers + 1);
  for (std::size_t w = 0; w <= workers; ++w) first_dealt_[w] = first[w * levels];
  dealt_.resize(count);
  for (std::size_t i = 0; i < count; ++i) dealt_[first[bin_of(i)]++] = roots_[i];
}

/// Makes the counts ready for a run, unless the last run has left them so.
void Activation::reset_counts() {
  if (is_fresh_) return;
  if (counts_size_ < nodes_.size()) {
    counts_size_ = nodes_.size();
    counts_ = std::make_unique_for_overwrite<Count[]>(counts_size_);
  }
  for (std::size_t n = 0; n < nodes_.size(); ++n) counts_[n].store(nodes_[n].waits, std::memory_order_relaxed);
  is_fresh_ = true;
}

void Graph::choose(std::span<const TaskKind> kinds, Scratch& scratch) const {
  std::vector<bool> active(kinds_.size(), false);
  for (const TaskKind kind : kinds) {
    const auto i = static_cast<std::size_t>(kind);
    if (i >= kinds_.size()) throw base::PreconditionError(fmt::format("kind {} is not one of this graph", i));
    active[i] = true;
  }
  scratch.chosen.clear();
  for (std::size_t i = 0; i < size(); ++i) {
    if (active[static_cast<std::size_t>(tasks_.tasks[i].kind)]) scratch.chosen.push_back(static_cast<TaskId>(i));
  }
}

void Graph::choose(std::span<const TaskId> tasks, Scratch& scratch) const {
  scratch.chosen.assign(tasks.begin(), tasks.end());
  if (!std::is_sorted(scratch.chosen.begin(), scratch.chosen.end()))
    std::sort(scratch.chosen.begin(), scratch.chosen.end());
  scratch.chosen.erase(std::unique(scratch.chosen.begin(), scratch.chosen.end()), scratch.chosen.end());
  if (!scratch.chosen.empty() && index(scratch.chosen.back()) >= size()) {
    throw base::PreconditionError(fmt::format("task {} is not one of this graph", index(scratch.chosen.back())));
  }
}

Activation Graph::activate_all() const {
  Scratch scratch;
  scratch.chosen.resize(size());
  for (std::size_t i = 0; i < size(); ++i) scratch.chosen[i] = static_cast<TaskId>(i);
  Activation activation;
  activate_chosen(scratch, activation);
  return activation;
}

Activation Graph::activate(std::span<const TaskKind> kinds) const {
  Scratch scratch;
  choose(kinds, scratch);
  Activation activation;
  activate_chosen(scratch, activation);
  return activation;
}

Activation Graph::activate(std::span<const TaskId> tasks) const {
  Scratch scratch;
  choose(tasks, scratch);
  Activation activation;
  activate_chosen(scratch, activation);
  return activation;
}

Graph::Scratch& Graph::kept_scratch() const {
  if (!scratch_) scratch_ = std::make_unique<Scratch>();
  return *scratch_;
}

void Graph::activate(std::span<const TaskKind> kinds, Activation& into) const {
  choose(kinds, kept_scratch());
  activate_chosen(*scratch_, into);
}

void Graph::activate(std::span<const TaskId> tasks, Activation& into) const {
  choose(tasks, kept_scratch());
  activate_chosen(*scratch_, into);
}

void Graph::learn_costs(const Activation& activation) {
  if (!activation.has_run()) throw base::PreconditionError("costs can be learned only from an activation that has run");
  for (std::size_t n = 0; n < activation.nodes_.size(); ++n) {
    const TaskId task = activation.nodes_[n].task;
    if (task != TaskId::none) tasks_.tasks.at(index(task)).cost = activation.seconds_[n];
  }
}

namespace {

/// Text between quotation marks in the dot language.
std::string in_quotes(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + '"';
}

}  // namespace

void Graph::write_dot(std::ostream& out, const Activation& activation) const {
  using detail::Node;
  const std::vector<Node>& nodes = activation.nodes_;
  std::vector<std::uint32_t> order(nodes.size());  // tasks by creation, then joins
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return nodes[a].task < nodes[b].task; });
  std::vector<std::uint32_t> place(nodes.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) place[order[i]] = i;

  std::map<std::string, int> uses;
  for (std::size_t i = 0; i < activation.size(); ++i) ++uses[name_of(nodes[order[i]].task)];
  std::vector<std::string> names;
  for (std::size_t i = 0; i < activation.size(); ++i) {
    const TaskId task = nodes[order[i]].task;
    const std::string name = name_of(task);
    names.push_back(in_quotes(uses[name] == 1 ? name : fmt::format("{} #{}", name, index(task))));
  }
  for (std::size_t i = 0; i < activation.joins(); ++i) names.push_back(fmt::format("join{}", i));

  out << "digraph tasks {\n";
  for (std::size_t i = 0; i < names.size(); ++i) {
    out << fmt::format("  {}{};\n", names[i], i < activation.size() ? "" : " [shape=point]");
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    const Node& node = nodes[order[i]];
    std::vector<std::uint32_t> followers;
    for (std::uint32_t e = 0; e < node.followers; ++e) {
      followers.push_back(place[activation.successors_[node.first + e]]);
    }
    std::sort(followers.begin(), followers.end());
    for (const std::uint32_t next : followers) out << fmt::format("  {} -> {};\n", names[i], names[next]);
  }
  out << "}\n";
}

}  // namespace tacit::tasks
