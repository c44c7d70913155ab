// The directory a run writes to: made, checked, locked against a second run, and written atomically.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "tacit/base/error.hpp"

namespace tacit::io {

/// Holds an exclusive lock on a directory for as long as it lives; the lock dies with the process, however it ends.
/// A directory that it made and into which nothing was written goes again with it, so that a refused run leaves
/// nothing.
class OutputDirectory {
 public:
  /// Makes the directory (and its parents) if needed, proves that it can be written, and takes the lock.
  /// @throws base::SystemError if it cannot be made or written; if another run holds the lock: host and process id of
  /// it
  explicit OutputDirectory(const std::filesystem::path& path);
  ~OutputDirectory();
  OutputDirectory(OutputDirectory&&) noexcept;
  OutputDirectory& operator=(OutputDirectory&&) noexcept;

  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }
  [[nodiscard]] std::filesystem::path operator/(std::string_view name) const { return path_ / name; }
  /// Whether a second run would notice this one; not where the file system has no locks.
  [[nodiscard]] bool is_locked() const noexcept { return is_locked_; }
  /// Whether the folder is no longer the one that was made or found: it was moved, removed or replaced.
  [[nodiscard]] bool is_replaced() const noexcept;
  /// Bytes that this process may still write there.
  /// @throws base::SystemError if the file system does not say
  [[nodiscard]] std::uint64_t bytes_free() const;

 private:
  void remove_if_unused() const noexcept;

  std::filesystem::path path_;
  std::filesystem::path made_;  // the topmost directory that was made, absolute; empty if none was
  int folder_ = -1;             // held, so that no other one can be taken for it
  int lock_ = -1;
  bool is_locked_ = false;
};

/// Bytes that this process may still write to the file system of a directory; nothing if that does not say.
[[nodiscard]] std::optional<std::uint64_t> bytes_free_in(const std::filesystem::path& directory) noexcept;
/// The message that a file finds no room.
[[nodiscard]] std::string no_room(const std::filesystem::path& path, std::uint64_t needed, std::uint64_t free);

/// Writes `content` to `path` atomically: temporary file, fsync, rename, fsync of the directory.
/// @throws base::SystemError naming path, bytes needed and bytes free
void write_atomically(const std::filesystem::path& path, std::string_view content);

/// A text file that grows by whole lines (statistics.csv).
class LineFile {
 public:
  enum class Mode { replace, append };
  /// @throws base::SystemError if it cannot be opened
  explicit LineFile(const std::filesystem::path& path, Mode mode = Mode::replace);
  ~LineFile();
  LineFile(LineFile&&) noexcept;
  LineFile& operator=(LineFile&&) noexcept;
  /// Appends `line` and a newline with one write call, so that a killed run leaves whole lines.
  /// @throws base::SystemError if the line does not fit; what was written of it is taken back
  void append(std::string_view line);
  /// Makes the lines so far durable. @throws base::SystemError if they do not reach the disk
  void sync();
  /// Nothing can be appended afterwards. @throws base::SystemError if lines do not reach the disk: network file systems
  /// say so only now
  void close();

 private:
  std::filesystem::path path_;
  int file_ = -1;
};

}  // namespace tacit::io
