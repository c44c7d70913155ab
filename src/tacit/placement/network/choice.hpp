// Choosing for a job: its process grid, the block of nodes to ask for, and which ranks go to which node.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tacit/placement/network/prediction.hpp"

namespace tacit::placement::network {

/// A block of a torus that has enough nodes for a job.
struct Block {
  std::array<std::uint32_t, 3> first{};  // its lowest corner
  std::array<std::uint32_t, 3> size{};   // routers; may go around a ring
  std::size_t nodes = 0;                 // usable ones in it
  double bisection = 0.0;                // the smallest cut [byte/s]
  double seconds = 0.0;  // all-to-all over its nodes, of as many bytes as one from each node of the job to each
};

/// Whether a router counts of which only some nodes are usable.
enum class Routers : std::uint8_t { any, whole };

/// The blocks of a torus that hold `nodes` usable nodes with as few routers as their shape allows, and those that close
/// a ring which such a block spans more than half of, if they have at most an eighth more nodes; the fastest first.
///
/// @param nodes    of the job
/// @param routers  whether routers count whose nodes are not all usable
/// @param most     how many to return
/// @return         empty where no block is large enough; blocks of one shape are represented by their fullest position
/// @throws base::Error where the network is no torus, or broken
/// Cost: O(X Y) shapes at all positions, then the all-to-alls of at least 32 of them: seconds on 13,824 routers.
[[nodiscard]] std::vector<Block> blocks_for(const Network& network, std::size_t nodes, Routers routers,
                                            std::size_t most);
/// The usable nodes of a block, in the order of their routers.
[[nodiscard]] std::vector<NodeId> nodes_of(const Network& network, const Block& block, Routers routers);

/// How nodes are given to ranks.
enum class Order : std::uint8_t {
  listed,         // blocks of ranks_per_node ranks to the nodes as they are listed
  cells,          // neighbours in the job's grid of ranks share a node (a cell of the grid), cells in the listed order
  space_filling,  // nodes along a Hilbert curve through the torus (other networks: by router)
  random_nodes,   // nodes in a random order
  random_pairs,   // whole routers in a random order, the nodes of each next to each other
  search          // from the best of the others, nodes swapped while that helps
};

/// Options of `place`.
struct PlacementOptions {
  Order order = Order::listed;
  std::uint64_t seed = 1;
  std::size_t swaps = 200000;  // that search tries at most; fewer where each costs much
};

/// Puts the ranks of a job on nodes.
///
/// @param nodes  to choose from, in the order of preference; with more than the job needs, random orders choose among
/// all
///               of them and the others take the first
/// @return       shape (ranks); the same for the same arguments
/// @throws base::Error where there are fewer nodes than the job needs
[[nodiscard]] Placement place(const Network& network, const Job& job, std::span<const NodeId> nodes,
                              const PlacementOptions& options);

/// A process grid for transposes and what it costs.
struct GridChoice {
  Transposes transposes;
  Prediction prediction;
};

/// The job for which process grids are listed.
struct GridOptions {
  std::uint32_t ranks = 0;
  std::uint32_t ranks_per_node = 1;  // the last node may have fewer
  std::uint64_t points = 0;          // on a side of the grid
  double word = 8;                   // bytes of a value
  std::size_t most = 1;              // how many to return
};

/// All process grids of `ranks` ranks that a grid of `points`^3 allows (no side of the process grid above `points`), on
/// the listed order of nodes, the fastest first.
///
/// @param nodes  as many as the ranks need
[[nodiscard]] std::vector<GridChoice> process_grids(const Network& network, std::span<const NodeId> nodes,
                                                    const GridOptions& options);

}  // namespace tacit::placement::network
