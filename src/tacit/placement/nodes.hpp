// Filters the nodes that a job may use: those of a list, without excluded ones, those down, and their partners.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tacit/placement/network/network.hpp"

namespace tacit::placement {

/// What to do with a node whose partner on the same router is down: it shares its links with traffic that the router
/// carries alone, and jobs of whole routers are faster.
enum class Partners : std::uint8_t { drop, keep };

struct NodeFilter {
  std::vector<std::string> nodes;     ///< to choose from, in this order; empty: all of the machine
  std::vector<std::string> excluded;  ///< that the job must not have
  std::vector<std::string> down;      ///< that are broken
  Partners partners = Partners::drop;
};

struct NodeChoice {
  std::vector<network::NodeId> nodes;  ///< that the job may use, in the order of the list
  std::size_t excluded = 0;
  std::size_t down = 0;                      ///< of the list or machine
  std::size_t service = 0;                   ///< likewise
  std::vector<network::NodeId> beside_down;  ///< dropped for their partners
};

/// Applies the filter, and notes in `network` which nodes are down.
///
/// @throws base::Error that names a node which the machine does not have, or which is listed twice
[[nodiscard]] NodeChoice choose_nodes(network::Network& network, const NodeFilter& filter);

}  // namespace tacit::placement
