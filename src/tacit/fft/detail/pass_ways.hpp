// The file of measured ways of passes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "tacit/fft/tuning.hpp"

namespace tacit::fft::detail {

/// "ROW_SIZE COLUMN_SIZE CHUNKS GROUPS", and back. @pre such a text
[[nodiscard]] std::string words_of(const PassWay& way);
[[nodiscard]] PassWay pass_way_of(const std::string& words);

/// The words of an entry; empty: there is none, or no file.
/// @throws base::FormatError, base::SystemError
[[nodiscard]] std::string find_pass_way(const std::filesystem::path& file, const std::string& key);
/// Adds an entry to those that the file has now; it is whole at any time. An empty path: does nothing.
/// @throws base::FormatError, base::SystemError
void keep_pass_way(const std::filesystem::path& file, const std::string& key, const PassWay& way);

}  // namespace tacit::fft::detail
