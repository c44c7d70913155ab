// Hands functions to a thread and its errors back.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/tasks/host_thread.hpp"

#include <pthread.h>
#include <signal.h>

#include <utility>

namespace tacit::tasks {

HostThread::HostThread(Signals signals) {
  // A thread begins with the mask of the one that makes it.
  ::sigset_t all;
  ::sigset_t before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, signals == Signals::blocked ? &all : nullptr, &before);
  try {
    thread_ = std::thread([this] { serve(); });
  } catch (...) {
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    throw;
  }
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

HostThread::~HostThread() {
  {
    const std::scoped_lock lock(mutex_);
    is_ending_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void HostThread::call(const std::function<void()>& function) {
  const std::scoped_lock turn(calls_);
  std::unique_lock lock(mutex_);
  function_ = &function;
  changed_.notify_all();
  changed_.wait(lock, [this] { return function_ == nullptr; });
  if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
}

void HostThread::serve() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return is_ending_ || function_ != nullptr; });
    if (function_ == nullptr) return;
    try {
      (*function_)();
    } catch (...) {
      error_ = std::current_exception();
    }
    function_ = nullptr;
    changed_.notify_all();
  }
}

}  // namespace tacit::tasks
