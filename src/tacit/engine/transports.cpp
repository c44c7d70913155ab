// Collects what each rank has chosen.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/engine/transports.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string_view>
#include <vector>

#include "tacit/comm/collectives/gather.hpp"
#include "tacit/comm/collectives/reduce.hpp"
#include "tacit/comm/communicator.hpp"
#include "tacit/comm/transports.hpp"

namespace tacit::engine {
namespace {

constexpr std::size_t most_ranks_by_pair = 64;

/// One bit for each transport.
using Transports = std::uint32_t;

std::string names_of(Transports used) {
  std::vector<std::string_view> names;
  for (const comm::ProviderId id : comm::transports) {
    if ((used >> static_cast<unsigned>(id) & 1U) != 0) names.push_back(comm::name(id));
  }
  return fmt::format("{}", fmt::join(names, " and "));
}

/// @param chosen  the transport from each rank to each other, by row
std::string by_pair(const std::vector<std::uint8_t>& chosen, std::size_t ranks) {
  std::map<comm::ProviderId, std::vector<std::string>> pairs;
  for (std::size_t low = 0; low < ranks; ++low) {
    for (std::size_t high = low + 1; high < ranks; ++high) {
      pairs[comm::ProviderId{chosen[low * ranks + high]}].push_back(fmt::format("{}-{}", low, high));
    }
  }
  std::vector<std::string> parts;
  for (const auto& [id, its_pairs] : pairs) {
    parts.push_back(fmt::format("{} {}", comm::name(id), fmt::join(its_pairs, ", ")));
  }
  return fmt::format("{}", fmt::join(parts, "; "));
}

}  // namespace

std::string describe_transports(comm::Communicator& ranks) {
  std::vector<std::uint8_t> mine;
  std::array<Transports, 2> used{};  // within nodes, between them
  for (const comm::RankInfo& other : ranks.ranks()) {
    const comm::ProviderId chosen = ranks.transport_to(other.rank);
    mine.push_back(static_cast<std::uint8_t>(chosen));
    if (other.rank != ranks.rank()) used[other.node == ranks.own().node ? 0 : 1] |= 1U << mine.back();
  }
  comm::AllReduce<Transports>(ranks, used, std::bit_or<>{}).run();
  const auto [within, between] = used;
  if (std::has_single_bit(within | between)) return names_of(within | between);
  if (ranks.size() <= most_ranks_by_pair && (std::popcount(within) > 1 || std::popcount(between) > 1)) {
    std::vector<std::uint8_t> all(ranks.size() * ranks.size());
    comm::AllGather<std::uint8_t>(ranks, std::span<const std::uint8_t>(mine), all).run();
    return by_pair(all, ranks.size());
  }
  return fmt::format("{} within nodes, {} between them", names_of(within), names_of(between));
}

}  // namespace tacit::engine
