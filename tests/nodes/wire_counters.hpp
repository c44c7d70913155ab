// Reads the system's counters of what an interface of this node has sent.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>

namespace tacit::tests {

/// What went out of a node.
struct Traffic {
  std::size_t bytes = 0;   ///< with the headers of Ethernet, IP and TCP
  std::size_t frames = 0;  ///< segments that the system hands over together count as one
};

[[nodiscard]] inline Traffic operator-(const Traffic& later, const Traffic& earlier) {
  return {later.bytes - earlier.bytes, later.frames - earlier.frames};
}

/// Since the interface was made.
/// @throws std::runtime_error if this node has no such interface
[[nodiscard]] inline Traffic traffic_sent(const std::string& interface) {
  std::ifstream table("/proc/self/net/dev");
  for (std::string line; std::getline(table, line);) {
    const std::size_t colon = line.find(':');
    if (colon == std::string::npos || line.substr(0, colon).find(interface) == std::string::npos) continue;
    std::istringstream columns(line.substr(colon + 1));
    std::size_t skipped = 0;
    for (int received = 0; received < 8; ++received) columns >> skipped;
    Traffic traffic;
    columns >> traffic.bytes >> traffic.frames;
    if (columns) return traffic;
  }
  throw std::runtime_error("this node has no interface " + interface + ": start this by tools/nodes/nodes.py");
}

}  // namespace tacit::tests
