// Names in the file that no table of keys knows.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tacit/config/detail/node.hpp"

namespace tacit::config::detail {

/// One problem for each unknown key and table, and each table name that holds a plain value. What stands below a
/// name that is wrong itself is not reported again.
[[nodiscard]] std::vector<Problem> unknown_names(std::span<const Entry> entries, std::span<const Key* const> keys);

}  // namespace tacit::config::detail
