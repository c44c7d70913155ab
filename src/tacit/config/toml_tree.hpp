// TOML files that hold something else than parameters: machines for placement.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "tacit/base/tree.hpp"

namespace tacit::config {

/// The whole document, the items of a table in the order of the file.
///
/// @param file  its name, for messages
/// @throws Error with the place if it is not TOML; base::FormatError if it is nested deeper than base::deepest_tree, or
///         holds a date
[[nodiscard]] base::TreeFile parse_toml_tree(std::string_view text, const std::string& file);

}  // namespace tacit::config
