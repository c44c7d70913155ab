// Values that one object sends to another, step by step, whatever order they arrive in.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

#include "tacit/actions/actions.hpp"
#include "tacit/actions/detail/channel_state.hpp"

namespace tacit::actions {

/// Where a channel is; may be sent to those who set its values.
template <class T>
using ChannelHandle = Handle<detail::ChannelState<T>>;

/// The end of a channel that takes values. It is on the rank that makes it; any rank may set values, each by its
/// generation: 0, 1, 2, ..., each set once and taken once, in any order.
///
///     table.add_channel<std::vector<double>>("rows");
///     ...
///     actions::Channel<std::vector<double>> west(actions);                  // its handle goes to the neighbour
///     std::vector<double> row = co_await west.get();                        // generation 0, then 1, ...
///     graph.add("rows", writes(rim), [&](StepContext& step) { west.await(step, step.step, rows); });
///
/// Threads: any worker may take. Destroyed before its Actions.
template <class T>
class Channel {
  static_assert(Sendable<T>, "the values of a channel travel: values, containers, structs with record(), no pointers");
  static_assert(std::is_move_assignable_v<T>, "a value of a channel is moved to where it is awaited");

 public:
  /// @throws base::PreconditionError if the table has no channels of T
  explicit Channel(Actions& actions) : actions_(&actions) {
    detail::Core& core = actions.core();
    const std::uint32_t function = detail::function_id<&detail::ChannelState<T>::put>;
    const std::uint16_t action = core.action(function, "a channel is made whose values are");
    state_ = std::make_shared<detail::ChannelState<T>>(core, core.name_of(action));
    id_ = core.keep(state_, typeid(detail::ChannelState<T>));
    state_->open(id_);
  }
  Channel(Channel&& other) noexcept = default;
  Channel& operator=(Channel&&) = delete;
  /// What waits ends with an error, and values that come later are ObjectErrors.
  ~Channel() {
    if (state_ == nullptr) return;
    actions_->core().drop(id_);
    state_->close();
  }

  [[nodiscard]] ChannelHandle<T> handle() const noexcept { return {actions_->rank(), id_}; }

  /// The value of a generation. comm::PeerError once any rank is lost and it has not come.
  /// @throws base::PreconditionError if it has been taken
  [[nodiscard]] tasks::Future<T> get(std::uint64_t generation) { return state_->get(generation); }
  /// The next: of generation 0, then 1, and so on.
  [[nodiscard]] tasks::Future<T> get() { return get(next_++); }
  /// The running task of a graph ends only when the value of a generation is in `into`, which is the task's until then.
  /// @throws base::PreconditionError if it has been taken
  /// @pre called by a running task of the scheduler of the actions
  void await(tasks::StepContext& step, std::uint64_t generation, T& into) { state_->await(step, generation, into); }

  /// Sets a value from here: it is moved.
  /// @throws base::PreconditionError if it has been set
  void set(std::uint64_t generation, T value) { state_->put_from(detail::Origin::here, generation, std::move(value)); }

 private:
  Actions* actions_;
  std::shared_ptr<detail::ChannelState<T>> state_;
  std::uint64_t id_ = 0;
  std::uint64_t next_ = 0;
};

/// The end of a channel that sets values, on any rank; may be copied. On the rank of the channel values are moved.
template <class T>
class ChannelSetter {
 public:
  /// @throws ObjectError if the channel is on this rank and gone
  ChannelSetter(Actions& actions, const ChannelHandle<T>& channel) : actions_(&actions), channel_(channel) {
    if (channel.rank == actions.rank()) local_ = actions.local(channel);
  }

  /// Sets the value of a generation.
  /// @return  to be awaited before more is set, see Actions::send; a channel of this rank always has room
  /// @throws as Actions::send. On the rank of the channel also base::PreconditionError if it has been set, and
  ///         ObjectError if the channel is gone; elsewhere `quiet` throws these on the rank of the channel.
  template <class Value>
  Room set(std::uint64_t generation, Value&& value) {
    if (local_ == nullptr) {
      return actions_->send<&detail::ChannelState<T>::put>(channel_, generation, std::forward<Value>(value));
    }
    local_->put_from(detail::Origin::here, generation, T(std::forward<Value>(value)));
    return actions_->room(channel_.rank);
  }
  /// Sets the next: that of generation 0, then 1, and so on, where this is the only end that sets.
  template <class Value>
  Room set(Value&& value) {
    return set(next_++, std::forward<Value>(value));
  }

 private:
  Actions* actions_;
  ChannelHandle<T> channel_;
  std::shared_ptr<detail::ChannelState<T>> local_;
  std::uint64_t next_ = 0;
};

}  // namespace tacit::actions
