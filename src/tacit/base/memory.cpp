// Memory use of the process, and whether it keeps freed memory.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/base/memory.hpp"

#include <malloc.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include "tacit/base/control_groups.hpp"

namespace tacit::base {

void keep_freed_memory() noexcept {
#if defined(__GLIBC__)
  ::mallopt(M_MMAP_MAX, 0);         // what is mapped for one allocation is unmapped when that is freed
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

namespace {

std::optional<std::uint64_t> number_in(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::uint64_t number = 0;
  return file >> number ? std::optional(number) : std::nullopt;
}

}  // namespace

std::optional<std::uint64_t> usable_memory(const std::filesystem::path& root) {
  constexpr auto none = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t least = bytes_in(root / "proc/meminfo", "MemTotal:").value_or(none);
  for (const auto& folder : control_groups("memory", root)) {
    for (const char* name : {"memory.max", "memory.limit_in_bytes"}) {
      // "max" is none, and so is what version 1 writes for it: more than any machine has
      least = std::min(least, number_in(folder / name).value_or(none));
    }
  }
  return least == none ? std::nullopt : std::optional(least);
}

std::optional<std::uint64_t> free_memory(const std::filesystem::path& root) {
  constexpr auto none = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t least = bytes_in(root / "proc/meminfo", "MemAvailable:").value_or(none);
  for (const auto& folder : control_groups("memory", root)) {
    for (const auto& [limit_name, used_name] :
         {std::pair("memory.max", "memory.current"), std::pair("memory.limit_in_bytes", "memory.usage_in_bytes")}) {
      const auto limit = number_in(folder / limit_name);
      const auto used = number_in(folder / used_name);
      if (limit && used) least = std::min(least, *limit - std::min(*limit, *used));
    }
  }
  return least == none ? std::nullopt : std::optional(least);
}

}  // namespace tacit::base
