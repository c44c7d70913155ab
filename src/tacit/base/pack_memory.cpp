// Memory of large pages.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/base/pack_memory.hpp"

#include <sys/mman.h>

namespace tacit::base::detail {

void* allocate_pages(std::size_t bytes) {
  void* const memory = ::operator new(bytes, std::align_val_t{large_page});
#if defined(MADV_HUGEPAGE)
  // A hint only: without free large pages, the kernel gives small ones.
  static_cast<void>(::madvise(memory, bytes, MADV_HUGEPAGE));
#endif
  return memory;
}

}  // namespace tacit::base::detail
