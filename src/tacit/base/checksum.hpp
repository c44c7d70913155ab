// Fingerprints of memory and files (XXH3), for provenance and integrity.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

namespace tacit::base {

/// @return 32 hexadecimal digits of the 128-bit XXH3 of `bytes`
[[nodiscard]] std::string checksum(std::span<const std::byte> bytes);

/// @return the same for a file's content, read in pieces
/// @throws SystemError if the file cannot be read
[[nodiscard]] std::string file_checksum(const std::filesystem::path& path);

/// The 64-bit XXH3 of `bytes`.
[[nodiscard]] std::uint64_t hash(std::span<const std::byte> bytes) noexcept;

/// The same of bytes that come in pieces.
class Hash {
 public:
  Hash();
  ~Hash();
  Hash(const Hash&) = delete;
  Hash& operator=(const Hash&) = delete;
  void add(std::span<const std::byte> bytes) noexcept;
  /// Of all so far.
  [[nodiscard]] std::uint64_t value() const noexcept;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tacit::base
