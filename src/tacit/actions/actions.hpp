// Calls of functions on other ranks, where the data live.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <tuple>
#include <type_traits>
#include <typeindex>
#include <utility>

#include "tacit/actions/detail/core.hpp"
#include "tacit/actions/error.hpp"
#include "tacit/actions/options.hpp"
#include "tacit/actions/table.hpp"
#include "tacit/comm/communicator.hpp"
#include "tacit/tasks/coroutine.hpp"
#include "tacit/tasks/future.hpp"
#include "tacit/tasks/scheduler.hpp"

namespace tacit::actions {

/// An object of class T, wherever it is; may be sent to others.
template <class T>
struct Handle {
  comm::RankId rank{};   ///< that has made it, and has it still unless its class is Movable
  std::uint64_t id = 0;  ///< there; never used again
  [[nodiscard]] bool operator==(const Handle&) const = default;
};

/// Whether more may be sent to a rank. `co_await room` goes on once less waits for it than Options::queue_bytes.
class [[nodiscard]] Room {
 public:
  explicit Room(detail::Port& port, tasks::Scheduler& scheduler) noexcept : port_(&port), scheduler_(&scheduler) {}
  /// For code that is no coroutine and no action: other jobs run meanwhile. @throws as `co_await`
  void wait() const;
  /// For senders that are bounded otherwise.
  void ignore() const noexcept {}

  [[nodiscard]] bool await_ready() const noexcept { return port_->has_room(); }
  template <tasks::detail::TaskPromise Promise>
  [[nodiscard]] bool await_suspend(std::coroutine_handle<Promise> sender) {
    waiter_.waiting = &sender.promise();
    return port_->await_room(waiter_);
  }
  /// @throws comm::PeerError, RecordError if nothing can be sent to the rank any more
  void await_resume() const {
    if (port_->has_failed()) std::rethrow_exception(port_->error());
  }

 private:
  detail::Port* port_;
  tasks::Scheduler* scheduler_;
  detail::RoomWaiter waiter_;
};

namespace detail {
template <class Arguments>
struct Sender;
template <auto function>
struct FieldsOf;
template <class T>
[[nodiscard]] Transport transport_of(std::uint16_t arrive) noexcept;
}  // namespace detail

/// Calls actions of other ranks and runs what they call here. Every rank makes it, and destroys it, at the same point,
/// on the thread that made the scheduler.
///
///     actions::Actions actions(world, scheduler, table);
///     tasks::Future<double> rho = actions.call<&density>(comm::RankId{2}, cell);
///     co_await actions.send<&Histogram::insert>(histogram, 0.25);         // wants no answer
///     actions.quiet();                                                    // no action is left anywhere
///
/// Small calls to a rank travel together: they go when a message is full, or when a worker runs dry. Actions run on the
/// workers, whenever one of them takes jobs: in `Scheduler::run` and `work_until`, in waits for futures, in `quiet`;
/// workers other than the calling thread, always. Those that one rank calls on another begin in the order of the calls;
/// a plain function ends before the next begins, a coroutine runs to its first wait. So an action that takes long, or
/// waits, is a coroutine.
///
/// Threads: any worker may call. @see docs/guide/actions.md
class Actions {
 public:
  /// @throws comm::MismatchError that names the action in which two ranks differ; comm::DeadlineError, comm::PeerError
  Actions(comm::Communicator& world, tasks::Scheduler& scheduler, const Table& table, const Options& options = {});
  /// Ends calls that have no answer yet with an error, and waits for actions that run here. @pre quiet, or an error
  ~Actions();
  Actions(const Actions&) = delete;
  Actions& operator=(const Actions&) = delete;

  [[nodiscard]] comm::Communicator& world() const noexcept { return core_->world(); }
  [[nodiscard]] tasks::Scheduler& scheduler() const noexcept { return core_->scheduler(); }
  [[nodiscard]] comm::RankId rank() const noexcept { return core_->world().rank(); }

  /// Calls a free function on a rank, which may be this one.
  /// @return  its result; or its exception as a RemoteError; PeerError if the rank is lost; RecordError if what came is
  ///          no answer; ObjectError inside a RemoteError
  /// @throws LimitError; base::PreconditionError if it is no action or there is no such rank
  /// Cost: the pooled state of a future; bytes are copied twice on their way, out of the arguments and into a message.
  template <auto function, class... Arguments>
    requires(!detail::is_member<function>)
  [[nodiscard]] auto call(comm::RankId to, Arguments&&... arguments) {
    return call_at<function>(to, std::forward<Arguments>(arguments)...);
  }
  /// Calls a member function of an object.
  template <auto function, class... Arguments>
    requires detail::is_member<function>
  [[nodiscard]] auto call(const Handle<typename detail::Signature<function>::Object>& object,
                          Arguments&&... arguments) {
    using Of = detail::Signature<function>;
    if constexpr (CanMove<typename Of::Object>) {
      return call_object<typename Of::Value, typename detail::FieldsOf<function>::Type>(
          core_->action(detail::function_id<function>), detail::object_key(object.rank, object.id),
          std::forward<Arguments>(arguments)...);
    } else {
      return call_at<function>(object.rank, object.id, std::forward<Arguments>(arguments)...);
    }
  }

