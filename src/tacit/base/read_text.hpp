// A whole text file in memory, bounded, so that any path may be given.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

namespace tacit::base {

/// The content of a file that a user has named.
///
/// @param largest  bytes; an endless device ends there too
/// @param what     what the file should be, for messages: "machine file"
/// @throws SystemError if it cannot be read; FormatError if it is larger, or holds a zero byte and so is no text
[[nodiscard]] std::string read_text(const std::filesystem::path& path, std::size_t largest, const std::string& what);

}  // namespace tacit::base
