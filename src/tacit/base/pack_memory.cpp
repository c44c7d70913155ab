// Memory of large pages, which is kept for the next who asks.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/base/pack_memory.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <mutex>
#include <vector>

#if defined(__SANITIZE_ADDRESS__)
#define TACIT_ADDRESS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TACIT_ADDRESS_SANITIZER 1
#endif
#endif

namespace tacit::base::detail {
#if defined(TACIT_ADDRESS_SANITIZER)

// It guards the ends of what its own functions allocate.
void* allocate_pages(std::size_t bytes) { return ::operator new(bytes, std::align_val_t{large_page}); }
void release_pages(void* memory) noexcept { ::operator delete(memory, std::align_val_t{large_page}); }

#else
namespace {

struct Block {
  std::byte* memory = nullptr;
  std::size_t bytes = 0;
};

std::size_t whole_pages(std::size_t bytes) { return (bytes + large_page - 1) / large_page * large_page; }

/// Memory of the system that begins on a large page.
std::byte* map_pages(std::size_t bytes) {
  void* const mapped = ::mmap(nullptr, bytes + large_page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) throw std::bad_alloc();
  auto* const first = static_cast<std::byte*>(mapped);
  const std::size_t before =
      whole_pages(reinterpret_cast<std::uintptr_t>(first)) - reinterpret_cast<std::uintptr_t>(first);
  if (before > 0) ::munmap(first, before);
  if (before < large_page) ::munmap(first + before + bytes, large_page - before);
#if defined(MADV_HUGEPAGE)
  // A hint only: without free large pages, the kernel gives small ones.
  static_cast<void>(::madvise(first + before, bytes, MADV_HUGEPAGE));
#endif
  return first + before;
}

/// Blocks that were allocated once. Kept apart from the heap, whose small blocks would come to lie in the gaps that
/// large ones leave, so that these would not fit there again: a run then grew by one of them now and then.
class Blocks {
 public:
  std::byte* take(std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    auto best = free_.end();
    for (auto block = free_.begin(); block != free_.end(); ++block) {
      if (block->bytes >= bytes && (best == free_.end() || block->bytes < best->bytes)) best = block;
    }
    Block taken;
    if (best != free_.end()) {
      taken = *best;
      free_.erase(best);
      used_.push_back(taken);
    } else {
      // All that is free is too short. Steps that repeat do not come here, so nothing is given back that they need.
      for (const Block& block : free_) ::munmap(block.memory, block.bytes);
      free_.clear();
      used_.reserve(used_.size() + 1);
      free_.reserve(used_.size() + 1);  // so that giving back allocates nothing
      taken = {map_pages(bytes), bytes};
      used_.push_back(taken);
    }
    return taken.memory;
  }
  void give_back(std::byte* memory) noexcept {
    const std::lock_guard lock(mutex_);
    const auto block = std::ranges::find(used_, memory, &Block::memory);
    free_.push_back(*block);
    used_.erase(block);
  }

 private:
  std::mutex mutex_;
  std::vector<Block> free_;
  std::vector<Block> used_;
};

Blocks& blocks() {
  static auto* const all = new Blocks;  // outlives whatever static object has memory of it
  return *all;
}

}  // namespace

void* allocate_pages(std::size_t bytes) { return blocks().take(whole_pages(bytes)); }
void release_pages(void* memory) noexcept { blocks().give_back(static_cast<std::byte*>(memory)); }

#endif
}  // namespace tacit::base::detail
