// The other runtimes that were found when this was built.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "micro/runtime.hpp"

namespace tacit::bench {

// Each stands in a file of its own; CMake takes NAME_none.cpp where the library was not found.
[[nodiscard]] std::optional<RuntimeEntry> onetbb();
[[nodiscard]] std::optional<RuntimeEntry> onetbb_light();  ///< graphs only, of nodes that are no tasks
[[nodiscard]] std::optional<RuntimeEntry> openmp();
[[nodiscard]] std::optional<RuntimeEntry> taskflow();

/// Those that are there.
[[nodiscard]] std::vector<RuntimeEntry> peers();

}  // namespace tacit::bench
