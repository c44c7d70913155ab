// Hands calls over to the engine's thread and back.
// SPDX-License-Identifier: Apache-2.0
#include "engine_thread.hpp"

#include <pthread.h>
#include <signal.h>

#include <utility>

namespace tacit::apps::python {

EngineThread::EngineThread() {
  // A thread begins with the mask of the one that makes it.
  ::sigset_t all;
  ::sigset_t before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  try {
    thread_ = std::thread([this] { serve(); });
  } catch (...) {
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    throw;
  }
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

EngineThread::~EngineThread() {
  {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void EngineThread::call(const std::function<void()>& work) {
  const std::lock_guard turn(calls_);
  std::unique_lock lock(mutex_);
  work_ = &work;
  changed_.notify_all();
  changed_.wait(lock, [this] { return work_ == nullptr; });
  if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
}

void EngineThread::serve() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return work_ != nullptr || is_over_; });
    if (work_ == nullptr) return;
    const std::function<void()>& work = *work_;
    lock.unlock();
    std::exception_ptr error;
    try {
      work();
    } catch (...) {
      error = std::current_exception();
    }
    lock.lock();
    error_ = std::move(error);
    work_ = nullptr;
    changed_.notify_all();
  }
}

}  // namespace tacit::apps::python
