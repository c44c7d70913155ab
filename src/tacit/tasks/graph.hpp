// A graph of tasks that say what they touch; edges follow from that.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tacit/base/error.hpp"

namespace tacit::tasks {

enum class DatumId : std::uint32_t { none = 0xffffffffU };
enum class TaskId : std::uint32_t { none = 0xffffffffU };
/// An index into the names of the kinds of tasks of one graph ("density", "force").
enum class TaskKind : std::uint32_t {};

/// How a task touches a datum.
enum class AccessMode : std::uint8_t {
  read,     ///< any number of readers at once
  write,    ///< alone, in the order in which the tasks were added
  commute,  ///< alone, but in any order among the commuting neighbours
};

struct Access {
  DatumId datum = DatumId::none;
  AccessMode mode = AccessMode::read;
};
using Accesses = std::vector<Access>;

class StepContext;

/// A typed view (a span, or a struct of spans) of a piece of memory, which tasks reach through their StepContext.
///
/// The solver owns the memory and binds the view again whenever the memory moves; the graph knows only the id, so moved
/// memory needs no new graph.
template <class View>
class Data {
 public:
  Data() = default;
  explicit Data(DatumId id) : id_(id) {}
  [[nodiscard]] DatumId id() const noexcept { return id_; }
  void bind(const View& view) { view_ = view; }

 private:
  friend class StepContext;
  DatumId id_ = DatumId::none;
  View view_{};
};

namespace detail {
inline DatumId id_of(DatumId id) { return id; }
template <class View>
DatumId id_of(const Data<View>& data) {
  return data.id();
}
}  // namespace detail

/// Declares reads of each argument: Data<View> or DatumId.
template <class... D>
[[nodiscard]] Accesses reads(const D&... data) {
  return {Access{detail::id_of(data), AccessMode::read}...};
}
/// Declares writes (a write may also read).
template <class... D>
[[nodiscard]] Accesses writes(const D&... data) {
  return {Access{detail::id_of(data), AccessMode::write}...};
}
/// Declares commuting updates, such as additions into the same sum.
template <class... D>
[[nodiscard]] Accesses commutes(const D&... data) {
  return {Access{detail::id_of(data), AccessMode::commute}...};
}
/// Reads of a list, for neighbours whose number is known only at run time.
[[nodiscard]] Accesses reads_all(std::span<const DatumId> data);

/// What a task's function gets: the step's numbers, and its declared data.
class StepContext {
 public:
  double time = 0.0;  ///< at the start of the step [code time]
  double dt = 0.0;    ///< length of the step [code time]
  std::uint64_t step = 0;
  std::uint32_t active_bins = ~0U;  ///< bit b set: particles of time bin b are active

  /// The view of `data`, to be read only. @pre the running task declared any access to it (checked with TACIT_CHECKS)
  template <class View>
  [[nodiscard]] const View& read(const Data<View>& data) const {
    check(data.id_, AccessMode::read);
    return data.view_;
  }
  /// The view of `data`, to be written. @pre the running task declared write or commute (checked with TACIT_CHECKS)
  template <class View>
  [[nodiscard]] const View& write(const Data<View>& data) const {
    check(data.id_, AccessMode::write);
    return data.view_;
  }
  /// The worker that runs the task, for scratch memory: 0 <= worker < Scheduler::workers().
  [[nodiscard]] std::uint32_t worker() const noexcept { return worker_; }

 private:
  friend class Scheduler;
  void check(DatumId datum, AccessMode mode) const {
#if defined(TACIT_CHECKS) || !defined(NDEBUG)
    check_declared(datum, mode);
#else
    static_cast<void>(datum);
    static_cast<void>(mode);
#endif
  }
  void check_declared(DatumId datum, AccessMode mode) const;

  std::uint32_t worker_ = 0;
  TaskId task_ = TaskId::none;
  std::span<const Access> declared_;
};

/// What a task does. It must not block, and must not touch data it did not declare.
using TaskFunction = std::function<void(StepContext&)>;

struct TaskOptions {
  double cost = 1.0;      ///< relative; the longest path by cost behind a task is its priority
  std::uint32_t key = 0;  ///< which one of its kind (the cell); names the task, orders conflicts when deterministic
};

/// A chosen part of a graph with the edges among just these tasks, ready to run many times.
class Activation {
 public:
  [[nodiscard]] std::size_t size() const noexcept { return tasks_.size(); }
  [[nodiscard]] std::size_t edges() const noexcept { return successors_.size(); }

 private:
  friend class Graph;
  friend class Scheduler;
  std::vector<TaskId> tasks_;              // in order of creation
  std::vector<std::uint32_t> first_;       // CSR: successors of local task i are [first_[i], first_[i+1])
  std::vector<std::uint32_t> successors_;  // local indices
  std::vector<std::uint32_t> waits_;       // number of predecessors of each
  std::vector<double> priority_;           // cost of the longest path that starts with it
};

enum class Conflicts {
  any_order,  ///< commuting tasks exclude each other by locks
  ordered,    ///< commuting tasks run in the order of their keys: the same bits on any number of threads
};

/// Tasks and the data they touch. Built once, run many times; `activate` picks the part that a step needs.
///
///     writer -> readers -> next writer       commuting tasks between two writers: in any order, never at once
///
/// A join task without work stands where many readers meet many writers, so edges stay linear.
class Graph {
 public:
  explicit Graph(Conflicts conflicts = Conflicts::any_order) : conflicts_(conflicts) {}

  /// A new datum. `parent` makes it a part of a larger one: touching a datum conflicts with its ancestors and parts.
  DatumId add_datum(DatumId parent = DatumId::none);
  template <class View>
  [[nodiscard]] Data<View> add_data(DatumId parent = DatumId::none) {
    return Data<View>(add_datum(parent));
  }

  TaskKind kind(std::string_view name);
  [[nodiscard]] std::string_view kind_name(TaskKind kind) const { return kinds_[static_cast<std::size_t>(kind)]; }

  /// Adds a task after all tasks that were added before and whose accesses conflict with its own.
  TaskId add(TaskKind kind, Accesses accesses, TaskFunction function, TaskOptions options = {});
  TaskId add(std::string_view kind_name, Accesses accesses, TaskFunction function, TaskOptions options = {}) {
    return add(kind(kind_name), std::move(accesses), std::move(function), options);
  }
  [[nodiscard]] std::size_t size() const noexcept { return tasks_.size(); }
  [[nodiscard]] TaskKind kind_of(TaskId task) const;
  [[nodiscard]] std::string name_of(TaskId task) const;  ///< "density[12]"

  /// The whole graph, or the tasks of some kinds; skipped tasks leave no gap: each datum's accesses are replayed over
  /// the active tasks only, so an order that went through a skipped writer still holds.
  [[nodiscard]] Activation activate_all() const;
  [[nodiscard]] Activation activate(std::span<const TaskKind> kinds) const;
  [[nodiscard]] Activation activate(std::span<const TaskId> tasks) const;

  /// The edges as a Graphviz digraph of task names.
  void write_dot(std::ostream& out, const Activation& activation) const;

 private:
  friend class Scheduler;
  struct Task {
    TaskKind kind{};
    TaskOptions options;
    Accesses accesses;
    TaskFunction function;
  };
  Conflicts conflicts_;
  std::vector<DatumId> parents_;
  std::vector<std::string> kinds_;
  std::vector<Task> tasks_;
};

/// Joins the declarations of one task: add("force", reads(x) + reads_all(list) + writes(a), ...).
[[nodiscard]] Accesses operator+(Accesses left, const Accesses& right);

}  // namespace tacit::tasks
