// Fingerprints of memory and files (XXH3, 128 bit), for provenance and integrity.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>

namespace tacit::base {

/// @return 32 hexadecimal digits of the 128-bit XXH3 of `bytes`
[[nodiscard]] std::string checksum(std::span<const std::byte> bytes);

/// @return the same for a file's content, read in pieces
/// @throws SystemError if the file cannot be read
[[nodiscard]] std::string file_checksum(const std::filesystem::path& path);

}  // namespace tacit::base
