// Elements that move between ranks at random, for tests of migration: where they are follows from their IDs alone.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tacit/base/error.hpp"
#include "tacit/base/random.hpp"
#include "tacit/base/record.hpp"
#include "tacit/exchange/migration.hpp"

namespace tacit::exchange::testing {

/// Domains are divided among any number of ranks; a traveller visits one at each turn.
inline constexpr std::uint64_t domains = 12;

struct Traveller {
  std::uint64_t id = 0;
  std::uint64_t turns = 0;      ///< how often it was sent, or stayed
  std::array<double, 3> way{};  ///< of the domains visited
  static constexpr auto record() noexcept {
    return base::record("traveller", base::member("id", &Traveller::id), base::member("turns", &Traveller::turns),
                        base::member("way", &Traveller::way));
  }
};

inline std::uint64_t domain_of(std::uint64_t id, std::uint64_t turn) {
  return static_cast<std::uint64_t>(base::uniform(7, id, turn) * static_cast<double>(domains));
}
inline comm::RankId owner_of(std::uint64_t domain, std::size_t ranks) {
  return comm::RankId{static_cast<std::uint32_t>(domain * ranks / domains)};
}

/// Those that begin on a rank.
inline std::vector<Traveller> born_on(comm::RankId rank, std::size_t ranks, std::uint64_t count) {
  std::vector<Traveller> all;
  for (std::uint64_t id = 0; id < count; ++id) {
    if (owner_of(domain_of(id, 0), ranks) == rank) all.push_back({.id = id});
  }
  return all;
}

/// The next turn of all on this rank.
inline void move_on(std::vector<Traveller>& mine, Migration<Traveller>& migration, std::size_t ranks) {
  for (Traveller& one : mine) {
    ++one.turns;
    one.way[one.turns % 3] += static_cast<double>(domain_of(one.id, one.turns));
  }
  migration.migrate(
      mine, [ranks](const Traveller& one) { return owner_of(domain_of(one.id, one.turns), ranks); },
      [](const Traveller& one) { return one.id; });
}

/// What is wrong with those of a rank after so many turns; empty: nothing.
inline std::string faults(std::vector<Traveller> mine, comm::RankId rank, std::size_t ranks, std::uint64_t count,
                          std::uint64_t turns) {
  std::ranges::sort(mine, {}, &Traveller::id);
  std::size_t at = 0;
  for (std::uint64_t id = 0; id < count; ++id) {
    if (owner_of(domain_of(id, turns), ranks) != rank) continue;
    if (at == mine.size() || mine[at].id != id) return fmt::format("traveller {} is not here, or not once", id);
    std::array<double, 3> way{};
    for (std::uint64_t turn = 1; turn <= turns; ++turn) way[turn % 3] += static_cast<double>(domain_of(id, turn));
    if (mine[at].turns != turns || mine[at].way != way) return fmt::format("traveller {} is damaged", id);
    ++at;
  }
  return at == mine.size() ? std::string() : fmt::format("{} travellers too many", mine.size() - at);
}

/// Neighbour lists of kinds that programs have.
enum class Neighbours : std::uint8_t { all, ring, none };
inline std::vector<comm::RankId> neighbours_of(Neighbours kind, const comm::Communicator& world) {
  const auto own = number(world.rank());
  const auto size = static_cast<std::uint32_t>(world.size());
  std::vector<comm::RankId> list;
  if (kind == Neighbours::ring) list = {comm::RankId{(own + 1) % size}, comm::RankId{(own + size - 1) % size}};
  for (std::uint32_t rank = 0; kind == Neighbours::all && rank < size; ++rank) list.push_back(comm::RankId{rank});
  return list;
}

}  // namespace tacit::exchange::testing
