// Finds units and has them divided.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/sph/ownership.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>
#include <utility>

#include "tacit/base/error.hpp"
#include "tacit/comm/collectives/broadcast.hpp"
#include "tacit/exchange/over_ranks.hpp"

namespace tacit::sph {
namespace {

/// Into so many pieces a unit is cut that holds too much.
constexpr std::size_t pieces_of_unit = 8;

/// Consecutive leaves, and what they hold.
struct Piece {
  std::uint32_t begin = 0, end = 0;
  std::uint64_t cost = 0;
  std::uint64_t particles = 0;
};

void append_pieces(std::uint32_t begin, std::uint32_t end, std::size_t count, std::vector<Piece>& to) {
  const std::uint64_t leaves = end - begin;
  count = std::min<std::size_t>(count, leaves);
  for (std::uint64_t k = 0; k < count; ++k) {
    to.push_back({begin + static_cast<std::uint32_t>(k * leaves / count),
                  begin + static_cast<std::uint32_t>((k + 1) * leaves / count)});
  }
}

/// Equal pieces, cut besides where owners change.
std::vector<Piece> first_pieces(std::size_t leaves, std::size_t wanted, std::span<const std::uint32_t> owner) {
  std::vector<Piece> equal;
  append_pieces(0, static_cast<std::uint32_t>(leaves), wanted, equal);
  if (owner.empty()) return equal;
  std::vector<Piece> pieces;
  for (const Piece& piece : equal) {
    std::uint32_t begin = piece.begin;
    for (std::uint32_t leaf = piece.begin + 1; leaf <= piece.end; ++leaf) {
      if (leaf < piece.end && owner[leaf] == owner[begin]) continue;
      pieces.push_back({begin, leaf});
      begin = leaf;
    }
  }
  return pieces;
}

/// Sums up to each leaf, so that those of any piece are two look-ups.
std::vector<std::uint64_t> sums_before(std::span<const std::uint64_t> values) {
  std::vector<std::uint64_t> sums(values.size() + 1, 0);
  std::partial_sum(values.begin(), values.end(), sums.begin() + 1);
  return sums;
}

/// Between two units, as it travels.
struct Wire {
  std::uint32_t a, b;
  std::uint64_t cost;
};

}  // namespace

std::uint32_t Units::of_leaf(std::size_t leaf) const {
  return static_cast<std::uint32_t>(std::ranges::upper_bound(begins, leaf) - begins.begin() - 1);
}

std::vector<std::uint64_t> Units::memory() const {
  std::vector<std::uint64_t> sizes = particles;
  for (std::size_t unit = 0; unit < size(); ++unit) {
    sizes[unit] += particles_per_leaf * (begins[unit + 1] - begins[unit]);
  }
  return sizes;
}

std::vector<std::uint32_t> Units::spread(std::span<const std::uint32_t> of_units) const {
  std::vector<std::uint32_t> of_leaves(begins.back());
  for (std::size_t unit = 0; unit < size(); ++unit) {
    std::fill(of_leaves.begin() + begins[unit], of_leaves.begin() + begins[unit + 1], of_units[unit]);
  }
  return of_leaves;
}

namespace {

/// Learns what pieces hold, of all ranks.
void count(comm::Communicator& ranks, std::span<const std::uint64_t> costs_before,
           std::span<const std::uint64_t> particles_before, std::vector<Piece>& pieces) {
  std::vector<std::uint64_t> sums;
  for (const Piece& piece : pieces) {
    sums.push_back(costs_before[piece.end] - costs_before[piece.begin]);
    sums.push_back(particles_before[piece.end] - particles_before[piece.begin]);
  }
  exchange::add_over(ranks, sums);
  for (std::size_t k = 0; k < pieces.size(); ++k) {
    pieces[k].cost = sums[2 * k];
    pieces[k].particles = sums[2 * k + 1];
  }
}

}  // namespace

Units find_units(comm::Communicator& ranks, const LeafCosts& mine, std::span<const std::uint32_t> owner) {
  const std::size_t leaves = mine.costs.size();
  TACIT_EXPECT(mine.particles.size() == leaves && (owner.empty() || owner.size() == leaves));
  const std::vector<std::uint64_t> costs_before = sums_before(mine.costs);
  const std::vector<std::uint64_t> particles_before = sums_before(mine.particles);
  const std::uint64_t wanted = std::max(units_per_rank * ranks.size(), least_units);
  std::vector<Piece> pieces = first_pieces(leaves, wanted, owner);
  count(ranks, costs_before, particles_before, pieces);
  Piece all;
  for (const Piece& piece : pieces) {
    all.cost += piece.cost;
    all.particles += piece.particles;
  }
  std::vector<Piece> done;
  while (!pieces.empty()) {
    std::vector<Piece> finer;
    for (const Piece& piece : pieces) {
      const bool is_large = piece.cost > all.cost / wanted || piece.particles > all.particles / wanted + 1;
      if (is_large && piece.end - piece.begin > 1) {
        append_pieces(piece.begin, piece.end, pieces_of_unit, finer);
      } else {
        done.push_back(piece);
      }
    }
    if (!finer.empty()) count(ranks, costs_before, particles_before, finer);
    pieces = std::move(finer);
  }
  std::ranges::sort(done, {}, &Piece::begin);
  Units units;
  for (const Piece& piece : done) {
    units.begins.push_back(piece.begin);
    units.costs.push_back(piece.cost);
    units.particles.push_back(piece.particles);
  }
  units.begins.push_back(static_cast<std::uint32_t>(leaves));
  return units;
}

std::vector<std::uint32_t> present_owners(comm::Communicator& ranks, const Units& units,
                                          std::span<const std::uint64_t> mine) {
  const std::uint64_t count = ranks.size();
  const std::uint64_t own = comm::number(ranks.rank());
  std::vector<std::uint64_t> most(units.size());
  for (std::size_t unit = 0; unit < units.size(); ++unit) {
    const std::uint64_t particles =
        std::accumulate(mine.begin() + units.begins[unit], mine.begin() + units.begins[unit + 1], std::uint64_t{0});
    most[unit] = particles * count + (count - 1 - own);  // of equals the first rank
  }
  exchange::take_largest(ranks, std::span<std::uint64_t>(most));
  std::vector<std::uint32_t> owner(units.size());
  std::ranges::transform(most, owner.begin(),
                         [count](std::uint64_t key) { return static_cast<std::uint32_t>(count - 1 - key % count); });
  return owner;
}

std::uint64_t most_memory_of_rank(std::span<const std::uint64_t> sizes, std::size_t ranks) {
  const std::uint64_t all = std::accumulate(sizes.begin(), sizes.end(), std::uint64_t{0});
  return static_cast<std::uint64_t>(most_memory * static_cast<double>(all) / static_cast<double>(ranks));
}

namespace {

/// All ranks' edges, on the first.
std::vector<topology::Edge> gather_edges(comm::Communicator& ranks, std::span<const topology::Edge> mine) {
  std::vector<std::vector<std::byte>> blocks(ranks.size());
  for (const auto& [a, b, cost] : mine) {
    const Wire wire{a, b, cost};
    const auto bytes = std::as_bytes(std::span(&wire, 1));
    blocks[0].insert(blocks[0].end(), bytes.begin(), bytes.end());
  }
  const exchange::Blocks come = exchange::send_blocks(ranks, blocks);
  std::vector<topology::Edge> edges;
  for (std::size_t at = 0; at < come.bytes.size(); at += sizeof(Wire)) {
    Wire wire{};
    std::memcpy(&wire, &come.bytes[at], sizeof(Wire));
    edges.push_back({wire.a, wire.b, wire.cost});
  }
  return edges;
}

}  // namespace

Shares share_units(comm::Communicator& ranks, const Units& units, std::span<const topology::Edge> mine,
                   std::span<const std::uint32_t> previous, topology::Method method) {
  const std::size_t parts = std::min(ranks.size(), units.size());
  const std::vector<topology::Edge> edges = gather_edges(ranks, mine);
  // What the first rank finds: owners, both loads, and whether there was room.
  std::vector<std::uint64_t> answer(units.size() + 3, 0);
  if (ranks.rank() == comm::RankId{0}) {
    const std::vector<std::uint64_t> memory = units.memory();
    const topology::Room room{memory, most_memory_of_rank(memory, ranks.size())};
    const auto owner = topology::partition(units.costs, edges, parts, previous, room, method);
    std::ranges::copy(owner, answer.begin());
    answer[units.size()] = topology::largest_load(units.costs, edges, parts, owner);
    if (!previous.empty()) {
      answer[units.size() + 1] = topology::largest_load(units.costs, edges, ranks.size(), previous);
      std::vector<std::uint64_t> held(ranks.size(), 0);
      for (std::size_t unit = 0; unit < units.size(); ++unit) held[previous[unit]] += memory[unit];
      answer[units.size() + 2] = std::ranges::max(held) <= room.most ? 1 : 0;
    }
  }
  comm::Broadcast<std::uint64_t>(ranks, comm::RankId{0}, std::span(answer)).run();
  Shares shares;
  for (const std::uint64_t owner : std::span(answer).first(units.size())) {
    shares.owner.push_back(static_cast<std::uint32_t>(owner));
  }
  shares.load_after = answer[units.size()];
  shares.load_before = answer[units.size() + 1];
  shares.had_room = answer[units.size() + 2] != 0;
  return shares;
}

}  // namespace tacit::sph
