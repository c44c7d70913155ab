// Which nodes to ask for and where to put ranks: candidates for a job on a machine, with the model's time of each.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tacit/placement/network/choice.hpp"
#include "tacit/placement/network/job.hpp"
#include "tacit/placement/network/network.hpp"
#include "tacit/placement/network/prediction.hpp"

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

/// One cut through the routers of a job, into halves of its extent.
struct CutLoad {
  std::string name;
  double bytes = 0.0;      ///< from one half to the other, the larger of both ways, all exchanges of the job together
  double bandwidth = 0.0;  ///< of all links through it, each way [byte/s]
  [[nodiscard]] double seconds() const noexcept { return bandwidth > 0.0 ? bytes / bandwidth : 0.0; }
};

/// The cuts of a torus normal to x, y, z (dimensions in which the job has more than one router), the groups of a
/// dragonfly, the leaf switches of a fat tree; of a graph none.
///
/// @param placement  shape (ranks); nodes of the network
/// Cost: O(ranks) for each cut; of halos and messages, O(messages).
[[nodiscard]] std::vector<CutLoad> cut_loads(const network::Network& network, const network::Job& job,
                                             const network::Placement& placement);

/// Communication pattern of the ranks.
enum class Pattern : std::uint8_t {
  pencils,  ///< transposes within the rows and columns of a process grid
  halo,     ///< faces of a box, to six neighbours
  messages  ///< a list
};

/// A job before its process grid is chosen.
struct JobRequest {
  Pattern pattern = Pattern::pencils;
  std::uint32_t ranks = 1;
  std::uint32_t ranks_per_node = 1;
  std::uint64_t points = 0;             ///< on a side of the grid; not used by messages
  double word = 8.0;                    ///< bytes of a value
  std::vector<std::uint32_t> grid;      ///< row x column of pencils, x, y, z of a halo; empty: to be chosen
  network::Messages messages;           ///< of Pattern::messages
  double dump = 0.0;                    ///< bytes of one output of the whole job; 0: output is not looked at
  double exchanges_per_dump = 1000.0;   ///< how often everything above is exchanged for one output, > 0
  std::uint32_t spares = 0;             ///< nodes to have beyond those that run ranks
  std::optional<network::Order> order;  ///< empty: the best of all
  std::uint64_t seed = 1;
};

/// One way to run the job.
struct Candidate {
  std::vector<std::uint32_t> grid;      ///< ranks of a row and of a column, or along x, y, z; empty of messages
  std::string nodes;                    ///< which nodes: "block of 23x6x24 routers", "first 3072 nodes"
  std::vector<network::NodeId> listed;  ///< them, with spares and what a random order chooses from
  network::Order order = network::Order::listed;
  network::Job job;
  network::Placement placement;
  network::Prediction prediction;
  std::optional<network::ExchangeTime> output;  ///< where the request has one
  double seconds = 0.0;                         ///< of all exchanges once, with their share of the output
};

struct Advice {
  Candidate standard;  ///< the nodes as they are listed, the ranks in order, the grid nearest to a square
  std::vector<Candidate> candidates;  ///< the fastest first; at least one
  std::size_t left_out = 0;           ///< that were not computed for lack of time
};

/// Is told what is being computed; returns false to stop.
using Progress = std::function<bool(std::string_view doing)>;

/// Makes candidates and sorts them by their predicted time.
///
/// Without a list of nodes, blocks of a torus are tried; with one, or on another network, the nodes as they are listed.
///
/// @param nodes     that the job may use, in the order of preference
/// @param is_list   whether the user listed them: then a scheduler has given them, and no block can be asked for
/// @param progress  asked before each candidate but the first ones
/// @throws base::Error if there are fewer nodes than the job and its spares need, no grid fits, or there is output but
///                     no service node
/// Cost: some tens of predictions.
[[nodiscard]] Advice advise(const network::Network& network, const JobRequest& request,
                            std::span<const network::NodeId> nodes, bool is_list, const Progress& progress);

/// "listed", "cells", ...: as on the command line.
[[nodiscard]] std::span<const std::string_view> order_names();
[[nodiscard]] std::string_view name(network::Order order);
/// "16x768", or "-" of messages.
[[nodiscard]] std::string grid_text(const Candidate& candidate);

/// The factors of `count`, nearest to each other, descending: 12 is 4 x 3, or 3 x 2 x 2.
[[nodiscard]] std::vector<std::uint32_t> near_cube(std::uint32_t count, std::size_t dimensions);

}  // namespace tacit::placement
