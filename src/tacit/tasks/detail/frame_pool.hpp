// Memory of short-lived objects: pooled blocks, and the release of chains of owners without recursion.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace tacit::tasks::detail {

/// What take_frame returns is aligned to this many bytes, a cache line.
inline constexpr std::size_t frame_alignment = 64;
/// Larger blocks come from the heap.
inline constexpr std::size_t largest_pooled_frame = 2048;

/// Memory of at least `bytes` bytes.
///
/// Each thread keeps free blocks by size; when it has none, or too many, it exchanges 32 of them with a store that all
/// threads share. Blocks are kept until the program ends. Never inline: inside a coroutine a compiler could keep the
/// address of a thread's own variables across a suspension.
///
/// Cost: 2-3 ns if the thread has a block. Threads: any.
/// @throws std::bad_alloc
[[nodiscard, gnu::noinline]] void* take_frame(std::size_t bytes);

/// Gives back what take_frame(bytes) returned, on any thread, and also while a thread or the program ends.
[[gnu::noinline]] void give_frame(void* memory, std::size_t bytes) noexcept;

/// Bytes taken from the heap so far for blocks that are kept, in use or not.
[[nodiscard]] std::size_t frame_bytes_reserved() noexcept;

/// A base class that makes `new` and `delete` use the pool.
struct Pooled {
  static void* operator new(std::size_t bytes) { return take_frame(bytes); }
  static void operator delete(void* memory, std::size_t bytes) noexcept { give_frame(memory, bytes); }
};

/// Something that is destroyed through `release_deferred`.
struct DeferredObject {
  void (*destroy)(DeferredObject& object) noexcept = nullptr;
  DeferredObject* below = nullptr;
};

/// Destroys `object`, whose destructor may call release_deferred on others: a coroutine that owns a coroutine that owns
/// ...
///
/// The first 256 levels nest, in the order of the language. Deeper ones wait until those above are gone, so that 10^6
/// levels do not overflow the stack: destructors at such depth must not use what lives in the frames above.
void release_deferred(DeferredObject& object) noexcept;

}  // namespace tacit::tasks::detail
