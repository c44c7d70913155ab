// Cuts the leaves of one rank among others, and counts what crosses the cuts.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/sph/traffic.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "tacit/base/error.hpp"
#include "tacit/exchange/traffic.hpp"
#include "tacit/solvers/sph/cell_copies.hpp"
#include "tacit/topology/partition.hpp"

namespace tacit::sph {
namespace {

/// Fewer leaves for each rank say nothing about how many it would have: they are too coarse.
constexpr std::size_t least_leaves = 4;
constexpr std::size_t most_ranks = 16384;

/// As ranks cut them: no rank has more particles than there would be memory for.
constexpr double most_particles = 1.25;

/// A leaf that travels.
struct Travelling {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  std::uint32_t leaf = 0;
  friend bool operator==(const Travelling&, const Travelling&) = default;
};

std::vector<Travelling> all_that_travel(const particles::CellTree& tree, std::span<const std::uint32_t> owner) {
  std::vector<Travelling> travelling;
  for (std::uint32_t leaf = 0; leaf < tree.leaves(); ++leaf) {
    for (const auto& neighbour : tree.neighbours(leaf)) {
      if (owner[neighbour.cell] != owner[leaf]) travelling.push_back({owner[leaf], owner[neighbour.cell], leaf});
    }
  }
  std::ranges::sort(travelling, {}, [](const Travelling& t) { return std::tuple(t.from, t.to, t.leaf); });
  travelling.erase(std::unique(travelling.begin(), travelling.end()), travelling.end());
  return travelling;
}

/// What goes from one rank to another.
exchange::Traffic traffic_between(const particles::CellTree& tree, std::span<const Travelling> leaves,
                                  const StepBytes& bytes) {
  exchange::Traffic sum;
  std::vector<exchange::PlannedMessage> messages(leaves.size());
  for (const std::size_t of_particle : bytes.of_particle) {
    for (std::size_t i = 0; i < leaves.size(); ++i) {
      const std::size_t count = tree.range(leaves[i].leaf).count;
      messages[i] = {of_particle * count, of_particle * CellCopies::room_for(count), exchange::Length::variable};
    }
    sum += exchange::traffic_of(messages);
  }
  if (bytes.of_cell == 0) return sum;
  const std::size_t reports = bytes.of_cell * leaves.size();
  const exchange::PlannedMessage together{.bytes = reports, .most = reports};
  return sum += exchange::traffic_of(std::span(&together, 1));
}

std::uint64_t particles_of(const particles::CellTree& tree, std::span<const std::uint32_t> owner, std::size_t ranks,
                           std::vector<std::uint64_t>& of_ranks) {
  of_ranks.assign(ranks, 0);
  std::uint64_t all = 0;
  for (std::size_t leaf = 0; leaf < owner.size(); ++leaf) {
    of_ranks[owner[leaf]] += tree.range(leaf).count;
    all += tree.range(leaf).count;
  }
  return all;
}

}  // namespace

std::vector<std::uint32_t> owners_among(const particles::CellTree& tree, std::size_t ranks) {
  if (tree.leaves() < ranks) return {};
  std::vector<std::uint64_t> particles(tree.leaves());
  std::uint64_t all = 0;
  for (std::size_t leaf = 0; leaf < particles.size(); ++leaf) all += particles[leaf] = tree.range(leaf).count;
  const auto most = static_cast<std::uint64_t>(most_particles * static_cast<double>(all) / static_cast<double>(ranks));
  return topology::cut_curve(particles, ranks, {particles, most});
}

engine::StepTraffic count_traffic(const particles::CellTree& tree, std::span<const std::uint32_t> owner,
                                  std::size_t ranks, const StepBytes& bytes) {
  TACIT_EXPECT(tree.cells() == tree.leaves() && owner.size() == tree.leaves());
  const std::vector<Travelling> travelling = all_that_travel(tree, owner);
  std::vector<exchange::Traffic> of_ranks(ranks);
  for (std::size_t first = 0, last = 0; first < travelling.size(); first = last) {
    const auto& [from, to, leaf] = travelling[first];
    while (last < travelling.size() && travelling[last].from == from && travelling[last].to == to) ++last;
    of_ranks[from] += traffic_between(tree, std::span(travelling).subspan(first, last - first), bytes);
  }
  engine::StepTraffic step{.ranks = ranks};
  const auto on_average = [&bytes](std::uint64_t count) {
    return static_cast<std::uint64_t>(std::llround(bytes.times * static_cast<double>(count)));
  };
  exchange::Traffic all_of_it;
  for (const exchange::Traffic& rank : of_ranks) {
    all_of_it += rank;
    step.most_messages = std::max(step.most_messages, on_average(rank.messages));
    step.most_bytes = std::max(step.most_bytes, on_average(rank.bytes));
  }
  step.messages = on_average(all_of_it.messages);
  step.bytes = on_average(all_of_it.bytes);
  std::vector<std::uint64_t> particles;
  const std::uint64_t all = particles_of(tree, owner, ranks, particles);
  if (all > 0) step.largest_share = static_cast<double>(std::ranges::max(particles)) / static_cast<double>(all);
  return step;
}

std::vector<engine::StepTraffic> count_traffic(const particles::CellTree& tree, const StepBytes& bytes) {
  std::vector<engine::StepTraffic> counted;
  for (std::size_t ranks = 2; ranks <= most_ranks && least_leaves * ranks <= tree.leaves(); ranks *= 2) {
    counted.push_back(count_traffic(tree, owners_among(tree, ranks), ranks, bytes));
  }
  return counted;
}

}  // namespace tacit::sph
