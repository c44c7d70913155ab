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

std::uint64_t OutputRoom::bytes_of_last(const std::string& kind) const {
  const auto last = last_.find(kind);
  if (last == last_.end()) return 0;
  const std::uint64_t bytes = io::bytes_of_file(last->second);
  const auto known = known_.find(kind);
  return bytes == 0 && known != known_.end() ? known->second : bytes;
}

std::uint64_t OutputRoom::needed(const ExpectedFile& file) const {
  const std::uint64_t last = bytes_of_last(file.kind);
  if (file.is_compressed) return last > 0 ? last / 5 * 4 : file.bytes;
  return std::max(file.bytes, last);
}

std::string OutputRoom::shortage(const ExpectedFile& file, std::uint64_t waiting) const {
  const std::filesystem::path folder = file.path.parent_path();
  const std::optional<std::uint64_t> free = io::bytes_free_in(folder);
  const std::uint64_t bytes = needed(file);
  if (!free || bytes + waiting <= *free) return {};
  const bool is_bound = file.is_compressed && bytes_of_last(file.kind) == 0;
  return io::no_room(file.path, bytes, *free) +
         (is_bound ? "\n  Needed is what it has before compression: how far it shrinks is known once there is one."
                   : "");
}

void OutputRoom::give(const ExpectedFile& file, bool is_busy) {
  given_ = waiting(is_busy) + needed(file);
  if (const auto last = last_.find(file.kind); last != last_.end()) {
    if (const std::uint64_t bytes = io::bytes_of_file(last->second); bytes > 0) known_[file.kind] = bytes;
  }
  last_[file.kind] = file.path;
}

}  // namespace tacit::engine
