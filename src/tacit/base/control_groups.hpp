// The folders in which the control groups of this process state their limits.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

namespace tacit::base {

/// The groups of this process under one controller, from the root of their mounts down to its own: of version 2, and of
/// version 1 with that controller, also where it shares a mount with others. Each limit on the way holds, so the
/// smallest one counts. Those that a container does not see are named as well: there is nothing to read in them.
///
/// @param controller  "cpu", "memory"
/// @param root        where /proc and /sys are found: "/" but for tests
/// @return            empty where nothing can be read
[[nodiscard]] std::vector<std::filesystem::path> control_groups(std::string_view controller,
                                                                const std::filesystem::path& root);

}  // namespace tacit::base
