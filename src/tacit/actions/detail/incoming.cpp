// What comes from other ranks: calls that run here, and answers.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "tacit/actions/detail/core.hpp"

namespace tacit::actions::detail {

bool Core::may_take(const Port& port) noexcept {
  return port.traffic() == Traffic::answers || peers_[number(port.peer())].answers.has_room();
}

void Core::take(Port& port, std::span<const std::byte> message) {
  try {
    Reader frames(message);
    while (frames.left() > 0) {
      const auto head = frames.number<FrameHead>();
      take_frame(port, head, frames.take(head.bytes));
    }
  } catch (const RecordError& error) {
    throw RecordError(fmt::format("{}: a message of actions from {}: {}", comm::describe(world_.own()),
                                  comm::describe(world_.ranks()[number(port.peer())]), error.what()));
  }
}

void Core::take_frame(Port& port, const FrameHead& head, std::span<const std::byte> bytes) {
  if ((head.flags & ~FrameHead::all_flags) != 0 || head.action >= entries_.size()) {
    throw RecordError(fmt::format("no frame has action {} and flags {}", head.action, head.flags));
  }
  std::vector<std::byte>& pieces = port.pieces();
  const bool continues = (head.flags & FrameHead::continues) != 0;
  if (continues == pieces.empty()) {
    throw RecordError(continues ? "a piece of a record that has no begin" : "a record that another one interrupts");
  }
  const bool goes_on = (head.flags & FrameHead::goes_on) != 0;
  if (!continues && !goes_on) return deliver(port, head, bytes);
  if (bytes.empty()) throw RecordError("a piece of a record without bytes");
  if (bytes.size() > options_.longest_record - std::min(pieces.size(), options_.longest_record)) {
    throw RecordError(fmt::format("a record is longer than longest_record, {} B", options_.longest_record));
  }
  pieces.insert(pieces.end(), bytes.begin(), bytes.end());
  if (goes_on) return;
  const std::vector<std::byte> whole = std::exchange(pieces, {});
  deliver(port, head, whole);
}

void Core::deliver(Port& port, const FrameHead& head, std::span<const std::byte> record) {
  if (port.traffic() == Traffic::answers) return finish_call(port, head, record);
  running_.fetch_add(1, std::memory_order_relaxed);
  run({.core = this, .from = port.peer(), .call = head.call, .action = head.action}, record);
}

void Core::run(const Incoming& call, std::span<const std::byte> record) noexcept {
  if (!entries_[call.action].is_of_movable) return start(call, record);
  try {
    Reader reader(record);
    const auto head = reader.number<ObjectHead>();
    if (head.caller >= world_.size()) throw RecordError(fmt::format("there is no rank {} that calls", head.caller));
    Incoming of_caller = call;
    of_caller.from = comm::RankId{head.caller};
    follow(of_caller, head, reader.take(reader.left()));
  } catch (...) {
    answer_error(call, std::current_exception());
  }
}

/// Reads the arguments and runs the function.
void Core::start(const Incoming& call, std::span<const std::byte> arguments) noexcept {
  try {
    Reader reader(arguments);
    entries_[call.action].run(call, reader);
  } catch (...) {
    answer_error(call, std::current_exception());
  }
}

void Core::answer(const Incoming& call) {
  if (call.call != 0) {
    append(peers_[number(call.from)].answers, {.action = call.action, .call = call.call}, 0, [](Writer&) {});
  }
  end_action(call);
}

void Core::answer_error(const Incoming& call, const std::exception_ptr& error) noexcept {
  try {
    auto [type, text] = thrown_by(error);
    if (call.call != 0) {
      constexpr std::size_t longest = 2000;  // as much of each as is ever read, and no reason to fail once more
      type.resize(std::min(type.size(), longest));
      text.resize(std::min(text.size(), longest));
      append(peers_[number(call.from)].answers,
             {.action = call.action, .flags = FrameHead::is_error, .call = call.call},
             Codec<std::string>::size(type) + Codec<std::string>::size(text), [&](Writer& to) {
               Codec<std::string>::write(to, type);
               Codec<std::string>::write(to, text);
             });
    } else {
      unanswered_count_.fetch_add(1, std::memory_order_relaxed);
      const std::lock_guard guard(errors_mutex_);
      if (!unanswered_) {
        unanswered_ = std::make_exception_ptr(RemoteError(world_.own(), entries_[call.action].name, type, text));
      }
    }
  } catch (...) {
    fail_peer(call.from, std::current_exception());
  }
  end_action(call);
}

/// One with an answer ends where that arrives.
void Core::end_action(const Incoming& call) noexcept {
  if (call.call == 0) finished_.fetch_add(1, std::memory_order_relaxed);
  if (call.pinned != nullptr) {
    std::unique_lock lock(objects_mutex_);
    unpin(lock, *call.pinned);
  }
  running_.fetch_sub(1, std::memory_order_release);
}

void Core::finish_call(Port& port, const FrameHead& head, std::span<const std::byte> record) {
  const std::unique_ptr<PendingCall> call(pending_.take(head.call, port.peer()));
  if (call == nullptr) throw RecordError(fmt::format("an answer to call {:#x}, which waits for none", head.call));
  try {
    if (call->action() != head.action) {
      throw RecordError(fmt::format("an answer of action '{}' to a call of '{}'", entries_[head.action].name,
                                    entries_[call->action()].name));
    }
    Reader answer(record);
    if ((head.flags & FrameHead::is_error) != 0) {
      const std::string type = Codec<std::string>::read(answer);
      const std::string text = Codec<std::string>::read(answer);
      answer.end();
      call->fail(std::make_exception_ptr(
          RemoteError(world_.ranks()[number(port.peer())], entries_[head.action].name, type, text)));
    } else {
      call->finish(answer);
    }
  } catch (...) {
    call->fail(std::current_exception());
    throw;
  }
  finished_.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace tacit::actions::detail
