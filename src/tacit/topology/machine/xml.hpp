// The part of XML that hwloc writes: elements with attributes, no text between them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tacit::topology {

struct XmlElement {
  std::string name;
  std::vector<std::pair<std::string, std::string>> attributes = {};
  std::vector<XmlElement> children = {};
  int line = 0;  ///< from 1

  /// The value of an attribute, or null.
  [[nodiscard]] const std::string* find(std::string_view attribute) const;
};

/// The outermost element. Declarations, comments and text are passed over; of the entities, the five of XML are known.
///
/// @param file  its name, for messages
/// @throws base::FormatError with file and line if elements do not open and close as they should
/// Cost: O(size of the text); stack bounded by 64 levels.
[[nodiscard]] XmlElement parse_xml(std::string_view text, const std::string& file);

}  // namespace tacit::topology
