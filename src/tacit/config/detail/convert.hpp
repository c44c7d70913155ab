// A value from the file turned into what its key expects, or the error that says why not.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>

#include "tacit/base/units.hpp"
#include "tacit/config/detail/content.hpp"
#include "tacit/config/detail/node.hpp"
#include "tacit/config/parameters.hpp"

namespace tacit::config::detail {

/// What plain numbers and units mean while values are converted.
struct Scales {
  base::UnitSystem units = {};
  bool are_known = true;  ///< false after an error in units.*: ranges of values with a unit are not checked then
};

/// @return the value of `entry` as `key` wants it: type, dimension, range and choices checked, in code units
/// @throws Error with the place of the value, or of the element of a vector that is wrong
[[nodiscard]] Parameters::Value::Content convert(const Key& key, const Entry& entry, const Scales& scales);

/// The numbers of a table of constants, in code units.
/// @param table    its name
/// @param entries  of the whole file
/// @throws Error with every constant that is none: its name is no word of letters, digits and '_', or its value is
///         no number; where the table is none
[[nodiscard]] std::map<std::string, double> convert_constants(std::string_view table, std::span<const Entry> entries,
                                                              const Scales& scales);

/// The key's default, converted like a value from the file.
/// @pre key.need == Need::has_default
/// @throws base::PreconditionError if the table of keys gives an impossible default
[[nodiscard]] Parameters::Value::Content convert_default(const Key& key, const Scales& scales);

/// "found a text", for messages.
[[nodiscard]] std::string found(const Node& node);

}  // namespace tacit::config::detail
