// Awaited operations, by token.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <vector>

#include "tacit/base/completion.hpp"
#include "tacit/tasks/detail/spin_lock.hpp"

namespace tacit::tasks {
class Awaiter;
}

namespace tacit::tasks::detail {

/// The waiter of one operation.
struct Waiting {
  base::CompletionSource* source = nullptr;
  Awaiter* awaiter = nullptr;  ///< null: the task of `node`
  std::uint32_t node = 0;
  std::uint32_t key = 0;
  double alone_s = 0.0;     ///< as in trace::Transfer
  std::uint64_t bytes = 0;  ///< likewise
  std::int64_t posted = 0;  ///< base::ticks()
  bool listens = false;     ///< it may never come
  bool computes = false;    ///< it is no communication: see base::ComputingSource
};

/// Gives out tokens and takes them back. Safe for threads; allocates only if more operations are outstanding than ever.
///
/// A token is a place in the table and how often that was used, so a completion that comes late or twice is recognised.
class TokenTable {
 public:
  [[nodiscard]] base::Token add(const Waiting& waiting) {
    const std::lock_guard guard(lock_);
    if (free_.empty()) {
      free_.push_back(static_cast<std::uint32_t>(slots_.size()));
      slots_.emplace_back();
      free_.reserve(slots_.size());
    }
    const std::uint32_t place = free_.back();
    free_.pop_back();
    slots_[place].waiting = waiting;
    slots_[place].used = true;
    count(waiting, 1);
    outstanding_.fetch_add(1, std::memory_order_seq_cst);
    return token(place);
  }

  /// Ends the wait; none if there is no waiter for this token (any more).
  [[nodiscard]] std::optional<Waiting> take(base::Token of) {
    const std::lock_guard guard(lock_);
    const auto place = static_cast<std::uint32_t>(static_cast<std::uint64_t>(of));
    if (place >= slots_.size() || !slots_[place].used || token(place) != of) return std::nullopt;
    return release(place);
  }

  /// Calls `visit` with each token and who waits for it.
  template <class Visit>
  void for_each(Visit visit) const {
    const std::lock_guard guard(lock_);
    for (std::uint32_t place = 0; place < slots_.size(); ++place) {
      if (slots_[place].used) visit(token(place), slots_[place].waiting);
    }
  }

  /// Ends all waits of tasks.
  std::vector<std::pair<base::Token, Waiting>> take_all_of_tasks() {
    const std::lock_guard guard(lock_);
    std::vector<std::pair<base::Token, Waiting>> taken;
    for (std::uint32_t place = 0; place < slots_.size(); ++place) {
      if (!slots_[place].used || slots_[place].waiting.awaiter != nullptr) continue;
      const base::Token of = token(place);
      taken.emplace_back(of, release(place));
    }
    return taken;
  }

  /// Sequentially consistent, so that of a thread that goes to sleep and one that posts, one sees the other.
  [[nodiscard]] std::uint32_t outstanding() const noexcept { return outstanding_.load(std::memory_order_seq_cst); }
  /// Whether any of them is communication that must come, as those know who wait for it.
  [[nodiscard]] bool is_any_awaited() const noexcept { return awaited_.load(std::memory_order_relaxed) > 0; }
  /// Whether any is communication, that which may never come, too.
  [[nodiscard]] bool has_messages() const noexcept { return messages_.load(std::memory_order_relaxed) > 0; }

 private:
  void count(const Waiting& waiting, std::int32_t change) noexcept {
    if (waiting.computes) return;
    messages_.fetch_add(change, std::memory_order_relaxed);
    if (!waiting.listens) awaited_.fetch_add(change, std::memory_order_relaxed);
  }
  struct Slot {
    Waiting waiting;
    std::uint32_t generation = 1;
    bool used = false;
  };
  [[nodiscard]] base::Token token(std::uint32_t place) const {
    return static_cast<base::Token>(std::uint64_t{slots_[place].generation} << 32U | place);
  }
  Waiting release(std::uint32_t place) {
    Slot& slot = slots_[place];
    slot.used = false;
    ++slot.generation;
    if (slot.generation == 0) slot.generation = 1;  // Token::none stays free
    free_.push_back(place);
    count(slot.waiting, -1);
    outstanding_.fetch_sub(1, std::memory_order_relaxed);
    return slot.waiting;
  }

  mutable SpinLock lock_;
  std::deque<Slot> slots_;
  std::vector<std::uint32_t> free_;
  alignas(64) std::atomic<std::uint32_t> outstanding_{0};
  std::atomic<std::int32_t> awaited_{0};
  std::atomic<std::int32_t> messages_{0};
};

}  // namespace tacit::tasks::detail
