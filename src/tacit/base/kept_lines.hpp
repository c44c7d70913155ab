// Small files of lines below a line that names their format, in which a run keeps what later ones need not find again.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace tacit::base {

/// What such a file begins with, and what is said of one that is damaged, cannot be read, or cannot be written.
///
///     constexpr KeptLines places{.first_line = "# places 1: x, y",
///                                .name = "a file of places",
///                                .remedy = "; remove it",
///                                .wrong_line = "is not two numbers",
///                                .cannot_read = "cannot read the places",
///                                .cannot_write = "cannot write the places"};
struct KeptLines {
  std::string_view first_line;
  std::string_view name;          ///< "'...' stands where `name` begins with '`first_line`'"
  std::string_view remedy = {};   ///< ends that message
  std::string_view wrong_line;    ///< "'...' `wrong_line`"
  std::string_view cannot_read;   ///< follows the path
  std::string_view cannot_write;  ///< likewise
};

/// Takes the lines below the first one.
/// @param path  for messages
/// @param take  false: the line is not one of these
/// @throws FormatError that names the line
void parse_kept(const KeptLines& format, const std::string& text, const std::string& path,
                const std::function<bool(const std::string& line)>& take);

/// All of a file; nothing: it is not there. @throws SystemError
[[nodiscard]] std::optional<std::string> read_kept(const KeptLines& format, const std::filesystem::path& file);

/// Replaces a file, which is whole at any time. @throws SystemError
void write_kept(const KeptLines& format, const std::filesystem::path& file, std::string_view text);

}  // namespace tacit::base
