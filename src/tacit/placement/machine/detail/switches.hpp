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
/// What Slurm takes is taken: switches without anything below them, nodes below two of them, several trees. A remark
/// says what was made of it.
/// @throws base::FormatError if a switch is given twice, unknown or its own ancestor, or if there is no node
[[nodiscard]] Machine machine_of_switches(const std::vector<Switch>& switches, const std::string& file,
                                          const SlurmSpeeds& speeds);

/// @param sizes  nodes of a block and of groups of blocks, ascending; each a multiple of the first
/// Blocks without nodes, or with fewer than the first size, are taken, too, with a remark.
/// @throws base::FormatError, as above
[[nodiscard]] Machine machine_of_blocks(const std::vector<Block>& blocks, const std::vector<std::size_t>& sizes,
                                        const std::string& file, const SlurmSpeeds& speeds);

}  // namespace tacit::placement::detail
