// Whether a file still holds what was written.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace tacit::tasks {
class Scheduler;
}

namespace tacit::io {

/// Whether a file carries checksums of its bytes, sound or not: files that this version writes do.
/// @throws base::SystemError if it cannot be read
[[nodiscard]] bool has_checksums(const std::filesystem::path& path);

/// What is wrong with an HDF5 file that has no checksums though it says of itself that they follow its data: it was cut
/// off, or changed by another program. Nothing if it never had any.
/// @throws base::FormatError, base::SystemError if it cannot be read
[[nodiscard]] std::optional<std::string> damage_without_checksums(const std::filesystem::path& path);

/// The files beside it over which an HDF5 file spreads its arrays, by name; none of a file that has all itself.
/// Whether they are there is not looked at.
/// @throws base::FormatError, base::SystemError if it cannot be read
[[nodiscard]] std::vector<std::string> names_of_parts(const std::filesystem::path& path);

/// Where a part of a file is: beside it, or beside the file to which it leads as a link.
[[nodiscard]] std::filesystem::path path_of_part(const std::filesystem::path& path, const std::string& name);

/// Compares every byte of a file with its checksums, or a share of them.
/// @param share    of `shares`, for ranks that divide the work; each of them looks at the checksums themselves
/// @param workers  that compare; null: the caller does
/// @return  what is wrong, to follow the file's name: "bytes 4096 to 528388 are not what was written"; nothing if
///          all is as it was written
/// @throws base::SystemError if it cannot be read
[[nodiscard]] std::optional<std::string> find_damage(const std::filesystem::path& path, std::uint64_t share = 0,
                                                     std::uint64_t shares = 1, tasks::Scheduler* workers = nullptr);

}  // namespace tacit::io
