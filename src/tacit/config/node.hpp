// Documents of nested tables, arrays and values with their places, and the readers of TOML, YAML and XML that make
// them. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tacit/base/error.hpp"

namespace tacit::config {

/// One value of a document, with those below it. The items of a table have names and the order of the file.
struct Node {
  enum class Kind { flag, integer, real, text, date, array, table, nothing };

  Kind kind = Kind::nothing;
  std::string name = {};  ///< in the table around it; empty in an array
  bool flag = false;
  std::int64_t integer = 0;
  double real = 0.0;  ///< also of an integer
  std::string text = {};
  std::vector<Node> items = {};  ///< of an array or a table
  int line = 0;                  ///< from 1, of the name where there is one; 0 in an override
  int column = 0;
  bool is_verbatim = false;  ///< a text between two quotes, letter by letter as it is

  /// The item of that name, or null.
  [[nodiscard]] const Node* find(std::string_view wanted) const {
    const auto found = std::ranges::find(items, wanted, &Node::name);
    return found == items.end() ? nullptr : &*found;
  }
  [[nodiscard]] bool is_number() const noexcept { return kind == Kind::integer || kind == Kind::real; }
};

/// A whole document, and the name of its file for messages.
struct Tree {
  std::string file;
  Node root;

  /// The error that `what` is wrong at `at`: "file:line:column: what".
  [[nodiscard]] base::FormatError error(const Node& at, const std::string& what) const {
    return base::FormatError(file + ':' + std::to_string(at.line) + ':' + std::to_string(at.column), what);
  }
};

/// Levels of a TOML or YAML document; that walking a tree cannot run out of stack.
inline constexpr std::size_t deepest_tree = 16;
/// Levels of XML elements; hwloc writes about 12, more where bridges stand behind bridges.
inline constexpr std::size_t deepest_xml = 64;
/// The largest text of YAML [byte]; ten times what 100 000 nodes need. The parser takes up to 240 bytes for each.
inline constexpr std::size_t largest_yaml = 4'000'000;

/// A TOML file that holds something else than parameters, such as a machine for placement.
///
/// @param file  its name, for messages
/// @throws Error with the place if it is not TOML; base::FormatError if it is nested deeper than deepest_tree, or holds
///         a date
[[nodiscard]] Tree parse_toml_tree(std::string_view text, const std::string& file);

/// The only YAML document of the text; of a text without any, `nothing`.
///
/// A plain value that reads as a number or as true or false is one, and its `text` is what was written; a quoted value
/// is a text. Null values keep no text. Anchors, aliases and tags are refused by name, so that a short text cannot
/// stand for a large tree.
///
/// @param file  its name, for messages
/// @throws Error with the place if it is not YAML; base::FormatError with the place if a name is given twice or is no
///         text, if there is a second document, if it is nested deeper than deepest_tree, or larger than largest_yaml
/// Cost: O(size of the text); stack bounded by deepest_tree.
[[nodiscard]] Tree parse_yaml_tree(std::string_view text, const std::string& file);

/// The outermost XML element. An element is a table with its own name; its items are its attributes, as texts, and then
/// the elements within it, as tables, which may have names in common. Text between elements, comments and declarations
/// are left out; of entities those of XML itself are known, so that a short text cannot stand for a large one.
///
/// @param file  its name, for messages
/// @throws Error with the place if it is not XML; base::FormatError with the place if an attribute is given twice, if
///         there is a second outermost element, or if it is nested deeper than deepest_xml
/// Cost: O(size of the text); stack bounded by deepest_xml.
[[nodiscard]] Tree parse_xml_tree(std::string_view text, const std::string& file);

}  // namespace tacit::config
