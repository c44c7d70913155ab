// Connects the handles that windows hold with MPI's requests.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/comm/providers/mpi/provider.hpp"

#include <utility>

#include "tacit/comm/providers/mpi/context.hpp"
#include "tacit/comm/providers/mpi/requests.hpp"

namespace tacit::comm::mpi {

void Keep::operator()(SenderState* state) const noexcept { state->context.keep(std::unique_ptr<End>(state)); }
void Keep::operator()(ReceiverState* state) const noexcept { state->context.keep(std::unique_ptr<End>(state)); }

Sender::Sender() = default;
Sender::Sender(std::unique_ptr<SenderState, Keep> state) : state_(std::move(state)) {}
Sender::Sender(Sender&&) noexcept = default;
Sender& Sender::operator=(Sender&&) noexcept = default;
Sender::~Sender() = default;
bool Sender::start(std::size_t bytes) noexcept { return state_->start(bytes); }
bool Sender::test() noexcept { return state_->test(); }
Layout Sender::memory() const noexcept { return state_->memory; }
bool Sender::is_usable_here() const noexcept { return state_->context.is_usable_here(); }
int Sender::error() const noexcept { return state_->error; }
std::string Sender::explain() const { return mpi_text(state_->error); }

Receiver::Receiver() = default;
Receiver::Receiver(std::unique_ptr<ReceiverState, Keep> state) : state_(std::move(state)) {}
Receiver::Receiver(Receiver&&) noexcept = default;
Receiver& Receiver::operator=(Receiver&&) noexcept = default;
Receiver::~Receiver() = default;
void Receiver::grant() noexcept { state_->grant(); }
bool Receiver::test() noexcept { return state_->test(); }
std::byte* Receiver::data() const noexcept { return state_->data; }
std::size_t Receiver::bytes() const noexcept { return state_->bytes; }
bool Receiver::is_usable_here() const noexcept { return state_->context.is_usable_here(); }
int Receiver::error() const noexcept { return state_->error; }
std::string Receiver::explain() const { return mpi_text(state_->error); }

Sender Link::offer_sender(const WindowSpec& spec, Blob& mine) {
  std::unique_ptr<SenderState, Keep> state(new SenderState(*context_, spec, peer_));
  mine = Blob::of(state->offer());
  return Sender(std::move(state));
}

Receiver Link::offer_receiver(const WindowSpec& spec, Blob& mine) {
  std::unique_ptr<ReceiverState, Keep> state(new ReceiverState(*context_, spec, peer_));
  mine = Blob::of(state->offer());
  return Receiver(std::move(state));
}

void Link::join(Sender& sender, const Blob& theirs) { sender.state().join(theirs.as<Offer>()); }
void Link::join(Receiver& receiver, const Blob& theirs) { receiver.state().join(theirs.as<Offer>()); }

std::unique_ptr<Provider> Provider::make(Bootstrap& bootstrap, std::span<const RankInfo> ranks) {
  auto* started = dynamic_cast<MpiBootstrap*>(&bootstrap);
  if (started == nullptr) return nullptr;
  return std::make_unique<Provider>(std::make_unique<Context>(*started, ranks));
}

Provider::Provider(std::unique_ptr<Context> context) : owned_(std::move(context)), context_(owned_.get()) {}
Provider::Provider(const Provider& whole, std::vector<RankId> ranks)
    : context_(whole.context_), ranks_(std::move(ranks)) {}
Provider::~Provider() = default;

}  // namespace tacit::comm::mpi
