// What is checked beyond each single value: names that no table of keys knows, and rules between keys.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tacit/config/detail/content.hpp"
#include "tacit/config/detail/node.hpp"

namespace tacit::config::detail {

/// One problem for each unknown key and table, and each table name that holds a plain value. What stands below a
/// name that is wrong itself is not reported again.
[[nodiscard]] std::vector<Problem> unknown_names(std::span<const Entry> entries, std::span<const Key* const> keys);

/// One problem for each rule that does not hold; where all do, for the first file that is missing.
/// @param values  of the keys, in their order; those that `parameters` hold
[[nodiscard]] std::vector<Problem> broken_rules(std::span<const Key* const> keys,
                                                std::span<const Parameters::Value> values,
                                                const Parameters& parameters);

}  // namespace tacit::config::detail
