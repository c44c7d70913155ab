// A graph of tasks that say what they touch; edges follow from that.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <iosfwd>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "tacit/base/completion.hpp"
#include "tacit/base/error.hpp"
#include "tacit/tasks/detail/object_store.hpp"
#include "tacit/tasks/detail/sharing.hpp"

namespace tacit::trace {
enum class Category : std::uint8_t;
}

namespace tacit::tasks {

enum class DatumId : std::uint32_t { none = 0x3fffffffU };  // 30 bits, see Access
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
  constexpr Access() = default;
  constexpr Access(DatumId what, AccessMode how) : datum(what), mode(how) {}
  DatumId datum : 30 = DatumId::none;
  AccessMode mode : 2 = AccessMode::read;
  friend constexpr bool operator==(const Access&, const Access&) = default;
};
static_assert(sizeof(Access) == 4, "a large graph has many of them");
/// What one task touches, where the number is known only at run time.
using Accesses = std::vector<Access>;
/// The same where it is known to the compiler, so that declaring costs no allocation.
template <std::size_t N>
struct AccessList {
  std::array<Access, N> items{};
  [[nodiscard]] constexpr std::size_t size() const noexcept { return N; }
  [[nodiscard]] constexpr const Access* begin() const noexcept { return items.data(); }
  [[nodiscard]] constexpr const Access* end() const noexcept { return items.data() + N; }
  operator Accesses() const { return Accesses(begin(), end()); }
};

class Batch;
class Graph;
class Scheduler;
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
  /// The view, for the code that runs the graph.
  /// @pre no task that writes it runs: this is not checked
  [[nodiscard]] const View& between_runs() const noexcept { return view_; }

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
[[nodiscard]] constexpr AccessList<sizeof...(D)> reads(const D&... data) {
  return {{Access{detail::id_of(data), AccessMode::read}...}};
}
/// Declares writes (a write may also read).
template <class... D>
[[nodiscard]] constexpr AccessList<sizeof...(D)> writes(const D&... data) {
  return {{Access{detail::id_of(data), AccessMode::write}...}};
}
/// Declares commuting updates, such as additions into the same sum.
template <class... D>
[[nodiscard]] constexpr AccessList<sizeof...(D)> commutes(const D&... data) {
  return {{Access{detail::id_of(data), AccessMode::commute}...}};
}
/// Reads of a list, for neighbours whose number is known only at run time.
[[nodiscard]] Accesses reads_all(std::span<const DatumId> data);

/// Joins the declarations of one task: add("force", reads(x) + reads_all(list) + writes(a), ...).
template <std::size_t N, std::size_t M>
[[nodiscard]] constexpr AccessList<N + M> operator+(const AccessList<N>& left, const AccessList<M>& right) {
  AccessList<N + M> joined;
  std::copy(left.begin(), left.end(), joined.items.begin());
  std::copy(right.begin(), right.end(), joined.items.begin() + N);
  return joined;
}
[[nodiscard]] Accesses operator+(Accesses left, std::span<const Access> right);
template <std::size_t N>
[[nodiscard]] Accesses operator+(Accesses left, const AccessList<N>& right) {
  return std::move(left) + std::span<const Access>(right);
}
template <std::size_t N>
[[nodiscard]] Accesses operator+(const AccessList<N>& left, const Accesses& right) {
  return Accesses(left) + std::span<const Access>(right);
}

/// What is known of an operation when it is posted.
struct Posting {
  std::uint32_t key = 0;    ///< which one of its kind
  double alone_s = 0.0;     ///< what it takes alone and blocking [s], unless its source says so; 0 if unknown
  std::uint64_t bytes = 0;  ///< that go to others; 0 if unknown
};

/// What a task's function gets: the step's numbers, and its declared data.
class StepContext {
 public:
  double time = 0.0;  ///< at the start of the step [code time]
  double dt = 0.0;    ///< length of the step [code time]
  std::uint64_t step = 0;

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

