// Sums and maxima over the ranks of a flow.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <span>

#include "tacit/base/exact_sum.hpp"
#include "tacit/comm/communicator.hpp"

namespace tacit::dns {

/// Reductions that are made when they are first asked for, and kept. All ranks ask for the same ones in the same order,
/// from one thread, outside of passes.
class RankReductions {
 public:
  /// @param ranks  null: one rank, and nothing is done; must outlive this
  explicit RankReductions(comm::Communicator* ranks);
  ~RankReductions();
  RankReductions(const RankReductions&) = delete;
  RankReductions& operator=(const RankReductions&) = delete;

  /// Each sum becomes that of all ranks, exactly: the same bits however terms are spread over ranks.
  void add(std::span<base::ExactSum> sums);
  /// The largest of all ranks; NaN if any is.
  [[nodiscard]] double largest(double mine);

 private:
  struct Sums;
  struct Largest;
  comm::Communicator* ranks_;
  std::map<std::size_t, std::unique_ptr<Sums>> sums_;  // by count
  std::unique_ptr<Largest> largest_;
};

/// The larger of two numbers; NaN if either is.
[[nodiscard]] inline double larger(double a, double b) noexcept { return a >= b || a != a ? a : b; }

}  // namespace tacit::dns
