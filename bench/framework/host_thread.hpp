// A thread on which one contestant lives, so that what it binds or keeps per thread does not touch the others.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>

namespace tacit::bench {

/// Runs functions one by one on a thread of its own. Both sides sleep while they wait: no thread spins beside a
/// measurement.
class HostThread {
 public:
  HostThread();
  ~HostThread();
  HostThread(const HostThread&) = delete;
  HostThread& operator=(const HostThread&) = delete;

  /// Runs `function` there and waits for its end.
  /// @throws what it throws
  void call(const std::function<void()>& function);

 private:
  void serve();

  std::mutex mutex_;
  std::condition_variable changed_;
  const std::function<void()>* function_ = nullptr;
  std::exception_ptr error_;
  bool is_ending_ = false;
  std::thread thread_;  // last: it uses the others
};

}  // namespace tacit::bench