  /// The task ends only when an operation of `source`, which it is about to post with this token, has completed; and
  /// so for each call. Until then it keeps what it declared; its worker goes on with other tasks.
  ///
  ///     graph.add("send rim", reads(rim), [&](StepContext& step) { window.post(step.await(network)); });
  ///
  /// If the operation fails, the run ends with what the source says of it.
  /// @param about  for the trace, where the transfer has the name of the task
  /// @pre called by a running task, with a source that is attached to its scheduler
  [[nodiscard]] base::Token await(base::CompletionSource& source, const Posting& about = {});
  /// Whether an earlier run of the graph has ended with an error: what its tasks had begun may be half done.
  [[nodiscard]] bool follows_failure() const noexcept;
  /// Notes in the trace a transfer that need not be awaited, as it has completed already: all of it was hidden.
  /// @pre as `await`
  void note_completed(const Posting& about);
  /// Counts messages that the task sends to other ranks, for the trace. Cost: two additions.
  /// @param phase  a kind of the task's graph: whose messages they are
  /// @pre as `await`
  void note_sent(TaskKind phase, std::uint64_t messages, std::uint64_t bytes);

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
  std::uint32_t node_ = 0;    // of the activation that runs
  std::uint32_t awaits_ = 0;  // calls of await by this task
  TaskId task_ = TaskId::none;
  const Graph* graph_ = nullptr;
  Scheduler* scheduler_ = nullptr;
};

/// What a task does. It must not block, and must not touch data it did not declare. Graph::add takes any callable.
using TaskFunction = std::function<void(StepContext&)>;

struct TaskOptions {
  double cost =
      1.0;  ///< relative, >= 0 (kept in single precision); the longest path by cost behind a task is its priority
  std::uint32_t key = 0;  ///< which one of its kind (the cell); names the task, orders conflicts when deterministic
};

namespace detail {

struct ActivationScratch;

/// A task or a join of an activation. Nodes come in an order in which each follows its predecessors.
struct Node {
  TaskId task = TaskId::none;  // none: a join
  std::uint32_t first = 0;     // successors are [first, first + followers)
  std::uint32_t followers = 0;
  std::uint32_t waits = 0;  // number of predecessors
};

}  // namespace detail

/// A chosen part of a graph with the edges among just these tasks, ready to run many times, one run at a time.
class Activation {
 public:
  /// Number of tasks, joins not counted.
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  /// Number of edges, those into and out of joins included.
  [[nodiscard]] std::size_t edges() const noexcept { return successors_.size(); }
  /// Number of joins: nodes without work that keep many-to-many meetings linear.
  [[nodiscard]] std::size_t joins() const noexcept { return nodes_.size() - size_; }
  /// Whether the tasks' times of a run are known; see Graph::learn_costs.
  [[nodiscard]] bool has_run() const noexcept { return has_run_; }

 private:
  friend class Graph;
  friend class Scheduler;
  friend class StepContext;
  using Node = detail::Node;
  using Count = std::atomic<std::uint32_t>;
  static constexpr std::uint32_t levels = 64;  // of priority

  /// The worker at a place in [0, 1).
  static std::size_t home_of(float place, std::size_t workers) {
    return std::min(static_cast<std::size_t>(place * static_cast<float>(workers)), workers - 1);
  }
  void deal(std::size_t workers);
  /// After a run. Where the user has said who is to have which data, all have them.
  void note_wall(double ns, std::size_t workers) noexcept {
    if (size_ > 0) sharing_.note(ns / static_cast<double>(size_), size_, place_.empty() ? workers : 1);
  }
  void reset_counts();

