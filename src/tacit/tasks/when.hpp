// Waiting for several futures at once: all of them, or the first.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <tuple>
#include <utility>
#include <vector>

#include "tacit/tasks/future.hpp"

namespace tacit::tasks {

namespace detail {

/// Gathers the values of a fixed number of futures.
template <class... T>
struct GatherTuple {
  std::tuple<Future<T>...> futures;

  template <class Visit>
  void visit(Visit visit_state) {
    std::apply([&](Future<T>&... future) { (visit_state(future.state()), ...); }, futures);
  }
  auto operator()() {
    // Types are named: deduced ones would take a lone pair or tuple apart.
    using Values = std::tuple<typename ValueState<T>::Stored...>;
    return std::apply([](Future<T>&... future) { return Values{value_of(future)...}; }, futures);
  }

 private:
  template <class Value>
  static typename ValueState<Value>::Stored value_of(Future<Value>& future) {
    if constexpr (std::is_void_v<Value>) {
      return {};
    } else {
      return future.take();
    }
  }
};

/// Gathers the values of a list of futures.
template <class T>
struct GatherList {
  std::vector<Future<T>> futures;

  template <class Visit>
  void visit(Visit visit_state) {
    for (Future<T>& future : futures) visit_state(future.state());
  }
  auto operator()() {
    if constexpr (!std::is_void_v<T>) {
      std::vector<T> values;
      values.reserve(futures.size());
      for (Future<T>& future : futures) values.push_back(future.take());
      return values;
    }
  }
};

/// The state of when_any: the first input that is ready claims it.
class FirstReady final : public ValueState<std::size_t>, private Job {
 public:
  explicit FirstReady(Scheduler& scheduler, std::size_t inputs);
  /// Waits for the next input.
  void wait_for(FutureState& input) noexcept;

 private:
  struct Entrant : Waiter {
    FirstReady* race = nullptr;
    std::size_t place = 0;
  };
  static void arrive(Waiter& waiter) noexcept;
  std::vector<Entrant> entrants_;  // each holds a reference to this until its input is ready
  std::size_t entered_ = 0;
};

}  // namespace detail

/// The values of all `futures` as a std::tuple, with std::monostate for void, once all are ready.
///
///     auto [u, rhs] = co_await when_all(spawn(scheduler, load_u), spawn(scheduler, load_rhs));
///
/// A value is moved if its future is given up here and has no other handle, or cannot be copied; else it is copied.
/// If some fail, the error of the first of these, by position, once all are ready.
/// @throws base::PreconditionError if a future is empty
template <class... T>
  requires(sizeof...(T) > 0)
[[nodiscard]] Future<std::tuple<typename detail::ValueState<T>::Stored...>> when_all(Future<T>... futures) {
  Scheduler& scheduler = std::get<0>(std::tie(futures...)).state().scheduler();
  return detail::start_call(scheduler, {}, detail::GatherTuple<T...>{{std::move(futures)...}},
                            std::array<detail::GateWaiter, sizeof...(T)>{});
}

/// The same for a list: a std::vector<T>, or void for futures of void; it may be empty.
/// @param scheduler  runs the gathering
template <class T>
[[nodiscard]] auto when_all(Scheduler& scheduler, std::vector<Future<T>> futures) {
  std::vector<detail::GateWaiter> waiters(futures.size());
  return detail::start_call(scheduler, {}, detail::GatherList<T>{std::move(futures)}, std::move(waiters));
}

/// The position of the first of `futures` that is ready, be it with an error. The others go on, unless cancelled.
///
/// Its memory is kept until all futures are ready: a loop that waits for one late future beside many others accumulates
/// it.
/// @throws base::PreconditionError if there are none, or one is empty
template <class T>
[[nodiscard]] Future<std::size_t> when_any(const std::vector<Future<T>>& futures) {
  if (futures.empty()) throw base::PreconditionError("when_any needs at least one future");
  for (const Future<T>& future : futures) static_cast<void>(future.state());  // an empty one throws
  auto* const race = new detail::FirstReady(futures.front().state().scheduler(), futures.size());
  Future<std::size_t> first{detail::StateRef<detail::ValueState<std::size_t>>(race)};
  for (const Future<T>& future : futures) race->wait_for(future.state());
  return first;
}
template <class... T>
  requires(sizeof...(T) > 0)
[[nodiscard]] Future<std::size_t> when_any(const Future<T>&... futures) {
  (static_cast<void>(futures.state()), ...);
  auto* const race = new detail::FirstReady(std::get<0>(std::tie(futures...)).state().scheduler(), sizeof...(T));
  Future<std::size_t> first{detail::StateRef<detail::ValueState<std::size_t>>(race)};
  (race->wait_for(futures.state()), ...);
  return first;
}

}  // namespace tacit::tasks
