// Puts bytes on disk whole or not at all; private to the io layer.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>

namespace tacit::io::detail {

/// Writes `content` to a hidden file beside `path`, fsyncs it, renames it over `path`, fsyncs the directory.
///
/// Whatever fails, the temporary file is removed and a file that was under `path` keeps its content.
///
/// @throws base::SystemError naming path, bytes needed, bytes free and what to do; also if `path` exists and is no
///         regular file (a rename would replace a device)
void write_whole(const std::filesystem::path& path, std::span<const std::byte> content);

/// Bytes that this process may still write to the file system of `directory`; nothing (and errno) if it cannot be
/// asked.
[[nodiscard]] std::optional<std::uint64_t> free_bytes(const std::filesystem::path& directory) noexcept;

/// The directory that holds `path`, "." for a bare name.
[[nodiscard]] std::filesystem::path directory_of(const std::filesystem::path& path);

/// "1.5 kB", "12 B": a size for people, in powers of 1000.
[[nodiscard]] std::string format_bytes(std::uint64_t bytes);

/// What a user can do about a failure to write, by errno; `directory` is where.
[[nodiscard]] std::string advice(int code, const std::filesystem::path& directory);

/// Removes temporary files that processes of this host left in `directory` when they were killed.
void remove_leftovers(const std::filesystem::path& directory) noexcept;

}  // namespace tacit::io::detail
