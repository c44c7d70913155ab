// The communicator of the windows, and the threads that may use it.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/comm/providers/mpi/context.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <utility>

#include "tacit/base/clock.hpp"
#include "tacit/comm/backoff.hpp"
#include "tacit/comm/error.hpp"

namespace tacit::comm::mpi {

// Only the thread that may communicate makes it: the bootstrap has seen to that.
Context::Context(MpiBootstrap& bootstrap, std::span<const RankInfo> ranks, std::size_t longest)
    : bootstrap_(&bootstrap),
      threads_(bootstrap.threads()),
      main_(std::this_thread::get_id()),
      calls_(threads_ == MpiThreads::one_at_a_time ? &bootstrap.calls() : nullptr),
      longest_(longest),
      exceptions_(std::uncaught_exceptions()) {
  check_mpi(MPI_Comm_dup(bootstrap.communicator(), &ranks_), "MPI_Comm_dup");
  MPI_Comm_set_errhandler(ranks_, MPI_ERRORS_RETURN);
  int* upper = nullptr;
  int is_known = 0;
  MPI_Comm_get_attr(ranks_, MPI_TAG_UB, static_cast<void*>(&upper), &is_known);
  if (is_known != 0) last_tag_ = *upper;
  for (const RankInfo& rank : ranks) hosts_.push_back(rank.host);
}

Context::~Context() {
  // Collective: after an error the others may never come.
  const bool do_all_come = std::uncaught_exceptions() == exceptions_ && !bootstrap_->is_abandoned();
  drop_kept();
  if (do_all_come && !has_mpi_ended() && is_usable_here()) await_kept();
  // What MPI has not done with by now, it may use until the process ends: that memory is never given back.
  for (auto& end : kept_) static_cast<void>(end.release());
  if (has_mpi_ended()) return;
  if (do_all_come) MPI_Comm_free(&ranks_);
}

/// Until the other ends of windows, which go at the same point of the program, have said that no more notes come: what
/// is never received, MPI keeps to its end.
void Context::await_kept() noexcept {
  constexpr double longest_s = 30.0;
  Backoff backoff(Processors::shared, longest_s, bootstrap_->watch());
  while (std::ranges::any_of(kept_, [](const auto& end) { return end->is_draining(); }) && backoff.pause()) drop_kept();
}

/// While it waits for a message that is coming to memory of the user.
void Context::await(End& end) noexcept {
  constexpr std::int64_t longest_ns = 30'000'000'000;
  const std::int64_t begin_ns = base::now_ns();
  const double left_s = 1e-9 * static_cast<double>(longest_ns - waited_ns_.load(std::memory_order_relaxed));
  Backoff backoff(Processors::shared, left_s, bootstrap_->watch());
  while (!end.let_go() && backoff.pause()) {
  }
  // A rank may be lost that is not the one whose message is coming: that one gets a little longer.
  Backoff after_loss(Processors::shared, std::min(left_s, 1.0));
  while (!end.let_go() && after_loss.pause()) {
  }
  waited_ns_.fetch_add(base::now_ns() - begin_ns, std::memory_order_relaxed);
}

void Context::keep(std::unique_ptr<End> end) noexcept {
  if (end->let_go()) return;
  if (end->writes_to_user() && is_usable_here()) await(*end);
  const std::lock_guard guard(mutex_);
  kept_.push_back(std::move(end));
  drop_kept();
}

/// @pre the mutex is held, or this object ends
void Context::drop_kept() noexcept {
  std::erase_if(kept_, [](const auto& end) { return end->let_go(); });
}

int Context::next_tag(RankId from) {
  const std::lock_guard guard(mutex_);
  drop_kept();
  int& next = tags_[from];
  if (next == last_tag_) {
    throw ProviderError(
        fmt::format("mpi: all {} tags of windows that receive from rank {} are used", next, number(from)));
  }
  return next++;
}

std::size_t Context::piece(RankId peer, std::size_t bytes) {
  // Long beside what MPI does for each, short beside a message that needs them: a window has a copy of one.
  constexpr std::size_t long_piece = std::size_t{1} << 22U;
  const std::size_t over_tcp = piece_over_tcp(peer, bytes);
  if (over_tcp != 0 || bytes <= longest_) return over_tcp;
  return std::min(long_piece, longest_ / 2);
}

std::size_t Context::piece_over_tcp(RankId peer, std::size_t bytes) {
  // No network has a lower limit that is of use: most processes need not ask, which takes some milliseconds.
  constexpr std::size_t always_eager = 16384;
  const std::size_t own = number(bootstrap_->rank());
  if (bytes < always_eager || number(peer) == own) return 0;
  const TcpLimits& tcp = tcp_limits(calls_);
  const bool is_by_tcp = tcp.within_nodes || hosts_[number(peer)] != hosts_[own];
  return is_by_tcp && bytes >= tcp.eager ? tcp.eager : 0;
}

Context::Entry::Entry(Context& context) noexcept {
  if (has_mpi_ended() || !context.is_usable_here()) return;
  if (context.calls_ != nullptr) {
    if (!context.calls_->try_lock()) return;
    locked_ = context.calls_;
  }
  is_allowed_ = true;
}

}  // namespace tacit::comm::mpi
