// Handlers of signals that a library replaces when it is loaded or started, which is for the program to decide.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cerrno>
#include <csignal>
#include <cstddef>

namespace tacit::base {

/// As it ends, every signal has the handler again that it had at its begin. Threads that set some meanwhile lose them.
class KeptHandlers {
 public:
  KeptHandlers() noexcept {
    for (int signal = 1; signal <= last; ++signal) sigaction(signal, nullptr, &actions_[index(signal)]);
  }
  ~KeptHandlers() {
    const int before = errno;
    // Two signals, and those that the C library keeps for itself, cannot be handled: there nothing is to be done.
    for (int signal = 1; signal <= last; ++signal) sigaction(signal, &actions_[index(signal)], nullptr);
    errno = before;
  }
  KeptHandlers(const KeptHandlers&) = delete;
  KeptHandlers& operator=(const KeptHandlers&) = delete;

 private:
  static constexpr int last = 31;  // of those with a meaning of their own
  static constexpr std::size_t index(int signal) noexcept { return static_cast<std::size_t>(signal); }

  std::array<struct sigaction, last + 1> actions_{};
};

}  // namespace tacit::base
