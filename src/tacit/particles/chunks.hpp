// Loops over particles and cells on all workers, and counting sorts by several of them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "tacit/tasks/parallel_for.hpp"
#include "tacit/tasks/scheduler.hpp"

namespace tacit::particles {

/// Calls body(first, end) for parts of [0, n) on all workers, or on the caller alone where `workers` is null.
template <class Body>
void for_parts(tasks::Scheduler* workers, std::size_t n, const Body& body) {
  if (workers == nullptr || workers->workers() == 1) {
    if (n > 0) body(std::size_t{0}, n);
  } else {
    tasks::parallel_for(*workers, 0, n, body);
  }
}

/// So many numbers of worker_number() there are: one for each worker, and one for a thread that is none.
[[nodiscard]] inline std::size_t worker_numbers(const tasks::Scheduler* workers) noexcept {
  return workers == nullptr ? 1 : workers->workers() + 1;
}
/// Tells the threads of a loop apart, for scratch memory.
[[nodiscard]] inline std::size_t worker_number(const tasks::Scheduler* workers) noexcept {
  if (workers == nullptr) return 0;
  return tasks::Scheduler::current() == workers ? tasks::Scheduler::current_worker() : workers->workers();
}

/// [0, n) cut into chunks of about the same length, for loops that go over the same chunks several times.
class Chunks {
 public:
  /// @param workers  that share the chunks; null: there is one chunk
  /// @param least    wanted items per chunk: what a chunk costs beside them must be worth it
  Chunks(tasks::Scheduler* workers, std::size_t n, std::size_t least) noexcept : workers_(workers), n_(n) {
    constexpr std::size_t per_worker = 4;  // so that who has slow ones is helped
    if (workers == nullptr || workers->workers() == 1) return;
    count_ = std::clamp<std::size_t>(n / std::max<std::size_t>(least, 1), 1, per_worker * workers->workers());
  }
  [[nodiscard]] std::size_t count() const noexcept { return count_; }

  /// Calls body(chunk, first, end) for each.
  template <class Body>
  void for_each(const Body& body) const {
    const auto do_chunk = [&](std::size_t k) { body(k, n_ * k / count_, n_ * (k + 1) / count_); };
    if (count_ == 1) {
      do_chunk(0);
    } else {
      tasks::parallel_for(*workers_, 0, count_, do_chunk, {.chunk = 1});
    }
  }

 private:
  tasks::Scheduler* workers_;
  std::size_t n_;
  std::size_t count_ = 1;
};

/// How many items of each key every chunk has, and then where they go: a stable counting sort, whose result does not
/// depend on how the items were cut into chunks.
///
///     counts.restart(chunks.count(), keys);
///     chunks.for_each(... ++counts.of(chunk)[key] for each item)
///     counts.to_places(...);
///     chunks.for_each(... sorted[counts.of(chunk)[key]++] = item for each item)
template <std::unsigned_integral Number>
class ChunkCounts {
 public:
  /// All become 0. Allocates nothing for no more chunks and keys than before.
  void restart(std::size_t chunks, std::size_t keys) {
    keys_ = keys;
    numbers_.assign(chunks * keys, 0);
  }
  /// Shape (keys): of one chunk.
  [[nodiscard]] std::span<Number> of(std::size_t chunk) { return std::span(numbers_).subspan(chunk * keys_, keys_); }
  /// Turns counts into places; calls visit(key, begin, end) for each key, in order.
  /// @return  how many items there are
  template <class Visit>
  Number to_places(const Visit& visit) {
    Number next = 0;
    for (std::size_t key = 0; key < keys_; ++key) {
      const Number begin = next;
      for (std::size_t at = key; at < numbers_.size(); at += keys_) {
        const Number count = std::exchange(numbers_[at], next);
        next = static_cast<Number>(next + count);
      }
      visit(key, begin, next);
    }
    return next;
  }

 private:
  std::size_t keys_ = 0;
  std::vector<Number> numbers_;  // shape (chunks, keys)
};

}  // namespace tacit::particles
