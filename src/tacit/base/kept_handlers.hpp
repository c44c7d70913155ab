// Handlers of signals that a library replaces when it is loaded or started, which is for the program to decide.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cerrno>
#include <csignal>
#include <cstddef>

namespace tacit::base {

/// As it ends, some signals have the handlers again that they had at its begin. Threads that set some meanwhile lose
/// them.
template <std::size_t count>
class KeptHandlers {
 public:
  explicit KeptHandlers(const std::array<int, count>& signals) noexcept : signals_(signals) {
    for (std::size_t i = 0; i < count; ++i) sigaction(signals_[i], nullptr, &actions_[i]);
  }
  ~KeptHandlers() {
    const int before = errno;
    // Two signals cannot be handled: there nothing is to be done.
    for (std::size_t i = 0; i < count; ++i) sigaction(signals_[i], &actions_[i], nullptr);
    errno = before;
  }
  KeptHandlers(const KeptHandlers&) = delete;
  KeptHandlers& operator=(const KeptHandlers&) = delete;

 private:
  std::array<int, count> signals_;
  std::array<struct sigaction, count> actions_{};
};

/// All that have a meaning of their own.
inline constexpr std::array<int, 31> all_signals = [] {
  std::array<int, 31> signals{};
  for (int signal = 1; signal <= 31; ++signal) signals[static_cast<std::size_t>(signal - 1)] = signal;
  return signals;
}();

}  // namespace tacit::base
