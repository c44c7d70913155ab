// Calls libfabric.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/comm/providers/ofi/fabric.hpp"

#include <fmt/format.h>
#include <rdma/fi_errno.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <utility>

#include "tacit/comm/backoff.hpp"
#include "tacit/comm/error.hpp"

namespace tacit::comm::ofi {
namespace {

constexpr std::size_t queue_length = 8192;

Ticket& ticket_of(void* context) noexcept { return *static_cast<Ticket*>(context); }

/// An object of libfabric that `open` makes.
template <class Object, class Open>
Handle<Object> made(const char* call, Open&& open) {
  Object* object = nullptr;
  check(open(&object), call);
  return Handle<Object>(object);
}

}  // namespace

class Fabric::Hold {
 public:
  explicit Hold(Fabric& fabric) noexcept : fabric_(&fabric) {
    while (fabric_->is_polled_.test_and_set(std::memory_order_acquire)) yield_processor();
  }
  Hold(const Hold&) = delete;
  Hold& operator=(const Hold&) = delete;
  ~Hold() { fabric_->is_polled_.clear(std::memory_order_release); }

 private:
  Fabric* fabric_;
};

class Fabric::Call {
 public:
  explicit Call(Fabric& fabric) : lock_(fabric.calls_, std::defer_lock) {
    if (!fabric.is_thread_safe_) lock_.lock();
  }

