// A state that is filled by a job, once the states that it needs are ready.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "tacit/base/error.hpp"
#include "tacit/tasks/detail/future_state.hpp"

namespace tacit::tasks::detail {

/// A job that is submitted once everything that it waits for has arrived.
struct Gate : Job {
  Gate(const Job& job, Scheduler& scheduler, std::uint32_t arrivals) noexcept
      : Job(job), target(&scheduler), missing(arrivals) {}
  /// Counts one arrival; the last one submits the job, which may be gone on return.
  void arrive() noexcept {
    if (missing.load(std::memory_order_acquire) == 1 || missing.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      target->submit(*this);
    }
  }

  Scheduler* target;
  std::atomic<std::uint32_t> missing;
};

/// Arrives at a gate when a state is ready.
struct GateWaiter : Waiter {
  Gate* gate = nullptr;
  void wait_for(FutureState& state, Gate& at) noexcept {
    gate = &at;
    ready = [](Waiter& waiter) noexcept { static_cast<GateWaiter&>(waiter).gate->arrive(); };
    if (!state.add(*this)) at.arrive();
  }
};

/// How a callable's result becomes a future's value: as it is, but the value of a future that it returns.
template <class Result>
struct Unwrap {
  static constexpr bool is_later = false;
  using Value = std::decay_t<Result>;
};

/// What a Call keeps while the future that its body returned is not ready.
template <class Value>
struct Inner {
  StateRef<ValueState<Value>> state;
  GateWaiter waiter;
};

/// Fills its state with what `Body` returns.
///
/// A Body holds the callable and its inputs; `visit(f)` calls f(FutureState&) for each input, in order, and
/// `operator()` is called when all are ready and none has failed. Otherwise the first error becomes the Call's.
///
/// @tparam Waiters  std::array or std::vector of GateWaiter, one per input
template <class Body, class Waiters>
class Call final : public ValueState<typename Unwrap<std::invoke_result_t<Body&>>::Value>, private Gate {
  using Result = std::invoke_result_t<Body&>;
  static constexpr bool is_later = Unwrap<Result>::is_later;

 public:
  using Value = typename Unwrap<Result>::Value;
  using State = ValueState<Value>;

  /// @param job  kind and key; run is set here
  Call(Scheduler& scheduler, const Job& job, Body&& body, Waiters&& waiters)
      // One reference for the future that is handed out, one for the job.
      : State(scheduler, &destroy, 2),
        Gate({.run = &run, .kind = job.kind, .key = job.key}, scheduler, static_cast<std::uint32_t>(waiters.size())),
        body_(std::move(body)),
        waiters_(std::move(waiters)) {}

  /// Starts to wait for the inputs. Once, after construction.
  void start() noexcept {
    if (waiters_.size() == 0) return target->submit(*this);
    std::size_t next = 0;
    body_->visit([this, &next](FutureState& state) { waiters_[next++].wait_for(state, *this); });
  }

 private:
  static void destroy(DeferredObject& object) noexcept { delete static_cast<Call*>(&object); }

  static void run(Job& job) noexcept {
    auto& self = static_cast<Call&>(job);
    if (self.claim()) return self.work();
    self.body_.reset();
    self.release();
  }

  void work() noexcept {
    std::exception_ptr error;
    body_->visit([&error](FutureState& state) {
      if (!error && state.error()) error = state.error();
    });
    if (error) return finish(std::move(error));
    try {
      if constexpr (is_later) {
        inner_.state = Unwrap<Result>::start(*target, (*body_)());
        if (!inner_.state) throw base::PreconditionError("a callable returned a future without a state");
      } else if constexpr (State::is_void) {
        (*body_)();
        this->store();
      } else {
        this->store((*body_)());
      }
    } catch (...) {
      error = std::current_exception();
    }
    // The error is not held here while others see it: a sanitizer cannot follow the counting of its references.
    if constexpr (is_later) {
      if (!error) return wait_for_inner();
    }
    finish(std::move(error));
  }

  void finish(std::exception_ptr error) noexcept {
    if (error) this->store_error(std::move(error));
    body_.reset();
    this->complete();
  }

  void wait_for_inner() noexcept {
    missing.store(1, std::memory_order_relaxed);
    Gate::run = &forward;
    inner_.waiter.wait_for(*inner_.state, *this);
  }

  /// Takes over the value of the future that the body returned. A job, so that 10^6 futures in futures do not nest.
  static void forward(Job& job) noexcept {
    auto& self = static_cast<Call&>(job);
    const auto inner = std::move(self.inner_.state);
    std::exception_ptr error = inner->error();
    if (!error) {
      try {
        self.store_from(*inner);
      } catch (...) {
        error = std::current_exception();
      }
    }
    self.finish(std::move(error));
  }

  void store_from(State& inner) {
    if constexpr (std::is_copy_constructible_v<typename State::Stored>) {
      if (!inner.is_sole()) return this->store(std::as_const(inner).value());
    }
    this->store(std::move(inner.value()));
  }

  std::optional<Body> body_;
  Waiters waiters_;
  [[no_unique_address]] std::conditional_t<is_later, Inner<Value>, std::monostate> inner_;
};

}  // namespace tacit::tasks::detail
