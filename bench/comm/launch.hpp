// The words that start ranks, on this machine or on nodes that are emulated on it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tacit::bench {

using Words = std::vector<std::string>;

/// By mpirun, on this machine; who waits does not yield where each of two ranks can have a processor.
/// @param rank  the program of each rank, and its arguments
[[nodiscard]] Words launched(int ranks, const Words& rank);
/// What joins emulated nodes.
struct Wire {
  int mbit_per_s = 1000;  ///< in each direction
  int delay_us = 0;       ///< that is added on the way
};
/// On emulated nodes with so many ranks each (tools/nodes/nodes.py).
[[nodiscard]] Words on_nodes(int nodes, int ranks, const Words& rank, const Wire& wire = {});
/// Says on stderr why not. Takes a second.
[[nodiscard]] bool can_emulate_nodes(const Wire& wire = {});

/// A file that says how nodes reach each other, which vanishes with the emulated node that calls this.
/// @param transport  "mpi", or "ofi" through TCP
/// @return           its path
[[nodiscard]] std::string write_routes(std::string_view transport);

/// The time that so many bytes of messages take on it at the full rate, headers included [s].
[[nodiscard]] double wire_s(double bytes, const Wire& wire = {}) noexcept;

}  // namespace tacit::bench