 private:
  std::unique_lock<std::mutex> lock_;
};

Fabric::Fabric(const Network& wanted, std::uint32_t port) : Fabric(wanted, port, Notice::with_write) {
  if (notice_of(provider()) != Notice::message) return;
  notice_ = Notice::message;
  are_receives_needed_ = true;
}

Fabric::Fabric(const Network& wanted, std::uint32_t port, Notice notice)
    : info_(find_network(wanted, port)),
      notice_(notice),
      is_thread_safe_(info_->domain_attr->threading == FI_THREAD_SAFE),
      are_receives_needed_(notice == Notice::message || ((info_->mode | info_->rx_attr->mode) & FI_RX_CQ_DATA) != 0),
      fabric_(made<fid_fabric>("fi_fabric", [&](auto** f) { return fi_fabric(info_->fabric_attr, f, nullptr); })),
      domain_(
          made<fid_domain>("fi_domain", [&](auto** d) { return fi_domain(fabric_.get(), info_.get(), d, nullptr); })),
      arena_(*domain_, info_->domain_attr->mr_mode) {
  open();
}

/// Opens and binds the endpoint.
void Fabric::open() {
  fi_av_attr av{};
  av.type = FI_AV_TABLE;
  peers_ = made<fid_av>("fi_av_open", [&](auto** o) { return fi_av_open(domain_.get(), &av, o, nullptr); });
  fi_cq_attr cq{};
  cq.size = queue_length;
  cq.format = FI_CQ_FORMAT_DATA;
  cq.wait_obj = FI_WAIT_NONE;
  queue_ = made<fid_cq>("fi_cq_open", [&](auto** o) { return fi_cq_open(domain_.get(), &cq, o, nullptr); });
  endpoint_ =
      made<fid_ep>("fi_endpoint", [&](auto** o) { return fi_endpoint(domain_.get(), info_.get(), o, nullptr); });
  check(fi_ep_bind(endpoint_.get(), &peers_->fid, 0), "fi_ep_bind");
  check(fi_ep_bind(endpoint_.get(), &queue_->fid, FI_TRANSMIT | FI_RECV), "fi_ep_bind");
  check(fi_enable(endpoint_.get()), "fi_enable");
  arena_.belong_to(*endpoint_);
  std::size_t length = 0;
  const int code = fi_getname(&endpoint_->fid, nullptr, &length);
  if (code != -FI_ETOOSMALL) check(code, "fi_getname");
  address_.resize(length);
  check(fi_getname(&endpoint_->fid, address_.data(), &length), "fi_getname");
}

Peer& Fabric::add_peer(std::span<const std::byte> address) {
  const std::string key(reinterpret_cast<const char*>(address.data()), address.size());
  const std::lock_guard guard(peers_mutex_);
  if (const auto found = known_peers_.find(key); found != known_peers_.end()) return found->second;
  fi_addr_t peer = FI_ADDR_NOTAVAIL;
  const Call entry(*this);
  if (fi_av_insert(peers_.get(), key.data(), 1, &peer, 0, nullptr) != 1) {
    throw ProviderError(fmt::format("ofi: the address of a peer means nothing to {} on {}", provider(), device()));
  }
  return known_peers_.try_emplace(key, peer).first->second;
}

std::uint32_t Fabric::add_signals(std::span<Signal> signals) {
  const Hold hold(*this);
  auto first = static_cast<std::uint32_t>(signals_.size());
  if (const auto free = free_signals_.find(signals.size()); free != free_signals_.end()) {
    first = free->second;
    free_signals_.erase(free);
  } else {
    signals_.resize(signals_.size() + signals.size());
  }
  for (std::size_t i = 0; i < signals.size(); ++i) signals_[first + i] = &signals[i];
  return first;
}

void Fabric::remove_signals(std::uint32_t first, std::size_t count) noexcept {
  const Hold hold(*this);
  std::fill_n(signals_.begin() + first, count, nullptr);
  free_signals_.emplace(count, first);
}

void Fabric::close() noexcept {
  arena_.withdraw();
  endpoint_.reset();
}

void Fabric::expect(std::int64_t count) {
  if (!are_receives_needed_) return;
  const Hold hold(*this);
  expected_ += count;
  while (static_cast<std::int64_t>(receives_.size()) < expected_) {
    receives_.emplace_back().kind = Ticket::Kind::receive;
    free_receives_.push_back(&receives_.back());
  }
  if (count > 0) post_receives();
}

/// As many as are expected, or as the network takes: further ones come later.
void Fabric::post_receives() noexcept {
  while (posted_ < expected_ && !free_receives_.empty()) {
    const Call entry(*this);
    if (fi_recv(endpoint_.get(), nullptr, 0, nullptr, FI_ADDR_UNSPEC, &free_receives_.back()->context) != 0) return;
    free_receives_.pop_back();
    ++posted_;
  }
}

void Fabric::begin(Ticket& ticket) noexcept {
  ticket.is_busy.store(true, std::memory_order_relaxed);
  ticket.is_noticing = false;
  try_to_begin(ticket);
}

void Fabric::try_to_begin(Ticket& ticket) noexcept {
  const std::int64_t code = call(ticket);
  if (code == -FI_EAGAIN) {
    defer(ticket);
  } else if (code != 0) {
    end(ticket, static_cast<int>(-code), 0);
  }
}

std::int64_t Fabric::call(Ticket& ticket) noexcept {
  const Call entry(*this);
  if (notice_ == Notice::with_write) return write(ticket, FI_REMOTE_CQ_DATA | FI_COMPLETION);
  // The notice may go once the write is in its place.
  if (!ticket.is_noticing) return write(ticket, FI_DELIVERY_COMPLETE | FI_COMPLETION);
  return fi_senddata(endpoint_.get(), nullptr, 0, nullptr, ticket.signal, ticket.peer, &ticket.context);
}

std::int64_t Fabric::write(Ticket& ticket, std::uint64_t flags) noexcept {
  const iovec from{const_cast<std::byte*>(ticket.from), ticket.bytes};
  const fi_rma_iov to{ticket.place.address, ticket.bytes, ticket.place.key};
  fi_msg_rma message{};
  message.msg_iov = &from;
  message.desc = &ticket.descriptor;
  message.iov_count = 1;
  message.addr = ticket.peer;
  message.rma_iov = &to;
  message.rma_iov_count = 1;
  message.context = &ticket.context;
  message.data = ticket.signal;
  return fi_writemsg(endpoint_.get(), &message, flags);
}

void Fabric::defer(Ticket& ticket) noexcept {
  Ticket* first = deferred_.load(std::memory_order_relaxed);
  do {
    ticket.next = first;
  } while (!deferred_.compare_exchange_weak(first, &ticket, std::memory_order_release, std::memory_order_relaxed));
}

/// In the order in which they came.
void Fabric::retry_deferred() noexcept {
  if (deferred_.load(std::memory_order_relaxed) == nullptr) return;
  Ticket* newest = deferred_.exchange(nullptr, std::memory_order_acquire);
  Ticket* oldest = nullptr;
  while (newest != nullptr) {
    Ticket* before = std::exchange(newest->next, oldest);
    oldest = newest;
    newest = before;
  }
  while (oldest != nullptr) {
    Ticket* after = oldest->next;
    try_to_begin(*oldest);
    oldest = after;
  }
}

/// Where it cannot wait, the thread that finds the ticket free begins the write; else the end of the current write
/// does.
void Fabric::announce_next(Announcement& announcement) noexcept {
  announcement.wanted.fetch_add(1);
  if (!announcement.is_urgent()) {
    announcement.peer->add(announcement);
  } else if (!announcement.ticket.is_busy.exchange(true)) {
    write_announcement(announcement);
  }
}

/// @pre we have taken the ticket
void Fabric::write_announcement(Announcement& announcement) noexcept {
  const std::uint64_t value = announcement.wanted.load();
  std::atomic_ref(*announcement.source).store(value, std::memory_order_relaxed);
  announcement.announced.store(value);
  ++announcement.writes;
  begin(announcement.ticket);
}

std::size_t Fabric::take_along(Peer& peer, Head& head) noexcept {
  return peer.fill(head, [this](Announcement& announcement) { write_announcement(announcement); });
}

std::uint64_t Fabric::end(Announcement& announcement) noexcept {
  const Hold hold(*this);
  if (announcement.peer != nullptr) announcement.peer->end(announcement);
  return announcement.writes - (announcement.ticket.error != 0 ? 1U : 0U);
}

void Fabric::poll() noexcept {
  if (is_polled_.test_and_set(std::memory_order_acquire)) return;
  std::array<fi_cq_data_entry, 16> entries;
  std::int64_t count = 0;
  {
    const Call entry(*this);
    count = fi_cq_read(queue_.get(), entries.data(), entries.size());
  }
  if (count == -FI_EAVAIL) take_error();
  for (std::int64_t i = 0; i < count; ++i) take(entries[static_cast<std::size_t>(i)]);
  if (are_receives_needed_) post_receives();
  retry_deferred();
  is_polled_.clear(std::memory_order_release);
}

void Fabric::take(const fi_cq_data_entry& entry) noexcept {
  if ((entry.flags & FI_REMOTE_CQ_DATA) != 0) {
    raise(entry.data);
    if (!are_receives_needed_ || entry.op_context == nullptr) return;
    free_receives_.push_back(&ticket_of(entry.op_context));
    --posted_;
    return;
  }
  if (entry.op_context == nullptr) return;
  Ticket& ticket = ticket_of(entry.op_context);
  if (notice_ == Notice::message && !ticket.is_noticing) {
    ticket.is_noticing = true;
    try_to_begin(ticket);
  } else {
    end(ticket, 0, 0);
  }
}

void Fabric::take_error() noexcept {
  fi_cq_err_entry entry{};
  {
    const Call call(*this);
    if (fi_cq_readerr(queue_.get(), &entry, 0) <= 0) return;
  }
  if (entry.op_context == nullptr) return;
  Ticket& ticket = ticket_of(entry.op_context);
  if (ticket.kind == Ticket::Kind::receive) {
    free_receives_.push_back(&ticket);
    --posted_;
  } else {
    end(ticket, entry.err, entry.prov_errno);
  }
}

void Fabric::end(Ticket& ticket, int error, int provider_error) noexcept {
  if (ticket.error == 0) ticket.error = error;
  ticket.provider_error = provider_error;
  if (ticket.kind != Ticket::Kind::announcement) {
    ticket.is_busy.store(false, std::memory_order_release);
    return;
  }
  auto& announcement = *reinterpret_cast<Announcement*>(&ticket);
  ticket.is_busy.store(false);
  if (ticket.error != 0 || announcement.is_over.load() || !announcement.is_urgent()) return;
  if (!ticket.is_busy.exchange(true)) write_announcement(announcement);
}

Signal* Fabric::find(std::uint64_t signal) const noexcept {
  return signal < signals_.size() ? signals_[signal] : nullptr;
}

/// What came along is taken first: once the message is seen, its slot may be used again.
void Fabric::raise(std::uint64_t signal) noexcept {
  Signal* const raised = find(signal);
  if (raised == nullptr) return;
  if (raised->slot != nullptr) {
    for (std::size_t i = 0; i < raised->slot->grants(); ++i) accept(raised->slot->grant(i));
  }
  raised->count.fetch_add(1, std::memory_order_release);
}

/// Messages may overtake each other: the largest number is the latest.
void Fabric::accept(const TakenAlong& grant) noexcept {
  Signal* const sender = find(grant.signal);
  if (sender == nullptr) return;
  if (sender->granted.load(std::memory_order_relaxed) < grant.granted)
    sender->granted.store(grant.granted, std::memory_order_relaxed);
  sender->count.fetch_add(1, std::memory_order_release);
}

std::string Fabric::explain(const Ticket& ticket) const {
  std::string text = fmt::format("{} on {}: {}", provider(), device(), fi_strerror(ticket.error));
  if (ticket.provider_error == 0) return text;
  std::array<char, 256> room{};
  const char* more = fi_cq_strerror(queue_.get(), ticket.provider_error, nullptr, room.data(), room.size());
  if (more != nullptr && *more != '\0') text += fmt::format(" ({})", more);
  return text;
}

}  // namespace tacit::comm::ofi
