// Sends, serves and answers one-sided requests.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/comm/one_sided/detail/request_link.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "tacit/comm/connections/wait.hpp"
#include "tacit/comm/error.hpp"

namespace tacit::comm::detail {

RequestLink::RequestLink(CommunicatorCore& communicator, RankId peer, std::uint32_t key, std::size_t chunk,
                         const Exposed& own)
    : communicator_(&communicator),
      engine_(&communicator.engine()),
      chunk_(chunk),
      own_(own),
      requests_(communicator, peer, key, "requests", sizeof(Header) + chunk, sizeof(Header) + chunk),
      replies_(communicator, peer, key, "replies", sizeof(Header) + chunk, sizeof(Header) + chunk) {}

RequestLink::~RequestLink() { engine_->remove(*this); }

void RequestLink::open() {
  requests_.open();
  replies_.open();
  engine_->add(*this);
}

std::uint64_t RequestLink::issue(const Request& request, double deadline_s) {
  std::uint64_t ticket = tail_.load(std::memory_order_relaxed);
  for (;;) {
    // Not `ticket - finished >= places`: once other threads have taken places and these are over, ours is the smaller.
    if (ticket >= finished_.load(std::memory_order_acquire) + places) {
      await(ticket - places, deadline_s);
      ticket = tail_.load(std::memory_order_relaxed);
    } else if (tail_.compare_exchange_weak(ticket, ticket + 1, std::memory_order_release, std::memory_order_relaxed)) {
      break;
    }
  }
  Place& mine = place(ticket);
  mine.request = request;
  mine.ready.store(ticket + 1, std::memory_order_release);
  engine_->progress();  // so that it leaves even without a wait
  return ticket;
}

bool RequestLink::is_over(std::uint64_t ticket) const {
  if (finished_.load(std::memory_order_acquire) > ticket) return true;
  if (error() == 0) return false;
  const std::string text = explain();
  if (communicator_->watch().is_lost()) throw PeerError(text);
  throw ProviderError(text);
}

void RequestLink::await(std::uint64_t ticket, double deadline_s) {
  wait_until(
      *communicator_, [&] { return is_over(ticket); }, [this] { return describe(); }, deadline_s);
}

std::uint64_t RequestLink::fetch_add(std::uint32_t signal, std::uint64_t value, double deadline_s) {
  std::uint64_t before = 0;
  const std::uint64_t ticket =
      issue({.kind = RequestKind::fetch_add, .signal = signal, .value = value, .result = &before}, deadline_s);
  try {
    await(ticket, deadline_s);
  } catch (const base::Error&) {
    // The reply may come yet: it must not be written to what is gone.
    engine_->exclusively([&] {
      if (finished_.load(std::memory_order_relaxed) <= ticket) place(ticket).request.result = nullptr;
    });
    throw;
  }
  return before;
}

void RequestLink::quiet(double deadline_s) {
  const std::uint64_t all = issued();
  if (all == 0) return;
  // Requests are carried out in their order: when a get of nothing is answered, all before it have been.
  await(issue({.kind = RequestKind::get}, deadline_s), deadline_s);
}

bool RequestLink::advance() noexcept {
  const int error = requests_.error() != 0 ? requests_.error() : replies_.error();
  if (error != 0) {
    error_.store(error, std::memory_order_release);
    return true;
  }
  take_replies();
  serve();
  send_requests();
  return false;
}

void RequestLink::send_requests() noexcept {
  while (requests_.is_idle() && place(sent_).ready.load(std::memory_order_acquire) == sent_ + 1) {
    send_piece(place(sent_).request);
  }
  skip_puts();
}

void RequestLink::send_piece(const Request& request) noexcept {
  const std::uint64_t bytes = std::min<std::uint64_t>(chunk_, request.bytes - sent_bytes_);
  const bool is_last = sent_bytes_ + bytes == request.bytes;
  const Header header{.kind = request.kind,
                      .signal = request.signal,
                      .value = is_last ? request.value : 0,  // the notice goes with the last piece
                      .offset = request.offset + sent_bytes_,
                      .bytes = bytes};
  std::byte* to = requests_.outgoing();
  std::memcpy(to, &header, sizeof(Header));
  std::size_t length = sizeof(Header);
  if (request.kind == RequestKind::put) {
    copy_bytes(to + sizeof(Header), request.from + sent_bytes_, bytes);
    length += bytes;
  }
  requests_.post(length);
  sent_bytes_ += bytes;
  if (!is_last) return;
  sent_bytes_ = 0;
  ++sent_;
}

/// Puts have no reply: they are over when they and all before them are gone.
void RequestLink::skip_puts() noexcept {
  std::uint64_t first = finished_.load(std::memory_order_relaxed);
  while (first < sent_ && place(first).request.kind == RequestKind::put) ++first;
  finished_.store(first, std::memory_order_release);
}

void RequestLink::take_replies() noexcept {
  while (replies_.has_come() && replies_.error() == 0) {
    Header header;
    std::memcpy(&header, replies_.incoming(), sizeof(Header));
    skip_puts();
    take_reply(header, replies_.incoming() + sizeof(Header));
    replies_.grant();
  }
}

void RequestLink::take_reply(const Header& header, const std::byte* data) noexcept {
  const std::uint64_t first = finished_.load(std::memory_order_relaxed);
  Request& request = place(first).request;
  if (request.kind == RequestKind::get) {
    copy_bytes(request.to + replied_bytes_, data, header.bytes);
    replied_bytes_ += header.bytes;
    if (replied_bytes_ < request.bytes) return;
    replied_bytes_ = 0;
  } else if (request.result != nullptr) {
    *request.result = header.value;
  }
  finished_.store(first + 1, std::memory_order_release);
}

void RequestLink::serve() noexcept {
  // A request is taken only when its reply can be sent. A bounded number: others are served, too.
  for (std::uint64_t i = 0; i < places && replies_.is_idle() && requests_.has_come(); ++i) {
    if (requests_.error() != 0) return;
    Header header;
    std::memcpy(&header, requests_.incoming(), sizeof(Header));
    carry_out(header, requests_.incoming() + sizeof(Header));
    requests_.grant();
  }
}

void RequestLink::carry_out(const Header& header, const std::byte* data) noexcept {
  if (header.kind == RequestKind::put) {
    copy_bytes(own_.data + header.offset, data, header.bytes);
    if (header.value != 0) own_.signals[header.signal].value.fetch_add(header.value, std::memory_order_release);
    return;
  }
  Header reply = header;
  std::byte* to = replies_.outgoing();
  std::size_t length = sizeof(Header);
  if (header.kind == RequestKind::get) {
    copy_bytes(to + sizeof(Header), own_.data + header.offset, header.bytes);
    length += header.bytes;
  } else {
    reply.value = own_.signals[header.signal].value.fetch_add(header.value, std::memory_order_acq_rel);
  }
  std::memcpy(to, &reply, sizeof(Header));
  replies_.post(length);
}

std::string RequestLink::describe() const {
  return fmt::format("{} to serve request {} of {} to it (it does when it waits or polls)",
                     comm::describe(communicator_->rank(requests_.peer())),
                     finished_.load(std::memory_order_relaxed) + 1, issued());
}

std::string RequestLink::explain() const {
  return fmt::format("{}: requests to {}: {}", comm::describe(communicator_->own()),
                     comm::describe(communicator_->rank(requests_.peer())),
                     requests_.error() != 0 ? requests_.explain() : replies_.explain());
}

}  // namespace tacit::comm::detail
