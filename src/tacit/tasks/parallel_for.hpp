// Loops whose iterations run on all workers.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "tacit/base/error.hpp"
#include "tacit/tasks/future.hpp"
#include "tacit/tasks/scheduler.hpp"

namespace tacit::tasks {

/// How iterations are distributed over workers.
enum class Schedule : std::uint8_t {
  /// Each worker has its share from the start: iterations that depend only on their number, the chunk and the workers.
  /// A share moves to another worker as a whole if its owner has not begun it.
  fixed,
  /// The same shares, but idle workers steal half of what others have left.
  dynamic,
};

struct LoopOptions {
  Schedule schedule = Schedule::dynamic;
  /// Iterations that one worker does one after the other; 0: chosen for about 8 chunks per worker when dynamic, one
  /// per worker when fixed. Chunks of a fixed schedule go round the workers, as in OpenMP's schedule(static, chunk).
  std::size_t chunk = 0;
  JobOptions job = {};  ///< of the other workers' part; the caller's part shows as what the caller does
};

namespace detail {

/// Chunks that one worker does one after the other: [first, first + size), [first + stride, first + stride + size), ...
struct Chunks {
  std::size_t first = 0;
  std::size_t size = 0;
  std::size_t stride = 0;
  std::size_t count = 0;
  std::size_t end = 0;  ///< of the loop, which cuts the last chunk

  template <class Visit>
  void for_each(Visit visit) const {
    std::size_t at = first;
    for (std::size_t left = count; left > 0; --left, at += stride) visit(at, at + std::min(size, end - at));
  }
};

/// A loop's body, called for many chunks at a time, so that short ones cost no call each.
class ChunkBody {
 public:
  template <class Body>
  explicit ChunkBody(Body& body) noexcept
      : body_(&body), call_([](const void* object, const Chunks& chunks) {
          auto& function = *static_cast<Body*>(const_cast<void*>(object));
          if constexpr (std::invocable<Body&, std::size_t, std::size_t>) {
            chunks.for_each([&](std::size_t first, std::size_t last) { function(first, last); });
          } else if (chunks.size == 1) {
            for (std::size_t k = 0; k < chunks.count; ++k) function(chunks.first + k * chunks.stride);
          } else {
            chunks.for_each([&](std::size_t first, std::size_t last) {
              for (std::size_t i = first; i < last; ++i) function(i);
            });
          }
        }) {}
  void operator()(const Chunks& chunks) const { call_(body_, chunks); }

 private:
  const void* body_;
  void (*call_)(const void* body, const Chunks& chunks);
};

void run_loop(Scheduler& scheduler, std::size_t begin, std::size_t end, const ChunkBody& body,
              const LoopOptions& options);

}  // namespace detail

/// Calls body(i) for each i of [begin, end), or body(first, last) for chunks of it, on all workers, the caller's
/// included, and returns when all are done.
///
///     parallel_for(scheduler, 0, n, [&](std::size_t i) { rho[i] = density(i); });
///
/// May be called by tasks, jobs and other loops. The first exception ends the loop: chunks that have not begun are
/// dropped, and it is thrown here.
/// Cost: about 0.2 us, and one atomic operation on memory of the worker's own per chunk.
/// @throws what the body throws, StalledError
template <class Body>
  requires std::invocable<Body&, std::size_t> || std::invocable<Body&, std::size_t, std::size_t>
void parallel_for(Scheduler& scheduler, std::size_t begin, std::size_t end, Body&& body,
                  const LoopOptions& options = {}) {
  detail::run_loop(scheduler, begin, end, detail::ChunkBody(body), options);
}

/// Combines map(first, last) of the chunks of [begin, end), in their order: bitwise identical on any number of workers.
///
///     identity (+) map(chunk 0) (+) map(chunk 1) (+) ...
///
/// @param chunk  iterations per chunk, > 0; part of what defines the result
template <class T, class Map, class Combine>
[[nodiscard]] T parallel_reduce(Scheduler& scheduler, std::size_t begin, std::size_t end, std::size_t chunk, T identity,
                                Map&& map, Combine&& combine) {
  if (chunk == 0) throw base::PreconditionError("parallel_reduce needs the number of iterations per chunk");
  const std::size_t count = end > begin ? end - begin : 0;
  std::vector<std::optional<T>> parts(count == 0 ? 0 : (count - 1) / chunk + 1);
  parallel_for(
      scheduler, 0, parts.size(),
      [&](std::size_t part) {
        const std::size_t first = begin + part * chunk;
        parts[part].emplace(map(first, first + std::min(chunk, end - first)));
      },
      LoopOptions{.chunk = 1});
  T sum = std::move(identity);
  for (std::optional<T>& part : parts) sum = combine(std::move(sum), std::move(*part));
  return sum;
}

}  // namespace tacit::tasks
