// A graph of tasks that say what they touch; edges follow from that.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <span>
#include <string>
#include <string_view>
#include <utility>
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

class Graph;
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

  /// The view of `data`, to be read only.
  /// @pre the running task declared any access to it, or to a datum it is a part of (checked with TACIT_CHECKS)
  template <class View>
  [[nodiscard]] const View& read(const Data<View>& data) const {
    check(data.id_, AccessMode::read);
    return data.view_;
  }
  /// The view of `data`, to be written.
  /// @pre the running task declared write or commute, likewise (checked with TACIT_CHECKS)
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
  /// Without a running task (a function called directly, as tests do) nothing is declared and everything is allowed.
  /// @throws base::PreconditionError that names the task, the datum and what the task declared
  void check_declared(DatumId datum, AccessMode mode) const;

  std::uint32_t worker_ = 0;
  TaskId task_ = TaskId::none;
  const Graph* graph_ = nullptr;
};

/// What a task does. It must not block, and must not touch data it did not declare.
using TaskFunction = std::function<void(StepContext&)>;

struct TaskOptions {
  double cost = 1.0;      ///< relative, >= 0; the longest path by cost behind a task is its priority
  std::uint32_t key = 0;  ///< which one of its kind (the cell); names the task, orders conflicts when deterministic
};

/// A chosen part of a graph with the edges among just these tasks, ready to run many times.
class Activation {
 public:
  /// Number of tasks, joins not counted.
  [[nodiscard]] std::size_t size() const noexcept { return tasks_.size(); }
  /// Number of edges, those into and out of joins included.
  [[nodiscard]] std::size_t edges() const noexcept { return successors_.size(); }
  /// Number of joins: nodes without work that keep many-to-many meetings linear.
  [[nodiscard]] std::size_t joins() const noexcept { return waits_.size() - tasks_.size(); }

 private:
  friend class Graph;
  friend class Scheduler;
  // Nodes are the tasks, in order of creation, and then the joins.
  std::vector<TaskId> tasks_;
  std::vector<std::uint32_t> first_;       // CSR: successors of node i are [first_[i], first_[i+1])
  std::vector<std::uint32_t> successors_;  // nodes, ascending, each once
  std::vector<std::uint32_t> waits_;       // number of predecessors of each node
  std::vector<double> priority_;           // per node: cost of the longest path that starts with it
  std::vector<std::uint32_t> rank_;        // per task: place by falling priority, then by creation
  std::vector<std::uint32_t> by_rank_;     // the inverse of rank_
  std::vector<std::uint32_t> roots_;       // ranks of the tasks that wait for nothing, ascending
  std::vector<std::uint32_t> first_lock_;  // CSR: task i locks [first_lock_[i], first_lock_[i+1]); empty without locks
  std::vector<DatumId> locks_;             // data on which a task must exclude its commuting neighbours
};

enum class Conflicts {
  /// Commuting tasks exclude each other by locks, taken without ever blocking a worker.
  any_order,
  /// Commuting tasks run in the order of (key, name of kind, creation): the same bits on any number of threads.
  /// Where other accesses demand the opposite order of such tasks, those win, and keys decide what they leave open.
  ordered,
};

/// Tasks and the data they touch. Built once, run many times; `activate` picks the part that a step needs.
///
///     writer -> readers -> next writer       commuting tasks between two writers: in any order, never at once
///
/// A join without work stands where several tasks must all precede several others, so edges stay linear. A task that
/// touches one datum, or a datum and a part of it, in two modes counts as a writer of the larger one.
class Graph {
 public:
  explicit Graph(Conflicts conflicts = Conflicts::any_order) : conflicts_(conflicts) {}

  /// A new datum. `parent` makes it a part of a larger one: touching a datum conflicts with its ancestors and parts.
  /// @throws base::PreconditionError if `parent` is not a datum of this graph
  DatumId add_datum(DatumId parent = DatumId::none);
  template <class View>
  [[nodiscard]] Data<View> add_data(DatumId parent = DatumId::none) {
    return Data<View>(add_datum(parent));
  }

  /// The kind of that name, made on first use.
  TaskKind kind(std::string_view name);
  [[nodiscard]] std::string_view kind_name(TaskKind kind) const { return kinds_[static_cast<std::size_t>(kind)]; }

  /// Adds a task after all tasks that were added before and whose accesses conflict with its own.
  /// @throws base::PreconditionError if kind or a datum is not of this graph, the function is empty, or the cost is
  ///         negative or not finite
  TaskId add(TaskKind kind, Accesses accesses, TaskFunction function, TaskOptions options = {});
  TaskId add(std::string_view kind_name, Accesses accesses, TaskFunction function, TaskOptions options = {}) {
    return add(kind(kind_name), std::move(accesses), std::move(function), options);
  }
  /// The same with the accesses in two lists: add("density", reads_all(neighbours), writes(cell.rho), ...).
  TaskId add(TaskKind kind, Accesses first, const Accesses& second, TaskFunction function, TaskOptions options = {});
  TaskId add(std::string_view kind_name, Accesses first, const Accesses& second, TaskFunction function,
             TaskOptions options = {}) {
    return add(kind(kind_name), std::move(first), second, std::move(function), options);
  }
  [[nodiscard]] std::size_t size() const noexcept { return tasks_.size(); }
  [[nodiscard]] TaskKind kind_of(TaskId task) const;
  [[nodiscard]] std::string name_of(TaskId task) const;  ///< "density[12]"

  /// The whole graph, or the tasks of some kinds; skipped tasks leave no gap: each datum's accesses are replayed over
  /// the active tasks only, so an order that went through a skipped writer still holds.
  ///
  /// Cost: O((tasks + accesses) * depth of the data + edges * log(edges)).
  /// @throws base::PreconditionError if a kind or task is not of this graph; a task named twice is active once
  [[nodiscard]] Activation activate_all() const;
  [[nodiscard]] Activation activate(std::span<const TaskKind> kinds) const;
  [[nodiscard]] Activation activate(std::span<const TaskId> tasks) const;

  /// The edges as a Graphviz digraph of task names, in order of creation; joins are points named join0, join1, ...
  /// Tasks that share a name get their number added: "sum[0] #7".
  void write_dot(std::ostream& out, const Activation& activation) const;

 private:
  friend class Scheduler;
  friend class StepContext;
  struct Task {
    TaskKind kind{};
    TaskOptions options;
    Accesses accesses;   // as declared
    Accesses conflicts;  // the same, one per datum and none a part of another: see detail::merge_accesses
    TaskFunction function;
  };
  /// @param tasks  in order of creation, each once
  [[nodiscard]] Activation activate_chosen(std::vector<TaskId> tasks) const;
  [[nodiscard]] std::vector<std::uint32_t> key_ranks(std::span<const TaskId> tasks) const;
  void rank_tasks(Activation& activation, std::span<const std::uint32_t> topological) const;

  Conflicts conflicts_;
  std::vector<DatumId> parents_;
  std::vector<std::string> kinds_;
  std::vector<Task> tasks_;
};

/// Joins the declarations of one task: add("force", reads(x) + reads_all(list) + writes(a), ...).
[[nodiscard]] Accesses operator+(Accesses left, const Accesses& right);

}  // namespace tacit::tasks
