// Choosing a part of a graph: edges, priorities and locks among its tasks, and their picture.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <ostream>
#include <tuple>

#include "tacit/tasks/detail/commute_order.hpp"
#include "tacit/tasks/detail/data_tree.hpp"
#include "tacit/tasks/detail/replay.hpp"
#include "tacit/tasks/graph.hpp"

namespace tacit::tasks {

using detail::index;

namespace {

/// For each task the data on which it must exclude others, as CSR; both empty if nobody needs a lock.
///
/// A commuting run needs none if it has one member and meets no other run.
void collect_locks(const detail::Replay& replay, std::size_t tasks, std::vector<std::uint32_t>& first,
                   std::vector<DatumId>& locks) {
  std::vector<std::pair<std::uint32_t, DatumId>> needed;
  for (const detail::Run& run : replay.runs()) {
    if (run.mode != AccessMode::commute || (run.members.size() < 2 && !run.meets)) continue;
    for (const std::uint32_t task : run.members) needed.emplace_back(task, run.datum);
  }
  if (needed.empty()) return;
  std::sort(needed.begin(), needed.end());
  first.assign(tasks + 1, 0);
  for (const auto& [task, datum] : needed) {
    ++first[task + 1];
    locks.push_back(datum);
  }
  std::partial_sum(first.begin(), first.end(), first.begin());
}

bool needs_order(const detail::Replay& replay) {
  return std::any_of(replay.runs().begin(), replay.runs().end(), [](const detail::Run& run) {
    return run.mode == AccessMode::commute && (run.members.size() > 1 || run.meets);
  });
}

Access as_write(const Access& access) {
  return {access.datum, access.mode == AccessMode::commute ? AccessMode::write : access.mode};
}

}  // namespace

/// The place of each task by (key, name of kind, creation).
std::vector<std::uint32_t> Graph::key_ranks(std::span<const TaskId> tasks) const {
  std::vector<std::uint32_t> order(tasks.size());
  std::iota(order.begin(), order.end(), 0U);
  const auto key = [&](std::uint32_t i) {
    const Task& task = tasks_[index(tasks[i])];
    return std::tuple(task.options.key, kind_name(task.kind), i);
  };
  std::sort(order.begin(), order.end(), [&](auto a, auto b) { return key(a) < key(b); });
  std::vector<std::uint32_t> rank(tasks.size());
  for (std::uint32_t place = 0; place < rank.size(); ++place) rank[order[place]] = place;
  return rank;
}

/// Fills priorities, ranks and roots.
/// @param topological  the nodes, each after its predecessors
void Graph::rank_tasks(Activation& activation, std::span<const std::uint32_t> topological) const {
  const std::size_t count = activation.size();
  std::vector<double>& priority = activation.priority_;
  priority.assign(activation.waits_.size(), 0.0);
  for (auto node = topological.rbegin(); node != topological.rend(); ++node) {
    double longest = 0.0;
    for (std::uint32_t e = activation.first_[*node]; e < activation.first_[*node + 1]; ++e) {
      longest = std::max(longest, priority[activation.successors_[e]]);
    }
    priority[*node] = longest + (*node < count ? tasks_[index(activation.tasks_[*node])].options.cost : 0.0);
  }
  std::vector<std::uint32_t>& by_rank = activation.by_rank_;
  by_rank.resize(count);
  std::iota(by_rank.begin(), by_rank.end(), 0U);
  std::stable_sort(by_rank.begin(), by_rank.end(), [&](auto a, auto b) { return priority[a] > priority[b]; });
  activation.rank_.resize(count);
  for (std::uint32_t place = 0; place < count; ++place) {
    activation.rank_[by_rank[place]] = place;
    if (activation.waits_[by_rank[place]] == 0) activation.roots_.push_back(place);
  }
}

Activation Graph::activate_chosen(std::vector<TaskId> tasks) const {
  const auto count = static_cast<std::uint32_t>(tasks.size());
  const detail::DataTree tree(parents_);
  detail::Replay replay(tree);
  for (std::uint32_t i = 0; i < count; ++i) {
    for (const Access& access : tasks_[index(tasks[i])].conflicts) replay.add(i, access);
  }
  Activation activation;
  if (conflicts_ == Conflicts::any_order) {
    collect_locks(replay, count, activation.first_lock_, activation.locks_);
  } else if (needs_order(replay)) {
    const std::vector<std::uint32_t> sequence = detail::commuting_sequence(replay, key_ranks(tasks));
    replay = detail::Replay(tree);
    for (const std::uint32_t i : sequence) {
      for (const Access& access : tasks_[index(tasks[i])].conflicts) replay.add(i, as_write(access));
    }
  }
  std::uint32_t nodes = count;
  std::vector<detail::Edge> edges = replay.edges(nodes);
  detail::Dag dag(nodes, std::move(edges));
  const std::vector<std::uint32_t> order = detail::topological_order(dag, std::vector<std::uint32_t>(nodes, 0));
  activation.tasks_ = std::move(tasks);
  activation.first_ = std::move(dag.first);
  activation.successors_ = std::move(dag.successors);
  activation.waits_ = std::move(dag.waits);
  rank_tasks(activation, order);
  return activation;
}

Activation Graph::activate_all() const {
  std::vector<TaskId> all(tasks_.size());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<TaskId>(i);
  return activate_chosen(std::move(all));
}

Activation Graph::activate(std::span<const TaskKind> kinds) const {
  std::vector<bool> active(kinds_.size(), false);
  for (const TaskKind kind : kinds) {
    const auto i = static_cast<std::size_t>(kind);
    if (i >= kinds_.size()) throw base::PreconditionError(fmt::format("kind {} is not one of this graph", i));
    active[i] = true;
  }
  std::vector<TaskId> chosen;
  for (std::size_t i = 0; i < tasks_.size(); ++i) {
    if (active[static_cast<std::size_t>(tasks_[i].kind)]) chosen.push_back(static_cast<TaskId>(i));
  }
  return activate_chosen(std::move(chosen));
}

Activation Graph::activate(std::span<const TaskId> tasks) const {
  std::vector<TaskId> chosen(tasks.begin(), tasks.end());
  std::sort(chosen.begin(), chosen.end());
  chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
  if (!chosen.empty() && index(chosen.back()) >= tasks_.size()) {
    throw base::PreconditionError(fmt::format("task {} is not one of this graph", index(chosen.back())));
  }
  return activate_chosen(std::move(chosen));
}

namespace {

/// Text between quotation marks in the dot language.
std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + '"';
}

}  // namespace

void Graph::write_dot(std::ostream& out, const Activation& activation) const {
  std::map<std::string, int> uses;
  for (const TaskId task : activation.tasks_) ++uses[name_of(task)];
  std::vector<std::string> names;
  for (const TaskId task : activation.tasks_) {
    const std::string name = name_of(task);
    names.push_back(quoted(uses[name] == 1 ? name : fmt::format("{} #{}", name, index(task))));
  }
  for (std::size_t i = 0; i < activation.joins(); ++i) names.push_back(fmt::format("join{}", i));

  out << "digraph tasks {\n";
  for (std::size_t i = 0; i < names.size(); ++i) {
    out << fmt::format("  {}{};\n", names[i], i < activation.size() ? "" : " [shape=point]");
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    for (std::uint32_t e = activation.first_[i]; e < activation.first_[i + 1]; ++e) {
      out << fmt::format("  {} -> {};\n", names[i], names[activation.successors_[e]]);
    }
  }
  out << "}\n";
}

}  // namespace tacit::tasks
