// Checksums of every byte of a file, in a footer behind it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tacit::io::detail {

class InputFile;
class WholeFile;

/// Of the root group, in files that have a footer.
inline constexpr const char* checksums_attribute = "checksums";

/// Bytes of a file that have a checksum together.
struct Extent {
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
  std::uint64_t hash = 0;  ///< XXH3-64
};

/// What stands behind the data of a file. HDF5 ends where its superblock says, so that other programs do not see it.
///
/// Little-endian: for each extent, in order and without gaps from offset 0 on, its bytes and its hash (8 bytes each);
/// then a trailer of 64 bytes: "TACITSUM", version, extents, bytes of data, three words of 0, and the XXH3-64 of the
/// table and of the trailer up to there, which stands for all of the file.
struct Footer {
  static constexpr std::uint64_t version = 1;
  std::uint64_t data_bytes = 0;
  std::vector<Extent> extents;
  std::uint64_t hash = 0;

  /// Of table and trailer.
  [[nodiscard]] static std::uint64_t size(std::size_t extents) noexcept { return 16 * extents + 64; }
};

/// Completes `known`, which may be in any order, by what lies between, which is read back, and writes the footer.
/// @param bytes  of the file so far
/// @return bytes of the file with it
[[nodiscard]] std::uint64_t append_footer(WholeFile& file, std::uint64_t bytes, std::vector<Extent> known);

/// The footer of a file; nothing if it has none, or a damaged one.
/// @param damage  what is wrong with it, to follow the file's name; empty if there is none
/// @throws base::SystemError if the file cannot be read
[[nodiscard]] std::optional<Footer> read_footer(const std::string& path, std::string& damage);

/// Whether an extent holds what was written. @param memory  to read it into, kept from call to call
/// @throws base::SystemError if the file cannot be read
[[nodiscard]] bool is_sound(const InputFile& file, const Extent& extent, std::vector<std::byte>& memory);

}  // namespace tacit::io::detail
