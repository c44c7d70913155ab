// Coroutines on the workers of a scheduler: Task<T>, and what they can wait for.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <concepts>
#include <coroutine>
#include <cstdint>
#include <exception>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "tacit/base/completion.hpp"
#include "tacit/tasks/detail/frame_pool.hpp"
#include "tacit/tasks/future.hpp"
#include "tacit/tasks/scheduler.hpp"

namespace tacit::tasks {

template <class T>
class Task;

namespace detail {

/// Something that runs in steps: a coroutine, or its final continuation. As a job, it runs steps until none follows.
struct Resumable : Job {
  /// Runs one step; its last action may be to name the next one on this thread with `continue_with`.
  void (*step)(Resumable& resumable) noexcept = nullptr;
  Scheduler* scheduler = nullptr;
};

/// Sets what this thread resumes when the current step returns. A loop resumes it, so chains of coroutines of any
/// length need one stack frame. Never inline: see take_frame.
[[gnu::noinline]] void continue_with(Resumable* next) noexcept;
/// What Resumable::run points to.
void run_steps(Job& job) noexcept;

/// The part of a coroutine's promise that does not know the type of the result.
struct PromiseBase : Resumable, DeferredObject, Pooled {
  Resumable* after = nullptr;  // who waits for the end
  std::exception_ptr error;

  /// Makes this the child of a coroutine, or of a root, which is resumed at its end.
  void inherit(Resumable& parent) noexcept {
    kind = parent.kind;
    key = parent.key;
    scheduler = parent.scheduler;
    after = &parent;
  }
};

template <class Promise>
concept TaskPromise = std::derived_from<Promise, PromiseBase>;

/// Final suspension of every coroutine: resumes its waiter.
struct FinalAwaiter {
  [[nodiscard]] bool await_ready() const noexcept { return false; }
  template <TaskPromise Promise>
  void await_suspend(std::coroutine_handle<Promise> done) const noexcept {
    continue_with(done.promise().after);
  }
  void await_resume() const noexcept {}
};

/// How a coroutine of type Promise is resumed and destroyed, and how it ends.
template <class Promise, class T>
struct PromiseFor : PromiseBase {
  static_assert(std::is_void_v<T> || std::is_object_v<T>, "a Task gives a value, not a reference");
  PromiseFor() noexcept {
    run = &run_steps;
    step = [](Resumable& self) noexcept { handle(static_cast<PromiseFor&>(self)).resume(); };
    destroy = [](DeferredObject& self) noexcept { handle(static_cast<PromiseFor&>(self)).destroy(); };
  }
  static std::coroutine_handle<Promise> handle(PromiseFor& self) noexcept {
    return std::coroutine_handle<Promise>::from_promise(static_cast<Promise&>(self));
  }
  Task<T> get_return_object() noexcept { return Task<T>(static_cast<Promise&>(*this)); }
  [[nodiscard]] std::suspend_always initial_suspend() const noexcept { return {}; }
  [[nodiscard]] FinalAwaiter final_suspend() const noexcept { return {}; }
  void unhandled_exception() noexcept { error = std::current_exception(); }
};

}  // namespace detail

/// A coroutine that gives a T, void included. It starts when it is awaited or spawned, never before.
///
///     Task<double> energy(const Block& block) {
///       co_await block.arrived;                       // a Future<void>
///       co_return kinetic(block) + co_await gravity(block);   // another Task
///     }
///
/// What it waits for and what it returns to is resumed by the worker's loop, so chains may be 10^6 deep in any build.
/// No lock may be held across a co_await: the coroutine may resume on another worker. Parameters taken by reference
/// must outlive it.
template <class T = void>
class [[nodiscard]] Task {
 public:
  using value_type = T;
  struct promise_type;

  explicit Task(promise_type& promise) noexcept : promise_(&promise) {}
  Task(Task&& other) noexcept : promise_(std::exchange(other.promise_, nullptr)) {}
  Task& operator=(Task other) noexcept {
    std::swap(promise_, other.promise_);
    return *this;
  }
  ~Task() {
    if (promise_ != nullptr) detail::release_deferred(*promise_);
  }

  /// For those that start it. @pre not moved from
  [[nodiscard]] promise_type& promise() const {
    if (promise_ == nullptr) throw base::PreconditionError("a Task is awaited that has been awaited or moved before");
    return *promise_;
  }
  /// The result. @pre the coroutine is over
  T result();

