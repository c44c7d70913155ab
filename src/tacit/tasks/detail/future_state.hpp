// The state shared by a future and its producer: value or error, and the waiters.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>

#include "tacit/tasks/detail/frame_pool.hpp"
#include "tacit/tasks/scheduler.hpp"

namespace tacit::tasks::detail {

/// Is notified once when a state is ready.
struct Waiter {
  /// Called by the thread that makes the state ready; must be short: it submits a job. May destroy the waiter.
  void (*ready)(Waiter& waiter) noexcept = nullptr;
  Waiter* next = nullptr;
};

/// The part of a state that does not know the type of the value. Counts references to itself.
///
///     open --claim--> (the one producer stores value or error) --complete--> ready
///
/// Threads: everything may be called at any time by any thread that holds a reference, but only the one that claimed
/// stores and completes.
class FutureState : public DeferredObject, public Pooled {
 public:
  /// @param references  that exist from the start
  FutureState(Scheduler& scheduler, void (*destroy_with)(DeferredObject&) noexcept, std::uint32_t references) noexcept
      : DeferredObject{.destroy = destroy_with}, scheduler_(&scheduler), references_(references) {}
  FutureState(const FutureState&) = delete;
  FutureState& operator=(const FutureState&) = delete;

  [[nodiscard]] Scheduler& scheduler() const noexcept { return *scheduler_; }
  [[nodiscard]] bool is_ready() const noexcept { return waiters_.load(std::memory_order_acquire) == &closed; }
  /// @pre is_ready()
  [[nodiscard]] const std::exception_ptr& error() const noexcept { return error_; }

  void retain() noexcept { references_.fetch_add(1, std::memory_order_relaxed); }
  void release() noexcept {
    // The only holder need not decrement the count.
    if (is_sole() || references_.fetch_sub(1, std::memory_order_acq_rel) == 1) release_deferred(*this);
  }
  [[nodiscard]] bool is_sole() const noexcept { return references_.load(std::memory_order_acquire) == 1; }

  /// Whether the caller is now the one that completes the state; false: it was cancelled or claimed before.
  [[nodiscard]] bool claim() noexcept { return !claimed_.exchange(true, std::memory_order_relaxed); }
  [[nodiscard]] bool is_claimed() const noexcept { return claimed_.load(std::memory_order_relaxed); }

  /// Stores an error; `complete` follows. @pre the caller has claimed the state
  void store_error(std::exception_ptr error) noexcept { error_ = std::move(error); }
  /// Makes the state ready, gives up the caller's reference, and then notifies the waiters, in the order in which they
  /// came.
  /// @pre the caller has claimed the state and stored a value or an error
  void complete() noexcept;
  /// Claims, fails with a CancelledError and completes; false: too late. Keeps the caller's reference.
  bool cancel();

  /// Notifies `waiter` once the state is ready; false: it is ready already, and the waiter is not kept.
  [[nodiscard]] bool add(Waiter& waiter) noexcept;
  /// Returns once the state is ready. A worker of its scheduler runs jobs meanwhile, other threads sleep.
  void wait();

 protected:
  ~FutureState() = default;

 private:
  /// What waiters_ points to once the state is ready.
  static inline constinit Waiter closed{};

  Scheduler* scheduler_;
  std::atomic<std::uint32_t> references_;
  std::atomic<bool> claimed_{false};
  std::atomic<Waiter*> waiters_{nullptr};  // the newest first
  std::exception_ptr error_;
};

/// A state with room for a value; void stands for none.
template <class T>
class ValueState : public FutureState {
 public:
  static_assert(std::is_void_v<T> || (std::is_object_v<T> && std::is_same_v<T, std::remove_cv_t<T>>),
                "a future holds a value, not a reference");
  static constexpr bool is_void = std::is_void_v<T>;
  using Stored = std::conditional_t<is_void, std::monostate, T>;
  static_assert(alignof(Stored) <= frame_alignment, "values of futures need no more than a cache line's alignment");
  using FutureState::FutureState;

  /// @pre the caller has claimed the state; `complete` follows
  template <class... Arguments>
  void store(Arguments&&... arguments) {
    value_.emplace(std::forward<Arguments>(arguments)...);
  }
  /// @pre is_ready() without an error
  [[nodiscard]] Stored& value() noexcept { return *value_; }
  [[nodiscard]] const Stored& value() const noexcept { return *value_; }

 protected:
  ~ValueState() = default;

 private:
  std::optional<Stored> value_;
};

/// A state that is filled from outside, by a Promise.
template <class T>
class PromisedState final : public ValueState<T> {
 public:
  PromisedState(Scheduler& scheduler, std::uint32_t references) noexcept
      : ValueState<T>(
            scheduler, [](DeferredObject& object) noexcept { delete static_cast<PromisedState*>(&object); },
            references) {}
};

/// Owns one reference to a state, or none.
template <class State>
class StateRef {
 public:
  StateRef() = default;
  /// Takes over a reference that has been counted already.
  explicit StateRef(State* counted) noexcept : state_(counted) {}
  StateRef(const StateRef& other) noexcept : state_(other.state_) {
    if (state_ != nullptr) state_->retain();
  }
  StateRef(StateRef&& other) noexcept : state_(std::exchange(other.state_, nullptr)) {}
  StateRef& operator=(StateRef other) noexcept {
    std::swap(state_, other.state_);
    return *this;
  }
  ~StateRef() {
    if (state_ != nullptr) state_->release();
  }
  [[nodiscard]] State* get() const noexcept { return state_; }
  State* operator->() const noexcept { return state_; }
  State& operator*() const noexcept { return *state_; }
  explicit operator bool() const noexcept { return state_ != nullptr; }
  /// Hands the reference to the caller.
  [[nodiscard]] State* detach() noexcept { return std::exchange(state_, nullptr); }

 private:
  State* state_ = nullptr;
};

/// Runs jobs until `done` if the calling thread is a worker, of `scheduler` or of another, or may become one: the
/// thread that made `scheduler`.
/// @param first  a job of `scheduler` to begin with. @pre then the thread is no worker of another
/// @return  false: it is neither; nothing was done
/// @throws  StalledError
[[nodiscard]] bool work_until(Scheduler& scheduler, const std::function<bool()>& done, Job* first = nullptr);

}  // namespace tacit::tasks::detail
