// Values that come later: futures, promises, and callables that run as jobs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <concepts>
#include <exception>
#include <functional>
#include <tuple>
#include <type_traits>
#include <utility>

#include "tacit/base/error.hpp"
#include "tacit/tasks/detail/call.hpp"
#include "tacit/tasks/detail/future_state.hpp"
#include "tacit/tasks/job.hpp"
#include "tacit/tasks/scheduler.hpp"

namespace tacit::tasks {

/// The work behind a future was dropped before it started.
class CancelledError : public base::Error {
 public:
  CancelledError();
};

/// A Promise has gone without a value or an error.
class BrokenPromiseError : public base::Error {
 public:
  BrokenPromiseError();
};

/// How a job shows in the trace.
struct JobOptions {
  trace::KindId kind{};   ///< of the scheduler's recorder
  std::uint32_t key = 0;  ///< which one of its kind
};

template <class T>
class Future;

namespace detail {

/// How a continuation gets the value: the future's own, or one of its own.
enum class Passing : std::uint8_t { by_reference, taken };

/// One input of a callable.
template <class T, Passing passing>
struct Input {
  Future<T> future;
  [[nodiscard]] auto argument();
};

/// A future as the input that its value category asks for.
template <class F>
using InputOf = Input<typename std::remove_cvref_t<F>::value_type,
                      std::is_lvalue_reference_v<F> ? Passing::by_reference : Passing::taken>;

/// A callable and the futures whose values are its arguments.
template <class Function, class... Inputs>
struct Application {
  Function function;
  std::tuple<Inputs...> inputs;

  template <class Visit>
  void visit(Visit visit_state) {
    std::apply([&](Inputs&... input) { (visit_state(input.future.state()), ...); }, inputs);
  }
  decltype(auto) operator()() {
    return std::apply(
        [this](Inputs&... input) -> decltype(auto) {
          return std::apply(std::move(function), std::tuple_cat(input.argument()...));
        },
        inputs);
  }
};

/// Makes a Call of `body`, starts it, and gives its future.
/// @throws base::PreconditionError if an input is an empty future
template <class Body, class Waiters>
auto start_call(Scheduler& scheduler, const JobOptions& options, Body&& body, Waiters&& waiters);

}  // namespace detail

/// A handle to a value of type T, void included, that is there already or comes later. Copies share the value.
///
///     Future<double> sum = spawn(scheduler, [&] { return total(u); });
///     Future<void> told = sum.then([&](double value) { log.add(value); });
///     double again = sum.get();
///
/// Errors travel as values do: whoever wants the value gets the exception instead, and continuations are not called.
/// Threads: handles may be copied, asked and continued anywhere; one handle is used by one thread at a time.
template <class T>
class Future {
 public:
  using value_type = T;
  Future() = default;
  /// Used by those who make states.
  explicit Future(detail::StateRef<detail::ValueState<T>> state) noexcept : state_(std::move(state)) {}

  /// Whether there is a value to come, which all members but assignment need.
  [[nodiscard]] bool is_valid() const noexcept { return static_cast<bool>(state_); }
  /// Whether value or error are there.
  [[nodiscard]] bool is_ready() const { return state().is_ready(); }

  /// Returns once value or error are there. Inside jobs, tasks and on worker 0 other jobs run meanwhile, on this stack,
  /// and must return before the wait does; other threads sleep.
  /// @pre inside a job: the work behind the future was spawned by this job, or by one that it spawned. A job that waits
  ///      for somebody else's may come to run on top of that one's own wait, and neither can go on then: such a job
  ///      uses `then` or `dataflow`, or is a coroutine and uses `co_await`.
  void wait() const { state().wait(); }
  /// The value, after `wait`; it lives as long as a handle.
  /// @throws what the producer threw, CancelledError, BrokenPromiseError
  decltype(auto) get() const;
  /// The value itself, after `wait`: moved if this is the only handle or T cannot be copied, else a copy. Leaves this
  /// handle empty. Throws as `get` does.
  T take();

  /// A future of `function(value)`, which runs as a job once the value is there: `const T&` for a handle that is kept,
  /// `T` for one that is given up (`std::move(future).then(...)`), nothing for void. If it returns a future or a Task,
  /// the result is that one's value.
  template <class Function>
  auto then(Function&& function, const JobOptions& options = {}) const&;
  template <class Function>
  auto then(Function&& function, const JobOptions& options = {}) &&;

