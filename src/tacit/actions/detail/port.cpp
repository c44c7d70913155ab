// Sends chunks, takes messages, and stops at the first error.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/actions/detail/port.hpp"

#include <utility>

#include "tacit/actions/detail/core.hpp"

namespace tacit::actions::detail {

namespace {
/// One message is taken apart while the next arrives.
constexpr std::uint32_t depth = 2;
}  // namespace

Port::Port(Core& core, comm::Connection& connection, Traffic traffic)
    : tasks::Job{.run = [](tasks::Job& job) { static_cast<Port&>(job).take_message(); },
                 .kind = core.kind(traffic),
                 .key = number(connection.target().rank)},
      core_(core),
      peer_(connection.target().rank),
      traffic_(traffic),
      out_(connection, core.options().message_bytes, {.depth = depth}),
      box_(core.options().message_bytes),
      in_(connection, core.options().message_bytes, {.depth = depth}) {}

void Port::open() {
  for (std::uint32_t i = 0; i < depth; ++i) in_.init();
}

void Port::send_some() noexcept {
  if (!sending_.try_lock()) return;
  const std::lock_guard guard(sending_, std::adopt_lock);
  try {
    while (!has_failed()) {
      if (is_under_way_ && !out_.test()) break;
      is_under_way_ = false;
      const std::size_t bytes = box_.pack([this](std::size_t longest) { return out_.prepare(longest); });
      if (bytes == 0) break;
      out_.post(bytes);
      is_under_way_ = true;
      core_.count_message();
    }
  } catch (...) {
    core_.fail_peer(peer_, std::current_exception());
  }
  if (has_failed()) box_.clear();
  if (box_.waiting() <= core_.options().queue_bytes / 2) resume_waiters();
}

bool Port::has_sent_all() noexcept {
  send_some();
  const std::lock_guard guard(sending_);
  return has_failed() || (!is_under_way_ && box_.waiting() == 0);
}

bool Port::has_room() const noexcept { return box_.waiting() <= core_.options().queue_bytes || has_failed(); }

bool Port::await_room(RoomWaiter& waiter) {
  const std::lock_guard guard(waiters_lock_);
  if (has_room()) return false;
  waiter.next = std::exchange(waiters_, &waiter);
  return true;
}

void Port::resume_waiters() noexcept {
  RoomWaiter* first = nullptr;
  {
    const std::lock_guard guard(waiters_lock_);
    first = std::exchange(waiters_, nullptr);
  }
  RoomWaiter* in_order = nullptr;  // the list has the last first
  while (first != nullptr) in_order = std::exchange(first, std::exchange(first->next, in_order));
  while (in_order != nullptr) {
    RoomWaiter& waiter = *in_order;
    in_order = waiter.next;  // it may be gone after the next line
    waiter.waiting->scheduler->submit(*waiter.waiting);
  }
}

void Port::receive() noexcept {
  if (is_busy() || has_failed()) return;
  try {
    if (!is_granted_) {
      // Its answers wait: no more calls are taken before this rank has room for theirs. Answers are always taken.
      if (!core_.may_take(*this)) return;
      is_granted_ = true;
      in_.init();
    }
    if (!in_.test()) return;
    is_busy_.store(true, std::memory_order_relaxed);
    core_.scheduler().submit(*this);
  } catch (...) {
    core_.fail_peer(peer_, std::current_exception());
  }
}

void Port::take_message() noexcept {
  try {
    core_.take(*this, in_.message());
    is_granted_ = core_.may_take(*this);
    if (is_granted_) in_.init();
  } catch (...) {
    core_.fail_peer(peer_, std::current_exception());
  }
  is_busy_.store(false, std::memory_order_release);
}

std::exception_ptr Port::error() const {
  const std::lock_guard guard(waiters_lock_);
  return error_;
}

void Port::fail(std::exception_ptr error) noexcept {
  {
    const std::lock_guard guard(waiters_lock_);
    if (has_failed()) return;
    error_ = std::move(error);
    has_failed_.store(true, std::memory_order_release);
  }
  resume_waiters();
}

}  // namespace tacit::actions::detail
