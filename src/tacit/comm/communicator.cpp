// Makes communicators from what started the process.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/comm/communicator.hpp"

#include <utility>

#include "tacit/comm/bootstrap/launcher.hpp"
#include "tacit/comm/connections/communicator_core.hpp"

namespace tacit::comm {
Communicator::Communicator(const Options& options) : Communicator(bootstrap_of_launcher(), options) {}
Communicator::Communicator(std::unique_ptr<Bootstrap> bootstrap, const Options& options)
    : core_(std::make_unique<detail::CommunicatorCore>(std::move(bootstrap), options)) {}
Communicator::Communicator(std::unique_ptr<detail::CommunicatorCore> core) : core_(std::move(core)) {}
Communicator::~Communicator() = default;
Communicator::Communicator(Communicator&&) noexcept = default;
Communicator& Communicator::operator=(Communicator&&) noexcept = default;

RankId Communicator::rank() const noexcept { return core_->bootstrap().rank(); }
std::size_t Communicator::size() const noexcept { return core_->ranks().size(); }
std::span<const RankInfo> Communicator::ranks() const noexcept { return core_->ranks(); }
const RankInfo& Communicator::own() const noexcept { return core_->own(); }
ProviderId Communicator::transport_to(RankId peer) const { return core_->choose({.rank = peer}); }
base::CompletionSource& Communicator::completions() noexcept { return core_->engine(); }

void Communicator::give_up() noexcept { core_->give_up(); }

std::optional<LostRank> Communicator::await_loss(double seconds) noexcept {
  if (!core_->watch().await_loss(seconds)) return std::nullopt;
  return core_->watch().lost_rank();
}

void Communicator::synchronise() { static_cast<void>(core_->all_gather("synchronises", {})); }

Communicator Communicator::split(std::uint32_t colour, std::uint32_t key) {
  return Communicator(core_->split(colour, key));
}
Communicator Communicator::split_by_node() { return split(own().domain, 0); }

}  // namespace tacit::comm
