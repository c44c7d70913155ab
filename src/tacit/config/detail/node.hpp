// The entries of a parameter file: full names of keys, with values and places.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "tacit/config/node.hpp"
#include "tacit/config/parameters.hpp"

namespace tacit::config::detail {

using Kind = Node::Kind;

/// One name with its value. A table has an entry of its own, without content, and one for each of its keys.
struct Entry {
  std::string name;  ///< full, parts joined by dots; a part that is no bare key stands in quotes
  Node value;
  Location where;        ///< of the name
  std::string raw = {};  ///< an override's value as it was typed; a text need not be TOML there

  /// Where the value (or an element of it) stands.
  [[nodiscard]] Location value_place(const Node& node) const { return {where.file, node.line, node.column}; }
};

/// Whether `name` is `table` or stands below it.
[[nodiscard]] inline bool is_within(std::string_view name, std::string_view table) {
  return name.starts_with(table) && (name.size() == table.size() || name[table.size()] == '.');
}

}  // namespace tacit::config::detail