 private:
  promise_type* promise_;
};

template <class T>
struct Task<T>::promise_type final : detail::PromiseFor<promise_type, T> {
  static_assert(alignof(T) <= detail::frame_alignment, "results of Tasks need no more than a cache line's alignment");
  std::optional<T> value;
  template <class Value = T>
    requires std::constructible_from<T, Value>
  void return_value(Value&& result) {
    value.emplace(std::forward<Value>(result));
  }
};

template <>
struct Task<void>::promise_type final : detail::PromiseFor<promise_type, void> {
  void return_void() const noexcept {}
};

template <class T>
T Task<T>::result() {
  if (promise_->error) std::rethrow_exception(promise_->error);
  if constexpr (!std::is_void_v<T>) return std::move(*promise_->value);
}

namespace detail {

/// Starts a Task and resumes at its end.
template <class T>
class TaskAwaiter {
 public:
  explicit TaskAwaiter(Task<T>&& task) noexcept : task_(std::move(task)) {}
  [[nodiscard]] bool await_ready() const noexcept { return false; }
  template <TaskPromise Promise>
  void await_suspend(std::coroutine_handle<Promise> parent) const {
    PromiseBase& child = task_.promise();
    child.inherit(parent.promise());
    continue_with(&child);
  }
  T await_resume() { return task_.result(); }

 private:
  Task<T> task_;
};

/// Waits for a future's state, and then submits the coroutine.
class StateAwaiter : public Waiter {
 public:
  template <TaskPromise Promise>
  [[nodiscard]] bool wait(FutureState& state, std::coroutine_handle<Promise> waiting) noexcept {
    waiting_ = &waiting.promise();
    ready = [](Waiter& waiter) noexcept {
      Resumable& resumed = *static_cast<StateAwaiter&>(waiter).waiting_;
      resumed.scheduler->submit(resumed);
    };
    return state.add(*this);
  }

 private:
  Resumable* waiting_ = nullptr;
};

/// co_await of an lvalue handle: the result is a reference to the value.
template <class T>
class KeptFutureAwaiter : private StateAwaiter {
 public:
  explicit KeptFutureAwaiter(const Future<T>& future) noexcept : future_(&future) {}
  [[nodiscard]] bool await_ready() const { return future_->is_ready(); }
  template <TaskPromise Promise>
  bool await_suspend(std::coroutine_handle<Promise> waiting) {
    return this->wait(future_->state(), waiting);
  }
  decltype(auto) await_resume() const { return future_->get(); }

 private:
  const Future<T>* future_;
};

/// co_await of an rvalue handle: the result is the value itself.
template <class T>
class TakenFutureAwaiter : private StateAwaiter {
 public:
  explicit TakenFutureAwaiter(Future<T>&& future) noexcept : future_(std::move(future)) {}
  [[nodiscard]] bool await_ready() const { return future_.is_ready(); }
  template <TaskPromise Promise>
  bool await_suspend(std::coroutine_handle<Promise> waiting) {
    return this->wait(future_.state(), waiting);
  }
  T await_resume() { return future_.take(); }

 private:
  Future<T> future_;
};

/// Moves a coroutine to the end of a queue of a scheduler.
class RescheduleAwaiter {
 public:
  explicit RescheduleAwaiter(Scheduler& scheduler) noexcept : scheduler_(&scheduler) {}
  [[nodiscard]] bool await_ready() const noexcept { return false; }
  template <TaskPromise Promise>
  void await_suspend(std::coroutine_handle<Promise> moved) const noexcept {
    Scheduler& scheduler = *scheduler_;
    moved.promise().scheduler = &scheduler;
    scheduler.submit_last(moved.promise());
  }
  void await_resume() const noexcept {}

 private:
  Scheduler* scheduler_;
};

/// The part of CompletionAwaiter that does not know what posts.
class CompletionWait : public Awaiter {
 public:
  explicit CompletionWait(base::CompletionSource& source) noexcept : source_(&source) {}
  void finished(const base::Completion& completion) noexcept final;
  [[nodiscard]] std::string describe() const final;

 protected:
  ~CompletionWait() = default;
  [[nodiscard]] base::Token expect(Resumable& waiting);
  /// Whether the coroutine has to wait after the post; it may run already then. Once.
  [[nodiscard]] bool has_to_wait() noexcept { return to_come_.fetch_sub(1, std::memory_order_acq_rel) != 1; }
  /// @throws base::Error for a completion with an error
  [[nodiscard]] base::Completion result() const;

