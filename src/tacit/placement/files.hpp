// Files of a job: its messages, what launchers read, and placement.json.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tacit/placement/advice.hpp"
#include "tacit/placement/machine/machine.hpp"
#include "tacit/placement/network/job.hpp"
#include "tacit/placement/network/network.hpp"
#include "tacit/placement/network/prediction.hpp"

namespace tacit::placement {

/// Lines "FROM TO BYTES", separated by blanks or commas; '#' begins a comment. Messages of one pair add up.
///
/// @param file   its name, for messages
/// @param ranks  of the job
/// @throws base::FormatError with file and line if a line is something else or names a rank that the job has not, or if
///         there is no line
[[nodiscard]] network::Messages parse_messages(std::string_view text, const std::string& file, std::uint32_t ranks);

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

/// The core of a rank of a node in that file: fewer ranks than cores are spread evenly, so that all NUMA domains are
/// used.
/// @param slot  of `ranks` on the node
/// @return      null where there are more ranks than cores
[[nodiscard]] const NodeShape::Core* core_of(const NodeShape& node, std::size_t slot, std::size_t ranks);

/// Whether each row of `row` ranks that follow each other on a node has cores of one NUMA domain only.
/// @return  nothing where there are more ranks than cores
[[nodiscard]] std::optional<bool> do_rows_keep_to_domains(const NodeShape& node, std::size_t row, std::size_t ranks);

/// Slurm's hostfile for --distribution=arbitrary (SLURM_HOSTFILE): the node of each rank, one to a line.
[[nodiscard]] std::string slurm_hostfile(const network::Network& network, const network::Placement& placement);

/// Names of nodes, one to a line.
[[nodiscard]] std::string node_list(const network::Network& network, std::span<const network::NodeId> nodes);

/// The whole advice, indented: machine, job, the standard order, all candidates with their exchanges and cuts, and of
/// the best one where each rank runs. Node lists are hostlist expressions.
[[nodiscard]] std::string to_json(const network::Network& network, const JobRequest& request, const Advice& advice);

/// What was predicted for the placement that was written.
struct Predicted {
  std::string machine;
  std::size_t ranks = 0;
  std::string grid;
  std::vector<network::ExchangeTime> exchanges;  ///< name, seconds, latency and bytes of a rank only
};

/// @throws base::SystemError if the file cannot be read; base::FormatError if it is not what to_json has written
[[nodiscard]] Predicted read_predicted(const std::filesystem::path& file);

}  // namespace tacit::placement
