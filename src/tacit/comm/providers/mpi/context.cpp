// The communicator of the windows, and the threads that may use it.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/comm/providers/mpi/context.hpp"

#include <fmt/format.h>

#include <exception>

#include "tacit/comm/error.hpp"

namespace tacit::comm::mpi {

// Only the thread that may communicate makes it: the bootstrap has seen to that.
Context::Context(MpiBootstrap& bootstrap)
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

Context::Entry::Entry(Context& context) noexcept {
  if (!context.is_usable_here()) return;
  if (context.calls_ != nullptr) {
    if (!context.calls_->try_lock()) return;
    locked_ = context.calls_;
  }
  is_allowed_ = true;
}

}  // namespace tacit::comm::mpi
