// Announces what is exposed, finds that of others, and reaches it.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/comm/one_sided/detail/memory_region.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <new>

#include "tacit/comm/connections/wait.hpp"
#include "tacit/comm/error.hpp"
#include "tacit/comm/layout.hpp"

namespace tacit::comm::detail {
namespace {

constexpr std::size_t exposed_chunk = std::size_t{1} << 15U;  // long beside the header, short beside the caches

/// Signals come first in the memory of a region, which is never empty.
std::size_t bytes_of_signals(std::uint32_t count) { return sizeof(Signal) * std::max(count, 1U); }

std::string what(const Elements& elements, std::uint32_t signals, Access access, Owner owner) {
  return fmt::format("elements {} of {} B and {} signals, {}, in {} memory", elements.type.data(), elements.bytes,
                     signals, access == Access::direct ? "direct where possible" : "by messages",
                     owner == Owner::library ? "the library's" : "its own");
}

}  // namespace

/// The wait of a task for a signal of this rank.
class MemoryRegion::SignalWait final : public Operation {
 public:
  SignalWait(const MemoryRegion& region, std::uint32_t index) : region_(&region), index_(index) {}
  SignalWait(const SignalWait&) = delete;
  SignalWait& operator=(const SignalWait&) = delete;
  ~SignalWait() override {
    if (is_idle()) return;
    region_->communicator_->engine().remove(*this);
  }
  void begin(std::uint64_t value, base::Token token) {
    TACIT_EXPECT(is_idle());
    value_ = value;
    region_->communicator_->engine().add(*this, token);
  }
  [[nodiscard]] bool advance() noexcept override {
    return region_->own_.signals[index_].value.load(std::memory_order_acquire) >= value_;
  }
  [[nodiscard]] std::string describe() const override { return region_->describe_signal(index_, value_); }
  [[nodiscard]] int error() const noexcept override { return is_given_up_ ? given_up : 0; }
  [[nodiscard]] std::string explain() const override {
    const CommunicatorCore& communicator = *region_->communicator_;
    return fmt::format("{}: {}, while we waited for {}", comm::describe(communicator.own()),
                       communicator.watch().explain(), describe());
  }
  [[nodiscard]] bool cannot_complete() const noexcept override { return region_->communicator_->watch().is_lost(); }

