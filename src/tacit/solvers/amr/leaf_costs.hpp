// What sub-grids cost, as their tasks are timed.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "tacit/engine/across_ranks.hpp"
#include "tacit/engine/solver.hpp"
#include "tacit/mesh/leaf_division.hpp"
#include "tacit/solvers/amr/parameters.hpp"

namespace tacit::amr {

/// Times what is done for the leaves of this rank where sub-grids are divided by cost among several; else it does
/// nothing.
class LeafCosts {
 public:
  /// All ranks make it.
  LeafCosts(const AmrParameters& parameters, const engine::Resources& resources);

  /// Forgets all, and is for so many leaves from now on.
  void reset(std::size_t own_leaves) { costs_.assign(own_leaves, 0); }
  /// Runs a part of the work of an own leaf, and adds the time that it takes. Parts of one may run at once.
  template <class Work>
  void count(std::size_t own_leaf, const Work& work) {
    if (clock_ == nullptr) return work();
    const std::int64_t begin = clock_();
    work();
    std::atomic_ref(costs_[own_leaf]).fetch_add(clock_() - begin, std::memory_order_relaxed);
  }
  /// What each leaf has taken since this was last asked, in some unit of time.
  /// @param own     those of this rank
  /// @param leaves  of all ranks
  /// @return        shape (leaves): 0 for those of other ranks
  /// @pre they are timed
  [[nodiscard]] std::vector<std::uint64_t> take(const mesh::LeafRange& own, std::size_t leaves);
  [[nodiscard]] std::size_t bytes_held() const noexcept { return costs_.capacity() * sizeof(costs_[0]); }

 private:
  engine::CostClock clock_;  // null: they are not timed
  std::vector<std::int64_t> costs_;
};

}  // namespace tacit::amr
