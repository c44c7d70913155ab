// Memory use of the process, and whether it keeps freed memory.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/base/memory.hpp"

#include <malloc.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <string>
#include <string_view>

#include "tacit/base/control_groups.hpp"

namespace tacit::base {

void keep_freed_memory() noexcept {
#if defined(__GLIBC__)
  constexpr int most_mapped = 32 << 20;  // glibc takes no more; what is larger is always mapped and unmapped
  ::mallopt(M_MMAP_THRESHOLD, most_mapped);
  ::mallopt(M_TRIM_THRESHOLD, -1);  // as unsigned: never
#endif
}

namespace {

/// The bytes of a line "NAME: 123 kB" of a file in /proc.
std::optional<std::uint64_t> bytes_in(const std::filesystem::path& file, std::string_view name) {
  std::ifstream lines(file);
  for (std::string word; lines >> word;) {
    std::uint64_t kilobytes = 0;
    if (word == name && lines >> kilobytes) return 1024 * kilobytes;
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::uint64_t> peak_memory() { return bytes_in("/proc/self/status", "VmHWM:"); }

std::optional<std::uint64_t> usable_memory(const std::filesystem::path& root) {
  constexpr auto none = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t least = bytes_in(root / "proc/meminfo", "MemTotal:").value_or(none);
  for (const auto& folder : control_groups("memory", root)) {
    for (const char* name : {"memory.max", "memory.limit_in_bytes"}) {
      std::ifstream file(folder / name);
      std::uint64_t limit = 0;  // "max" is none, and so is what version 1 writes for it: more than any machine has
      if (file >> limit) least = std::min(least, limit);
    }
  }
  return least == none ? std::nullopt : std::optional(least);
}

}  // namespace tacit::base
