// Finds the report in a file that may be anything.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <filesystem>

namespace tacit::trace::detail {

/// The object otherData.tacit of a trace.
///
/// @throws base::SystemError if the file cannot be read; base::FormatError if it has no such object or is cut off
/// Cost: stops at the events, if they come after it.
[[nodiscard]] nlohmann::json find_report(const std::filesystem::path& path);

}  // namespace tacit::trace::detail
