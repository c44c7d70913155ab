// Which leaves are whose, in which blocks they travel, and the messages of their multipoles.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/sph/gravity/copies.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "tacit/base/error.hpp"
#include "tacit/exchange/over_ranks.hpp"
#include "tacit/solvers/sph/cell_copies.hpp"
#include "tacit/solvers/sph/gravity/field.hpp"
#include "tacit/solvers/sph/pair_tasks.hpp"

namespace tacit::sph {

void GravityCopies::find(const GravityTree& tree, std::span<const std::uint32_t> owner) {
  owner_.assign(owner.begin(), owner.end());
  leaves_.assign(ranks_.size(), {});
  for (std::uint32_t leaf = 0; leaf < owner_.size(); ++leaf) leaves_[owner_[leaf]].push_back(leaf);
  // Children come behind their parents.
  const std::span<const GravityNode> nodes = tree.nodes();
  rank_of_node_.assign(nodes.size(), several);
  for (std::size_t node = nodes.size(); node-- > 0;) {
    const GravityNode& here = nodes[node];
    if (here.is_cell()) {
      rank_of_node_[node] = owner_[here.leaf];
      continue;
    }
    const auto children = std::span(rank_of_node_).subspan(here.first_child, here.children);
    const bool are_of_one = std::ranges::all_of(children, [&](std::uint32_t rank) { return rank == children[0]; });
    rank_of_node_[node] = are_of_one ? children[0] : several;
  }
}

void GravityCopies::fetch(const particles::CellTree& cells) {
  counts_.assign(owner_.size(), 0);
  for (std::size_t c = 0; c < cells.cells(); ++c) counts_[cells.leaf(c)] = cells.range(c).count;
  exchange::add_over(ranks_, counts_);
  sum_blocks();
}

void GravityCopies::sum_blocks() {
  for (Block& block : blocks_) {
    block.size = 0;
    for (const std::uint32_t leaf : leaves_of(block)) block.size += counts_[leaf];
  }
}

/// A block ends when it has its share of the rank's leaves, or of its particles.
void GravityCopies::divide(std::uint32_t rank) {
  const std::vector<std::uint32_t>& leaves = leaves_[rank];
  std::uint64_t all = 0;
  for (const std::uint32_t leaf : leaves) all += counts_[leaf];
  const std::size_t most_leaves = std::max(least_leaves, leaves.size() / blocks_of_rank + 1);
  const std::uint64_t enough = all / blocks_of_rank + 1;
  std::uint64_t particles = 0;
  Block block{.rank = rank};
  for (std::size_t k = 0; k < leaves.size(); ++k) {
    particles += counts_[leaves[k]];
    const std::size_t count = k + 1 - block.begin;
    const bool is_full = count >= most_leaves || (count >= least_leaves && particles >= enough);
    if (!is_full && k + 1 < leaves.size()) continue;
    block.end = k + 1;
    blocks_.push_back(block);
    block.begin = block.end;
    ++block.number;
    particles = 0;
  }
}

void GravityCopies::give_room() {
  blocks_.clear();
  for (std::uint32_t rank = 0; rank < ranks_.size(); ++rank) divide(rank);
  sum_blocks();
  block_of_.assign(owner_.size(), 0);
  first_.assign(owner_.size(), not_here);
  for (std::uint32_t k = 0; k < blocks_.size(); ++k) {
    blocks_[k].room = CellCopies::room_for(blocks_[k].size);
    for (const std::uint32_t leaf : leaves_of(blocks_[k])) block_of_[leaf] = k;
  }
}

bool GravityCopies::have_room() const {
  return std::ranges::all_of(blocks_, [](const Block& block) { return block.size <= block.room; });
}

fmm::Bodies GravityCopies::bodies(std::size_t leaf) const {
  const Block& block = blocks_[block_of_[leaf]];
  if (first_[leaf] == not_here)
    throw base::Error("particles of another rank that act on those of this one are missing");
  const auto of = [&](std::size_t number) {
    return std::span<const double>(block.bodies).subspan(number * block.came + first_[leaf], counts_[leaf]);
  };
  return {of(0), of(1), of(2), of(3)};
}

std::size_t GravityCopies::particles() const noexcept {
  return std::accumulate(blocks_.begin(), blocks_.end(), std::size_t{0},
                         [](std::size_t sum, const Block& block) { return sum + block.came; });
}

std::size_t GravityCopies::memory_bytes() const noexcept {
  std::size_t bytes = 0;
  for (const Block& block : blocks_) bytes += sizeof(double) * block.bodies.capacity();
  return bytes;
}

std::vector<tasks::DatumId> GravityCopies::multipoles_of(const GravityField& field, const Block& block) const {
  std::vector<tasks::DatumId> all;
  for (const std::uint32_t leaf : leaves_of(block)) all.push_back(field.multipoles[field.tree().node_of_leaf(leaf)]);
  return all;
}

std::vector<tasks::TaskId> GravityCopies::add_multipoles(tasks::Graph& graph, const StepData& data) {
  GravityField& field = *data.gravity;
  const std::uint32_t me = this_rank();
  exchange::Messages messages;
  for (std::size_t peer = 0; peer < ranks_.size(); ++peer) {
    if (peer == me) continue;
    for (const Block& block : blocks_) {
      const std::span<const std::uint32_t> leaves = leaves_of(block);
      const exchange::Message message{.peer = comm::RankId{static_cast<std::uint32_t>(peer)},
                                      .key = block.number,
                                      .count = field.most_packed(leaves.size(), block.room),
                                      .length = exchange::Length::variable};
      if (block.rank == me) {
        messages.send<double>(message, tasks::reads_all(multipoles_of(field, block)),
                              [&field, leaves](tasks::StepContext& /*step*/, std::span<double> out) {
                                std::size_t at = 0;
                                for (const std::uint32_t leaf : leaves) {
                                  const std::size_t size = field.packed_size(leaf);
                                  field.pack(leaf, out.subspan(at, size));
                                  at += size;
                                }
                                return at;
                              });
      } else if (block.rank == peer) {
        tasks::Accesses accesses = tasks::reads_all(multipoles_of(field, block));
        for (tasks::Access& access : accesses) access.mode = tasks::AccessMode::write;
        messages.receive<double>(message, accesses,
                                 [&field, leaves](tasks::StepContext& /*step*/, std::span<const double> in) {
                                   for (const std::uint32_t leaf : leaves) {
                                     const std::size_t size = field.packed_size(leaf);
                                     if (size > in.size()) throw base::Error("another rank sent too few multipoles");
                                     field.unpack(leaf, in.first(size));
                                     in = in.subspan(size);
                                   }
                                 });
      }
    }
  }
  return data.copies->add(graph, "multipoles", std::move(messages), 40.0 * data.fullest()).all();
}

}  // namespace tacit::sph
