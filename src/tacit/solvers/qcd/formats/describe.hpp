// What the headers of files of gauge links say, for a person.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace tacit::qcd {

/// Extents and header of a file in NERSC's or ILDG's format: the lines of the one, records and texts of the other. The
/// links are not read. @return nothing if the file begins as neither does
/// @throws base::SystemError; base::FormatError, what is wrong with the header
[[nodiscard]] std::optional<std::string> describe_gauge_file(const std::filesystem::path& path);

/// Reads such a file as a run does, for what is wrong with it, if a quarter of the memory that is left holds its field;
/// leaves others alone. @throws as read_nersc and read_ildg
void require_sound_gauge_file(const std::filesystem::path& path);

}  // namespace tacit::qcd
