// Asks the file system what it has left.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/engine/output_room.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <optional>

#include "tacit/base/error.hpp"
#include "tacit/io/file.hpp"
#include "tacit/io/output_directory.hpp"

namespace tacit::engine {

std::uint64_t OutputRoom::needed(const ExpectedFile& file) const {
  const auto last = last_.find(file.kind);
  if (last == last_.end()) return file.least_bytes;
  std::uint64_t bytes = io::bytes_of_file(last->second);
  // While the last one is on its way, the one before must do.
  if (const auto known = known_.find(file.kind); bytes == 0 && known != known_.end()) bytes = known->second;
  return std::max(file.least_bytes, file.is_compressed ? bytes / 5 * 4 : bytes);
}

std::string OutputRoom::shortage(const ExpectedFile& file, std::uint64_t waiting) const {
  const std::filesystem::path folder = file.path.parent_path();
  const std::optional<std::uint64_t> free = io::bytes_free_in(folder);
  const std::uint64_t bytes = needed(file);
  if (!free || bytes + waiting <= *free) return {};
  return io::no_room(file.path, bytes, *free);
}

void OutputRoom::give(const ExpectedFile& file, bool is_busy) {
  given_ = waiting(is_busy) + needed(file);
  if (const auto last = last_.find(file.kind); last != last_.end()) {
    if (const std::uint64_t bytes = io::bytes_of_file(last->second); bytes > 0) known_[file.kind] = bytes;
  }
  last_[file.kind] = file.path;
}

}  // namespace tacit::engine