  std::size_t size_ = 0;
  std::vector<Node> nodes_;
  std::vector<std::uint32_t> successors_;  // nodes, each once per predecessor
  std::vector<std::uint8_t> level_;        // per node: 63 begins the longest path
  std::vector<std::uint32_t> roots_;       // tasks that wait for nothing, in order of creation
  std::vector<float> place_;               // per node, in [0, 1): where its data live; empty if not set
  std::vector<std::uint32_t> first_lock_;  // CSR: node i locks [first_lock_[i], first_lock_[i+1]); empty without locks
  std::vector<DatumId> locks_;             // data on which a task must exclude its commuting neighbours
  // Written by the scheduler.
  std::size_t dealt_to_ = 0;                 // workers that the roots are dealt to
  std::vector<std::uint32_t> dealt_;         // roots by worker, and there by falling level
  std::vector<std::uint32_t> first_dealt_;   // CSR over workers
  std::vector<std::uint32_t> first_in_bin_;  // of deal; kept so that dealing again allocates nothing
  std::vector<float> seconds_;               // per node, of the last run
  bool has_run_ = false;
  std::unique_ptr<Count[]> counts_;  // per node: predecessors that are not done; as in nodes_ between runs
  std::size_t counts_size_ = 0;
  bool is_fresh_ = false;  // counts_ are as in nodes_
  detail::Sharing sharing_;
};

enum class Conflicts {
  /// Commuting tasks exclude each other by locks, taken without ever blocking a worker.
  any_order,
  /// Commuting tasks run in the order of (key, name of kind, creation): bitwise identical results on any number of
  /// threads.
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
  explicit Graph(Conflicts conflicts = Conflicts::any_order);
  ~Graph();
  Graph(Graph&& other) noexcept;
  Graph& operator=(Graph&& other) noexcept;

  /// A new datum. `parent` makes it a part of a larger one: touching a datum conflicts with its ancestors and parts.
  /// @throws base::PreconditionError if `parent` is not a datum of this graph
  DatumId add_datum(DatumId parent = DatumId::none);
  template <class View>
  [[nodiscard]] Data<View> add_data(DatumId parent = DatumId::none) {
    return Data<View>(add_datum(parent));
  }
  /// Says where the memory of `datum` lies among the workers: 0 with the first, towards 1 with the last. Tasks that
  /// write it (or, writing nothing, name it first) then start there; without it they stay where they became ready.
  /// @param place  in [0, 1)
  void set_place(DatumId datum, double place);

  /// The kind of that name, made on first use; the trace counts its tasks as work.
  TaskKind kind(std::string_view name);
  /// The same with what the trace counts its tasks as: Category::communication where they pack or unpack. The same name
  /// in another category is another kind.
  TaskKind kind(std::string_view name, trace::Category category);
  [[nodiscard]] std::string_view kind_name(TaskKind kind) const { return kinds_[static_cast<std::size_t>(kind)]; }

  /// Adds a task after all tasks that were added before and whose accesses conflict with its own.
  /// @param function  callable with StepContext&; kept in the graph's own memory
  /// @throws base::PreconditionError if kind or a datum is not of this graph, the function is empty, or the cost is
  ///         negative or not finite
  /// Cost: some 20 ns for a few accesses; no allocation of its own.
  template <class Function>
  TaskId add(TaskKind kind, std::span<const Access> accesses, Function&& function, TaskOptions options = {}) {
    check_task(kind, accesses, options, is_empty(function));
    return tasks_.add(*this, kind, accesses, options, std::forward<Function>(function));
  }
  template <class Function>
  TaskId add(TaskKind kind, std::initializer_list<Access> accesses, Function&& function, TaskOptions options = {}) {
    return add(kind, std::span(accesses.begin(), accesses.size()), std::forward<Function>(function), options);
  }
  /// The same with the accesses in two lists: add("density", reads_all(neighbours), writes(cell.rho), ...).
  template <class First, class Second, class Function>
    requires std::convertible_to<const Second&, std::span<const Access>>
  TaskId add(TaskKind kind, const First& first, const Second& second, Function&& function, TaskOptions options = {}) {
    return add(kind, std::span<const Access>(first + second), std::forward<Function>(function), options);
  }
  /// The same with the kind by name.
  template <class Function>
  TaskId add(std::string_view name, std::span<const Access> accesses, Function&& function, TaskOptions options = {}) {
    return add(kind(name), accesses, std::forward<Function>(function), options);
  }
  template <class Function>
  TaskId add(std::string_view name, std::initializer_list<Access> accesses, Function&& function,
             TaskOptions options = {}) {
    return add(kind(name), accesses, std::forward<Function>(function), options);
  }
  template <class First, class Second, class Function>
    requires std::convertible_to<const Second&, std::span<const Access>>
  TaskId add(std::string_view name, const First& first, const Second& second, Function&& function,
             TaskOptions options = {}) {
    return add(kind(name), first, second, std::forward<Function>(function), options);
  }
  /// Adds the tasks of a batch of this graph, in their order.
  /// @return the first of them; the others follow
  TaskId add(Batch&& batch);
  /// Says that `later` follows `earlier`, by way of something that this graph does not see: they send, it awaits what
  /// is sent back. Where all are active, what comes behind `later` makes `earlier` as urgent as what comes before. No
  /// order is demanded.
  /// @pre `earlier` were added before `later`; each task is in one such relation
  void expect_after(std::span<const TaskId> earlier, TaskId later);
  /// Makes room for so many data, tasks and accesses in all; saves a large graph half of the time to build it.
  void reserve(std::size_t data, std::size_t tasks, std::size_t accesses);
  [[nodiscard]] std::size_t size() const noexcept { return tasks_.tasks.size(); }
  [[nodiscard]] TaskKind kind_of(TaskId task) const;
  [[nodiscard]] std::string name_of(TaskId task) const;  ///< "density[12]"

