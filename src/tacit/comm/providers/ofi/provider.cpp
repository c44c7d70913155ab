// Connects through libfabric.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/comm/providers/ofi/provider.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>
#include <utility>

#include "tacit/comm/error.hpp"
#include "tacit/comm/providers/ofi/ends.hpp"

namespace tacit::comm::ofi {

bool Sender::start(std::size_t bytes) noexcept { return state_->start(bytes); }
bool Sender::test() noexcept { return state_->test(); }
Layout Sender::memory() const noexcept { return state_->memory(); }
int Sender::error() const noexcept { return state_->error(); }
std::string Sender::explain() const { return state_->explain(); }

void Receiver::grant() noexcept { state_->grant(); }
bool Receiver::test() noexcept { return state_->test(); }
std::byte* Receiver::data() const noexcept { return state_->data(); }
std::size_t Receiver::bytes() const noexcept { return state_->bytes(); }
int Receiver::error() const noexcept { return state_->error(); }
std::string Receiver::explain() const { return state_->explain(); }

struct Link::State {
  explicit State(Fabric& its_fabric) : fabric(&its_fabric) {}

  /// @throws MismatchError, ProviderError
  [[nodiscard]] Peer& peer_of(const Offer& theirs) const {
    const std::string_view ours = fabric->provider().substr(0, theirs.provider.size() - 1);
    if (ours != theirs.provider.data()) {
      throw MismatchError(
          fmt::format("libfabric's provider is {} here and {} at the other end: name one in a file of "
                      "routes",
                      ours, theirs.provider.data()));
    }
    return fabric->add_peer(std::span(theirs.address).first(theirs.address_bytes));
  }
  template <class Function>
  void for_all(Function&& function) {
    for (SenderState& sender : senders) function(sender);
    for (ReceiverState& receiver : receivers) function(receiver);
  }

  Fabric* fabric;
  std::deque<SenderState> senders;
  std::deque<ReceiverState> receivers;
};

Link::Link(Fabric& fabric) : state_(std::make_unique<State>(fabric)) {}
Link::Link(Link&&) noexcept = default;
Link& Link::operator=(Link&&) noexcept = default;
Link::~Link() = default;

Sender Link::offer_sender(const WindowSpec& spec, Blob& mine) {
  SenderState& sender = state_->senders.emplace_back(*state_->fabric, spec);
  mine = Blob::of(sender.offer());
  return Sender(sender);
}

Receiver Link::offer_receiver(const WindowSpec& spec, Blob& mine) {
  ReceiverState& receiver = state_->receivers.emplace_back(*state_->fabric, spec);
  mine = Blob::of(receiver.offer());
  return Receiver(receiver);
}

void Link::join(Sender& sender, const Blob& theirs) {
  const auto offer = theirs.as<Offer>();
  sender.state().join(offer, state_->peer_of(offer));
}

void Link::join(Receiver& receiver, const Blob& theirs) {
  const auto offer = theirs.as<Offer>();
  receiver.state().join(offer, state_->peer_of(offer));
}

std::uint64_t Link::depart() noexcept {
  std::uint64_t writes = 0;
  state_->for_all([&](auto& end) { writes += end.end(); });
  return writes;
}

bool Link::retire(std::uint64_t theirs) noexcept {
  if (state_ == nullptr) return true;
  state_->fabric->poll();
  std::uint64_t arrived = 0;
  bool is_busy = false;
  state_->for_all([&](auto& end) {
    arrived += end.arrived();
    is_busy = is_busy || end.is_busy();
  });
  if (is_busy || arrived < theirs) return false;
  state_ = nullptr;
  return true;
}

Provider::Provider(RankId own) : own_(own) {}

Provider::~Provider() {
  for (const auto& [network, fabric] : fabrics_) {
    if (fabric != nullptr) fabric->close();
  }
}

void Provider::keep(Link&& link) noexcept {
  const std::lock_guard guard(mutex_);
  kept_.push_back(std::move(link));
}

const std::string& Provider::default_provider() const {
  const std::lock_guard guard(mutex_);
  if (!default_) {
    const auto usable = usable_providers();
    default_ = usable.empty() ? std::string() : usable.front();
  }
  return *default_;
}

void Provider::agree(Bootstrap& bootstrap, double deadline_s) {
  auto common = usable_providers();
  const std::string mine = fmt::format(",{},", fmt::join(common, ","));
  const auto all = bootstrap.all_gather(std::as_bytes(std::span(mine)), deadline_s);
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    const std::string_view theirs(reinterpret_cast<const char*>(all[rank].data()), all[rank].size());
    std::erase_if(common, [&](const std::string& name) {
      return theirs.find(fmt::format(",{},", name)) == std::string_view::npos;
    });
    if (common.empty() && disagreement_.empty()) disagreement_ = fmt::format("rank {} has none of ours", rank);
  }
  const std::lock_guard guard(mutex_);
  default_ = common.empty() ? std::string() : common.front();
}

bool Provider::is_fast() const { return ofi::is_fast(default_provider()); }

std::string Provider::explain() const {
  return fmt::format("libfabric offers {}{}{}", describe_offers(), disagreement_.empty() ? "" : "; ", disagreement_);
}

Link Provider::connect(Network network) {
  if (network.provider.empty() && network.device.empty()) network.provider = default_provider();
  const std::lock_guard guard(mutex_);
  std::unique_ptr<Fabric>& fabric = fabrics_[network];
  if (fabric == nullptr) {
    fabric = std::make_unique<Fabric>(network, network.port == 0 ? 0 : network.port + number(own_));
    if (fabric->address().size() > sizeof(Offer::address)) {
      fabric = nullptr;
      throw ProviderError(
          fmt::format("ofi: addresses of {} are longer than {} B", network.provider, sizeof(Offer::address)));
    }
    fabric->next = first_.load(std::memory_order_relaxed);
    first_.store(fabric.get(), std::memory_order_release);
  }
  return Link(*fabric);
}

void Provider::progress() noexcept {
  for (Fabric* fabric = first_.load(std::memory_order_acquire); fabric != nullptr; fabric = fabric->next) {
    fabric->poll();
  }
}

}  // namespace tacit::comm::ofi
