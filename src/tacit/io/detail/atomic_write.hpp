// Atomic writes of files; private to the io layer.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>

namespace tacit::io::detail {

/// A temporary file beside its target that `commit` renames to the target; removed if that never happens.
///
/// The first failure is kept until `commit` reports it, so that writers need not be able to stop half-way, and so that
/// the report can say how many bytes are needed in all. What is written after it is dropped.
class WholeFile {
 public:
  /// @throws base::SystemError if `target` exists and is no regular file (a rename would replace a device)
  explicit WholeFile(std::filesystem::path target);
  ~WholeFile();
  WholeFile(const WholeFile&) = delete;
  WholeFile& operator=(const WholeFile&) = delete;

  void write(std::uint64_t offset, std::span<const std::byte> content) noexcept;
  /// What was written there; zeros where nothing was.
  void read(std::uint64_t offset, std::span<std::byte> out) const noexcept;
  /// Whether a write has failed: the file will not be made.
  [[nodiscard]] bool has_failed() const noexcept { return code_ != 0; }
  /// Cuts the file to `size` bytes, fsyncs it, renames it over the target, fsyncs the directory.
  ///
  /// Whatever fails, the temporary file is removed and a file that was under the target's name keeps its content.
  ///
  /// @throws base::SystemError naming target, bytes needed, bytes free and what to do
  void commit(std::uint64_t size);

 private:
  std::filesystem::path target_;
  std::filesystem::path temporary_;
  int file_ = -1;
  int code_ = 0;  // errno of the first failure
};

/// Writes `content` to `path` atomically.
/// @throws base::SystemError as WholeFile does
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
