// How a call is written, and how it runs where it arrives.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>

#include "tacit/actions/actions.hpp"

namespace tacit::actions {

namespace detail {

/// Writes the arguments of an action, converted to the types of its parameters.
template <class... T>
struct Sender<std::tuple<T...>> {
  static void put(Core& core, Port& port, const FrameHead& head, const T&... values) {
    core.put(port, head, ListCodec<T...>::size(values...), [&](Writer& to) { ListCodec<T...>::write(to, values...); });
  }
};
template <>
struct Sender<std::tuple<>> {
  static void put(Core& core, Port& port, const FrameHead& head) {
    core.put(port, head, 0, [](Writer&) {});
  }
};

/// The fields of a call: of a member function also which object.
template <auto function>
struct FieldsOf {
  using Arguments = typename Signature<function>::Arguments;
  using Object = std::conditional_t<CanMove<typename Signature<function>::Object>, std::tuple<ObjectHead>,
                                    std::conditional_t<is_member<function>, std::tuple<std::uint64_t>, std::tuple<>>>;
  using Type = decltype(std::tuple_cat(std::declval<Object>(), std::declval<Arguments>()));
};

/// A coroutine that another rank has called.
template <class T>
class Running final : public tasks::detail::Resumable, public tasks::detail::Pooled {
 public:
  /// @param object  of a member function: it lives as long
  static void start(const Incoming& call, std::shared_ptr<void> object, tasks::Task<T>&& task) {
    auto* const self = new Running(call, std::move(object), std::move(task));
    self->task_->promise().inherit(*self);
    tasks::detail::run_steps(self->task_->promise());
  }

 private:
  Running(const Incoming& call, std::shared_ptr<void> object, tasks::Task<T>&& task)
      : call_(call), object_(std::move(object)), task_(std::move(task)) {
    kind = call.core->kind(call.action);
    key = number(call.from);
    run = &tasks::detail::run_steps;
    step = [](Resumable& resumable) noexcept { finish(static_cast<Running&>(resumable)); };
    scheduler = &call.core->scheduler();
  }
  static void finish(Running& self) noexcept {
    const std::unique_ptr<Running> own(&self);
    std::exception_ptr error;
    try {
      if constexpr (std::is_void_v<T>) {
        self.task_->result();
        self.drop();
        return self.call_.core->answer(self.call_);
      } else {
        const T value = self.task_->result();
        self.drop();
        return self.call_.core->answer(self.call_, value);
      }
    } catch (...) {
      error = std::current_exception();
    }
    self.drop();
    self.call_.core->answer_error(self.call_, error);
  }
  /// Before the answer: who has it may expect that nothing of the action is left.
  void drop() noexcept {
    task_.reset();
    object_.reset();
  }

  Incoming call_;
  std::shared_ptr<void> object_;
  std::optional<tasks::Task<T>> task_;
};

template <auto function>
void run(const Incoming& call, Reader& reader) {
  using Of = Signature<function>;
  Core& core = *call.core;
  std::shared_ptr<void> object;  // one that can move is pinned
  void* self = nullptr;
  if constexpr (CanMove<typename Of::Object>) {
    self = core.object_of(call, typeid(typename Of::Object));
  } else if constexpr (is_member<function>) {
    object = core.find(reader.number<std::uint64_t>(), typeid(typename Of::Object));
    self = object.get();
  }
  typename Of::Arguments arguments = Of::Fields::read(reader);
  reader.end();
  const auto invoke = [&]<class... T>(T&&... values) -> decltype(auto) {
    const auto with_object = [&]<class... All>(All&&... all) -> decltype(auto) {
      if constexpr (is_member<function>) {
        return (static_cast<typename Of::Object*>(self)->*function)(std::forward<All>(all)...);
      } else {
        return function(std::forward<All>(all)...);
      }
    };
    if constexpr (Of::has_context) {
      return with_object(Context(core.actions(), call.from), std::forward<T>(values)...);
    } else {
      return with_object(std::forward<T>(values)...);
    }
  };
  if constexpr (Of::is_task) {
    Running<typename Of::Value>::start(call, object, std::apply(invoke, std::move(arguments)));
  } else if constexpr (std::is_void_v<typename Of::Value>) {
    std::apply(invoke, std::move(arguments));
    object.reset();
    core.answer(call);
  } else {
    const typename Of::Value value = std::apply(invoke, std::move(arguments));
    object.reset();
    core.answer(call, value);
  }
}

}  // namespace detail

template <class Value, class Put>
tasks::Future<Value> Actions::ask(comm::RankId to, std::uint16_t action, std::uint64_t object, const Put& put) {
  auto pending = std::make_unique<detail::PendingValue<Value>>(core_->scheduler(), to, action, object);
  tasks::Future<Value> future = pending->future();
  const std::uint64_t number = core_->expect(*pending);
  static_cast<void>(pending.release());  // it is the table's
  try {
    // A rank that was lost before the call was listed has not ended it.
    if (const std::exception_ptr error = put(number)) core_->give_up(number, to, error);
  } catch (const LimitError&) {
    core_->give_up(number, to, std::current_exception());
    throw;
  } catch (...) {
    core_->give_up(number, to, std::current_exception());
  }
  return future;
}

template <auto function, class... Arguments>
auto Actions::call_at(comm::RankId to, Arguments&&... arguments) {
  using Value = typename detail::Signature<function>::Value;
  const std::uint16_t action = core_->action(detail::function_id<function>);
  detail::Port& port = core_->calls_to(to);
  return ask<Value>(to, action, 0, [&](std::uint64_t number) {
    detail::Sender<typename detail::FieldsOf<function>::Type>::put(*core_, port, {.action = action, .call = number},
                                                                   std::forward<Arguments>(arguments)...);
    return port.has_failed() ? port.error() : nullptr;
  });
}

template <auto function, class... Arguments>
Room Actions::send_to(comm::RankId to, Arguments&&... arguments) {
  const std::uint16_t action = core_->action(detail::function_id<function>);
  detail::Port& port = core_->calls_to(to);
  detail::Sender<typename detail::FieldsOf<function>::Type>::put(*core_, port, {.action = action},
                                                                 std::forward<Arguments>(arguments)...);
  return Room(port, core_->scheduler());
}

template <class Value, class Fields, class... Arguments>
tasks::Future<Value> Actions::call_object(std::uint16_t action, std::uint64_t key, Arguments&&... arguments) {
  return ask<Value>(core_->owner_of(key), action, key, [&](std::uint64_t number) {
    put_to_object<Fields>({.action = action, .call = number}, key, std::forward<Arguments>(arguments)...);
    return core_->first_error();  // of any rank: it may be the one that has the object
  });
}

template <class Fields, class... Arguments>
detail::Port& Actions::put_to_object(const detail::FrameHead& head, std::uint64_t key, Arguments&&... arguments) {
  return core_->routes().send(key, [&](const detail::Route& route) -> detail::Port& {
    detail::Port& port = core_->calls_to(route.owner);
    detail::Sender<Fields>::put(
        *core_, port, head, {.key = key, .sequence = route.next, .caller = comm::number(rank()), .moves = route.moves},
        std::forward<Arguments>(arguments)...);
    return port;
  });
}

}  // namespace tacit::actions
