// The members of Future and Promise that need each other's definitions.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tacit/tasks/future.hpp"

namespace tacit::tasks {

namespace detail {

template <class T>
struct Unwrap<Future<T>> {
  static constexpr bool is_later = true;
  using Value = T;
  static StateRef<ValueState<T>> start(Scheduler& /*scheduler*/, Future<T> future) noexcept {
    return std::move(future).release_state();
  }
};

template <class T, Passing passing>
auto Input<T, passing>::argument() {
  if constexpr (std::is_void_v<T>) {
    return std::tuple<>();
  } else if constexpr (passing == Passing::by_reference) {
    return std::tuple<const T&>(future.get());
  } else {
    return std::tuple<T>(future.take());
  }
}

template <class Body, class Waiters>
auto start_call(Scheduler& scheduler, const JobOptions& options, Body&& body, Waiters&& waiters) {
  using Made = Call<std::decay_t<Body>, std::decay_t<Waiters>>;
  static_assert(alignof(Made) <= frame_alignment, "callables of jobs need no more than a cache line's alignment");
  body.visit([](const FutureState& /*state*/) {});  // an empty input throws here, where nothing has begun
  auto* const call = new Made(scheduler, {.run = nullptr, .kind = options.kind, .key = options.key},
                              std::forward<Body>(body), std::forward<Waiters>(waiters));
  Future future{StateRef<ValueState<typename Made::Value>>(call)};
  call->start();
  return future;
}

}  // namespace detail

template <class T>
decltype(auto) Future<T>::get() const {
  detail::ValueState<T>& state = this->state();
  state.wait();
  if (state.error()) std::rethrow_exception(state.error());
  if constexpr (!std::is_void_v<T>) return std::as_const(state.value());
}

template <class T>
T Future<T>::take() {
  get();
  const detail::StateRef<detail::ValueState<T>> state = std::move(state_);
  if constexpr (std::is_void_v<T>) {
    return;
  } else {
    if constexpr (std::is_copy_constructible_v<T>) {
      if (!state->is_sole()) return state->value();
    }
    return std::move(state->value());
  }
}

template <class T>
template <class Function>
auto Future<T>::then(Function&& function, const JobOptions& options) const& {
  using Body = detail::Application<std::decay_t<Function>, detail::Input<T, detail::Passing::by_reference>>;
  Scheduler& scheduler = state().scheduler();
  return detail::start_call(scheduler, options, Body{std::forward<Function>(function), {{*this}}},
                            std::array<detail::GateWaiter, 1>{});
}

template <class T>
template <class Function>
auto Future<T>::then(Function&& function, const JobOptions& options) && {
  using Body = detail::Application<std::decay_t<Function>, detail::Input<T, detail::Passing::taken>>;
  Scheduler& scheduler = state().scheduler();
  return detail::start_call(scheduler, options, Body{std::forward<Function>(function), {{std::move(*this)}}},
                            std::array<detail::GateWaiter, 1>{});
}

template <class T>
template <class Store>
void Promise<T>::finish(Store store) {
  open_state();
  detail::StateRef<detail::ValueState<T>> state = std::move(state_);
  if (!state->claim()) return;
  std::exception_ptr error;
  try {
    store(*state);
  } catch (...) {
    error = std::current_exception();
  }
  if (error) state->store_error(std::move(error));
  state.detach()->complete();
}

}  // namespace tacit::tasks
