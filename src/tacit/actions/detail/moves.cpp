// Calls of objects that can move, and their moves.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "tacit/actions/actions.hpp"
#include "tacit/comm/error.hpp"

namespace tacit::actions::detail {

using State = MovableObject::State;

namespace {

/// A rank that is told where an object has gone.
void learn_route(Context context, std::uint64_t key, std::uint32_t owner, std::uint32_t moves) {
  if (owner >= context.actions().world().size()) throw RecordError(fmt::format("there is no rank {}", owner));
  context.actions().core().routes().learn(key, comm::RankId{owner}, moves);
}

/// Has its object leave.
void run_move(const Incoming& call, Reader& arguments) {
  const auto to = arguments.number<std::uint32_t>();
  arguments.end();
  call.core->leave(call, to);
}

}  // namespace

void Core::add_own_actions(Table& table) {
  table.add<&learn_route>("(tell where an object is)");
  table.add({.name = "(move an object)",
             .function = function_id<&run_move>,
             .types = 0,
             .run = &run_move,
             .is_of_movable = true});
}

std::uint16_t Core::move_action() const { return action(function_id<&run_move>); }

// ---- objects of this rank ------------------------------------------------------------------------------------------

std::uint64_t Core::keep_movable(std::shared_ptr<void> object, std::type_index type, const Transport& transport) {
  const std::lock_guard guard(objects_mutex_);
  const std::uint64_t id = next_object_++;
  MovableObject& at = entry_of(object_key(world_.rank(), id));
  at.state = State::here;
  at.object = std::move(object);
  at.type = type;
  at.transport = transport;
  return id;
}

MovableObject& Core::entry_of(std::uint64_t key) {
  MovableObject& at = movable_[key];
  at.key = key;
  return at;
}

bool Core::drop_movable(std::uint64_t key) {
  std::vector<HeldCall> left;
  std::shared_ptr<void> object;  // goes after the lock
  std::vector<Mover> movers;
  {
    const std::lock_guard guard(objects_mutex_);
    const auto found = movable_.find(key);
    if (found == movable_.end() || found->second.state != State::here) return false;
    MovableObject& at = found->second;
    at.state = State::removed;
    for (auto& [caller, of] : at.callers) {
      for (auto& [sequence, held] : of.early) left.push_back(std::move(held));
      of.early.clear();
    }
    movers = std::exchange(at.movers, {});
    at.leaving_to.reset();
    if (at.pins == 0) object = std::move(at.object);
  }
  for (const Mover& mover : movers) refuse(incoming(mover), gone(key));
  for (const HeldCall& held : left) refuse(held.call, gone(key));
  return true;
}

std::shared_ptr<void> Core::find_movable(std::uint64_t key, std::type_index type) const {
  const std::lock_guard guard(objects_mutex_);
  const auto found = movable_.find(key);
  if (found == movable_.end() || found->second.state != State::here) {
    throw ObjectError(fmt::format("{}: {} is not here", comm::describe(world_.own()), name_of_object(key)));
  }
  if (found->second.type != type) std::rethrow_exception(of_another_class(key));
  return found->second.object;
}

std::string Core::name_of_object(std::uint64_t key) {
  return fmt::format("object {} of rank {}", id_of(key), number(maker_of(key)));
}

std::exception_ptr Core::gone(std::uint64_t key) const {
  return std::make_exception_ptr(ObjectError(
      fmt::format("{}: {} is gone, or was never there", comm::describe(world_.own()), name_of_object(key))));
}

std::exception_ptr Core::of_another_class(std::uint64_t key) const {
  return std::make_exception_ptr(
      ObjectError(fmt::format("{}: {} is of another class", comm::describe(world_.own()), name_of_object(key))));
}

// ---- calls ---------------------------------------------------------------------------------------------------------

/// A call that has come, from its caller or from a rank where its object was. It is counted as running.
void Core::follow(Incoming call, ObjectHead head, std::span<const std::byte> arguments) noexcept {
  try {
    std::unique_lock lock(objects_mutex_);
    if (head.moves == 0 && !movable_.contains(head.key)) {
      lock.unlock();
      return answer_error(call, gone(head.key));
    }
    MovableObject& at = entry_of(head.key);
    const bool is_to_come = at.state == State::awaited || (at.state == State::gone && at.moves < head.moves);
    if (is_to_come || at.state == State::departing) {
      at.held.push_back(hold(call, head, arguments));
      running_.fetch_sub(1, std::memory_order_release);
    } else if (at.state == State::here) {
      begin_in_order(lock, at, call, head, arguments);
    } else if (at.state == State::gone) {
      const comm::RankId owner = at.owner;
      head.moves = at.moves;
      const bool knows = std::ranges::find(at.told, head.caller) != at.told.end();
      if (!knows) at.told.push_back(head.caller);
      lock.unlock();
      forward(call, head, arguments, owner);
      if (!knows) tell(head, owner);
    } else {
      lock.unlock();
      answer_error(call, gone(head.key));
    }
  } catch (...) {
    answer_error(call, std::current_exception());
  }
}

HeldCall Core::hold(const Incoming& call, const ObjectHead& head, std::span<const std::byte> arguments) {
  return {.call = call, .head = head, .arguments = {arguments.begin(), arguments.end()}};
}

/// Runs a call if all before it of the same caller have begun, and then those that have waited for it. One worker does
/// that for a caller at a time, and pins the object meanwhile.
void Core::begin_in_order(std::unique_lock<std::mutex>& lock, MovableObject& at, Incoming call, const ObjectHead& head,
                          std::span<const std::byte> arguments) {
  MovableObject::Caller& caller = at.callers[head.caller];
  if (caller.next != head.sequence || caller.is_beginning) {
    if (head.sequence < caller.next) throw RecordError("a call of an object has come twice");
    if (!caller.early.try_emplace(head.sequence, hold(call, head, arguments)).second)
      throw RecordError("a call of an object has come twice");
    running_.fetch_sub(1, std::memory_order_release);
    return;
  }
  caller.is_beginning = true;
  ++at.pins;
  HeldCall held;
  for (;;) {
    ++at.pins;  // the action's own: until it has ended
    call.pinned = &at;
    lock.unlock();
    start(call, arguments);
    lock.lock();
    ++caller.next;
    const auto next = caller.early.find(caller.next);
    if (next == caller.early.end()) break;
    held = std::move(next->second);
    caller.early.erase(next);
    call = held.call;
    arguments = held.arguments;
    running_.fetch_add(1, std::memory_order_relaxed);
    if (at.state == State::here) continue;
    lock.unlock();
    answer_error(call, gone(head.key));  // an action has removed the object
    lock.lock();
    break;
  }
  caller.is_beginning = false;
  unpin(lock, at);
}

void Core::forward(const Incoming& call, const ObjectHead& head, std::span<const std::byte> arguments,
                   comm::RankId to) noexcept {
  Port& port = calls_to(to);
  try {
    if (port.has_failed()) std::rethrow_exception(port.error());
    append(port, {.action = call.action, .call = call.call}, sizeof(head) + arguments.size(), [&](Writer& writer) {
      writer.number(head);
      writer.write(arguments.data(), arguments.size());
    });
    forwards_.fetch_add(1, std::memory_order_relaxed);
    running_.fetch_sub(1, std::memory_order_release);
  } catch (const comm::PeerError&) {
    running_.fetch_sub(1, std::memory_order_release);  // the caller loses that rank, too, and ends its calls of objects
  } catch (...) {
    answer_error(call, std::current_exception());
  }
}

/// Corrects what the caller believes.
void Core::tell(const ObjectHead& head, comm::RankId owner) noexcept {
  const comm::RankId caller{head.caller};
  if (caller == world_.rank()) return routes_.learn(head.key, owner, head.moves);
  try {
    using Fields = ListCodec<std::uint64_t, std::uint32_t, std::uint32_t>;
    put(calls_to(caller), {.action = action(function_id<&learn_route>)}, Fields::least_bytes,
        [&](Writer& to) { Fields::write(to, head.key, number(owner), head.moves); });
  } catch (...) {
    fail_peer(caller, std::current_exception());
  }
}

// ---- moves ---------------------------------------------------------------------------------------------------------

/// The object of a call leaves once nothing runs on it. Those that ask meanwhile have it go where the last one says.
void Core::leave(const Incoming& call, std::uint32_t to) {
  if (to >= world_.size()) {
    throw base::PreconditionError(fmt::format("an object is to move to rank {}, but there are {} ranks", to,
                                              static_cast<std::size_t>(world_.size())));
  }
  MovableObject& at = *call.pinned;
  std::unique_lock lock(objects_mutex_);
  if (at.state == State::here) {
    at.leaving_to = comm::RankId{to};
    at.movers.push_back({.call = call.call, .caller = number(call.from), .action = call.action});
    running_.fetch_sub(1, std::memory_order_release);
    return unpin(lock, at);
  }
  throw ObjectError("the object has been removed");
}

/// Ends the use of an object by an action or a worker; the last has it leave.
void Core::unpin(std::unique_lock<std::mutex>& lock, MovableObject& at) noexcept {
  if (--at.pins > 0) return;
  if (at.state == State::removed) {
    const std::shared_ptr<void> object = std::move(at.object);
    lock.unlock();
    return;  // the object goes without the lock
  }
  if (at.leaving_to) depart(lock, at);
}

void Core::depart(std::unique_lock<std::mutex>& lock, MovableObject& at) noexcept {
  Arrival arrival{.key = at.key, .moves = at.moves + 1, .next = {}, .movers = std::exchange(at.movers, {})};
  const comm::RankId to = *std::exchange(at.leaving_to, std::nullopt);
  if (to == world_.rank()) {
    lock.unlock();
    for (const Mover& mover : arrival.movers) accept(mover);
    return;
  }
  at.state = State::departing;
  for (const auto& [caller, of] : at.callers) arrival.next.emplace_back(caller, of.next);
  lock.unlock();
  std::exception_ptr error;
  try {
    // Nothing touches it now: calls that come are held.
    const std::size_t head = Codec<Arrival>::size(arrival);
    put(calls_to(to), {.action = at.transport.arrive}, head + at.transport.size(at.object.get()), [&](Writer& writer) {
      Codec<Arrival>::write(writer, arrival);
      at.transport.write(writer, at.object.get());
    });
  } catch (...) {
    error = std::current_exception();
  }
  lock.lock();
  std::vector<HeldCall> held = std::exchange(at.held, {});
  std::shared_ptr<void> object;
  if (error) {
    at.state = State::here;
  } else {
    at.state = State::gone;
    at.owner = to;
    at.moves = arrival.moves;
    at.told.clear();
    object = std::move(at.object);
    for (auto& [caller, of] : at.callers) {
      for (auto& [sequence, early] : of.early) held.push_back(std::move(early));
    }
    at.callers.clear();
  }
  lock.unlock();
  if (error) {
    for (const Mover& mover : arrival.movers) refuse(incoming(mover), error);
  } else {
    routes_.learn(arrival.key, to, arrival.moves);
  }
  follow_all(held);
}

void Core::arrive(const Arrival& arrival, std::shared_ptr<void> object, std::type_index type,
                  const Transport& transport) {
  for (const Mover& mover : arrival.movers) {
    if (mover.caller >= world_.size() || mover.action >= entries_.size())
      throw RecordError(fmt::format("{} was sent by what no rank has", name_of_object(arrival.key)));
  }
  std::vector<HeldCall> held;
  {
    const std::lock_guard guard(objects_mutex_);
    MovableObject& at = entry_of(arrival.key);
    if ((at.state != State::awaited && at.state != State::gone) || at.moves >= arrival.moves) {
      throw RecordError(fmt::format("{} arrives where it is", name_of_object(arrival.key)));
    }
    at.state = State::here;
    at.moves = arrival.moves;
    at.object = std::move(object);
    at.type = type;
    at.transport = transport;
    for (const auto& [caller, next] : arrival.next) at.callers[caller].next = next;
    held = std::exchange(at.held, {});
  }
  routes_.learn(arrival.key, world_.rank(), arrival.moves);
  for (const Mover& mover : arrival.movers) accept(mover);
  follow_all(held);
}

void Core::follow_all(std::vector<HeldCall>& calls) noexcept {
  for (const HeldCall& held : calls) {
    running_.fetch_add(1, std::memory_order_relaxed);
    follow(held.call, held.head, held.arguments);
  }
}

Incoming Core::incoming(const Mover& mover) noexcept {
  return {.core = this,
          .from = comm::RankId{mover.caller},
          .call = mover.call,
          .action = static_cast<std::uint16_t>(mover.action)};
}

/// Answers one that is not counted as running.
void Core::accept(const Mover& mover) noexcept {
  running_.fetch_add(1, std::memory_order_relaxed);
  const Incoming call = incoming(mover);
  try {
    answer(call);
  } catch (...) {
    answer_error(call, std::current_exception());
  }
}
void Core::refuse(const Incoming& call, const std::exception_ptr& error) noexcept {
  running_.fetch_add(1, std::memory_order_relaxed);
  answer_error(call, error);
}

}  // namespace tacit::actions::detail
