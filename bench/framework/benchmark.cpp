// Compares a result with its best peer or its limit.
// SPDX-License-Identifier: Apache-2.0
#include "framework/benchmark.hpp"

#include <algorithm>

namespace tacit::bench {

std::optional<Reference> reference(const Result& result) {
  if (!result.peers.empty()) {
    const auto by_value = [](const auto& a, const auto& b) { return a.second < b.second; };
    const auto [lowest, highest] = std::ranges::minmax_element(result.peers, by_value);
    const auto& best = result.better == Better::lower ? *lowest : *highest;
    return Reference{best.first, best.second};
  }
  if (result.limit) return Reference{result.limit_name, *result.limit};
  return std::nullopt;
}

std::optional<double> ratio(const Result& result) {
  const auto other = reference(result);
  if (!other || other->value == 0.0) return std::nullopt;
  return result.ours.median / other->value;
}

void Session::add(Result result) {
  progress_(result);
  results_.push_back(std::move(result));
}

}  // namespace tacit::bench
