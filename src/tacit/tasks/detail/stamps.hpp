// Which tasks of a worker end with a time stamp: each, or every n-th of those that are far shorter than a stamp.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "tacit/trace/trace.hpp"

namespace tacit::tasks::detail {

/// What reading base::ticks() costs [ticks], at least 1; measured once per process.
[[nodiscard]] std::int64_t stamp_ticks() noexcept;

/// The tasks and jobs of a worker since its last time stamp: all of one kind, so that one event can stand for them and
/// the time of each kind remains what it is.
///
///     if (stamps.must_close_before(kind)) close       a stamp, and the event of what was before
///     stamps.begin(kind)
///     ... the task ...
///     if (stamps.end(key)) close
///
/// A block holds one until the running mean of their lengths is below a few stamps; then it holds twice as many as the
/// one before it, up to `most`. A long one, another kind, and `interrupt` make it one again.
class Stamps {
 public:
  static constexpr std::uint32_t most = 32;
  /// Something is far shorter than a stamp if a stamp would be more than a sixth of it, what the worker does between
  /// two tasks included.
  static constexpr std::int64_t stamps_in_short = 6;

  explicit Stamps(std::int64_t cost_of_stamp = stamp_ticks()) noexcept : short_(stamps_in_short * cost_of_stamp) {}

  [[nodiscard]] trace::KindId kind() const noexcept { return kind_; }
  [[nodiscard]] bool is_open() const noexcept { return open_ > 0; }
  [[nodiscard]] bool must_close_before(trace::KindId kind) const noexcept { return kind != kind_ && open_ > 0; }
  /// How many more may be fetched from the queue with the next: up to eight of those that share stamps, four of those
  /// below some 0.5 us, none of longer ones, for which others may be idle meanwhile.
  [[nodiscard]] std::uint32_t expected() const noexcept {
    if (limit_ >= 4) return limit_ / 4;
    return mean_ < 5 * short_ ? 4 : 0;
  }
  /// @pre not must_close_before(kind)
  void begin(trace::KindId kind) noexcept {
    if (kind != kind_) change_to(kind);
  }
  /// Whether what ends next is a block of its own: close_single in place of `end` and `close`.
  [[nodiscard]] bool is_single() const noexcept { return (open_ | (limit_ - 1)) == 0; }
  /// The event of one that has ended. @pre is_single()
  [[nodiscard]] trace::Event close_single(std::int64_t begin, std::int64_t now, std::uint32_t key) noexcept {
    adapt(now - begin, 1);
    return {.begin = begin, .end = now, .kind = kind_, .key = key};
  }
  /// Counts one that has ended. @return whether it is the last of its block
  [[nodiscard]] bool end(std::uint32_t key) noexcept {
    if (open_ == 0) key_ = key;
    return ++open_ >= limit_;
  }
  /// The same of a task that wants to know how long it took: times() and nodes(), when the block is closed.
  [[nodiscard]] bool end(std::uint32_t key, std::uint32_t node) noexcept {
    nodes_[node_count_++] = node;
    return end(key);
  }

  /// The event of the block, which is then empty; nodes() are as they were until the next `end`.
  /// @pre is_open()
  [[nodiscard]] trace::Event close(std::int64_t begin, std::int64_t now) noexcept {
    const trace::Event event{
        .begin = begin, .end = now, .kind = kind_, .count = static_cast<std::uint16_t>(open_), .key = key_};
    adapt((now - begin) / static_cast<std::int64_t>(open_), open_);
    open_ = 0;
    return event;
  }
  /// Those of the last block that asked. Forgets them.
  [[nodiscard]] std::span<const std::uint32_t> take_nodes() noexcept {
    const std::span<const std::uint32_t> taken(nodes_.data(), node_count_);
    node_count_ = 0;
    return taken;
  }
  /// The next block holds one: the worker has no work, waits or polls, which may end a series of short tasks.
  void interrupt() noexcept { limit_ = 1; }

 private:
  void change_to(trace::KindId kind) noexcept {
    kind_ = kind;
    limit_ = 1;
    mean_ = 2 * short_;  // nothing is known: some must turn out short
  }
  /// @param each  how long each of the block took
  void adapt(std::int64_t each, std::uint32_t size) noexcept {
    // One very long task is not to count for ever.
    mean_ += ((each < 16 * short_ ? each : 16 * short_) - mean_) / 4;
    if (mean_ >= short_ || each >= short_) {
      limit_ = 1;
    } else if (size == limit_ && limit_ < most) {
      limit_ *= 2;
    }
  }

  trace::KindId kind_{};
  std::uint32_t open_ = 0;
  std::uint32_t limit_ = 1;
  std::uint32_t key_ = 0;  // of the first
  std::uint32_t node_count_ = 0;
  std::int64_t short_;
  std::int64_t mean_ = 2 * short_;
  std::array<std::uint32_t, most> nodes_;
};

}  // namespace tacit::tasks::detail
