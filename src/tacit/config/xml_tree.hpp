// XML files: the processors of a node as hwloc describes them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "tacit/base/tree.hpp"

namespace tacit::config {

/// Levels of elements; hwloc writes about 12, more where bridges stand behind bridges.
inline constexpr std::size_t deepest_xml = 64;

/// The outermost element. An element is a table with its own name; its items are its attributes, as texts, and then the
/// elements within it, as tables, which may have names in common. Text between elements, comments and declarations are
/// left out; of entities those of XML itself are known, so that a short text cannot stand for a large one.
///
/// @param file  its name, for messages
/// @throws Error with the place if it is not XML; base::FormatError with the place if an attribute is given twice, if
///         there is a second outermost element, or if it is nested deeper than deepest_xml
/// Cost: O(size of the text); stack bounded by deepest_xml.
[[nodiscard]] base::TreeFile parse_xml_tree(std::string_view text, const std::string& file);

}  // namespace tacit::config
