// Weighs divisions of cells against each other.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/md/balance.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "tacit/exchange/over_ranks.hpp"

namespace tacit::md {
namespace {

/// The rank that has most must have less by this factor: moving atoms and building the graph cost some steps.
constexpr double least_gain_of_division = 1.02;

double largest_share(const Division& division, std::span<const std::uint64_t> weights) {
  return static_cast<double>(std::ranges::max(division.shares(weights)));
}

}  // namespace

std::vector<std::uint64_t> weights_of_all(std::vector<std::uint64_t> weights, comm::Communicator& ranks) {
  exchange::add_over(ranks, weights);
  for (std::uint64_t& weight : weights) weight += Division::weight_of(0, 1);
  return weights;
}

Balance::Balance(comm::Communicator& ranks, double limit, std::uint64_t share) : ranks_(ranks), limit_(limit) {
  std::array<std::uint64_t, 1> all{share};
  exchange::add_over(ranks, all);
  mean_ = static_cast<double>(all[0]) / static_cast<double>(ranks.size());
}

/// Where a look finds nothing better, as where layers of cells cannot be cut finer, twice as many calls pass before the
/// next one.
bool Balance::is_time(double largest) {
  if (ranks_.size() == 1 || limit_ == 0.0 || largest <= limit_ * mean_) return false;
  if (pause_ == 0) return true;
  --pause_;
  return false;
}

std::optional<Division> Balance::better_than(const Division& present, double largest, std::uint64_t step,
                                             const std::function<std::vector<std::uint64_t>()>& weigh) {
  if (next_) {
    ++divisions_;
    return std::exchange(next_, std::nullopt);
  }
  if (!is_time(largest)) return std::nullopt;
  const std::vector<std::uint64_t> weights = weights_of_all(weigh(), ranks_);
  Division other(present.shape(), present.ranks(), weights);
  const double before = largest_share(present, weights);
  const double after = largest_share(other, weights);
  if (before <= least_gain_of_division * after) {
    pause_ = longest_pause_;
    longest_pause_ *= 2;
    return std::nullopt;
  }
  longest_pause_ = 1;
  if (divisions_++ == 0) {
    note_ = fmt::format(
        "note: atoms have gathered on some ranks: in step {} cells were divided among ranks again; the one with most "
        "to do had {:.2f} times the mean, and has {:.2f} now. Later times are not told; no result depends on it.",
        step, before / mean_, after / mean_);
  }
  return other;
}

}  // namespace tacit::md
