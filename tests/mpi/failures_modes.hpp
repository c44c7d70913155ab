// What ranks do until one of them is lost.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <csignal>
#include <cstdint>
#include <vector>

#include "tacit/comm/communicator.hpp"

namespace tacit::comm::testing {

/// What becomes of the rank that is lost.
enum class RankStatus : std::uint8_t { died, stopped, failed, left };

struct Leaves {};  ///< thrown by a rank that ends in good order, in its own opinion

/// Set by a signal: this rank is to end, by `Leaves` or by an error of its own.
extern volatile sig_atomic_t is_asked_to_go;

constexpr double deadline_s = 20.0;  ///< of all waits

/// What a rank repeats until an error ends it.
struct Mode {
  const char* name;
  void (*run)(Communicator&, RankStatus);
  enum class Leaving : std::uint8_t { noticed, not_noticed } leaving = Leaving::noticed;
};

[[nodiscard]] const std::vector<Mode>& modes();

/// Connects to all other ranks for a moment.
void meet_all(Communicator& world);

}  // namespace tacit::comm::testing
