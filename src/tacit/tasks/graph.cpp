// Building a graph: data, kinds, tasks, and the check of declared accesses.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/tasks/graph.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tacit/tasks/batch.hpp"
#include "tacit/tasks/detail/activation_scratch.hpp"
#include "tacit/tasks/detail/data_tree.hpp"
#include "tacit/trace/trace.hpp"

namespace tacit::tasks {

using detail::index;

Accesses reads_all(std::span<const DatumId> data) {
  Accesses accesses;
  accesses.reserve(data.size());
  for (const DatumId datum : data) accesses.push_back({datum, AccessMode::read});
  return accesses;
}

Accesses operator+(Accesses left, std::span<const Access> right) {
  left.insert(left.end(), right.begin(), right.end());
  return left;
}

std::uint64_t Graph::Number::next() noexcept {
  static std::atomic<std::uint64_t> last{0};
  return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

Graph::Graph(Conflicts conflicts) : conflicts_(conflicts) {}
Graph::~Graph() = default;
Graph::Graph(Graph&& other) noexcept = default;
Graph& Graph::operator=(Graph&& other) noexcept = default;

DatumId Graph::add_datum(DatumId parent) {
  if (parent != DatumId::none && index(parent) >= parents_.size()) {
    throw base::PreconditionError(fmt::format("datum {} cannot be a part of datum {}, which this graph does not have",
                                              parents_.size(), index(parent)));
  }
  if (parents_.size() == index(DatumId::none)) throw base::PreconditionError("a graph has at most 2^30 - 1 data");
  parents_.push_back(parent);
  if (parent != DatumId::none) {
    nested_.resize(parents_.size(), false);
    nested_[index(parent)] = nested_.back() = true;
  }
  return static_cast<DatumId>(parents_.size() - 1);
}

void Graph::set_place(DatumId datum, double place) {
  TACIT_EXPECT(index(datum) < parents_.size() && place >= 0.0 && place < 1.0);
  if (places_.size() < parents_.size()) places_.resize(parents_.size(), -1.0F);
  places_[index(datum)] = static_cast<float>(place);
}

TaskKind Graph::kind(std::string_view name) { return kind(name, trace::Category::task); }

TaskKind Graph::kind(std::string_view name, trace::Category category) {
  std::size_t place = 0;
  while (place < kinds_.size() && (kinds_[place] != name || categories_[place] != category)) ++place;
  if (place == kinds_.size()) {
    kinds_.emplace_back(name);
    categories_.push_back(category);
  }
  return static_cast<TaskKind>(place);
}

void Graph::expect_after(std::span<const TaskId> earlier, TaskId later) {
  for (const TaskId task : earlier) {
    if (task >= later) throw base::PreconditionError(name_of(task) + " was not added before " + name_of(later));
  }
  relations_.resize(std::max(relations_.size(), index(later) + 1));
  later_.push_back(later);
  const auto relation = static_cast<std::uint32_t>(later_.size());
  relations_[index(later)] = relation;
  for (const TaskId task : earlier) relations_[index(task)] = relation;
}

/// Says what is wrong with a task.
void Graph::refuse_task(TaskKind kind, std::span<const Access> accesses, const TaskOptions& options, bool empty) const {
  if (static_cast<std::size_t>(kind) >= kinds_.size()) {
    throw base::PreconditionError(
        fmt::format("a task has kind {}, which this graph does not have", static_cast<std::uint32_t>(kind)));
  }
  const auto fail = [&](const std::string& what) {
    throw base::PreconditionError(fmt::format("task {}[{}] {}", kind_name(kind), options.key, what));
  };
  for (const Access& access : accesses) {
    if (access.datum == DatumId::none) fail("touches a datum without an id (was its Data made by add_data?)");
    if (index(access.datum) >= parents_.size()) {
      fail(fmt::format("touches datum {}, which this graph does not have", index(access.datum)));
    }
  }
  if (empty) fail("has no function");
  throw base::PreconditionError(fmt::format("task {}[{}] has cost {}", kind_name(kind), options.key, options.cost));
}

namespace {

/// Up to that many accesses are compared pair by pair.
constexpr std::size_t few_accesses = 64;

}  // namespace

/// Whether it is easy to see that each access is to another datum, and none of them to a part of another.
bool Graph::is_simple(std::span<const Access> accesses) const {
  const auto is_disordered = [](const Access& a, const Access& b) { return a.datum >= b.datum; };
  if (nested_.empty() && std::ranges::adjacent_find(accesses, is_disordered) == accesses.end()) return true;
  if (accesses.size() > few_accesses) return false;
  for (std::size_t i = 0; i < accesses.size(); ++i) {
    const DatumId datum = accesses[i].datum;
    if (index(datum) < nested_.size() && nested_[index(datum)]) return false;
    for (std::size_t j = 0; j < i; ++j) {
      if (accesses[j].datum == datum) return false;
    }
  }
  return true;
}

TaskId Graph::TaskList::append(const Graph& graph, TaskKind kind, std::span<const Access> of_task,
                               const TaskOptions& options, Call call) {
  const auto task = static_cast<TaskId>(tasks.size());
  if (graph.is_simple(of_task)) {
    for (const Access& access : of_task) accesses.push_back(access);
  } else {
    const Accesses merged = detail::merge_accesses({of_task.begin(), of_task.end()}, graph.parents_);
    accesses.insert(accesses.end(), merged.begin(), merged.end());
    if (!std::ranges::equal(merged, of_task)) declared.emplace_back(task, Accesses(of_task.begin(), of_task.end()));
  }
  const auto end = static_cast<std::uint32_t>(accesses.size());
  tasks.push_back({call, kind, options.key, static_cast<float>(options.cost), end});
  return task;
}

TaskId Graph::add(Batch&& batch) {
  TACIT_EXPECT(batch.graph_ == this);
  TaskList& more = batch.tasks_;
  const auto first = static_cast<std::uint32_t>(tasks_.tasks.size());
  const auto begin = static_cast<std::uint32_t>(tasks_.accesses.size());
  for (Task task : more.tasks) {
    task.end += begin;
    tasks_.tasks.push_back(task);
  }
  tasks_.accesses.insert(tasks_.accesses.end(), more.accesses.begin(), more.accesses.end());
  for (auto& [task, accesses] : more.declared) {
    tasks_.declared.emplace_back(static_cast<TaskId>(first + static_cast<std::uint32_t>(task)), std::move(accesses));
  }
  tasks_.functions.append(std::move(more.functions));
  more = {};
  return static_cast<TaskId>(first);
}

void Graph::reserve(std::size_t data, std::size_t tasks, std::size_t accesses) {
  parents_.reserve(data);
  tasks_.tasks.reserve(tasks);
  tasks_.accesses.reserve(accesses);
}

std::span<const Access> Graph::declared_by(TaskId task) const {
  const auto found = std::ranges::lower_bound(tasks_.declared, task, {}, &std::pair<TaskId, Accesses>::first);
  if (found != tasks_.declared.end() && found->first == task) return found->second;
  return conflicts_of(index(task));
}

TaskKind Graph::kind_of(TaskId task) const { return tasks_.tasks.at(index(task)).kind; }

std::string Graph::name_of(TaskId task) const {
  return fmt::format("{}[{}]", kind_name(kind_of(task)), tasks_.tasks[index(task)].key);
}

namespace {

std::string_view mode_name(AccessMode mode) {
  switch (mode) {
    case AccessMode::read:
      return "reads";
    case AccessMode::write:
      return "writes";
    case AccessMode::commute:
      break;
  }
  return "commutes";
}

std::string list_of(std::span<const Access> accesses) {
  std::string text;
  for (const Access& access : accesses) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", mode_name(access.mode), index(access.datum));
  }
  return text.empty() ? "nothing" : text;
}

}  // namespace

bool StepContext::follows_failure() const noexcept { return graph_ != nullptr && graph_->has_failed(); }

void StepContext::check_declared(DatumId datum, AccessMode mode) const {
  if (graph_ == nullptr) return;
  const std::span<const Access> declared = graph_->declared_by(task_);
  const std::vector<DatumId>& parents = graph_->parents_;
  for (DatumId at = datum; index(at) < parents.size(); at = parents[index(at)]) {
    const bool allowed = std::any_of(declared.begin(), declared.end(), [&](const Access& access) {
      return access.datum == at && (mode == AccessMode::read || access.mode != AccessMode::read);
    });
    if (allowed) return;
  }
  throw base::PreconditionError(fmt::format(
      "task {} {} datum {} without having said so\n  declared: {}\n  Add the missing access where the task is added.",
      graph_->name_of(task_), mode_name(mode), datum == DatumId::none ? "none" : std::to_string(index(datum)),
      list_of(declared)));
}

}  // namespace tacit::tasks
