// Of several ranks: multipoles of all cells of the others, and of these those particles that act one by one here.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tacit/comm/communicator.hpp"
#include "tacit/exchange/exchange.hpp"
#include "tacit/fmm/operators.hpp"
#include "tacit/particles/cell_tree.hpp"
#include "tacit/solvers/sph/gravity/tree.hpp"
#include "tacit/tasks/graph.hpp"

namespace tacit::sph {

class GravityField;
struct StepData;

/// Every rank gets the multipoles of all cells in every step, some 400 bytes for each, or 3500 where it has many
/// particles. Then all can walk as any of
/// them does: each rank finds, for every other one, which of its own leaves hold particles that act one by one on
/// active particles there, and sends the places and masses of these. Nothing is asked for, and no rank waits for
/// another twice.
///
/// Leaves travel in blocks of consecutive ones: the windows of a stream are as long as its longest message, and of the
/// particles of a block as many have room as it holds, though few of them may travel.
/// @see docs/decisions/0106-particles-near-other-ranks.md
class GravityCopies {
 public:
  explicit GravityCopies(comm::Communicator& ranks) : ranks_(ranks) {}

  /// Finds whose the leaves are, and the nodes above them. @param owner  shape (leaves): ranks
  void find(const GravityTree& tree, std::span<const std::uint32_t> owner);
  /// Gets how many particles all cells hold, after particles were sorted. All ranks call it.
  void fetch(const particles::CellTree& cells);
  /// Divides the leaves of each rank into blocks, and fixes how long their messages may become from here on, on both
  /// ends alike.
  void give_room();
  /// Whether the particles of all blocks, as they are now, fit into their messages. Alike on all ranks.
  [[nodiscard]] bool have_room() const;

  /// Shape (leaves): particles, of all ranks.
  [[nodiscard]] std::span<const std::uint64_t> counts() const noexcept { return counts_; }

  /// Adds the messages of multipoles to the graph: behind those of this rank's cells, and before what is made of them.
  /// @return their tasks
  [[nodiscard]] std::vector<tasks::TaskId> add_multipoles(tasks::Graph& graph, const StepData& data);
  /// Adds what finds out whose particles act one by one where, and the messages of these: behind the multipole of the
  /// root. @return their tasks
  [[nodiscard]] std::vector<tasks::TaskId> add_bodies(tasks::Graph& graph, const StepData& data);
  /// Written when particles have come of all ranks.
  [[nodiscard]] tasks::DatumId arrived() const noexcept { return arrived_; }

  static constexpr std::uint32_t several = ~0U;
  /// Whose all leaves below a node of the tree are; `several`: not those of one rank alone.
  [[nodiscard]] std::uint32_t rank_of(std::size_t node) const { return rank_of_node_[node]; }
  [[nodiscard]] std::uint32_t this_rank() const { return comm::number(ranks_.rank()); }
  /// Whether the leaf is another rank's.
  [[nodiscard]] bool has(std::size_t leaf) const { return owner_[leaf] != this_rank(); }
  /// Its particles. @pre has(leaf), and they act one by one on active ones of this rank in the present step
  /// @throws base::Error if they have not come
  [[nodiscard]] fmm::Bodies bodies(std::size_t leaf) const;

  // What is held now, for tests and reports.

  /// Of other ranks: as many have come, and as many have acted, in the last step.
  [[nodiscard]] std::size_t particles() const noexcept;
  /// Memory of these [byte].
  [[nodiscard]] std::size_t memory_bytes() const noexcept;

  /// A rank's leaves are divided into some so many blocks, which have no fewer leaves than this.
  static constexpr std::size_t blocks_of_rank = 32;
  static constexpr std::size_t least_leaves = 16;

 private:
  /// Consecutive ones of a rank's leaves, whose multipoles travel in one message, and whose particles do.
  struct Block {
    std::uint32_t rank = 0;
    std::uint32_t number = 0;                     ///< among the blocks of the rank
    std::size_t begin = 0, end = 0;               ///< of leaves_[rank]
    std::uint64_t size = 0, room = 0;             ///< particles, and most of them in a message
    tasks::DatumId datum = tasks::DatumId::none;  ///< of another rank's: written when particles have come
    std::size_t came = 0;                         ///< particles of another rank's
    std::vector<double> bodies{};                 ///< shape (4 came): x of all, then y, z, and the masses
  };
  [[nodiscard]] std::span<const std::uint32_t> leaves_of(const Block& block) const {
    return std::span(leaves_[block.rank]).subspan(block.begin, block.end - block.begin);
  }
  /// Where messages of one rank go to or come from: no others are there of those without leaves.
  [[nodiscard]] bool has_leaves(std::size_t rank) const { return !leaves_[rank].empty(); }
  [[nodiscard]] std::vector<tasks::DatumId> multipoles_of(const GravityField& field, const Block& block) const;
  void send_bodies(exchange::Messages& messages, const StepData& data, std::size_t peer, const Block& block);
  void receive_bodies(exchange::Messages& messages, Block& block);
  [[nodiscard]] std::size_t pack(const StepData& data, std::size_t peer, const Block& block,
                                 std::span<double> out) const;
  void unpack(Block& block, std::span<const double> in);
  void sum_blocks();
  void divide(std::uint32_t rank);

  comm::Communicator& ranks_;
  std::vector<std::uint32_t> owner_;                // shape (leaves)
  std::vector<std::uint32_t> rank_of_node_;         // shape (nodes)
  std::vector<std::vector<std::uint32_t>> leaves_;  // of each rank, ascending: as cells are, of this one
  std::vector<std::uint64_t> counts_;               // shape (leaves): particles
  std::vector<Block> blocks_;                       // of all ranks, by rank
  std::vector<std::uint32_t> block_of_;             // shape (leaves)
  static constexpr std::uint32_t not_here = ~0U;
  std::vector<std::uint32_t> first_;             // shape (leaves): of others, where particles stand in their block
  std::vector<std::vector<std::uint8_t>> near_;  // of each rank, shape (cells): whether their particles act there
  std::vector<tasks::DatumId> near_data_;        // shape (ranks)
  tasks::DatumId arrived_ = tasks::DatumId::none;
};

}  // namespace tacit::sph
