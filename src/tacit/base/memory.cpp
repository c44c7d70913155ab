// How the process treats memory that it has freed.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/base/memory.hpp"

#include <malloc.h>

namespace tacit::base {

void keep_freed_memory() noexcept {
#if defined(__GLIBC__)
  constexpr int most_mapped = 32 << 20;  // glibc takes no more; what is larger is always mapped and unmapped
  ::mallopt(M_MMAP_THRESHOLD, most_mapped);
  ::mallopt(M_TRIM_THRESHOLD, -1);  // as unsigned: never
#endif
}

}  // namespace tacit::base
