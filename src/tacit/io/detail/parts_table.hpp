// The files over which a file in parts spreads its arrays.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace tacit::io::detail {

/// Where the main file names them.
inline constexpr const char* parts_group = "Parts";
inline constexpr const char* parts_attribute = "files";

/// What the main file says of a part.
struct PartFile {
  std::string name;  ///< in the same folder
  std::uint64_t bytes = 0;
  std::uint64_t hash = 0;  ///< of its footer, which stands for all of it
};

/// "snapshot_0003.hdf5" -> "snapshot_0003.part02-1f3a9c20.hdf5". @param tag  of this writing of the file
[[nodiscard]] std::filesystem::path part_path(const std::filesystem::path& path, std::size_t part, std::size_t parts,
                                              const std::string& tag);

/// A line for each part: its name, its bytes, its hash as 16 hexadecimal digits.
[[nodiscard]] std::string to_text(std::span<const PartFile> parts);
/// @throws base::FormatError, which names `source`, if it is not such a text, or names files in other folders
[[nodiscard]] std::vector<PartFile> parts_from_text(const std::string& text, const std::string& source);

/// What an HDF5 file says of its parts; nothing if it has none.
/// @throws base::FormatError, base::SystemError if it cannot be read
[[nodiscard]] std::vector<PartFile> parts_of(const std::filesystem::path& path);

/// The files of the parts of what has this name so far; none if it is no file of ours, or damaged.
[[nodiscard]] std::vector<std::filesystem::path> former_parts(const std::filesystem::path& path) noexcept;

/// Removes parts in a directory that no main file names: a run was killed before that was written.
void remove_orphans(const std::filesystem::path& directory) noexcept;

/// As they are on disk now. @throws base::SystemError, base::FormatError if one cannot be read or has no footer
[[nodiscard]] std::vector<PartFile> look_at_parts(std::span<const std::filesystem::path> paths);

/// The file of that name beside `path`, else beside the file to which `path` leads as a link: where HDF5 finds it.
[[nodiscard]] std::filesystem::path beside(const std::filesystem::path& path, const std::string& name);

/// What is wrong with a part of a file, to follow its name; empty if it is the one that is named.
/// @throws base::SystemError if it cannot be read
[[nodiscard]] std::string flaw_of(const std::filesystem::path& main, const PartFile& part);

}  // namespace tacit::io::detail
