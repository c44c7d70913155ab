// How much memory the process has taken, and how it treats what it has freed.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/base/memory.hpp"

#include <malloc.h>

#include <fstream>
#include <string>

namespace tacit::base {

void keep_freed_memory() noexcept {
#if defined(__GLIBC__)
  constexpr int most_mapped = 32 << 20;  // glibc takes no more; what is larger is always mapped and unmapped
  ::mallopt(M_MMAP_THRESHOLD, most_mapped);
  ::mallopt(M_TRIM_THRESHOLD, -1);  // as unsigned: never
#endif
}

std::optional<std::uint64_t> peak_memory() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    std::uint64_t kilobytes = 0;
    if (word == "VmHWM:" && status >> kilobytes) return 1024 * kilobytes;
  }
  return std::nullopt;
}

}  // namespace tacit::base
