// Waits beside the start of MPI or PMIx.
// SPDX-License-Identifier: Apache-2.0
#include "start_watch.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "commands.hpp"

namespace tacit::apps {

StartWatch::StartWatch(double deadline_s) : thread_([this, deadline_s] { wait(deadline_s); }) {}

StartWatch::~StartWatch() {
  {
    const std::lock_guard guard(mutex_);
    is_over_ = true;
  }
  has_started_.notify_one();
  thread_.join();
}

void StartWatch::wait(double deadline_s) {
  std::unique_lock lock(mutex_);
  if (has_started_.wait_for(lock, std::chrono::duration<double>(deadline_s), [this] { return is_over_; })) return;
  fmt::print(stderr,
             "the ranks have not met within {:.6g} s (ranks.deadline, at least 60 s): one of them may have been lost "
             "while it started, or the launcher needs longer\n",
             deadline_s);
  std::fflush(stderr);
  std::_Exit(machine_failed);
}

}  // namespace tacit::apps
