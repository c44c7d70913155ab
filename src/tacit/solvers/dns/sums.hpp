// Sums of many terms that depend on neither the order of workers nor that of ranks.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "tacit/base/exact_sum.hpp"
#include "tacit/solvers/dns/flow.hpp"

namespace tacit::dns {

/// Some sums side by side, to which the workers of all ranks of a flow add at once. A term must not depend on what else
/// a rank has: a mode, a column of modes, a row of points, a count.
class Sums {
 public:
  /// @param flow    must outlive this
  /// @param adders  how many add at once; more than the workers where somebody beside them does
  Sums(std::size_t count, const Flow& flow, std::size_t adders)
      : flow_(flow), of_worker_(adders, std::vector<base::ExactSum>(count)) {}
  Sums(std::size_t count, const Flow& flow) : Sums(count, flow, flow.workers()) {}

  /// Adds a term; no two threads use the same worker at once.
  void add(std::size_t worker, std::size_t sum, double term) noexcept { of_worker_[worker][sum].add(term); }
  /// Each sum over all workers and ranks, rounded once. All ranks ask together.
  [[nodiscard]] std::vector<double> values() const {
    std::vector<base::ExactSum> all = of_worker_.front();
    for (std::size_t worker = 1; worker < of_worker_.size(); ++worker) {
      for (std::size_t i = 0; i < all.size(); ++i) all[i].merge(of_worker_[worker][i]);
    }
    flow_.reduce(all);
    std::vector<double> values;
    values.reserve(all.size());
    for (const base::ExactSum& sum : all) values.push_back(sum.value());
    return values;
  }

 private:
  const Flow& flow_;
  std::vector<std::vector<base::ExactSum>> of_worker_;
};

}  // namespace tacit::dns
