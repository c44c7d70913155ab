// Sets transports up, and chooses among them.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/comm/connections/communicator_core.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <exception>
#include <span>
#include <string>
#include <type_traits>

#include "tacit/base/random.hpp"
#include "tacit/comm/bootstrap/subset.hpp"
#include "tacit/comm/error.hpp"

namespace tacit::comm::detail {

namespace {

/// Bytes of the words that say what ranks do together.
constexpr std::size_t longest_label = 48;

/// A rank's part in a split.
struct Wish {
  std::uint32_t colour = 0;
  std::uint32_t key = 0;
  std::uint64_t group = 0;  ///< at least
};

bool awaits_peer(const AnyLink& any) {
  return dispatch(any, [](const auto& link) { return std::remove_reference_t<decltype(link)>::awaits_peer; });
}

}  // namespace

CommunicatorCore::CommunicatorCore(std::unique_ptr<Bootstrap> bootstrap, const Options& options)
    : root_(this),
      options_(options),
      bootstrap_(std::move(bootstrap)),
      locality_(shm::find_locality(*bootstrap_, options.setup_deadline_s, options.nodes)),
      watch_(std::in_place, std::move(*locality_.pages), locality_.ranks, bootstrap_->rank(), options.stopped_s),
      self_(bootstrap_->rank()),
      shm_(locality_.ranks, bootstrap_->rank())
#if defined(TACIT_HAS_MPI)
      ,
      mpi_(mpi::Provider::make(*bootstrap_, locality_.ranks))
#endif
      ,
      engine_(*watch_),
      exceptions_(std::uncaught_exceptions()),
      tunings_(options.tuning_file) {
  bootstrap_->set_watch(&*watch_);
  watch_other_nodes();
  bootstrap_->set_engine(&engine_);
  watch_->set_carrier(bootstrap_.get());
  options_.nodes = {};  // the caller's memory
  options_.tuning_file = {};
  options_.routes = {};
  for (std::uint32_t rank = 0; rank < bootstrap_->size(); ++rank) root_ranks_.push_back(RankId{rank});
  if (!options.routes.empty()) routes_ = RouteMap::read(std::string(options.routes));
  open_networks();
  if (!options.nodes.empty()) pretend_nodes();
}

/// Whether some ranks share no memory and run in other processes: the same on all ranks.
bool CommunicatorCore::needs_network() const {
  const RankInfo& first = ranks().front();
  return std::ranges::any_of(
      ranks(), [&](const RankInfo& rank) { return rank.domain != first.domain && rank.process != first.process; });
}

void CommunicatorCore::open_networks() {
#if defined(TACIT_HAS_OFI)
  ofi_.emplace(bootstrap_->rank());
  if (needs_network() || options_.transport == ProviderId::ofi) ofi_->agree(*bootstrap_, options_.setup_deadline_s);
#endif
}

/// All ranks decide alike whether they do this together.
void CommunicatorCore::watch_other_nodes() {
  if (options_.silent_s <= 0.0 || locality_.all_share_memory) return;
  std::vector<bool> is_far;
  for (const RankInfo& rank : ranks()) is_far.push_back(!rank.shares_memory);
  watch_->add_links(std::make_unique<LivenessLinks>(*bootstrap_, is_far, options_.silent_s, options_.setup_deadline_s),
                    options_.silent_s);
}

/// Ranks of other nodes share no memory where there is another way.
void CommunicatorCore::pretend_nodes() {
  for (RankInfo& other : locality_.ranks) {
    if (other.node == own().node) continue;
    const bool is_elsewhere = other.process != own().process && reaches(ProviderId::ofi, other.rank);
    if (is_elsewhere || reaches(ProviderId::mpi, other.rank)) other.shares_memory = false;
  }
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
      shm_(locality_.ranks, bootstrap_->rank())
#if defined(TACIT_HAS_MPI)
      ,
      mpi_(root_->mpi_ == nullptr ? nullptr : std::make_unique<mpi::Provider>(*root_->mpi_, root_ranks_))
#endif
      ,
      engine_(watch()),
      exceptions_(std::uncaught_exceptions()),
      tunings_(whole.tunings_.file()) {
  bootstrap_->set_watch(&watch());
  bootstrap_->set_engine(&engine());
}

std::vector<Bytes> CommunicatorCore::all_gather(std::string_view what, std::span<const std::byte> mine) {
  Bytes labelled(longest_label);
  std::memcpy(labelled.data(), what.data(), std::min(what.size(), longest_label - 1));
  const Bytes label = labelled;
  labelled.insert(labelled.end(), mine.begin(), mine.end());
  std::vector<Bytes> all = bootstrap_->all_gather(labelled, options_.setup_deadline_s);
  for (std::uint32_t rank = 0; rank < all.size(); ++rank) {
    Bytes& bytes = all[rank];
    if (bytes.size() < longest_label || !std::equal(label.begin(), label.end(), bytes.begin())) {
      bytes.resize(longest_label);
      bytes.back() = {};
      throw MismatchError(fmt::format("{} {}, {} {}", comm::describe(own()), what,
                                      comm::describe(this->rank(RankId{rank})),
                                      reinterpret_cast<const char*>(bytes.data())));
    }
    bytes.erase(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(longest_label));
  }
  return all;
}

std::unique_ptr<CommunicatorCore> CommunicatorCore::split(std::uint32_t colour, std::uint32_t key) {
  const Wish mine{colour, key, root_->next_group_};
  const auto all = all_gather("splits the communicator", bytes_of(mine));
  std::vector<std::pair<std::uint32_t, RankId>> joined;
  std::uint64_t group = 0;
  for (std::uint32_t rank = 0; rank < all.size(); ++rank) {
    const Wish wish = value_of<Wish>(all[rank]);
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

/// Whether a thread of our own process, which uses our addresses, has not closed what we have.
bool CommunicatorCore::is_known_to_thread(const DeferredLink& deferred) const {
  return std::ranges::any_of(
      deferred.open, [this](RankId peer) { return peer != bootstrap_->rank() && rank(peer).process == own().process; });
}

/// Whether a peer may still use memory that goes with us: only threads of our own process can. A network must be
/// carried on, too, until the peer has all that was sent.
bool CommunicatorCore::is_awaited(const DeferredLink& deferred) const {
  return awaits_peer(deferred.link) || (deferred.was_used && is_known_to_thread(deferred));
}

void CommunicatorCore::give_up() noexcept {
  watch().announce_departure(RankStatus::failed);
  root_->bootstrap_->abandon();
}

/// What the others of the node learn of our end.
void CommunicatorCore::announce_departure() noexcept {
  const bool has_failed = std::uncaught_exceptions() > exceptions_ || bootstrap_->is_abandoned() || watch().is_lost();
  if (has_failed) {
    give_up();
  } else {
    watch().announce_departure(RankStatus::left);
  }
}

CommunicatorCore::~CommunicatorCore() {
  bootstrap_->set_watch(nullptr);
  bootstrap_->set_engine(nullptr);
  if (root_ == this) announce_departure();
  await_deferred();
  if (std::ranges::any_of(deferred_links_, [this](const auto& d) { return is_known_to_thread(d); })) {
    root_->bootstrap_->keep(shm_.memory().arena());
  }
  for (DeferredLink& deferred : deferred_links_) {
    dispatch(deferred.link, [this](auto& link) { abandon(link); });
  }
  if (root_ == this) watch().carry(nullptr);
}

/// After an error it does not wait.
void CommunicatorCore::await_deferred() noexcept {
  const bool has_failed = std::uncaught_exceptions() > exceptions_ || root_->bootstrap_->is_abandoned();
  const bool is_sent =
      std::ranges::any_of(deferred_links_, [](const DeferredLink& deferred) { return awaits_peer(deferred.link); });
  // A thread that never ends its connections is a bug of the caller; a rank elsewhere may only be late.
  Backoff backoff(Processors::shared, is_sent ? 30.0 : 5.0, &watch());
  try {
    do {
      sweep();
    } while (!has_failed && std::ranges::any_of(deferred_links_, [this](const auto& d) { return is_awaited(d); }) &&
             backoff.pause());
  } catch (const base::Error&) {
    // The bootstrap fails: no rank can report any more that it has closed.
  }
}

/// What a link used is of no use any more, but a network may still be at work on it.
template <class Link>
void CommunicatorCore::abandon(Link& link) noexcept {
#if defined(TACIT_HAS_OFI)
  if constexpr (Link::awaits_peer) {
    root_->ofi_->keep(std::move(link));
    return;
  }
#endif
  static_cast<void>(link.retire(0));
}

void CommunicatorCore::require_rank(RankId rank) const {
  if (number(rank) < bootstrap_->size()) return;
  throw ProviderError(fmt::format("{}: there is no rank {} to connect to, there are {}", comm::describe(own()),
                                  number(rank), bootstrap_->size()));
}

std::uint32_t CommunicatorCore::next_collective() {
  sweep();  // who makes one collective after the other would otherwise keep the memory of all
  return collective_bit | collectives_++;
}

std::uint64_t CommunicatorCore::next_connection(const Target& target) {
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
    case ProviderId::ofi:
#if defined(TACIT_HAS_OFI)
      return root_->ofi_->reaches(peer);
#else
      return false;
#endif
    case ProviderId::mpi:
      break;
  }
#if defined(TACIT_HAS_MPI)
  return mpi_ != nullptr && mpi_->reaches(peer);
#else
  return false;
#endif
}

const Route* CommunicatorCore::route_to(RankId peer) const noexcept {
  const auto& ranks = root_->locality_.ranks;
  return root_->routes_.find(ranks[number(root_->bootstrap_->rank())], ranks[number(root_ranks_[number(peer)])]);
}

/// A network that needs the kernel is no better than what MPI may know.
std::optional<ProviderId> CommunicatorCore::suggest(RankId peer) const {
  bool is_fast = false;
#if defined(TACIT_HAS_OFI)
  is_fast = !shm_.reaches(peer) && !self_.reaches(peer) && root_->ofi_->is_fast();
#endif
  const ProviderId third = is_fast ? ProviderId::ofi : ProviderId::mpi;
  for (const ProviderId provider : {ProviderId::self, ProviderId::shm, third, ProviderId::ofi}) {
    if (reaches(provider, peer)) return provider;
  }
  return std::nullopt;
}

std::string CommunicatorCore::explain_unreachable(ProviderId provider) const {
  if (provider != ProviderId::ofi) return {};
#if defined(TACIT_HAS_OFI)
  return ": " + root_->ofi_->explain();
#else
  return ": this program was built without libfabric";
#endif
}

ProviderId CommunicatorCore::choose(const Target& target) const {
  require_rank(target.rank);
  std::optional<ProviderId> chosen = target.via;
  std::string_view given_by;
  if (const Route* route = chosen ? nullptr : route_to(target.rank); route != nullptr) {
    chosen = route->transport;
    given_by = ", as a route says";
  } else if (!chosen && target.rank != bootstrap_->rank() && options_.transport) {
    chosen = options_.transport;
    given_by = ", the transport to every other rank";
  }
  const bool is_given = chosen.has_value();
  if (!is_given) chosen = suggest(target.rank);
  if (chosen && reaches(*chosen, target.rank)) return *chosen;
  throw ProviderError(fmt::format(
      "{}: {} does not reach {}{}{}", comm::describe(own()), is_given ? name(*chosen) : "no transport of this build",
      comm::describe(rank(target.rank)), given_by, is_given ? explain_unreachable(*chosen) : std::string()));
}

AnyLink CommunicatorCore::connect(ProviderId provider, RankId peer) {
#if defined(TACIT_HAS_MPI)
  if (provider == ProviderId::mpi) return mpi_->connect(peer);
#endif
#if defined(TACIT_HAS_OFI)
  if (provider == ProviderId::ofi) {
    const Route* route = route_to(peer);
    AnyLink link = root_->ofi_->connect(route != nullptr ? route->network : Network{});
    watch().carry(&*root_->ofi_);
    return link;
  }
#endif
  if (provider == ProviderId::self) return self_.connect(peer);
  return shm_.connect(peer);
}

void CommunicatorCore::release_later(std::vector<RankId> peers, std::uint64_t connection, AnyLink link, bool was_used,
                                     std::optional<std::uint64_t> theirs) noexcept {
  const std::uint64_t writes = dispatch(link, [](auto& its_link) { return its_link.depart(); });
  for (const RankId peer : peers) {
    try {
      bootstrap_->send(peer, setup_key(connection, About::closed), bytes_of(writes));
    } catch (const base::Error&) {
      // MPI serves another thread, or fails: then the peer keeps what it used to the end.
    }
  }
  const std::lock_guard guard(mutex_);
  auto open = theirs ? std::vector<RankId>() : peers;
  deferred_links_.push_back(
      {std::move(peers), std::move(open), connection, std::move(link), was_used, theirs.value_or(0)});
}

/// Whether all peers have closed, all that they have written is there, and, where it matters, the peer has all that we
/// wrote.
bool CommunicatorCore::is_over(DeferredLink& deferred) {
  std::erase_if(deferred.open, [&](RankId peer) {
    const auto bytes = bootstrap_->try_receive(peer, setup_key(deferred.connection, About::closed));
    if (bytes) deferred.theirs += value_of<std::uint64_t>(*bytes);
    return bytes.has_value();
  });
  if (!deferred.open.empty()) return false;
  const bool awaits = awaits_peer(deferred.link);
  const SetupKey retired = setup_key(deferred.connection, About::retired);
  if (!deferred.is_retired) {
    deferred.is_retired = dispatch(deferred.link, [&](auto& link) { return link.retire(deferred.theirs); });
    if (!deferred.is_retired) return false;
    if (awaits) bootstrap_->send(deferred.peers.front(), retired, {});
  }
  return !awaits || bootstrap_->try_receive(deferred.peers.front(), retired).has_value();
}

/// Takes back what connections and collectives used that are closed at all ends.
void CommunicatorCore::sweep() {
  const std::lock_guard guard(mutex_);
  std::erase_if(deferred_links_, [&](DeferredLink& deferred) {
    if (is_over(deferred)) return true;
    // A thread of our process may be about to use what we have ended (see ConnectionCore::require_not_closed).
    for (const RankId peer : deferred.open) {
      if (deferred.was_used || rank(peer).process != own().process) continue;
      deferred.was_used = bootstrap_->try_receive(peer, setup_key(deferred.connection, About::record)).has_value();
    }
    return false;
  });
}

}  // namespace tacit::comm::detail
