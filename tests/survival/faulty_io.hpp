// What the calls that faulty_io takes over ask: whether a file is meant, and what shall happen to it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace faulty_io {

enum class Kind : std::uint8_t { write, fsync, rename, unlink, truncate, close, none };
inline constexpr std::size_t kinds = 6;

/// The number of an error by its name; 0 for no name.
[[nodiscard]] int code_of(const std::string& name);
/// The value of a variable; empty where the library shall do nothing.
[[nodiscard]] std::string asked(const char* name);
/// Whether an absolute path is that of the folder, or of something in it.
[[nodiscard]] bool is_inside(const std::string& path);
[[nodiscard]] std::string full_path(int folder, const char* path);

/// A descriptor has been opened: finds out whether it belongs to the folder. Keeps errno.
void note_open(int descriptor);
[[nodiscard]] bool is_watched(int descriptor);
/// A watched descriptor is written to.
void note_write(int descriptor);
/// What a watched descriptor stands for, a folder too, has been made durable.
void note_sync(int descriptor);
/// A file or folder, by absolute paths, is about to get a name in the folder.
void note_rename(const std::string& from, const std::string& to);
/// A watched descriptor is about to be closed. @return whether it has been written to
bool note_close(int descriptor);

/// One call on a file of the folder. Constructed right before it, destroyed right after it.
class Call {
 public:
  explicit Call(Kind kind);
  ~Call();
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;
  /// The error with which it shall fail; 0: none.
  [[nodiscard]] int error() const;

 private:
  Kind kind_;
  std::uint64_t number_;
};

/// @return how many of so many bytes the disk takes
[[nodiscard]] std::size_t take_space(std::size_t asked_for);
/// Bytes that are left; -1: as many as there are.
[[nodiscard]] std::int64_t space_left();
/// Sleeps for as long as a disk of the rate that was asked for needs.
void wait_for_disk(std::size_t written);

}  // namespace faulty_io
