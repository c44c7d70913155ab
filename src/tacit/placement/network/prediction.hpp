// What the model says about a job on given nodes: loads of links, and the time of each exchange and of output.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tacit/placement/network/job.hpp"
#include "tacit/placement/network/network.hpp"

namespace tacit::placement::network {

/// Where each rank runs: shape (ranks). Ranks of one node may stand anywhere in it.
using Placement = std::vector<NodeId>;

/// One exchange of a job: row transpose, column transpose, halo, messages; or its output.
struct ExchangeTime {
  std::string name;           // "row", "column", "halo", "messages", "output"
  double seconds = 0.0;       // max of the two below, plus latency
  double link_seconds = 0.0;  // of the link that is busy the longest
  double node_seconds = 0.0;  // of the node that sends or receives the longest
  double latency_seconds = 0.0;
  double mean_link_seconds = 0.0;  // over the links that carry anything
  double rank_bytes = 0.0;         // that a rank sends to others, the one that sends most
  double wire_bytes = 0.0;         // that leave nodes for other routers
  double hop_bytes = 0.0;          // bytes times links, over all messages
  std::string busiest_link;        // in words: "y 3,5,7 -> 3,6,7"; empty where no link is used
};

/// All exchanges of a job once, one after the other.
struct Prediction {
  std::vector<ExchangeTime> exchanges;
  double seconds = 0.0;        // sum
  double foreign_share = 0.0;  // of hop_bytes, on links that touch a router without a node of the job
};

/// Times the job's exchanges on the machine.
///
///     t = max(max over links of load / free bandwidth, max over nodes of bytes / injection bandwidth)
///         + messages of a rank * latency + links of the longest path * hop latency
///
/// Messages are spread as the network's routing does. Both ends of a message on one router load no link; on one node,
/// they cost nothing.
///
/// @param placement  shape (ranks)
/// @throws base::Error where network, job or placement do not fit each other
/// Cost: of transposes on a torus O(routers * (X + Y + Z)) per distinct set of nodes.
[[nodiscard]] Prediction predict(const Network& network, const Job& job, const Placement& placement);

/// The nodes through which output leaves the network: those of service that are up, ascending.
[[nodiscard]] std::vector<NodeId> service_nodes(const Network& network);

/// Times the output of a job: every rank sends the same number of bytes, in equal parts to all service nodes.
///
///     t = max(max over links of load / free bandwidth, max over nodes of bytes / injection bandwidth)
///         + links of the longest path * hop latency
///
/// The nodes are those of the job, which send, and those of service, which receive.
///
/// @param placement  shape (ranks)
/// @param bytes      of one output, all ranks together, >= 0
/// @throws base::Error where network or placement are wrong, bytes are negative, or there are no service nodes
/// Cost: O(routers of the job * routers with service nodes).
[[nodiscard]] ExchangeTime predict_output(const Network& network, const Placement& placement, double bytes);

/// One cut of the machine, or of a part of it, into halves.
struct Cut {
  std::string name;        // "normal to x", "between groups", "level 1", ...
  double bandwidth = 0.0;  // through it, each way [byte/s]
};

/// The cuts that limit an all-to-all over the whole machine; the smallest is its bisection bandwidth.
///
/// Torus: one plane normal to each dimension, counted twice where it is a ring. Dragonfly: half of the groups against
/// the others (inside one group: half of its routers). Fat tree: half of the subtrees of each level. Graph: the
/// routers' halves that a spectral order gives, an upper bound of the bisection bandwidth.
[[nodiscard]] std::vector<Cut> bisection(const Network& network);

/// The same for a box of a torus: a dimension counts twice only where the job spans more than half of a ring, since
/// messages go the shorter way.
/// @param size  routers in x, y, z
[[nodiscard]] std::vector<Cut> bisection(const Torus& torus, const std::array<std::uint32_t, 3>& size);

/// How long all of the nodes take to send `bytes` to each other one: the busiest link, or the injection of a node.
/// @return  [s]
[[nodiscard]] double all_to_all_seconds(const Network& network, std::span<const NodeId> nodes, double bytes);

}  // namespace tacit::placement::network