  /// The whole graph, or the tasks of some kinds; skipped tasks leave no gap: each datum's accesses are replayed over
  /// the active tasks only, so an order that went through a skipped writer still holds.
  ///
  /// Cost: O((active tasks + their accesses) * depth of the data + edges), some 10 ns per access and per edge, and
  /// under 1 ns per task that is passed over. Threads: those that return an activation may run at once.
  /// @throws base::PreconditionError if a kind or task is not of this graph; a task named twice is active once
  [[nodiscard]] Activation activate_all() const;
  [[nodiscard]] Activation activate(std::span<const TaskKind> kinds) const;
  [[nodiscard]] Activation activate(std::span<const TaskId> tasks) const;
  /// The same into an activation that is used again: allocates nothing that an earlier call has allocated. Threads: one
  /// call at a time.
  void activate(std::span<const TaskKind> kinds, Activation& into) const;
  void activate(std::span<const TaskId> tasks, Activation& into) const;

  /// Takes the measured times of the last run of `activation` as costs of its tasks. Later activations use them.
  void learn_costs(const Activation& activation);

  /// Tells it apart from all other graphs, those that were at the same address before among them.
  [[nodiscard]] std::uint64_t number() const noexcept { return number_.value(); }
  /// Whether a run has ended with an error, and dropped tasks.
  [[nodiscard]] bool has_failed() const noexcept { return has_failed_; }

  /// The edges as a Graphviz digraph of task names, in order of creation; joins are points named join0, join1, ...
  /// Tasks that share a name get their number added: "sum[0] #7".
  void write_dot(std::ostream& out, const Activation& activation) const;

 private:
  friend class Batch;
  friend class Scheduler;
  friend class StepContext;
  /// Tells graphs apart whose address is the same. What is left behind by a move is another graph.
  class Number {
   public:
    Number() noexcept : value_(next()) {}
    Number(Number&& other) noexcept : value_(std::exchange(other.value_, next())) {}
    Number& operator=(Number&& other) noexcept {
      value_ = std::exchange(other.value_, next());
      return *this;
    }
    [[nodiscard]] std::uint64_t value() const noexcept { return value_; }

   private:
    static std::uint64_t next() noexcept;
    std::uint64_t value_;
  };
  struct Call {
    void (*function)(void* object, StepContext& step) = nullptr;
    void* object = nullptr;
  };
  struct Task {
    Call call;
    TaskKind kind{};
    std::uint32_t key = 0;
    float cost = 0.0F;
    std::uint32_t end = 0;  // of its accesses, which begin where those of the task before end
  };
  /// Tasks in the order of creation, numbered from 0.
  struct TaskList {
    std::vector<Task> tasks;
    std::vector<Access> accesses;  // of a task one per datum and none a part of another: see detail::merge_accesses
    std::vector<std::pair<TaskId, Accesses>> declared;  // of the tasks where that is not what they said
    detail::ObjectStore functions;

