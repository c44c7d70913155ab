// Building a graph: data, kinds, tasks, and the check of declared accesses.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/tasks/graph.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tacit/tasks/detail/data_tree.hpp"

namespace tacit::tasks {

using detail::index;

Accesses reads_all(std::span<const DatumId> data) {
  Accesses accesses;
  accesses.reserve(data.size());
  for (const DatumId datum : data) accesses.push_back({datum, AccessMode::read});
  return accesses;
}

Accesses operator+(Accesses left, const Accesses& right) {
  left.insert(left.end(), right.begin(), right.end());
  return left;
}

DatumId Graph::add_datum(DatumId parent) {
  if (parent != DatumId::none && index(parent) >= parents_.size()) {
    throw base::PreconditionError(fmt::format("datum {} cannot be a part of datum {}, which this graph does not have",
                                              parents_.size(), index(parent)));
  }
  parents_.push_back(parent);
  return static_cast<DatumId>(parents_.size() - 1);
}

TaskKind Graph::kind(std::string_view name) {
  const auto found = std::find(kinds_.begin(), kinds_.end(), name);
  const auto place = static_cast<std::uint32_t>(found - kinds_.begin());
  if (found == kinds_.end()) kinds_.emplace_back(name);
  return static_cast<TaskKind>(place);
}

TaskId Graph::add(TaskKind kind, Accesses accesses, TaskFunction function, TaskOptions options) {
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
  if (!function) fail("has no function");
  if (!(std::isfinite(options.cost) && options.cost >= 0.0)) fail(fmt::format("has cost {}", options.cost));
  Accesses conflicts = detail::merge_accesses(accesses, parents_);
  tasks_.push_back({kind, options, std::move(accesses), std::move(conflicts), std::move(function)});
  return static_cast<TaskId>(tasks_.size() - 1);
}

TaskId Graph::add(TaskKind kind, Accesses first, const Accesses& second, TaskFunction function, TaskOptions options) {
  return add(kind, std::move(first) + second, std::move(function), options);
}

TaskKind Graph::kind_of(TaskId task) const { return tasks_.at(index(task)).kind; }

std::string Graph::name_of(TaskId task) const {
  return fmt::format("{}[{}]", kind_name(kind_of(task)), tasks_[index(task)].options.key);
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

std::string list_of(const Accesses& accesses) {
  std::string text;
  for (const Access& access : accesses) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", mode_name(access.mode), index(access.datum));
  }
  return text.empty() ? "nothing" : text;
}

}  // namespace

void StepContext::check_declared(DatumId datum, AccessMode mode) const {
  if (graph_ == nullptr) return;
  const Accesses& declared = graph_->tasks_[index(task_)].accesses;
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
