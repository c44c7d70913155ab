// A thread to which others hand functions: on it lives what binds its thread, or keeps state per thread.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>

namespace tacit::tasks {

/// Runs functions one by one on a thread of its own, while the caller waits. Both sides sleep while they wait.
///
/// The thread that makes a scheduler is its worker 0, may be bound to a processor, and alone may step it: made in such
/// a thread it leaves those of the program as they are.
class HostThread {
 public:
  /// Which signals the thread gets, and the threads that are started in it.
  enum class Signals : std::uint8_t {
    as_caller,  ///< those of the thread that makes it
    blocked,    ///< none: others of the program get them
  };

  explicit HostThread(Signals signals = Signals::as_caller);
  ~HostThread();
  HostThread(const HostThread&) = delete;
  HostThread& operator=(const HostThread&) = delete;

  /// Runs `function` there and waits for its end. From any thread; calls from several come one after the other.
  /// @throws what it throws
  void call(const std::function<void()>& function);

 private:
  void serve();

  std::mutex calls_;  // held by the caller whose turn it is
  std::mutex mutex_;
  std::condition_variable changed_;
  const std::function<void()>* function_ = nullptr;  // until it is done
  std::exception_ptr error_;
  bool is_ending_ = false;
  std::thread thread_;  // last: it uses the others
};

}  // namespace tacit::tasks