    template <class Function>
    TaskId add(const Graph& graph, TaskKind kind, std::span<const Access> of_task, const TaskOptions& options,
               Function&& function) {
      using Callable = std::decay_t<Function>;
      void* const object = functions.template emplace<Callable>(std::forward<Function>(function));
      return append(graph, kind, of_task, options,
                    {[](void* at, StepContext& step) { std::invoke(*static_cast<Callable*>(at), step); }, object});
    }
    TaskId append(const Graph& graph, TaskKind kind, std::span<const Access> of_task, const TaskOptions& options,
                  Call call);
  };

  template <class Function>
  static bool is_empty(const Function& function) {
    if constexpr (std::is_pointer_v<Function> || std::is_same_v<Function, TaskFunction>) {
      return !function;
    } else {
      return false;
    }
  }
  void check_task(TaskKind kind, std::span<const Access> accesses, const TaskOptions& options, bool empty) const {
    bool is_known = static_cast<std::size_t>(kind) < kinds_.size();
    for (const Access& access : accesses) is_known &= static_cast<std::size_t>(access.datum) < parents_.size();
    const bool has_cost = options.cost >= 0.0 && options.cost <= std::numeric_limits<float>::max();
    if (!is_known || !has_cost || empty) [[unlikely]] {
      refuse_task(kind, accesses, options, empty);
    }
  }
  [[noreturn]] void refuse_task(TaskKind kind, std::span<const Access> accesses, const TaskOptions& options,
                                bool empty) const;
  [[nodiscard]] bool is_simple(std::span<const Access> accesses) const;
  [[nodiscard]] std::span<const Access> conflicts_of(std::size_t task) const {
    const std::uint32_t first = task == 0 ? 0 : tasks_.tasks[task - 1].end;
    return {tasks_.accesses.data() + first, tasks_.tasks[task].end - first};
  }
  [[nodiscard]] std::span<const Access> declared_by(TaskId task) const;
  [[nodiscard]] std::uint32_t relation_of(TaskId task) const noexcept {
    const auto place = static_cast<std::size_t>(task);
    return place < relations_.size() ? relations_[place] : 0;
  }
  using Scratch = detail::ActivationScratch;
  void choose(std::span<const TaskKind> kinds, Scratch& scratch) const;
  void choose(std::span<const TaskId> tasks, Scratch& scratch) const;
  void activate_chosen(Scratch& scratch, Activation& into) const;
  [[nodiscard]] Scratch& kept_scratch() const;
  void replay(Scratch& scratch, Activation& into) const;
  void replay_ordered(Scratch& scratch, Activation& into) const;
  [[nodiscard]] float find_longest_paths(Scratch& scratch, Activation& into) const;
  void fill_nodes(const Scratch& scratch, Activation& into, float longest) const;
  void set_places(Activation& activation) const;
  [[nodiscard]] std::vector<std::uint32_t> key_ranks(std::span<const TaskId> tasks) const;

  Conflicts conflicts_;
  Number number_;
  bool has_failed_ = false;  // written by the scheduler between runs
  std::vector<DatumId> parents_;
  std::vector<bool> nested_;   // per datum: has a parent or parts; empty where none has
  std::vector<float> places_;  // per datum; negative if not set; empty if none is set
  std::vector<std::string> kinds_;
  std::vector<trace::Category> categories_;  // by kind
  TaskList tasks_;
  std::vector<std::uint32_t> relations_;  // per task: that of expect_after, from 1; 0: none; short where the last are 0
  std::vector<TaskId> later_;             // by relation, less 1
  mutable std::unique_ptr<Scratch> scratch_;  // of the activations, kept for the forms that allocate nothing
};

}  // namespace tacit::tasks
