// Whether the disk has room for the next file of a run.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

namespace tacit::engine {

/// What a file is expected to take.
struct ExpectedFile {
  std::string kind;            ///< "snapshot", "spectra", "checkpoint": those of a kind are much alike
  std::filesystem::path path;  ///< that it will have
  std::uint64_t bytes = 0;     ///< of its arrays, not compressed: at most that, if they are
  bool is_compressed = false;  ///< so that it may be smaller than the one before, too
};

/// Compares what files will take with what the file system has left, before they are written: so a run whose disk is
/// full ends with whole files. A quota is not seen; nor what other programs write in the meantime.
class OutputRoom {
 public:
  /// A file of the kind that there is already, as after a restart.
  void note(const std::string& kind, const std::filesystem::path& path) { last_[kind] = path; }

  /// What it will take [byte]: of a compressed one four fifths of what the last one of its kind took, or all of its
  /// arrays if there is none yet; of others what the last one took, and at least their arrays.
  [[nodiscard]] std::uint64_t needed(const ExpectedFile& file) const;
  /// What is missing, in words; empty if it fits, or if the file system does not say.
  /// @param waiting  bytes of other files that are on their way there
  [[nodiscard]] std::string shortage(const ExpectedFile& file, std::uint64_t waiting = 0) const;

  /// A file is written from here on. @param is_busy  earlier ones are still on their way
  void give(const ExpectedFile& file, bool is_busy);
  /// Bytes of files on their way, at most. @param is_busy  whether there are any
  [[nodiscard]] std::uint64_t waiting(bool is_busy) const noexcept { return is_busy ? given_ : 0; }

 private:
  /// Of the last one of its kind that is on disk; 0: there is none. While one is on its way, the one before must do.
  [[nodiscard]] std::uint64_t bytes_of_last(const std::string& kind) const;

  std::map<std::string, std::filesystem::path> last_;  // by kind
  std::map<std::string, std::uint64_t> known_;         // bytes of the last one that was found on disk
  std::uint64_t given_ = 0;                            // bytes since nothing was on its way
};

}  // namespace tacit::engine