 private:
  base::CompletionSource* source_;
  Resumable* waiting_ = nullptr;
  base::Completion completion_;
  // The completion may come while the post still uses the awaiter: the later of the two resumes the coroutine.
  std::atomic<std::uint32_t> to_come_{2};
};

template <class Post>
class CompletionAwaiter final : public CompletionWait {
 public:
  CompletionAwaiter(base::CompletionSource& source, Post post) : CompletionWait(source), post_(std::move(post)) {}
  [[nodiscard]] bool await_ready() const noexcept { return false; }
  template <TaskPromise Promise>
  bool await_suspend(std::coroutine_handle<Promise> waiting) {
    post_(expect(waiting.promise()));
    return has_to_wait();
  }
  base::Completion await_resume() const { return result(); }

 private:
  Post post_;
};

/// The state of a spawned Task, and what stands at its end.
template <class T>
class Root final : public ValueState<T>, private Resumable {
 public:
  Root(Scheduler& on, Task<T>&& task, const JobOptions& options)
      : ValueState<T>(
            on, [](DeferredObject& self) noexcept { delete static_cast<Root*>(&self); }, 2),
        task_(std::move(task)) {
    kind = options.kind;
    key = options.key;
    run = &start;
    step = &finish;
    Resumable::scheduler = &on;
    static_cast<void>(task_->promise());  // an empty one throws here, not in the job
  }
  void submit() noexcept { Resumable::scheduler->submit(*this); }

 private:
  static void start(Job& job) noexcept {
    auto& self = static_cast<Root&>(job);
    if (!self.claim()) {
      self.task_.reset();
      return self.release();
    }
    self.run = &run_steps;
    self.task_->promise().inherit(self);
    run_steps(self.task_->promise());
  }

  static void finish(Resumable& resumable) noexcept {
    auto& self = static_cast<Root&>(resumable);
    std::exception_ptr error = std::move(self.task_->promise().error);
    if (!error) {
      try {
        self.store_result();
      } catch (...) {
        error = std::current_exception();
      }
    }
    if (error) self.store_error(std::move(error));
    self.task_.reset();
    self.complete();
  }

  void store_result() {
    if constexpr (std::is_void_v<T>) {
      this->store();
    } else {
      this->store(std::move(*task_->promise().value));
    }
  }

  std::optional<Task<T>> task_;
};

template <class T>
struct Unwrap<Task<T>> {
  static constexpr bool is_later = true;
  using Value = T;
  static StateRef<ValueState<T>> start(Scheduler& scheduler, Task<T> task) {
    auto* const root = new Root<T>(scheduler, std::move(task), {});
    StateRef<ValueState<T>> state(root);
    root->submit();
    return state;
  }
};

}  // namespace detail

/// Starts `task` as a job. Cancelling the future drops it only as long as it has not started.
template <class T>
Future<T> spawn(Scheduler& scheduler, Task<T> task, const JobOptions& options = {}) {
  auto* const root = new detail::Root<T>(scheduler, std::move(task), options);
  Future<T> future{detail::StateRef<detail::ValueState<T>>(root)};
  root->submit();
  return future;
}

/// `co_await task()`, `co_await std::move(task)`: runs it on this worker, gives its result or throws its error.
template <class T>
[[nodiscard]] auto operator co_await(Task<T>&& task) noexcept {
  return detail::TaskAwaiter<T>(std::move(task));
}

/// `co_await future`: `const T&` for an lvalue handle, T as Future::take gives it for an rvalue.
template <class T>
[[nodiscard]] auto operator co_await(const Future<T>& future) noexcept {
  return detail::KeptFutureAwaiter<T>(future);
}
template <class T>
[[nodiscard]] auto operator co_await(Future<T>& future) noexcept {
  return detail::KeptFutureAwaiter<T>(future);
}
template <class T>
[[nodiscard]] auto operator co_await(Future<T>&& future) noexcept {
  return detail::TakenFutureAwaiter<T>(std::move(future));
}

/// `co_await on(scheduler)`: resumes as a new job of that scheduler, now and after all later waits. Also yields to
/// other jobs.
[[nodiscard]] inline detail::RescheduleAwaiter on(Scheduler& scheduler) noexcept {
  return detail::RescheduleAwaiter(scheduler);
}

/// `co_await completion(source, post)`: calls post(token), which starts an operation of `source` that carries the
/// token, and resumes with its base::Completion when it has ended.
///
///     co_await completion(file, [&](base::Token token) { file.write(block, token); });
///
/// The coroutine's scheduler must poll the source (Scheduler::attach). A completion with an error is thrown as a
/// base::Error with the source's name and explanation.
/// @param post  must not throw: an operation that cannot be started is a completion with an error
template <class Post>
  requires std::invocable<Post&, base::Token>
[[nodiscard]] auto completion(base::CompletionSource& source, Post post) {
  return detail::CompletionAwaiter<Post>(source, std::move(post));
}

}  // namespace tacit::tasks
