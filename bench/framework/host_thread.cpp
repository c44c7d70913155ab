// Hands functions to a thread and its errors back.
// SPDX-License-Identifier: Apache-2.0
#include "framework/host_thread.hpp"

#include <utility>

namespace tacit::bench {

HostThread::HostThread() : thread_([this] { serve(); }) {}

HostThread::~HostThread() {
  {
    const std::scoped_lock lock(mutex_);
    is_ending_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void HostThread::call(const std::function<void()>& function) {
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

}  // namespace tacit::bench
