// The thread of a process of somebody else's in which the engine does all its work.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>

namespace tacit::apps::python {

/// Runs what it is given, one after the other, while the caller waits.
///
/// The thread that makes a scheduler is its worker 0, may be bound to a processor, and alone may step it. A host has
/// threads of its own, which call from wherever they are: theirs stay as they are. All signals are blocked in this
/// thread and in the workers that it starts, so that the host's threads get them.
class EngineThread {
 public:
  EngineThread();
  EngineThread(const EngineThread&) = delete;
  EngineThread& operator=(const EngineThread&) = delete;
  ~EngineThread();

  /// From any thread; calls from several come one after the other. @throws what `work` throws
  void call(const std::function<void()>& work);

 private:
  void serve();

  std::mutex calls_;  // held by the caller whose turn it is
  std::mutex mutex_;
  std::condition_variable changed_;
  const std::function<void()>* work_ = nullptr;  // until it is done
  std::exception_ptr error_;
  bool is_over_ = false;
  std::thread thread_;
};

}  // namespace tacit::apps::python
