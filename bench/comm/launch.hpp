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
/// On emulated nodes with so many ranks each, joined by wires of `wire_rate` (tools/nodes/nodes.py).
[[nodiscard]] Words on_nodes(int nodes, int ranks, const Words& rank);
/// Says on stderr why not. Takes a second.
[[nodiscard]] bool can_emulate_nodes();

/// A file that says how nodes reach each other, which vanishes with the emulated node that calls this.
/// @param transport  "mpi", or "ofi" through TCP
/// @return           its path
[[nodiscard]] std::string write_routes(std::string_view transport);

/// What a wire between emulated nodes carries in each direction, in words of tc and in bytes per second.
inline constexpr std::string_view wire_rate = "1gbit";
inline constexpr double wire_bytes_per_s = 125e6;
/// The time that so many bytes of messages take on it at the full rate, headers included [s].
[[nodiscard]] double wire_s(double bytes) noexcept;

}  // namespace tacit::bench
