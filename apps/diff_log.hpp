// Comparing the continuous logs of two runs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "diff_options.hpp"
#include "tacit/io/compare.hpp"

namespace tacit::apps {

/// Compares the records of each element by its number, fields with the tolerance of theirs; what a file draws by
/// chance, and the order in which threads wrote, count for nothing.
/// @throws base::SystemError, base::FormatError if one cannot be read or is damaged
[[nodiscard]] io::Comparison compare_logs(const std::filesystem::path& a, const std::filesystem::path& b,
                                          const DiffOptions& options);

}  // namespace tacit::apps
