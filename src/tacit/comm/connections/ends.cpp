// Makes the ends of windows, and describes their waits.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/comm/connections/ends.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tacit/base/clock.hpp"
#include "tacit/comm/connections/communicator_core.hpp"
#include "tacit/comm/connections/connection_core.hpp"
#include "tacit/comm/connections/wait.hpp"
#include "tacit/comm/error.hpp"
#include "tacit/comm/layout.hpp"

namespace tacit::comm::detail {
namespace {

WindowSpec numbered(const ConnectionCore& connection, WindowSpec spec, const Elements& elements, Direction direction) {
  if (spec.depth == 0) throw ArgumentError("a window needs a depth of at least 1");
  if (length_of(elements.count, elements.bytes) > longest_memory / spec.depth) {
    throw ArgumentError(fmt::format("{} messages of {} elements of {} B are longer than any memory: 2^48 B at most",
                                    spec.depth, elements.count, elements.bytes));
  }
  spec.index = connection.next_index(direction);
  return spec;
}

}  // namespace

void WindowEnd::open() {
  if (!connection_->is_open()) connection_->open();
  CommunicatorCore& communicator = connection_->communicator();
  engine_ = &communicator.engine();
  processors_ = communicator.processors();
  default_deadline_s_ = communicator.options().deadline_s;
  // Elsewhere messages may still be on their way when their sender has left.
  if (connection_->provider() == ProviderId::shm) peer_ = communicator.liveness_of(connection_->target().rank);
  is_open_ = true;
}

/// A transport may have failed because a rank is lost. Streams ask ends that were not opened as windows.
std::string WindowEnd::explain() const {
  if (is_given_up_ || connection_->communicator().watch().await_loss(PeerWatch::exit_delay_s))
    return explain_cannot_complete();
  return fmt::format("{}: {}: {}", comm::describe(connection_->communicator().own()), describe(), explain_end());
}

bool WindowEnd::cannot_complete() const noexcept {
  return engine_->watch().is_lost() || (peer_ != nullptr && peer_->has_left());
}

std::string WindowEnd::explain_cannot_complete() const {
  return detail::explain_cannot_complete(connection_->communicator(), connection_->target().rank, describe());
}

void WindowEnd::doubt_indeed() {
  const bool had_left = peer_ != nullptr && peer_->has_left();
  if (!engine_->watch().look(base::now_ns()) || (had_left && has_peer_left_))
    throw PeerError(explain_cannot_complete());
  has_peer_left_ = had_left;  // it was asked 63 times more before the next doubt
}

void WindowEnd::throw_error() const {
  const std::string text = explain();
  if (is_given_up_ || engine_->watch().is_lost()) throw PeerError(text);
  throw ProviderError(text);
}

void WindowEnd::throw_cannot_complete(double deadline_s) const {
  if (cannot_complete()) throw PeerError(explain_cannot_complete());
  detail::throw_cannot_complete(connection_->communicator(), describe(), deadline_s);
}

SendEnd::SendEnd(ConnectionCore& connection, WindowSpec spec, const Elements& elements)
    : WindowEnd(connection, numbered(connection, spec, elements, Direction::send)),
      element_bytes_(std::max<std::size_t>(elements.bytes, 1)) {
  Blob blob;
  dispatch(connection.link(), [&](auto& link) { sender_ = link.offer_sender(spec_, blob); });
  connection.add(*this, Direction::send, elements, blob);
}

SendEnd::~SendEnd() {
  if (engine_ != nullptr && state_.load(std::memory_order_acquire) != State::idle) engine_->remove(*this);
  dispatch(sender_, [](auto& sender) noexcept {
    if constexpr (requires { sender.finish(); }) sender.finish();
  });
  connection_->remove(*this);
}

Layout SendEnd::memory() {
  return dispatch(sender_, [](auto& sender) noexcept { return sender.memory(); });
}

void SendEnd::throw_too_long(std::size_t bytes) const {
  throw ArgumentError(fmt::format(
      "{}: a message of {} elements ({} B) is longer than send window {} of {}, whose capacity is {} ({} B)",
      comm::describe(connection_->communicator().own()), bytes / element_bytes_, bytes, spec_.index,
      connection_->describe(), spec_.bytes / element_bytes_, spec_.bytes));
}

void SendEnd::await(base::Token token) {
  require_open();
  if (state_.load(std::memory_order_acquire) == State::idle) {
    engine_->add(*this, token);
  } else {
    engine_->set_token(*this, token);
  }
}

bool SendEnd::advance() noexcept {
  return dispatch(sender_, [](auto& sender) noexcept { return sender.test(); });
}

std::string SendEnd::describe() const {
  return fmt::format("message {} of send window {} ({} B at most) of {}: not granted or not gone", posted_, spec_.index,
                     spec_.bytes, connection_->describe());
}

std::string SendEnd::explain_end() const {
  return dispatch(sender_, [](const auto& sender) { return sender.explain(); });
}

void SendEnd::join(AnyLink& link, const Blob& theirs) {
  // A link and the ends that it offers are of one kind.
  dispatch(link, [&](auto& of_kind) {
    using Link = std::remove_reference_t<decltype(of_kind)>;
    of_kind.join(as<typename Link::Sender>(sender_), theirs);
  });
}

ReceiveEnd::ReceiveEnd(ConnectionCore& connection, WindowSpec spec, const Elements& elements)
    : WindowEnd(connection, numbered(connection, spec, elements, Direction::receive)) {
  Blob blob;
  dispatch(connection.link(), [&](auto& link) { receiver_ = link.offer_receiver(spec_, blob); });
  connection.add(*this, Direction::receive, elements, blob);
}

ReceiveEnd::~ReceiveEnd() {
  if (engine_ != nullptr && state_.load(std::memory_order_acquire) != State::idle) engine_->remove(*this);
  connection_->remove(*this);
}

bool ReceiveEnd::test_listed() {
  if (state_.load(std::memory_order_acquire) != State::ended) engine_->progress();
  if (state_.load(std::memory_order_acquire) != State::ended) return false;
  state_.store(State::idle, std::memory_order_relaxed);
  if (error() != 0) throw_error();
  return true;
}

void ReceiveEnd::await(base::Token token) {
  require_open();
  if (state_.load(std::memory_order_acquire) == State::idle) {
    TACIT_EXPECT(taken_ < granted_);
    engine_->add(*this, token);
  } else {
    engine_->set_token(*this, token);
  }
}

bool ReceiveEnd::advance() noexcept {
  const bool is_over = dispatch(receiver_, [](auto& receiver) noexcept { return receiver.test(); });
  if (is_over) ++taken_;
  return is_over;
}

std::string ReceiveEnd::describe() const {
  return fmt::format("message {} of receive window {} ({} B at most) of {}", taken_ + 1, spec_.index, spec_.bytes,
                     connection_->describe());
}

std::string ReceiveEnd::explain_end() const {
  return dispatch(receiver_, [](const auto& receiver) { return receiver.explain(); });
}

void ReceiveEnd::join(AnyLink& link, const Blob& theirs) {
  dispatch(link, [&](auto& of_kind) {
    using Link = std::remove_reference_t<decltype(of_kind)>;
    of_kind.join(as<typename Link::Receiver>(receiver_), theirs);
  });
}

}  // namespace tacit::comm::detail
