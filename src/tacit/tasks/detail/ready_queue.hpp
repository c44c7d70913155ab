// The tasks of one run that may start, the most urgent first.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace tacit::tasks::detail {

/// A priority queue of ranks (0 is the most urgent). The tasks that wait for nothing come sorted with the activation,
/// so only those that become ready later go through a heap.
class ReadyQueue {
 public:
  /// @param roots  ranks, ascending; must outlive the run
  /// @param tasks  how many ranks there are; allocates only if more than ever before
  void reset(std::span<const std::uint32_t> roots, std::size_t tasks) {
    roots_ = roots;
    heap_.clear();
    heap_.reserve(tasks);
  }
  void clear() { reset({}, 0); }
  void push(std::uint32_t rank) {
    heap_.push_back(rank);
    std::push_heap(heap_.begin(), heap_.end(), std::greater<>());
  }
  [[nodiscard]] bool is_empty() const noexcept { return roots_.empty() && heap_.empty(); }
  /// @pre !is_empty()
  std::uint32_t pop() {
    if (heap_.empty() || (!roots_.empty() && roots_.front() < heap_.front())) {
      const std::uint32_t rank = roots_.front();
      roots_ = roots_.subspan(1);
      return rank;
    }
    std::pop_heap(heap_.begin(), heap_.end(), std::greater<>());
    const std::uint32_t rank = heap_.back();
    heap_.pop_back();
    return rank;
  }

 private:
  std::span<const std::uint32_t> roots_;
  std::vector<std::uint32_t> heap_;
};

}  // namespace tacit::tasks::detail
