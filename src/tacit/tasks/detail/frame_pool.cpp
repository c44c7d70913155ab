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
constexpr std::uint32_t batch_size = 32;

/// A free block; the memory behind it means nothing.
struct Block {
  Block* next = nullptr;        // in its batch
  Block* next_batch = nullptr;  // of the first block of a batch in the store
  std::uint32_t count = 0;      // of the first block of a batch in the store: blocks in the batch
};

struct Batch {
  Block* top = nullptr;
  std::uint32_t count = 0;

  void push(void* memory) noexcept {
    top = ::new (memory) Block{.next = top};
    ++count;
  }
  void* pop() noexcept {
    --count;
    return std::exchange(top, top->next);
  }
};

/// What all threads share, for one size.
struct alignas(128) Store {
  SpinLock lock;
  Block* batches = nullptr;

  void put(const Batch& batch) noexcept {
    if (batch.count == 0) return;
    batch.top->count = batch.count;
    const std::lock_guard guard(lock);
    batch.top->next_batch = std::exchange(batches, batch.top);
  }
  Batch get() noexcept {
    const std::lock_guard guard(lock);
    if (batches == nullptr) return {};
    Block* const top = std::exchange(batches, batches->next_batch);
    return {.top = top, .count = top->count};
  }
};

// Never destroyed, so memory can be given back at any time, and leak checkers find the blocks from here.
constinit std::array<Store, classes> stores;
constinit std::atomic<std::size_t> reserved{0};

/// The free blocks of one thread. Plain data, so that reaching it costs one instruction.
struct Cache {
  std::array<Batch, classes> current;
  std::array<Batch, classes> spare;  // full or empty: a thread at the edge of a batch does not run to the store
  std::uint32_t capacity = 0;        // of a batch; 0 before the thread's first call and after its end
  bool ended = false;
};
constinit thread_local Cache cache;

/// Hands the thread's blocks to the store when the thread ends.
struct CacheEnd {
  ~CacheEnd() {
    cache.ended = true;
    cache.capacity = 0;
    for (std::size_t i = 0; i < classes; ++i) {
      stores[i].put(std::exchange(cache.current[i], {}));
      stores[i].put(std::exchange(cache.spare[i], {}));
    }
  }
};

void open_cache() {
  if (cache.ended) return;
  static thread_local CacheEnd end;
  cache.capacity = batch_size;
}

std::size_t class_of(std::size_t bytes) noexcept { return bytes == 0 ? 0 : (bytes - 1) / frame_alignment; }

Batch new_batch(std::size_t size_class) {
  const std::size_t bytes = (size_class + 1) * frame_alignment;
  auto* memory = static_cast<std::byte*>(::operator new(batch_size* bytes, std::align_val_t{frame_alignment}));
  reserved.fetch_add(batch_size * bytes, std::memory_order_relaxed);
  Batch batch;
  for (std::uint32_t i = batch_size; i-- > 0;) batch.push(memory + i * bytes);
  return batch;
}

/// A block when `current` is empty.
void* take_slowly(std::size_t size_class) {
  open_cache();
  Batch& current = cache.current[size_class];
  std::swap(current, cache.spare[size_class]);
  if (current.count == 0) current = stores[size_class].get();
  if (current.count == 0) current = new_batch(size_class);
  void* const memory = current.pop();
  if (cache.ended) stores[size_class].put(std::exchange(current, {}));
  return memory;
}

/// Gives a block back when `current` is full.
void give_slowly(void* memory, std::size_t size_class) noexcept {
  open_cache();
  Batch& current = cache.current[size_class];
  if (current.count >= cache.capacity) {
    std::swap(current, cache.spare[size_class]);
    stores[size_class].put(std::exchange(current, {}));
  }
  current.push(memory);
  if (cache.ended) stores[size_class].put(std::exchange(current, {}));
}

}  // namespace

void* take_frame(std::size_t bytes) {
  const std::size_t size_class = class_of(bytes);
  if (size_class >= classes) return ::operator new(bytes, std::align_val_t{frame_alignment});
  Batch& current = cache.current[size_class];
  return current.count == 0 ? take_slowly(size_class) : current.pop();
}

void give_frame(void* memory, std::size_t bytes) noexcept {
  const std::size_t size_class = class_of(bytes);
  if (size_class >= classes) return ::operator delete(memory, std::align_val_t{frame_alignment});
  Batch& current = cache.current[size_class];
  if (current.count >= cache.capacity) return give_slowly(memory, size_class);
  current.push(memory);
}

std::size_t frame_bytes_reserved() noexcept { return reserved.load(std::memory_order_relaxed); }

}  // namespace tacit::tasks::detail
