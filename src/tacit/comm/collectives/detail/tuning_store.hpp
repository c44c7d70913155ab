// Ways that were measured, kept by what they are for: in memory, and in a file for runs to come.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "tacit/comm/collectives/detail/algorithm.hpp"

namespace tacit::comm::detail {

/// The entries of a file: "node_aware|flat LEADERS CHUNK by_size|by_receiver|by_sender KEY" in each line, below a line
/// that names the format.
/// @param path  for messages
/// @throws base::FormatError that names the line
[[nodiscard]] std::map<std::string, Algorithm> parse_tunings(const std::string& text, const std::string& path);
[[nodiscard]] std::string tunings_text(const std::map<std::string, Algorithm>& ways);

class TuningStore {
 public:
  /// @param file  read when it is first wanted, and written with every new entry; empty: none
  void name_file(std::string file) { file_ = std::move(file); }
  /// For a part of the communicator.
  [[nodiscard]] TuningStore of_same_file() const;
  [[nodiscard]] bool has_file() const noexcept { return !file_.empty(); }

  [[nodiscard]] std::optional<Algorithm> find(const std::string& key) const;
  /// Reads the file, if there is one and it was not read. A file that is not there is empty.
  /// @throws base::FormatError, base::SystemError
  void read();
  void keep(const std::string& key, const Algorithm& way) { ways_[key] = way; }
  /// Writes all entries, those of the file as it is now included; the file is whole at any time.
  /// @throws base::FormatError, base::SystemError
  void write();

  /// How often ways were measured, because no entry was there.
  [[nodiscard]] std::uint64_t measured() const noexcept { return measured_; }
  void count_measurement() noexcept { ++measured_; }

 private:
  [[nodiscard]] std::map<std::string, Algorithm> in_file() const;
  std::string file_;
  bool is_read_ = false;
  std::map<std::string, Algorithm> ways_;
  std::uint64_t measured_ = 0;
};

}  // namespace tacit::comm::detail
