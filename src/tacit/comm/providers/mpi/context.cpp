// The communicator of the windows, and the threads that may use it.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/comm/providers/mpi/context.hpp"

#include <fmt/format.h>

#include <exception>

#include "tacit/comm/error.hpp"

namespace tacit::comm::mpi {

// Only the thread that may communicate makes it: the bootstrap has seen to that.
Context::Context(MpiBootstrap& bootstrap, std::span<const RankInfo> ranks)
    : bootstrap_(&bootstrap),
      threads_(bootstrap.threads()),
      main_(std::this_thread::get_id()),
      calls_(threads_ == MpiThreads::one_at_a_time ? &bootstrap.calls() : nullptr),
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
  if (std::uncaught_exceptions() == exceptions_ && !bootstrap_->is_abandoned()) MPI_Comm_free(&ranks_);
}

int Context::next_tag(RankId from) {
  const std::lock_guard guard(mutex_);
  int& next = tags_[from];
  if (next == last_tag_) {
    throw ProviderError(
        fmt::format("mpi: all {} tags of windows that receive from rank {} are used", next, number(from)));
  }
  return next++;
}

std::size_t Context::piece(RankId peer, std::size_t bytes) {
  // No network has a lower limit that is of use: most windows need not ask, which takes some milliseconds.
  constexpr std::size_t always_eager = 16384;
  const std::size_t own = number(bootstrap_->rank());
  if (bytes < always_eager || number(peer) == own) return 0;
  std::call_once(has_asked_, [this] {
    const std::unique_lock lock = calls_ != nullptr ? std::unique_lock(*calls_) : std::unique_lock<std::mutex>();
    tcp_ = find_tcp_way();
  });
  const bool is_by_tcp = tcp_.within_nodes || hosts_[number(peer)] != hosts_[own];
  return is_by_tcp && bytes >= tcp_.eager ? tcp_.eager : 0;
}

Context::Entry::Entry(Context& context) noexcept {
  if (!context.is_usable_here()) return;
  if (context.calls_ != nullptr) {
    if (!context.calls_->try_lock()) return;
    locked_ = context.calls_;
  }
  is_allowed_ = true;
}

}  // namespace tacit::comm::mpi
