// Sets transports up, and chooses among them.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/comm/detail/communicator_core.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>

#include "tacit/comm/error.hpp"

namespace tacit::comm::detail {

CommunicatorCore::CommunicatorCore(std::unique_ptr<Bootstrap> bootstrap, const Options& options)
    : options_(options),
      bootstrap_(std::move(bootstrap)),
      locality_(shm::find_locality(*bootstrap_, options.setup_deadline_s)),
      watch_(std::move(locality_.pages), locality_.ranks, bootstrap_->rank(), options.stopped_s),
      self_(bootstrap_->rank()),
      shm_(locality_.ranks)
#if defined(TACIT_HAS_MPI)
      ,
      mpi_(mpi::Provider::make(*bootstrap_))
#endif
      ,
      engine_(watch_),
      exceptions_(std::uncaught_exceptions()) {
  bootstrap_->set_watch(&watch_);
}

/// Whether the peer may still write into memory that goes with us: only threads of our own process can.
bool CommunicatorCore::is_awaited(const Grave& grave) const {
  return grave.was_used && grave.peer != bootstrap_->rank() && rank(grave.peer).process_id == own().process_id;
}

void CommunicatorCore::give_up() noexcept {
  watch_.say_farewell(Fate::failed);
  bootstrap_->abandon();
}

CommunicatorCore::~CommunicatorCore() {
  const bool has_failed = std::uncaught_exceptions() > exceptions_ || bootstrap_->is_abandoned() || watch_.is_lost();
  bootstrap_->set_watch(nullptr);
  if (has_failed) {
    give_up();
  } else {
    watch_.say_farewell(Fate::left);
  }
  constexpr double longest_s = 5.0;  // a thread that never ends its connections is a bug of the caller
  Patience patience(Processors::shared, longest_s);
  try {
    do {
      sweep();
    } while (std::ranges::any_of(graves_, [this](const Grave& g) { return is_awaited(g); }) && patience.pause());
  } catch (const base::Error&) {
    // The bootstrap fails: nobody can say any more that he has closed.
  }
  for (Grave& grave : graves_) {
    dispatch(grave.link, [](auto& link) { link.retire(); });
  }
}

std::uint64_t CommunicatorCore::next_connection(const Target& target) {
  if (number(target.rank) >= bootstrap_->size()) {
    throw ProviderError(fmt::format("{}: there is no rank {} to connect to, there are {}", comm::describe(own()),
                                    number(target.rank), bootstrap_->size()));
  }
  sweep();
  const std::lock_guard guard(mutex_);
  return std::uint64_t{target.key} << 32U | connections_[{target.rank, target.key}]++;
}

bool CommunicatorCore::reaches(ProviderId provider, RankId peer) const {
  switch (provider) {
    case ProviderId::self:
      return self_.reaches(peer);
    case ProviderId::shm:
      return shm_.reaches(peer);
    case ProviderId::mpi:
      break;
  }
#if defined(TACIT_HAS_MPI)
  return mpi_ != nullptr && mpi_->reaches(peer);
#else
  return false;
#endif
}

ProviderId CommunicatorCore::choose(const Target& target) const {
  if (target.via && reaches(*target.via, target.rank)) return *target.via;
  if (!target.via) {
    for (const ProviderId provider : {ProviderId::self, ProviderId::shm, ProviderId::mpi}) {
      if (reaches(provider, target.rank)) return provider;
    }
  }
  throw ProviderError(fmt::format("{}: {} does not reach {}", comm::describe(own()),
                                  target.via ? name(*target.via) : "no transport of this build",
                                  comm::describe(rank(target.rank))));
}

AnyLink CommunicatorCore::connect(ProviderId provider, RankId peer) {
#if defined(TACIT_HAS_MPI)
  if (provider == ProviderId::mpi) return mpi_->connect(peer);
#endif
  if (provider == ProviderId::self) return self_.connect(peer);
  return shm_.connect(peer);
}

void CommunicatorCore::bury(RankId peer, std::uint64_t connection, AnyLink link, bool was_used) noexcept {
  try {
    bootstrap_->send(peer, setup_key(connection, About::closed), {});
  } catch (const base::Error&) {
    // MPI serves another thread, or fails: then the peer keeps what it used to the end.
  }
  const std::lock_guard guard(mutex_);
  graves_.push_back({peer, connection, std::move(link), was_used});
}

/// Takes back what connections used that are closed at both ends.
void CommunicatorCore::sweep() {
  const std::lock_guard guard(mutex_);
  std::erase_if(graves_, [this](Grave& grave) {
    if (!bootstrap_->try_receive(grave.peer, setup_key(grave.connection, About::closed))) return false;
    dispatch(grave.link, [](auto& link) { link.retire(); });
    return true;
  });
}

}  // namespace tacit::comm::detail
