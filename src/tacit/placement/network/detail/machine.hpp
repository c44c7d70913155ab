// A network prepared for many predictions: its links, and their free bandwidths.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tacit/placement/network/fabric.hpp"
#include "tacit/placement/network/prediction.hpp"

namespace tacit::placement::network::detail {

/// A checked network and its links; refers to the network, which has to outlive it.
struct Machine {
  /// @throws base::Error as check() and free_bandwidths() do
  explicit Machine(const Network& of);

  const Network& network;
  std::unique_ptr<const Fabric> fabric;
  std::vector<double> free;  // of each link [byte/s]
};

/// One exchange of a job on given nodes.
struct Exchange {
  std::string name;
  Traffic traffic;
  double node_bytes = 0.0;  // that the busiest node sends or receives
  double messages = 0.0;    // to other nodes, of the rank that sends most
  double rank_bytes = 0.0;  // to others, on its node, too, of the rank that sends most
};

/// The exchanges of a job, between routers.
/// @pre the placement has a node of the network for each rank
[[nodiscard]] std::vector<Exchange> exchanges(const Network& network, const Job& job, const Placement& placement);

/// The routers of some nodes: how many of these are on each, ascending.
[[nodiscard]] std::vector<Member> routers_of(const Network& network, std::span<const NodeId> nodes);

/// What links say of one exchange: its slowest link, and the mean over those that carry something.
/// @param loads  shape (links) [byte]
void time_links(const Machine& machine, std::span<const double> loads, ExchangeTime& time);

/// The time of the busiest link [s].
[[nodiscard]] double link_seconds(std::span<const double> loads, std::span<const double> free);

/// As all_to_all_seconds(), on a prepared machine.
[[nodiscard]] double all_to_all_seconds(const Machine& machine, std::span<const NodeId> nodes, double bytes);

/// As predict(), on a prepared machine.
[[nodiscard]] Prediction predict(const Machine& machine, const Job& job, const Placement& placement);

}  // namespace tacit::placement::network::detail
