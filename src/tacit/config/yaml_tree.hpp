// YAML files: the network as Slurm's topology.yaml describes it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "tacit/base/tree.hpp"

namespace tacit::config {

/// The largest text of YAML [byte]; ten times what 100 000 nodes need. The parser takes up to 240 bytes for each.
inline constexpr std::size_t largest_yaml = 4'000'000;

/// The only document of the text, the items of a table in the order of the file; of a text without any, `nothing`.
///
/// A plain value that reads as a number or as true or false is one, and its `text` is what was written; a quoted value
/// is a text. Null values keep no text. Anchors, aliases and tags are refused by name, so that a short text cannot
/// stand for a large tree.
///
/// @param file  its name, for messages
/// @throws Error with the place if it is not YAML; base::FormatError with the place if a name is given twice or is no
///         text, if there is a second document, if it is nested deeper than base::deepest_tree, or larger than
///         largest_yaml
/// Cost: O(size of the text); stack bounded by base::deepest_tree.
[[nodiscard]] base::TreeFile parse_yaml_tree(std::string_view text, const std::string& file);

}  // namespace tacit::config
