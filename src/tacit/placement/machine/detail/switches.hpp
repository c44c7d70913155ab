// Switches and blocks as Slurm's files list them, and the network that they make.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "tacit/placement/machine/machine.hpp"

namespace tacit::placement::detail {

/// One line of a tree: a switch with the switches or nodes below it.
struct Switch {
  std::string name;
  std::vector<std::string> switches = {};
  std::vector<std::string> nodes = {};
  std::optional<double> uplink = {};  ///< of all its links upwards together [byte/s]
  std::string where = {};             ///< "file:line", for messages
};

/// One block: nodes that are joined more closely than blocks are.
struct Block {
  std::string name;
  std::vector<std::string> nodes = {};
  std::string where = {};
};

/// @param file  its name, for messages
/// @throws base::FormatError if a switch has no children, stands below two lines of nodes, is unknown or its own
///         ancestor, if a node hangs on two switches, or if not all are joined
[[nodiscard]] Machine machine_of_switches(const std::vector<Switch>& switches, const std::string& file,
                                          const SlurmSpeeds& speeds);

/// @param sizes  nodes of a block and of groups of blocks, ascending; each a multiple of the first
/// @throws base::FormatError, as above, also if a block has fewer nodes than the first size
[[nodiscard]] Machine machine_of_blocks(const std::vector<Block>& blocks, const std::vector<std::size_t>& sizes,
                                        const std::string& file, const SlurmSpeeds& speeds);

}  // namespace tacit::placement::detail
