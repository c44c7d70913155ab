// A placement in the forms that launchers read.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tacit/placement/machine/machine.hpp"
#include "tacit/placement/network/prediction.hpp"

namespace tacit::placement {

/// The nodes of a placement, each once, in the order of the list of the job's nodes; the launcher fills them so. A node
/// with fewer ranks than the others comes last, as a launcher would give it as many as them.
[[nodiscard]] std::vector<network::NodeId> used_nodes(const network::Placement& placement,
                                                      std::span<const network::NodeId> listed);

/// MPICH_RANK_ORDER of Cray and HPE (MPICH_RANK_REORDER_METHOD=3): the ranks in the order in which the launcher fills
/// the nodes, one line for each node, separated by commas.
///
/// @param nodes  in the launcher's order
[[nodiscard]] std::string mpich_rank_order(const network::Placement& placement, std::span<const network::NodeId> nodes);

/// Open MPI's rankfile: "rank 0=n1 slot=0:3". The ranks of a node are dealt to its packages and NUMA domains in
/// order, so that neighbours of a row share one; without a shape, to cores 0, 1, ... ("slot=3").
[[nodiscard]] std::string openmpi_rankfile(const network::Network& network, const network::Placement& placement,
                                           const std::optional<NodeShape>& node);

/// Slurm's hostfile for --distribution=arbitrary (SLURM_HOSTFILE): the node of each rank, one to a line.
[[nodiscard]] std::string slurm_hostfile(const network::Network& network, const network::Placement& placement);

/// Names of nodes, one to a line.
[[nodiscard]] std::string node_list(const network::Network& network, std::span<const network::NodeId> nodes);

}  // namespace tacit::placement
