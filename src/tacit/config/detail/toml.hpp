// TOML text to entries; the only interface to the TOML library.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tacit/config/detail/node.hpp"

namespace tacit::config::detail {

/// @param text  a whole TOML document
/// @param file  its name, for places and messages
/// @return      the entries, each table before its keys, otherwise in no particular order; nothing below the eighth
///              level, which no key reaches
/// @throws Error with the place if it is not TOML
/// Cost: memory and stack are bounded by the size of the text, whatever it holds.
[[nodiscard]] std::vector<Entry> parse_toml(std::string_view text, const std::string& file);

/// A text as a TOML string, with its quotes.
[[nodiscard]] std::string toml_string(std::string_view text);

}  // namespace tacit::config::detail
