// Sets transports up, and chooses among them.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/comm/detail/communicator_core.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <exception>
#include <span>

#include "tacit/base/random.hpp"
#include "tacit/comm/bootstrap/subset.hpp"
#include "tacit/comm/error.hpp"

namespace tacit::comm::detail {

namespace {

/// A rank's part in a split.
struct Wish {
  std::uint32_t colour = 0;
  std::uint32_t key = 0;
  std::uint64_t group = 0;  ///< at least
};

}  // namespace

CommunicatorCore::CommunicatorCore(std::unique_ptr<Bootstrap> bootstrap, const Options& options)
    : root_(this),
      options_(options),
      bootstrap_(std::move(bootstrap)),
      locality_(shm::find_locality(*bootstrap_, options.setup_deadline_s, options.nodes)),
      watch_(std::in_place, std::move(*locality_.pages), locality_.ranks, bootstrap_->rank(), options.stopped_s),
      self_(bootstrap_->rank()),
      shm_(locality_.ranks)
#if defined(TACIT_HAS_MPI)
      ,
      mpi_(mpi::Provider::make(*bootstrap_))
#endif
      ,
      engine_(*watch_),
      exceptions_(std::uncaught_exceptions()) {
  bootstrap_->set_watch(&*watch_);
  watch_->set_carrier(bootstrap_.get());
  options_.nodes = {};  // the caller's memory
  for (std::uint32_t rank = 0; rank < bootstrap_->size(); ++rank) root_ranks_.push_back(RankId{rank});
#if defined(TACIT_HAS_MPI)
  if (options.nodes.empty() || mpi_ == nullptr) return;
  const std::uint32_t node = own().node;
  for (RankInfo& rank : locality_.ranks) rank.shares_memory = rank.shares_memory && rank.node == node;
#endif
}

namespace {

/// Numbers of numbers.
std::vector<RankId> chosen(const std::vector<RankId>& from, const std::vector<RankId>& members) {
  std::vector<RankId> ranks;
  for (const RankId member : members) ranks.push_back(from[number(member)]);
  return ranks;
}

}  // namespace

CommunicatorCore::CommunicatorCore(CommunicatorCore& whole, const std::vector<RankId>& members, std::uint64_t group)
    : root_(whole.root_),
      root_ranks_(chosen(whole.root_ranks_, members)),
      options_(whole.options_),
      bootstrap_(std::make_unique<SubsetBootstrap>(root_->bootstrap(), root_ranks_, group)),
      locality_(shm::locality_of(whole.locality_, members)),
      self_(bootstrap_->rank()),
      shm_(locality_.ranks)
#if defined(TACIT_HAS_MPI)
      ,
      mpi_(root_->mpi_ == nullptr ? nullptr : std::make_unique<mpi::Provider>(*root_->mpi_, root_ranks_))
#endif
      ,
      engine_(watch()),
      exceptions_(std::uncaught_exceptions()) {
  bootstrap_->set_watch(&watch());
}

std::unique_ptr<CommunicatorCore> CommunicatorCore::split(std::uint32_t colour, std::uint32_t key) {
  const Wish mine{colour, key, root_->next_group_};
  const auto all = bootstrap_->all_gather(std::as_bytes(std::span(&mine, 1)), options_.setup_deadline_s);
  std::vector<std::pair<std::uint32_t, RankId>> joined;
  std::uint64_t group = 0;
  for (std::uint32_t rank = 0; rank < all.size(); ++rank) {
    Wish wish;
    std::memcpy(&wish, all[rank].data(), std::min(all[rank].size(), sizeof(Wish)));
    group = std::max(group, wish.group);
    if (wish.colour == colour) joined.emplace_back(wish.key, RankId{rank});
  }
  root_->next_group_ = group + 1;
  std::ranges::sort(joined);
  std::vector<RankId> members;
  for (const auto& [its_key, rank] : joined) members.push_back(rank);
  return std::make_unique<CommunicatorCore>(*this, members, group);
}

const std::vector<RankId>& CommunicatorCore::pull_order() {
  if (pull_order_.empty()) {
    for (std::uint32_t rank = 0; rank < bootstrap_->size(); ++rank) pull_order_.push_back(RankId{rank});
    for (std::size_t i = pull_order_.size() - 1; i > 0; --i) {
      const std::uint64_t draw = base::mix64(number(bootstrap_->rank()) * pull_order_.size() + i);
      std::swap(pull_order_[i], pull_order_[draw % (i + 1)]);
    }
  }
  return pull_order_;
}

/// Whether the peer may still use memory that goes with us: only threads of our own process can.
bool CommunicatorCore::is_awaited(RankId peer, bool was_used) const {
  return was_used && peer != bootstrap_->rank() && rank(peer).process_id == own().process_id;
}

bool CommunicatorCore::is_any_awaited() const {
  return std::ranges::any_of(graves_, [this](const Grave& g) { return is_awaited(g.peer, g.was_used); }) ||
         std::ranges::any_of(board_graves_, [this](const BoardGrave& g) {
           return std::ranges::any_of(g.open, [&](RankId peer) { return is_awaited(peer, g.was_used); });
         });
}

void CommunicatorCore::give_up() noexcept {
  watch().say_farewell(Fate::failed);
  root_->bootstrap_->abandon();
}

/// What the others of the node learn of our end.
void CommunicatorCore::say_farewell() noexcept {
  const bool has_failed = std::uncaught_exceptions() > exceptions_ || bootstrap_->is_abandoned() || watch().is_lost();
  if (has_failed) {
    give_up();
  } else {
    watch().say_farewell(Fate::left);
  }
}

CommunicatorCore::~CommunicatorCore() {
  bootstrap_->set_watch(nullptr);
  if (root_ == this) say_farewell();
  constexpr double longest_s = 5.0;  // a thread that never ends its connections is a bug of the caller
  Patience patience(Processors::shared, longest_s);
  try {
    do {
      sweep();
    } while (is_any_awaited() && patience.pause());
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

void CommunicatorCore::send_closed(RankId peer, std::uint64_t connection) noexcept {
  try {
    bootstrap_->send(peer, setup_key(connection, About::closed), {});
  } catch (const base::Error&) {
    // MPI serves another thread, or fails: then the peer keeps what it used to the end.
  }
}

void CommunicatorCore::bury(RankId peer, std::uint64_t connection, AnyLink link, bool was_used) noexcept {
  send_closed(peer, connection);
  const std::lock_guard guard(mutex_);
  graves_.push_back({peer, connection, std::move(link), was_used});
}

void CommunicatorCore::bury(std::vector<RankId> peers, std::uint64_t connection, const Piece& piece,
                            bool was_used) noexcept {
  for (const RankId peer : peers) send_closed(peer, connection);
  const std::lock_guard guard(mutex_);
  board_graves_.push_back({std::move(peers), connection, piece, was_used});
}

/// Takes back what connections and collectives used that are closed at all ends.
void CommunicatorCore::sweep() {
  const std::lock_guard guard(mutex_);
  const auto is_closed = [this](RankId peer, std::uint64_t connection) {
    return bootstrap_->try_receive(peer, setup_key(connection, About::closed)).has_value();
  };
  std::erase_if(graves_, [&](Grave& grave) {
    if (!is_closed(grave.peer, grave.connection)) return false;
    dispatch(grave.link, [](auto& link) { link.retire(); });
    return true;
  });
  std::erase_if(board_graves_, [&](BoardGrave& grave) {
    std::erase_if(grave.open, [&](RankId peer) { return is_closed(peer, grave.connection); });
    if (!grave.open.empty()) return false;
    shm_.memory().release(grave.piece);
    return true;
  });
}

}  // namespace tacit::comm::detail
