// Counts through grids of ranks.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/comm/cartesian.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>

#include "tacit/base/error.hpp"

namespace tacit::comm {
namespace {

std::vector<std::uint32_t> prime_factors(std::size_t number) {
  std::vector<std::uint32_t> factors;
  for (std::uint32_t prime = 2; std::size_t{prime} * prime <= number; ++prime) {
    for (; number % prime == 0; number /= prime) factors.push_back(prime);
  }
  if (number > 1) factors.push_back(static_cast<std::uint32_t>(number));
  return factors;
}

std::size_t product(std::span<const std::uint32_t> ranks) {
  return std::accumulate(ranks.begin(), ranks.end(), std::size_t{1}, std::multiplies<>());
}

}  // namespace

/// The largest prime goes where there is least: as equal as can be for the products of few primes that occur.
std::vector<std::uint32_t> balanced_grid(std::size_t ranks, std::size_t dimensions) {
  if (dimensions == 0 || ranks == 0) throw base::Error("a grid of ranks needs a rank and a dimension");
  std::vector<std::uint32_t> grid(dimensions, 1);
  auto factors = prime_factors(ranks);
  std::ranges::sort(factors, std::greater<>());
  for (const std::uint32_t factor : factors) *std::ranges::min_element(grid) *= factor;
  std::ranges::sort(grid, std::greater<>());
  return grid;
}

Cartesian::Cartesian(const Communicator& communicator, std::span<const std::uint32_t> ranks,
                     std::span<const Boundary> boundaries)
    : ranks_(ranks.begin(), ranks.end()), boundaries_(boundaries.begin(), boundaries.end()) {
  if (ranks.size() != boundaries.size()) {
    throw base::Error(
        fmt::format("a grid of ranks has {} dimensions, but {} boundaries", ranks.size(), boundaries.size()));
  }
  if (product(ranks) != communicator.size()) {
    throw base::Error(
        fmt::format("a grid of {} ranks does not hold the {} that there are", product(ranks), communicator.size()));
  }
  own_ = coordinates(communicator.rank());
}

Cartesian::Cartesian(const Communicator& communicator, std::span<const std::uint32_t> ranks, Boundary boundary)
    : Cartesian(communicator, ranks, std::vector<Boundary>(ranks.size(), boundary)) {}

std::vector<std::uint32_t> Cartesian::coordinates(RankId rank) const {
  std::vector<std::uint32_t> coordinates(dimensions());
  std::uint32_t rest = number(rank);
  for (std::size_t d = dimensions(); d-- > 0; rest /= ranks_[d]) coordinates[d] = rest % ranks_[d];
  return coordinates;
}

std::optional<RankId> Cartesian::rank_at(std::span<const std::int64_t> coordinates) const {
  TACIT_EXPECT(coordinates.size() == dimensions());
  std::int64_t rank = 0;
  for (std::size_t d = 0; d < dimensions(); ++d) {
    const std::int64_t size = ranks_[d];
    const bool is_inside = coordinates[d] >= 0 && coordinates[d] < size;
    if (!is_inside && boundaries_[d] == Boundary::open) return std::nullopt;
    rank = rank * size + ((coordinates[d] % size) + size) % size;
  }
  return RankId{static_cast<std::uint32_t>(rank)};
}

std::optional<RankId> Cartesian::neighbour(std::size_t dimension, Side side) const {
  TACIT_EXPECT(dimension < dimensions());
  std::vector<std::int64_t> coordinates(own_.begin(), own_.end());
  coordinates[dimension] += side == Side::low ? -1 : 1;
  return rank_at(coordinates);
}

NeighbourConnections::NeighbourConnections(Communicator& communicator, const Cartesian& grid, std::uint32_t first_key)
    : to_(2 * grid.dimensions()), from_(2 * grid.dimensions()) {
  for (std::size_t d = 0; d < grid.dimensions(); ++d) {
    for (const Side side : {Side::low, Side::high}) {
      const auto key = static_cast<std::uint32_t>(first_key + index(d, side));
      const auto ahead = grid.neighbour(d, side);
      const auto behind = grid.neighbour(d, opposite(side));
      if (ahead) to_[index(d, side)] = &connections_.emplace_back(communicator, Target{.rank = *ahead, .key = key});
      if (!behind) continue;
      Connection*& from = from_[index(d, opposite(side))];
      // One connection carries both where both sides have the same neighbour.
      from = ahead == behind ? to_[index(d, side)]
                             : &connections_.emplace_back(communicator, Target{.rank = *behind, .key = key});
    }
  }
}

}  // namespace tacit::comm
