// Comparing the tables and the summary of two runs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "diff_options.hpp"
#include "tacit/io/compare.hpp"

namespace tacit::apps {

/// Compares two tables (.csv) by the names of their columns, numbers with the tolerance of the column.
/// @throws base::SystemError, base::FormatError if one cannot be read or has lines of other lengths
[[nodiscard]] io::Comparison compare_tables(const std::filesystem::path& a, const std::filesystem::path& b,
                                            const DiffOptions& options);

/// Compares two files of JSON by names, numbers with the tolerance of theirs.
/// @throws base::SystemError, base::FormatError if one cannot be read
[[nodiscard]] io::Comparison compare_json(const std::filesystem::path& a, const std::filesystem::path& b,
                                          const DiffOptions& options);

/// Compares two files byte by byte. @throws base::SystemError if one cannot be read
[[nodiscard]] io::Comparison compare_bytes(const std::filesystem::path& a, const std::filesystem::path& b);

}  // namespace tacit::apps
