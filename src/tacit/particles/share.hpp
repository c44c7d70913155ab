// What one of several ranks makes or reads of initial conditions.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "tacit/comm/communicator.hpp"
#include "tacit/comm/rank.hpp"

namespace tacit::particles {

/// Consecutive particles of all: first, first + 1, ..., end - 1.
struct Rows {
  std::uint64_t first = 0;
  std::uint64_t end = 0;
  [[nodiscard]] std::uint64_t size() const noexcept { return end - first; }
  [[nodiscard]] bool contains(std::uint64_t row) const noexcept { return row >= first && row < end; }
  /// Those of them that are also among the `count` from `begin` on.
  [[nodiscard]] Rows among(std::uint64_t begin, std::uint64_t count) const noexcept {
    const std::uint64_t from = std::min(std::max(first, begin), begin + count);
    return {from, std::max(from, std::min(end, begin + count))};
  }
};

/// As many particles for each rank, so that none holds all. In whose cells they are is found later: then they are sent
/// there.
struct Share {
  std::uint64_t rank = 0;
  std::uint64_t ranks = 1;
  /// Of no particles: for what is to be known before there are any.
  [[nodiscard]] static constexpr Share none() noexcept { return {0, std::uint64_t{1} << 63U}; }
  /// Of so many particles.
  [[nodiscard]] Rows of(std::uint64_t particles) const noexcept {
    return {before(particles, rank), before(particles, rank + 1)};
  }

 private:
  /// floor(particles * lower / ranks), whose product may be too large.
  [[nodiscard]] std::uint64_t before(std::uint64_t particles, std::uint64_t lower) const noexcept {
    return particles / ranks * lower + particles % ranks * lower / ranks;
  }
};

[[nodiscard]] inline Share share_of(const comm::Communicator& ranks) {
  return {comm::number(ranks.rank()), ranks.size()};
}

}  // namespace tacit::particles
