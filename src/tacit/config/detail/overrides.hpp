// "key=value" from the command line, as entries.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tacit/config/detail/node.hpp"

namespace tacit::config::detail {

/// The entries that `name = text` gives: TOML, or a text without quotes. The first entry is `name` itself.
/// @param source  what is printed as the place
/// @throws Error if `text` is empty, or begins like an array, a table or a text in quotes and does not end like one
[[nodiscard]] std::vector<Entry> parse_assignment(std::string_view name, std::string_view text,
                                                  const std::string& source);

/// Replaces in `entries` what the overrides name, each with everything below it; the last one wins.
/// @throws Error with every override that cannot be read
void apply_overrides(std::span<const Override> overrides, std::vector<Entry>& entries);

}  // namespace tacit::config::detail
