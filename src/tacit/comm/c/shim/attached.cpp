// Makes channels when both ends have declared them, and carries them on.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/comm/c/shim/attached.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <exception>

#include "tacit/comm/bootstrap/mpi.hpp"
#include "tacit/comm/c/handles.hpp"
#include "tacit/comm/connections/communicator_core.hpp"
#include "tacit/comm/connections/wait.hpp"
#include "tacit/comm/error.hpp"

namespace tacit::comm::shim {
namespace {

MPI_Comm duplicate_of(MPI_Comm ranks) {
  MPI_Comm own = MPI_COMM_NULL;
  check_mpi(MPI_Comm_dup(ranks, &own), "MPI_Comm_dup");
  MPI_Comm_set_errhandler(own, MPI_ERRORS_RETURN);
  return own;
}

/// What two ends must have in common before their connection can be made.
struct Counts {
  int sends = 0;
  int receives = 0;
};

}  // namespace

Attached::Attached(MPI_Comm ranks, const Options& options, Collectives::Finish finish)
    : user_(ranks),
      own_(duplicate_of(ranks)),
      world_(bootstrap_mpi(ranks), options),
      collectives_(world_, own_, std::move(finish)) {}

Attached::~Attached() {
  collectives_.clear();
  sends_.shrink(0);
  receives_.shrink(0);
  connections_.clear();
  MPI_Comm_free(&own_);
}

void Attached::declare(Declarations& pending, bool is_known, const Declaration& declared) {
  c::require(declared.peer >= 0 && static_cast<std::size_t>(declared.peer) < world_.size(),
             "a channel is declared to or from a rank that there is not");
  c::require(declared.tag >= 0, "a channel is declared with a tag that is none");
  if (!is_known) pending.emplace(std::pair(declared.peer, declared.tag), declared);
}

void Attached::declare_send(const Declaration& declared) {
  declare(pending_sends_, find_send(declared.peer, declared.tag) != nullptr, declared);
}

void Attached::declare_receive(const Declaration& declared) {
  declare(pending_receives_, find_receive(declared.peer, declared.tag) != nullptr, declared);
}

/// Collective: an error of one rank is an error of all.
void Attached::require_agreement(bool do_we_agree, const std::string& words) const {
  int mine = do_we_agree ? 1 : 0;
  int all = 0;
  check_mpi(MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_LAND, own_), "MPI_Allreduce");
  if (all != 0) return;
  throw MismatchError(do_we_agree ? "TACIT_Commit: what other ranks have declared does not match" : words);
}

/// Collective: a rank that has declared nothing with another would be waited for.
void Attached::compare_counts() const {
  std::vector<Counts> mine(world_.size());
  std::vector<Counts> theirs(world_.size());
  for (const auto& [key, declared] : pending_sends_) ++mine[static_cast<std::size_t>(declared.peer)].sends;
  for (const auto& [key, declared] : pending_receives_) ++mine[static_cast<std::size_t>(declared.peer)].receives;
  check_mpi(MPI_Alltoall(mine.data(), 2, MPI_INT, theirs.data(), 2, MPI_INT, own_), "MPI_Alltoall");
  std::string words;
  for (std::size_t peer = 0; peer < mine.size() && words.empty(); ++peer) {
    if (mine[peer].sends == theirs[peer].receives && mine[peer].receives == theirs[peer].sends) continue;
    words = fmt::format(
        "TACIT_Commit: rank {} declares {} sends to rank {}, which declares {} receives from it, and {} receives, to "
        "{} sends",
        number(world_.rank()), mine[peer].sends, peer, theirs[peer].receives, mine[peer].receives, theirs[peer].sends);
  }
  require_agreement(words.empty(), words);
}

Connection& Attached::connection_to(int peer, std::map<int, Connection*>& made) {
  Connection*& connection = made[peer];
  if (connection == nullptr) {
    connection = &connections_.emplace_back(world_, Target{.rank = RankId{static_cast<std::uint32_t>(peer)}});
  }
  return *connection;
}

/// Both ends make their windows in the order of tags.
void Attached::make_pending() {
  std::map<int, Connection*> made;
  for (const auto& [key, declared] : pending_sends_) sends_.add(connection_to(declared.peer, made), declared);
  for (const auto& [key, declared] : pending_receives_) receives_.add(connection_to(declared.peer, made), declared);
  for (const auto& [peer, connection] : made) connection->open();
}

void Attached::commit() {
  const std::array before{connections_.size(), sends_.all().size(), receives_.all().size()};
  std::string words;
  try {
    compare_counts();
    try {
      make_pending();
    } catch (const MismatchError& error) {
      words = error.what();
    }
    require_agreement(words.empty(), words);
  } catch (const MismatchError&) {
    pending_sends_.clear();
    pending_receives_.clear();
    sends_.shrink(before[1]);
    receives_.shrink(before[2]);
    while (connections_.size() > before[0]) connections_.pop_back();
    throw;
  }
  pending_sends_.clear();
  pending_receives_.clear();
  for (std::size_t i = before[2]; i < receives_.all().size(); ++i) receives_.all()[i].grant_all();
  check_mpi(MPI_Barrier(own_), "MPI_Barrier");  // the first messages find their grants
}

bool Attached::is_ambiguous(int source, int tag) noexcept {
  if (source != MPI_ANY_SOURCE && tag != MPI_ANY_TAG) return false;
  return std::ranges::any_of(receives_.all(), [source, tag](const ReceiveChannel& channel) {
    return (source == MPI_ANY_SOURCE || source == channel.declared().peer) &&
           (tag == MPI_ANY_TAG || tag == channel.declared().tag);
  });
}

void Attached::start_send(SendChannel& channel, Request& request) {
  request.send = &channel;
  ++(channel.start(request, own_) ? sent_by_window : sent_by_mpi);
}

void Attached::start_receive(ReceiveChannel& channel, Request& request) {
  request.receive = &channel;
  channel.start(request, own_);
}

void Attached::progress() {
  for (SendChannel& channel : sends_.all()) {
    if (channel.has_work()) channel.advance();
  }
  for (ReceiveChannel& channel : receives_.all()) {
    if (channel.has_work()) channel.advance(own_);
  }
  detail::ProgressEngine& engine = world_.core().engine();
  if (engine.has_work()) engine.progress();
}

bool Attached::has_work() const noexcept {
  return std::ranges::any_of(sends_.all(), &SendChannel::has_work) ||
         std::ranges::any_of(receives_.all(), &ReceiveChannel::has_work);
}

void Attached::poke_mpi() const noexcept {
  int is_there = 0;
  MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, own_, &is_there, MPI_STATUS_IGNORE);
}

RankId Attached::peer_of(const Request& request) noexcept {
  const Declaration& channel = request.send != nullptr ? request.send->declared() : request.receive->declared();
  return RankId{static_cast<std::uint32_t>(channel.peer)};
}

Backoff Attached::backoff(const Request* request) {
  detail::CommunicatorCore& core = world_.core();
  return {core.processors(), core.options().deadline_s, &core.watch(),
          request == nullptr ? nullptr : core.liveness_of(peer_of(*request))};
}

void Attached::throw_cannot_complete(const Request& request) {
  const detail::CommunicatorCore& core = world_.core();
  const std::string what = request.send != nullptr ? request.send->describe() : request.receive->describe();
  detail::throw_if_gone(core, peer_of(request), what, "that rank");
  detail::throw_cannot_complete(core, what, core.options().deadline_s);
}

}  // namespace tacit::comm::shim
