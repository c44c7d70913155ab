// Keeps the collectives of reductions.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/dns/rank_reductions.hpp"

#include <algorithm>
#include <vector>

#include "tacit/comm/collectives/reduce.hpp"

namespace tacit::dns {
namespace {

struct Merged {
  base::ExactSum operator()(const base::ExactSum& a, const base::ExactSum& b) const noexcept {
    base::ExactSum sum = a;
    sum.merge(b);
    return sum;
  }
};

struct Larger {
  double operator()(double a, double b) const noexcept { return larger(a, b); }
};

}  // namespace

struct RankReductions::Sums {
  Sums(comm::Communicator& ranks, std::size_t count)
      : terms(count), call(ranks, std::span<base::ExactSum>(terms), Merged{}) {}
  std::vector<base::ExactSum> terms;
  comm::AllReduce<base::ExactSum> call;
};

struct RankReductions::Largest {
  explicit Largest(comm::Communicator& ranks) : call(ranks, std::span<double>(&value, 1), Larger{}) {}
  double value = 0.0;
  comm::AllReduce<double> call;
};

RankReductions::RankReductions(comm::Communicator* ranks) : ranks_(ranks) {}
RankReductions::~RankReductions() = default;

void RankReductions::add(std::span<base::ExactSum> sums) {
  if (ranks_ == nullptr || sums.empty()) return;
  auto& kept = sums_[sums.size()];
  if (kept == nullptr) kept = std::make_unique<Sums>(*ranks_, sums.size());
  std::ranges::copy(sums, kept->terms.begin());
  kept->call.run();
  std::ranges::copy(kept->terms, sums.begin());
}

double RankReductions::largest(double mine) {
  if (ranks_ == nullptr) return mine;
  if (largest_ == nullptr) largest_ = std::make_unique<Largest>(*ranks_);
  largest_->value = mine;
  largest_->call.run();
  return largest_->value;
}

}  // namespace tacit::dns
