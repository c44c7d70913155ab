// Of several ranks: multipoles and particles of all cells of the others, for the particles' own gravity.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tacit/comm/communicator.hpp"
#include "tacit/fmm/operators.hpp"
#include "tacit/particles/cell_tree.hpp"
#include "tacit/tasks/graph.hpp"

namespace tacit::sph {

class GravityField;
struct StepData;

/// Every rank gets the multipoles of all cells, and the places and masses of all particles, in every step: which of
/// these act one by one is known only when all multipoles are, and near places where forces cancel it may be any. 32
/// bytes for each particle of the run, and some 3500 for each cell.
class GravityCopies {
 public:
  explicit GravityCopies(comm::Communicator& ranks) : ranks_(ranks) {}

  /// Finds whose the leaves are. @param owner  shape (leaves): ranks
  void find(const particles::CellTree& tree, std::span<const std::uint32_t> owner);
  /// Gets how many particles others' cells hold, after particles were sorted. All ranks call it.
  void fetch(const particles::CellTree& tree);
  /// Fixes how long messages may become from here on, on both ends alike.
  void give_room();
  /// Whether the particles of all ranks, as they are now, fit into their messages. Alike on all ranks.
  [[nodiscard]] bool have_room() const;

  /// Adds the messages of a step to the graph: behind drifts and multipoles of cells. @return their tasks
  /// @pre the multipoles of this rank's cells have been added
  [[nodiscard]] std::vector<tasks::TaskId> add_messages(tasks::Graph& graph, const StepData& data);
  /// Written when particles have come, one for each rank.
  [[nodiscard]] std::span<const tasks::DatumId> data() const noexcept { return data_; }

  /// Whether the leaf is another rank's.
  [[nodiscard]] bool has(std::size_t leaf) const { return owner_[leaf] != comm::number(ranks_.rank()); }
  /// Its particles. @pre has(leaf)
  [[nodiscard]] fmm::Bodies bodies(std::size_t leaf) const;

 private:
  [[nodiscard]] std::size_t particles_of(std::size_t rank) const { return begins_[rank + 1] - begins_[rank]; }
  [[nodiscard]] std::vector<tasks::DatumId> multipoles_of(const GravityField& field, std::size_t rank) const;
  void add_multipoles(tasks::Graph& graph, const StepData& data, std::vector<tasks::TaskId>& to);
  void add_bodies(tasks::Graph& graph, const StepData& data, std::vector<tasks::TaskId>& to);

  comm::Communicator& ranks_;
  std::vector<std::uint32_t> owner_;                // shape (leaves)
  std::vector<std::vector<std::uint32_t>> leaves_;  // of each rank, ascending
  std::vector<std::uint64_t> counts_;               // shape (leaves): particles
  std::vector<std::size_t> first_;                  // shape (leaves): where a leaf's particles stand
  std::vector<std::size_t> begins_;                 // shape (ranks + 1): those of others, by rank; of this one, none
  std::vector<std::uint64_t> sizes_, rooms_;        // shape (ranks): particles, and most of them in a message
  std::vector<double> x_, y_, z_, m_;               // shape (others' particles)
  std::vector<tasks::DatumId> data_;
};

}  // namespace tacit::sph