 private:
  [[nodiscard]] bool is_idle() const { return state_.load(std::memory_order_acquire) == State::idle; }
  const MemoryRegion* region_;
  std::uint32_t index_;
  std::uint64_t value_ = 0;
};

MemoryRegion::MemoryRegion(Communicator& communicator, const MemoryRegionSpec& spec)
    : communicator_(&communicator.core()),
      spec_(spec),
      key_(communicator_->next_collective()),
      rendezvous_(*communicator_, key_,
                  bytes_of_signals(spec.signals) +
                      (spec.owner == Owner::library ? length_of(spec.elements.count, spec.elements.bytes) : 0)),
      own_{.data = spec.owner == Owner::library ? rendezvous_.data() + bytes_of_signals(spec.signals) : spec.memory,
           .bytes = length_of(spec.elements.count, spec.elements.bytes),
           .signals = std::launder(reinterpret_cast<Signal*>(rendezvous_.data())),
           .signal_count = spec.signals},
      info_{spec.memory, spec.elements, spec.signals, spec.access, spec.owner, number(spec.home.value_or(RankId{~0U}))},
      peers_(communicator_->ranks().size()),
      barrier_(communicator) {
  for (std::uint32_t i = 0; i < spec.signals; ++i) {
    new (rendezvous_.data() + i * sizeof(Signal)) Signal;
    waits_.push_back(std::make_unique<SignalWait>(*this, i));
  }
  const std::size_t longest = spec.elements.bytes == 0 ? 0 : exposed_chunk;
  for (const RankInfo& info : communicator_->ranks()) {
    if (!meets(info.rank)) continue;
    if (info.rank != communicator_->own().rank) rendezvous_.announce(info.rank, info_);
    if (is_direct(info.rank)) continue;
    peer(info.rank).link = std::make_unique<RequestLink>(*communicator_, info.rank, key_, longest, own_);
  }
}

MemoryRegion::~MemoryRegion() = default;

std::string MemoryRegion::title() const { return fmt::format("{} {}", spec_.kind, number_of_collective(key_)); }

/// Whether we and that rank reach each other; with ourselves we always do.
bool MemoryRegion::meets(RankId rank) const {
  const RankId own = communicator_->own().rank;
  return !spec_.home || rank == *spec_.home || own == *spec_.home || rank == own;
}

bool MemoryRegion::is_direct(RankId rank) const {
  if (spec_.access == Access::messages) return false;
  const RankInfo& theirs = communicator_->rank(rank);
  if (theirs.domain != communicator_->own().domain) return false;
  return spec_.owner == Owner::library || communicator_->shared_memory().is_same_process(rank);
}

void MemoryRegion::check(RankId rank, const PeerInfo& theirs) const {
  const bool is_same = info_.elements.bytes == theirs.elements.bytes && info_.elements.type == theirs.elements.type &&
                       info_.signals == theirs.signals && info_.access == theirs.access &&
                       info_.owner == theirs.owner && info_.home == theirs.home;
  if (is_same) return;
  const std::string mine = comm::describe(communicator_->own());
  const std::string other = comm::describe(communicator_->rank(rank));
  if (info_.home != theirs.home)
    throw MismatchError(fmt::format("{}: {} and {} name different homes", title(), mine, other));
  throw MismatchError(fmt::format("{}: {} exposes {}; {} exposes {}", title(), mine,
                                  what(info_.elements, info_.signals, info_.access, info_.owner), other,
                                  what(theirs.elements, theirs.signals, theirs.access, theirs.owner)));
}

void MemoryRegion::find(RankId rank) {
  Peer& it = peer(rank);
  if (rank == communicator_->own().rank) {
    it.exposed = own_;
    if (it.link != nullptr) it.link->open();
    return;
  }
  const auto what = [this] { return title(); };
  const auto [place, info] = rendezvous_.await(rank, what);
  check(rank, info);
  it.exposed.bytes = info.elements.count * info.elements.bytes;
  it.exposed.signal_count = info.signals;
  if (it.link != nullptr) return it.link->open();
  std::byte* memory = rendezvous_.map(rank, place, what);
  it.exposed.signals = std::launder(reinterpret_cast<Signal*>(memory));
  it.exposed.data = info.owner == Owner::library ? memory + bytes_of_signals(info.signals) : info.memory;
}

void MemoryRegion::open_once() {
  const std::lock_guard guard(opening_);
  if (is_open_.load(std::memory_order_relaxed)) return;
  for (const RankInfo& info : communicator_->ranks()) {
    if (meets(info.rank)) find(info.rank);
  }
  is_open_.store(true, std::memory_order_release);
}

void MemoryRegion::put(RankId rank, std::size_t offset, const std::byte* from, std::size_t bytes,
                       const Notice& notice) {
  open();
  Peer& to = peer(rank);
  TACIT_EXPECT(offset <= to.exposed.bytes && bytes <= to.exposed.bytes - offset);
  TACIT_EXPECT(notice.value == 0 || notice.signal < to.exposed.signal_count);
  if (to.link != nullptr) [[unlikely]] {
    to.link->issue({.kind = RequestKind::put,
                    .signal = notice.signal,
                    .value = notice.value,
                    .offset = offset,
                    .bytes = bytes,
                    .from = from},
                   0.0);
    return;
  }
  copy_bytes(to.exposed.data + offset, from, bytes);
  if (notice.value != 0) to.exposed.signals[notice.signal].value.fetch_add(notice.value, std::memory_order_release);
}

void MemoryRegion::get(RankId rank, std::size_t offset, std::byte* to, std::size_t bytes) {
  open();
  Peer& from = peer(rank);
  TACIT_EXPECT(offset <= from.exposed.bytes && bytes <= from.exposed.bytes - offset);
  if (from.link == nullptr) return copy_bytes(to, from.exposed.data + offset, bytes);
  from.link->issue({.kind = RequestKind::get, .offset = offset, .bytes = bytes, .to = to}, 0.0);
}

bool MemoryRegion::test() {
  open();
  ProgressEngine& engine = communicator_->engine();
  if (engine.has_work()) engine.progress();
  return std::ranges::all_of(peers_, [](const Peer& peer) {
    return peer.link == nullptr || peer.link->issued() == 0 || peer.link->is_over(peer.link->issued() - 1);
  });
}

void MemoryRegion::wait(double deadline_s) {
  open();
  for (Peer& peer : peers_) {
    if (peer.link != nullptr && peer.link->issued() > 0) peer.link->await(peer.link->issued() - 1, deadline_s);
  }
}

void MemoryRegion::quiet(double deadline_s) {
  open();
  for (Peer& peer : peers_) {
    if (peer.link != nullptr) peer.link->quiet(deadline_s);
  }
}

void MemoryRegion::fence(double deadline_s) {
  quiet(deadline_s);
  barrier_.run(deadline_s);
}

std::uint64_t MemoryRegion::signal(std::uint32_t index) {
  open();
  TACIT_EXPECT(index < own_.signal_count);
  const std::atomic<std::uint64_t>& value = own_.signals[index].value;
  ProgressEngine& engine = communicator_->engine();
  if (engine.has_work()) engine.progress();
  return value.load(std::memory_order_acquire);
}

std::uint64_t MemoryRegion::wait_signal(std::uint32_t index, std::uint64_t value, double deadline_s) {
  open();
  TACIT_EXPECT(index < own_.signal_count);
  std::uint64_t seen = 0;
  wait_until(
      *communicator_, [&] { return (seen = own_.signals[index].value.load(std::memory_order_acquire)) >= value; },
      [&] { return describe_signal(index, value); }, deadline_s);
  return seen;
}

void MemoryRegion::await_signal(std::uint32_t index, std::uint64_t value, base::Token token) {
  open();
  TACIT_EXPECT(index < own_.signal_count);
  waits_[index]->begin(value, token);
}

std::string MemoryRegion::describe_signal(std::uint32_t index, std::uint64_t value) const {
  return fmt::format("signal {} of {} to reach {} (it is {})", index, title(), value,
                     own_.signals[index].value.load(std::memory_order_relaxed));
}

}  // namespace tacit::comm::detail
