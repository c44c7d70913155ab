// Ends a rank whose start never ends.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>

namespace tacit::apps {

/// Lives while the launcher's library makes ranks know each other. That waits for ever, in a call that nothing can end,
/// for a rank that was lost before it had said where it is, if the launcher goes on without it (Open MPI's
/// --enable-recovery). Then this ends the process, with words.
class StartWatch {
 public:
  /// @param deadline_s  for all of the start
  explicit StartWatch(double deadline_s);
  StartWatch(const StartWatch&) = delete;
  StartWatch& operator=(const StartWatch&) = delete;
  ~StartWatch();

 private:
  void wait(double deadline_s);

  std::mutex mutex_;
  std::condition_variable has_started_;
  bool is_over_ = false;
  std::thread thread_;
};

}  // namespace tacit::apps
