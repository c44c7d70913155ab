// Starts, progresses and ends calls of collectives.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/comm/collectives/detail/collective.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tacit/comm/connections/wait.hpp"
#include "tacit/comm/error.hpp"

namespace tacit::comm::detail {

Collective::Collective(CommunicatorCore& communicator, std::string_view kind, const Elements& elements,
                       const CollectiveOptions& options, std::optional<RankId> root, std::string_view function)
    : communicator_(&communicator),
      engine_(&communicator.engine()),
      team_(make_team(communicator.ranks(), communicator.own().rank, options)),
      key_(communicator.next_collective()),
      kind_(kind),
      options_(options),
      agreement_(make_agreement(communicator, kind, elements, options, root, function)),
      circle_(communicator, key_, agreement_) {}

Collective::~Collective() = default;

void Collective::make_shared_buffers(std::size_t half, Copying copying) {
  agreement_.copying = static_cast<std::uint32_t>(copying);
  buffers_.emplace(*communicator_, team_, key_, agreement_, half);
}

void Collective::leave() noexcept {
  if (state_.load(std::memory_order_acquire) != State::idle) engine_->remove(*this);
}

void Collective::open() {
  if (is_open_) return;
  circle_.check();  // first: a rank that differs may take part in no other exchange of ours
  buffers_->open();
  for (Stream& stream : streams_) stream.open();
  is_open_ = true;
}

void Collective::begin() {
  if (!is_open_) [[unlikely]]
    open();
  TACIT_EXPECT(state_.load(std::memory_order_relaxed) == State::idle);
  TACIT_EXPECT(stage_.load(std::memory_order_relaxed) == over);
  ++call_;
  cursor_ = 0;
  stage_.store(0, std::memory_order_relaxed);
}

/// Carries all messages on. @return  whether all are gone
bool Collective::are_messages_gone() noexcept {
  bool are_gone = true;
  for (Stream& stream : streams_) are_gone = stream.is_idle() && are_gone;
  return are_gone;
}

bool Collective::advance() noexcept {
  // What the next stage waits for may come only when our own messages, which were not granted yet, are there.
  static_cast<void>(are_messages_gone());
  std::uint32_t stage = stage_.load(std::memory_order_relaxed);
  while (stage < stages_ && error() == 0) {
    if (!step(stage)) {
      stage_.store(stage, std::memory_order_relaxed);
      return error() != 0;
    }
    cursor_ = 0;
    ++stage;
  }
  stage_.store(over, std::memory_order_relaxed);
  return true;
}

void Collective::start(std::uint32_t turns) {
  begin();
  for (; turns > 0; --turns) {
    if (advance()) return throw_error_if_any();
  }
  engine_->add(*this);
}

bool Collective::test() {
  if (state_.load(std::memory_order_relaxed) == State::idle) return true;
  if (state_.load(std::memory_order_acquire) != State::ended) engine_->progress();
  if (state_.load(std::memory_order_acquire) != State::ended) return false;
  state_.store(State::idle, std::memory_order_relaxed);
  throw_error_if_any();
  return true;
}

void Collective::wait(double deadline_s) {
  wait_until([this] { return test(); }, deadline_s);
}

bool Collective::is_usable_here() noexcept {
  return std::ranges::all_of(streams_, [](Stream& stream) { return stream.is_usable_here(); });
}

void Collective::run(double deadline_s) {
  begin();
  if (!is_usable_here()) {
    engine_->add(*this);
    return wait(deadline_s);
  }
  try {
    wait_until([this] { return advance(); }, deadline_s);
  } catch (const base::Error&) {
    engine_->add(*this);  // it is under way, as after `start` and `wait`
    throw;
  }
  throw_error_if_any();
}

void Collective::await(base::Token token) {
  if (state_.load(std::memory_order_acquire) == State::idle) {
    engine_->add(*this, token);
  } else {
    engine_->set_token(*this, token);
  }
}

/// Streams to one peer, side by side, carry the parts of one message.
std::size_t Collective::messages() const noexcept {
  std::size_t count = 0;
  const Stream* before = nullptr;
  for (const Stream& stream : streams_) {
    if (!stream.sends()) continue;
    if (before == nullptr || before->peer() != stream.peer()) ++count;
    before = &stream;
  }
  return count;
}

std::string Collective::describe() const {
  const std::string text = fmt::format("call {} of {} {}, stage {} of {}", call_, kind_, number_of_collective(key_),
                                       stage_.load(std::memory_order_relaxed) + 1, stages_);
  const std::string missing = buffers_->missing(Mark::began, call_);
  return missing.empty() ? text : fmt::format("{}: {} has not begun it", text, missing);
}

bool Collective::cannot_complete() const noexcept { return engine_->watch().is_lost() || has_departed_rank(); }

int Collective::error() const noexcept {
  if (is_given_up_) return given_up;
  for (const Stream& stream : streams_) {
    if (stream.error() != 0) return stream.error();
  }
  return 0;
}

std::string Collective::explain_cannot_complete() const {
  return detail::explain_cannot_complete(*communicator_, buffers_->departed_rank(Mark::began, call_), describe());
}

std::string Collective::explain() const {
  if (is_given_up_ || engine_->watch().await_loss(PeerWatch::exit_delay_s)) return explain_cannot_complete();
  const auto failed = std::ranges::find_if(streams_, [](const Stream& stream) { return stream.error() != 0; });
  return fmt::format("{}: {}: {}", comm::describe(communicator_->own()), describe(),
                     failed == streams_.end() ? std::string() : failed->explain());
}

void Collective::throw_error_if_any() const {
  if (error() == 0) return;
  const std::string text = explain();
  if (is_given_up_ || engine_->watch().is_lost()) throw PeerError(text);
  throw ProviderError(text);
}

void Collective::throw_cannot_complete(double deadline_s) const {
  if (cannot_complete()) throw PeerError(explain_cannot_complete());
  detail::throw_cannot_complete(*communicator_, describe(), deadline_s);
}

}  // namespace tacit::comm::detail
