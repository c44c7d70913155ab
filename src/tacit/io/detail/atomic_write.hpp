// Atomic writes of files; private to the io layer.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>

#include "tacit/base/disk.hpp"

namespace tacit::io::detail {

/// What goes to one place of a file.
struct Run {
  std::uint64_t offset = 0;
  std::span<const std::byte> bytes;
};

/// A temporary file beside its target that `commit` renames to the target; removed if that never happens.
///
/// The first failure is kept until `commit` reports it, so that writers need not be able to stop half-way, and so that
/// the report can say how many bytes are needed in all. What is written after it is dropped.
class WholeFile {
 public:
  /// @throws base::SystemError if `target` exists and is no regular file (a rename would replace a device)
  explicit WholeFile(std::filesystem::path target);
  /// Opens the temporary file that another rank has made, to write into it: that one completes or removes it.
  /// @param code  errno of why the other one could not make it
  WholeFile(std::filesystem::path target, std::filesystem::path temporary, int code = 0);
  ~WholeFile();
  WholeFile(const WholeFile&) = delete;
  WholeFile& operator=(const WholeFile&) = delete;

  void write(std::uint64_t offset, std::span<const std::byte> content) noexcept;
  /// The same of several runs. Those that follow each other, in whole pages of memory and of the file, go past the page
  /// cache where the file system can do that: a quarter of the processor time, and the disk begins at once.
  void write(std::span<const Run> runs) noexcept;
  /// What was written there; zeros where nothing was.
  void read(std::uint64_t offset, std::span<std::byte> out) const noexcept;
  /// Whether a write has failed: the file will not be made.
  [[nodiscard]] bool has_failed() const noexcept { return code_ != 0; }
  /// errno of the first failure; 0: there was none.
  [[nodiscard]] int code() const noexcept { return code_; }
  /// Where it is before it is renamed.
  [[nodiscard]] const std::filesystem::path& temporary() const noexcept { return temporary_; }
  /// Cuts off what was written behind `size` bytes.
  void truncate(std::uint64_t size) noexcept;
  /// Fsyncs what was written. @param size  of the whole file. @throws base::SystemError as `commit`
  void sync(std::uint64_t size);
  /// Closes the file of another rank. @param size  of the whole file. @throws base::SystemError as `commit`
  void leave(std::uint64_t size);
  /// Cuts the file to `size` bytes, fsyncs it, renames it over the target, fsyncs the directory.
  ///
  /// Whatever fails, the temporary file is removed and a file that was under the target's name keeps its content.
  ///
  /// @throws base::SystemError naming target, bytes needed, bytes free and what to do
  void commit(std::uint64_t size);

 private:
  [[nodiscard]] bool write_past_cache(std::span<const Run> runs) noexcept;

  std::filesystem::path target_;
  std::filesystem::path temporary_;
  int file_ = -1;
  int code_ = 0;            // errno of the first failure
  bool is_joined_ = false;  // another rank has made it
  bool can_pass_cache_ = true;
};

/// Writes `content` to `path` atomically.
/// @throws base::SystemError as WholeFile does
void write_whole(const std::filesystem::path& path, std::span<const std::byte> content);

using base::advice;
using base::directory_of;
using base::failure_to_write;
using base::format_bytes;
using base::free_bytes;

/// A name beside the target that no other writer takes.
[[nodiscard]] std::filesystem::path temporary_name(const std::filesystem::path& target);
/// Makes the entries of a directory durable. @return 0 or an errno
[[nodiscard]] int sync_directory(const std::filesystem::path& directory) noexcept;

/// Removes temporary files and folders that processes left in `directory` when they were killed.
/// @param is_ours_alone  nobody else writes there, on whatever host: without that, only those of processes of this host
///                       that are gone
void remove_leftovers(const std::filesystem::path& directory, bool is_ours_alone) noexcept;

}  // namespace tacit::io::detail
