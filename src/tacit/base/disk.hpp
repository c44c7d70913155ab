// What to say when a file cannot be written: bytes needed, bytes free, and what to do.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "tacit/base/error.hpp"

namespace tacit::base {

/// Bytes that this process may still write to the file system of `directory`; nothing (and errno) if it cannot be
/// asked.
[[nodiscard]] std::optional<std::uint64_t> free_bytes(const std::filesystem::path& directory) noexcept;

/// The directory that holds `path`, "." for a bare name.
[[nodiscard]] std::filesystem::path directory_of(const std::filesystem::path& path);

/// "1.5 kB", "12 B": a size for people, in powers of 1000.
[[nodiscard]] std::string format_bytes(std::uint64_t bytes);

/// What a user can do about a failure to write, by errno; `directory` is where.
[[nodiscard]] std::string advice(int code, const std::filesystem::path& directory);

/// The error that a file cannot be written.
/// @param needed  bytes
/// @param free    bytes; nothing: unknown
[[nodiscard]] SystemError failure_to_write(const std::filesystem::path& path, std::uint64_t needed,
                                           std::optional<std::uint64_t> free, int code,
                                           std::string_view what = "cannot be written");

/// The same, of what is free now.
/// @param what    failed
/// @throws SystemError "PATH: cannot be written: needs 1.5 kB, 12 B free; free some space in ..."
[[noreturn]] void fail_to_write(const std::filesystem::path& path, std::uint64_t needed, int code,
                                std::string_view what = "cannot be written");

}  // namespace tacit::base