  /// The same without an answer: what the function returns is dropped, and the first exception that one throws on a
  /// rank is thrown there by `quiet`.
  /// @return  to be awaited before more is sent: a sender that is faster than its receiver has to wait
  /// @throws as `call`; PeerError, RecordError if nothing can be sent to the rank any more
  template <auto function, class... Arguments>
    requires(!detail::is_member<function>)
  Room send(comm::RankId to, Arguments&&... arguments) {
    return send_to<function>(to, std::forward<Arguments>(arguments)...);
  }
  template <auto function, class... Arguments>
    requires detail::is_member<function>
  Room send(const Handle<typename detail::Signature<function>::Object>& object, Arguments&&... arguments) {
    using Of = detail::Signature<function>;
    if constexpr (CanMove<typename Of::Object>) {
      detail::Port& port = put_to_object<typename detail::FieldsOf<function>::Type>(
          {.action = core_->action(detail::function_id<function>)}, detail::object_key(object.rank, object.id),
          std::forward<Arguments>(arguments)...);
      return Room(port, core_->scheduler());
    } else {
      return send_to<function>(object.rank, object.id, std::forward<Arguments>(arguments)...);
    }
  }
  /// For those who make many calls whose answers they do not await one by one.
  [[nodiscard]] Room room(comm::RankId to) { return Room(core_->calls_to(to), core_->scheduler()); }

  /// Makes an object on this rank, which others may call.
  template <class T, class... Arguments>
  [[nodiscard]] Handle<T> make(Arguments&&... arguments) {
    auto object = std::make_shared<T>(std::forward<Arguments>(arguments)...);
    if constexpr (CanMove<T>) {
      const std::uint16_t arrive = core_->action(detail::function_id<&detail::arrive<T>>, "an object is made that is");
      return {rank(), core_->keep_movable(std::move(object), typeid(T), detail::transport_of<T>(arrive))};
    } else {
      return {rank(), core_->keep(std::move(object), typeid(T))};
    }
  }
  /// Takes an object to another rank, from any rank: it is built there from what Codec writes of it. It stays while
  /// actions run on it, those that begin meanwhile among them; later ones run where it is then. Its handles remain
  /// valid. A rank that sends to where it was is told; what it has sent is sent on. The actions that a rank calls on an
  /// object begin in the order of the calls all the same.
  /// @return  ready once it is there, or where another call of `move` has had it go meanwhile; LimitError inside a
  ///          RemoteError if it is longer than Options::longest_record: then it stays. Else as `call`
  /// @throws base::PreconditionError if there is no such rank
  template <CanMove T>
  [[nodiscard]] tasks::Future<void> move(const Handle<T>& object, comm::RankId to) {
    static_cast<void>(core_->calls_to(to));
    return call_object<void, std::tuple<detail::ObjectHead, std::uint32_t>>(
        core_->move_action(), detail::object_key(object.rank, object.id), number(to));
  }
  /// Removes an object of this rank: later calls of it are an ObjectError. It lives on while an action runs on it.
  /// @return  whether it was there
  template <class T>
  bool remove(const Handle<T>& object) {
    if constexpr (CanMove<T>) {
      return core_->drop_movable(detail::object_key(object.rank, object.id));
    } else {
      return object.rank == rank() && core_->drop(object.id) != nullptr;
    }
  }
  /// An object of this rank; what it points to does not follow where it moves.
  /// @throws ObjectError if it is gone, or on another one
  template <class T>
  [[nodiscard]] std::shared_ptr<T> local(const Handle<T>& object) const {
    if constexpr (CanMove<T>) {
      return std::static_pointer_cast<T>(core_->find_movable(detail::object_key(object.rank, object.id), typeid(T)));
    }
    if (object.rank != rank()) throw ObjectError("the object is not on this rank");
    return std::static_pointer_cast<T>(core_->find(object.id, typeid(T)));
  }

  /// Returns when no action runs or is under way anywhere, and all answers have been taken. Called by all ranks,
  /// outside of actions; what continues futures and is no action itself must have ended, too.
  /// @throws what actions without an answer threw here: a RemoteError; base::Error if they did elsewhere;
  ///         comm::PeerError, RecordError
  void quiet() { core_->quiet(); }

  /// Returns when all that this rank has called, answered and set so far has left, or its receiver is lost. Small calls
  /// wait until a worker runs dry: before this rank waits for others by anything but actions and channels, in which no
  /// worker does, it has to send them. Called outside of actions.
  void flush() { core_->flush(); }

  /// Messages that this rank has sent so far, those to itself included.
  [[nodiscard]] std::uint64_t messages() const noexcept { return core_->messages(); }
  /// Calls that this rank has sent on so far to where their object has moved.
  [[nodiscard]] std::uint64_t forwards() const noexcept { return core_->forwards(); }
  /// Bytes of calls and answers that wait to be sent.
  [[nodiscard]] std::size_t waiting_bytes() const noexcept { return core_->waiting_bytes(); }

  /// For channels.
  [[nodiscard]] detail::Core& core() noexcept { return *core_; }

 private:
  /// Lists an answer that is expected, and asks for it.
  /// @param put  makes the record of that call: std::exception_ptr(number), why there will be no answer, or null
  template <class Value, class Put>
  tasks::Future<Value> ask(comm::RankId to, std::uint16_t action, std::uint64_t object, const Put& put);
  template <auto function, class... Arguments>
  auto call_at(comm::RankId to, Arguments&&... arguments);
  template <auto function, class... Arguments>
  Room send_to(comm::RankId to, Arguments&&... arguments);
  template <class Value, class Fields, class... Arguments>
  tasks::Future<Value> call_object(std::uint16_t action, std::uint64_t key, Arguments&&... arguments);
  template <class Fields, class... Arguments>
  detail::Port& put_to_object(const detail::FrameHead& head, std::uint64_t key, Arguments&&... arguments);

  std::unique_ptr<detail::Core> core_;
};

}  // namespace tacit::actions

#include "tacit/actions/detail/arrival.hpp"
#include "tacit/actions/detail/run.hpp"
