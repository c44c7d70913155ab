// The part of YAML that Slurm's topology.yaml is written in.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "tacit/base/tree.hpp"

namespace tacit::topology {

/// Block and flow lists and tables, plain and quoted values on one line, comments, one document.
///
/// Anchors, tags and texts of several lines are refused by name. A plain value's `text` is what was written, also where
/// it is a number.
///
/// @param file  its name, for messages
/// @throws base::FormatError with file, line and column, if it is no such text
/// Cost: O(size of the text); stack bounded by base::deepest_tree.
[[nodiscard]] base::TreeFile parse_yaml(std::string_view text, const std::string& file);

}  // namespace tacit::topology
