// Free blocks of each thread by size, and the store through which threads exchange them.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/tasks/detail/frame_pool.hpp"

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <new>
#include <utility>

#include "tacit/tasks/detail/spin_lock.hpp"

namespace tacit::tasks::detail {

namespace {

constexpr std::size_t classes = largest_pooled_frame / frame_alignment;

/// Free blocks, which it does not touch: a block that another thread has only read can then be written again without
/// waiting for its cache line.
struct Magazine {
  static constexpr std::uint32_t size = 32;
  std::uint32_t count = 0;
  std::uint32_t capacity = size;  // 0 in the one that stands for none
  Magazine* next = nullptr;       // in the store
  std::array<void*, size> blocks{};

  [[nodiscard]] bool is_empty() const noexcept { return count == 0; }
  [[nodiscard]] bool is_full() const noexcept { return count == capacity; }
  void* pop() noexcept { return blocks[--count]; }
  void push(void* memory) noexcept { blocks[count++] = memory; }
};

/// Never changed: empty and full at once.
constinit Magazine no_magazine{.capacity = 0};

/// What all threads share, for one size.
class alignas(128) Store {
 public:
  /// Exchanges an empty magazine for one with blocks; null if there is none.
  Magazine* exchange_empty(Magazine* empty) noexcept {
    const std::lock_guard guard(lock_);
    if (filled_ == nullptr) return nullptr;
    if (empty != &no_magazine) push(empty_, empty);
    return pop(filled_);
  }
  /// Exchanges a full magazine for an empty one. @return  null if there is no memory for it
  Magazine* exchange_full(Magazine* full) noexcept {
    const std::lock_guard guard(lock_);
    Magazine* const empty = empty_ != nullptr ? pop(empty_) : new (std::nothrow) Magazine;
    if (empty != nullptr && full != &no_magazine) push(filled_, full);
    return empty;
  }
  /// Takes back a magazine of a thread that ends.
  void put(Magazine* magazine) noexcept {
    if (magazine == &no_magazine) return;
    const std::lock_guard guard(lock_);
    push(magazine->is_empty() ? empty_ : filled_, magazine);
  }

 private:
  static void push(Magazine*& list, Magazine* magazine) noexcept { magazine->next = std::exchange(list, magazine); }
  static Magazine* pop(Magazine*& list) noexcept { return std::exchange(list, list->next); }

  SpinLock lock_;
  Magazine* filled_ = nullptr;
  Magazine* empty_ = nullptr;
};

// Never destroyed, so memory can be given back at any time, and leak checkers find the blocks from here.
constinit std::array<Store, classes> stores;
constinit std::atomic<std::size_t> reserved{0};

/// A thread's two magazines of one size: at the edge of one it does not run to the store.
struct Pair {
  Magazine* current = &no_magazine;
  Magazine* spare = &no_magazine;  // full or empty
};

/// The free blocks of one thread. Plain data, so that reaching it costs one instruction.
struct Cache {
  std::array<Pair, classes> pairs;
  bool open = false;
  bool ended = false;
};
constinit thread_local Cache cache;

void empty_into_store(std::size_t size_class) noexcept {
  Pair& pair = cache.pairs[size_class];
  stores[size_class].put(std::exchange(pair.current, &no_magazine));
  stores[size_class].put(std::exchange(pair.spare, &no_magazine));
}

/// Hands the thread's blocks to the store when the thread ends.
struct CacheEnd {
  ~CacheEnd() {
    cache.ended = true;
    for (std::size_t i = 0; i < classes; ++i) empty_into_store(i);
  }
};

void open_cache() {
  if (cache.open) return;
  cache.open = true;
  static thread_local CacheEnd end;
}

std::size_t class_of(std::size_t bytes) noexcept { return bytes == 0 ? 0 : (bytes - 1) / frame_alignment; }

void fill(Magazine& magazine, std::size_t size_class) {
  const std::size_t bytes = (size_class + 1) * frame_alignment;
  auto* memory = static_cast<std::byte*>(::operator new(Magazine::size* bytes, std::align_val_t{frame_alignment}));
  reserved.fetch_add(Magazine::size * bytes, std::memory_order_relaxed);
  for (std::uint32_t i = Magazine::size; i-- > 0;) magazine.push(memory + i * bytes);
}

/// A magazine with blocks from the store, or null.
Magazine* get_filled(Magazine* empty, std::size_t size_class) noexcept {
  Magazine* const filled = stores[size_class].exchange_empty(empty);
  if (filled != nullptr) {
    // Another thread has used the blocks last; so their cache lines come all at once, and before they are needed.
    for (std::uint32_t i = 0; i < filled->count; ++i) __builtin_prefetch(filled->blocks[i], 1);
  }
  return filled;
}

/// A block when `current` is empty. Not inline, so that the usual way saves no registers.
[[gnu::noinline]] void* take_slowly(std::size_t size_class) {
  open_cache();
  Pair& pair = cache.pairs[size_class];
  std::swap(pair.current, pair.spare);
  if (Magazine* const filled = get_filled(pair.spare, size_class)) pair.spare = filled;
  if (pair.current->is_empty()) std::swap(pair.current, pair.spare);
  if (pair.current->is_empty()) {
    if (pair.current == &no_magazine) pair.current = new Magazine;
    fill(*pair.current, size_class);
  }
  void* const memory = pair.current->pop();
  if (cache.ended) empty_into_store(size_class);
  return memory;
}

/// Gives a block back when `current` is full. Without memory for a magazine, the block is lost.
[[gnu::noinline]] void give_slowly(void* memory, std::size_t size_class) noexcept {
  open_cache();
  Pair& pair = cache.pairs[size_class];
  std::swap(pair.current, pair.spare);
  if (pair.current->is_full()) {
    Magazine* const empty = stores[size_class].exchange_full(pair.current);
    if (empty == nullptr) return;
    pair.current = empty;
  }
  pair.current->push(memory);
  if (cache.ended) empty_into_store(size_class);
}

}  // namespace

void* take_frame(std::size_t bytes) {
  const std::size_t size_class = class_of(bytes);
  if (size_class >= classes) return ::operator new(bytes, std::align_val_t{frame_alignment});
  Magazine& current = *cache.pairs[size_class].current;
  return current.is_empty() ? take_slowly(size_class) : current.pop();
}

void give_frame(void* memory, std::size_t bytes) noexcept {
  const std::size_t size_class = class_of(bytes);
  if (size_class >= classes) return ::operator delete(memory, std::align_val_t{frame_alignment});
  Magazine& current = *cache.pairs[size_class].current;
  if (current.is_full()) return give_slowly(memory, size_class);
  current.push(memory);
}

std::size_t frame_bytes_reserved() noexcept { return reserved.load(std::memory_order_relaxed); }

namespace {

constexpr int most_nested = 256;

/// Objects of this thread whose release was deferred.
struct Deferred {
  int depth = 0;
  DeferredObject* top = nullptr;
};
constinit thread_local Deferred deferred;

}  // namespace

void release_deferred(DeferredObject& object) noexcept {
  if (deferred.depth == most_nested) {
    object.below = std::exchange(deferred.top, &object);
    return;
  }
  ++deferred.depth;
  object.destroy(object);
  while (deferred.depth == 1 && deferred.top != nullptr) {
    DeferredObject& next = *deferred.top;
    deferred.top = next.below;
    next.destroy(next);
  }
  --deferred.depth;
}

}  // namespace tacit::tasks::detail
