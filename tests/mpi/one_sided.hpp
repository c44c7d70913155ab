// What one-sided windows, shared counters and work pools must do, as tests that any number of ranks run together.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "mpi/conformance.hpp"
#include "tacit/comm/one_sided/one_sided.hpp"

namespace tacit::comm::conformance {

/// Every check ends with all ranks at the same point, and throws where something is wrong: what() says what.
struct OneSidedCheck {
  const char* name;
  void (*check)(Communicator&, const Setting&, Access);
};

/// All of them. Of the setting, `exchanges` is how often memory of others is touched at random.
[[nodiscard]] const std::vector<OneSidedCheck>& one_sided_checks();

/// Draws tickets on `threads` threads until `count` are drawn by all ranks.
/// @param draw  from any thread
/// @param poll  called by this thread meanwhile: some transports go on only then
[[nodiscard]] std::vector<std::uint64_t> draw_all(const std::function<std::uint64_t()>& draw,
                                                  const std::function<void()>& poll, std::uint64_t count,
                                                  std::size_t threads);
/// Whether 0 to count - 1 are there, each once; else what is wrong.
[[nodiscard]] std::string find_fault(std::vector<std::uint64_t> tickets, std::uint64_t count);

}  // namespace tacit::comm::conformance