  /// Drops the work behind the future if it has not started: the future is ready with a CancelledError on return, and
  /// so are its continuations in time. What it waits for goes on; other handles see the same.
  /// @return false: it runs or is over, nothing is changed
  bool cancel() const { return state().cancel(); }

  /// Used by those who wait; the handle must not be empty.
  [[nodiscard]] detail::ValueState<T>& state() const {
    if (!state_)
      throw base::PreconditionError("a future without a state is used: it was moved from or never given one");
    return *state_;
  }
  [[nodiscard]] detail::StateRef<detail::ValueState<T>> release_state() && noexcept { return std::move(state_); }

 private:
  detail::StateRef<detail::ValueState<T>> state_;
};

/// The other end of a future that no job fills. Move-only; goes with an error in the future if nothing was set.
template <class T>
class Promise {
 public:
  /// @param scheduler  runs the continuations; must outlive them
  explicit Promise(Scheduler& scheduler) : state_(new detail::PromisedState<T>(scheduler, 1)) {}
  Promise(Promise&&) noexcept = default;
  /// What this promise was for is broken first.
  Promise& operator=(Promise other) noexcept {
    std::swap(state_, other.state_);
    return *this;
  }
  ~Promise() {
    if (state_) finish([](auto& state) { state.store_error(std::make_exception_ptr(BrokenPromiseError())); });
  }

  [[nodiscard]] Future<T> future() const {
    open_state();
    return Future<T>(state_);
  }
  /// Makes the future ready. Ends the promise.
  /// @pre nothing has been set
  template <class... Value>
    requires std::constructible_from<typename detail::ValueState<T>::Stored, Value...>
  void set_value(Value&&... value) {
    finish([&](auto& state) { state.store(std::forward<Value>(value)...); });
  }
  void set_error(std::exception_ptr error) {
    finish([&](auto& state) { state.store_error(std::move(error)); });
  }
  /// Whether the future was cancelled, so that nobody needs the value; what is set then is dropped.
  [[nodiscard]] bool is_cancelled() const { return open_state().is_claimed(); }

 private:
  detail::ValueState<T>& open_state() const {
    if (!state_) throw base::PreconditionError("a promise is used that has been kept already, or moved from");
    return *state_;
  }
  template <class Store>
  void finish(Store store);

  detail::StateRef<detail::ValueState<T>> state_;
};

/// A future that is ready.
template <class T>
[[nodiscard]] Future<std::decay_t<T>> make_ready(Scheduler& scheduler, T&& value) {
  Promise<std::decay_t<T>> promise(scheduler);
  auto future = promise.future();
  promise.set_value(std::forward<T>(value));
  return future;
}
[[nodiscard]] Future<void> make_ready(Scheduler& scheduler);

/// Runs `function()` as a job. If it returns a future or a Task, the result is that one's value.
///
/// Many small jobs whose results nobody waits for one by one are cheaper in a TaskGroup.
/// Cost: one block from the pool; 20-40 ns beside the scheduler's own.
template <class Function>
  requires std::invocable<std::decay_t<Function>&&>
auto spawn(Scheduler& scheduler, Function&& function, const JobOptions& options = {}) {
  using Body = detail::Application<std::decay_t<Function>>;
  return detail::start_call(scheduler, options, Body{std::forward<Function>(function), {}},
                            std::array<detail::GateWaiter, 0>{});
}

/// Runs `function(values...)` as a job once all of `futures` are ready: a node of a graph that is made of futures.
///
///     cell[i][j] = dataflow(scheduler, update, cell[i - 1][j], cell[i][j - 1]);
///
/// @param futures  a handle that is kept passes `const T&`, one that is given up (std::move, a temporary) passes `T`;
///                 futures of void pass nothing
/// If some have failed, the error of the first of these, by position, is the result's, once all are ready.
/// @throws base::PreconditionError if one of `futures` is empty
template <class Function, class... Futures>
auto dataflow(Scheduler& scheduler, Function&& function, Futures&&... futures) {
  using Body = detail::Application<std::decay_t<Function>, detail::InputOf<Futures&&>...>;
  return detail::start_call(scheduler, {},
                            Body{std::forward<Function>(function), {{std::forward<Futures>(futures)}...}},
                            std::array<detail::GateWaiter, sizeof...(Futures)>{});
}

}  // namespace tacit::tasks

#include "tacit/tasks/detail/future_members.hpp"
