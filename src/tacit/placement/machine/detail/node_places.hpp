// Nodes by their names, and the places of nodes in a torus as a file lists them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "tacit/placement/network/network.hpp"

namespace tacit::placement::detail {

/// Finds nodes by name, or by number where the machine has no names.
class NodeNames {
 public:
  /// @param network  must outlive this
  explicit NodeNames(const network::Network& network);
  [[nodiscard]] std::optional<network::NodeId> find(const std::string& name) const;

 private:
  std::size_t count_;
  std::unordered_map<std::string_view, network::NodeId> numbers_;
};

/// Reads lines "NAME X Y Z", one for each node of a torus, and sets names and states: a place that no line fills holds
/// a service node without a name.
///
/// @throws base::FormatError with file and line if a line is something else, a place does not exist or is full, or a
///         name stands twice
void read_places(std::string_view text, const std::string& file, network::Network& network);

}  // namespace tacit::placement::detail
