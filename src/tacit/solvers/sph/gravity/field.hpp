// Gravity of the particles by the fast multipole method: what its tasks do, cell by cell and node by node.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "tacit/fmm/operators.hpp"
#include "tacit/solvers/sph/gravity/tree.hpp"
#include "tacit/solvers/sph/parameters.hpp"
#include "tacit/tasks/graph.hpp"

namespace tacit::sph {

class GravityCopies;
struct StepData;

/// Multipoles and local expansions of all nodes of the tree, and the sums over particles near each other:
///
///     multipole(cell) --> combine(node), upwards --> expand(node), downwards --> attract(cell)
///
/// The dual walk, as seen by one of its sides. A node gets from its parent the nodes whose pairs with the parent were
/// opened on the parent's side, and finds for each of them, or for their children, what follows: expansions will do,
/// the pair is opened on this side too, or both are cells and their particles act on each other. Both sides of a pair
/// decide by the same numbers, so each is done the same way on both, and the sum of m g vanishes but for rounding where
/// all particles are active; and each node is written by its own tasks alone.
///
/// Cells with many particles are divided further, into octants around the middle of their particles: nodes that have no
/// tasks of their own.
///
/// Nothing is kept from step to step but the accelerations, which the adaptive criterion looks at: all follows from the
/// particles and their cells. On several ranks each has the multipoles of all cells, and all nodes; and of others'
/// particles those that act one by one on its own.
/// @see Dehnen (2014), Comput. Astrophys. Cosmol. 1, 1; docs/decisions/0075-gravity-by-gathering-nodes.md
class GravityField {
 public:
  /// @param workers  that run the tasks
  [[nodiscard]] static std::unique_ptr<GravityField> make(const SelfGravity& gravity, const particles::CellTree& cells,
                                                          std::size_t workers);
  virtual ~GravityField() = default;
  GravityField(const GravityField&) = delete;
  GravityField& operator=(const GravityField&) = delete;

  [[nodiscard]] const GravityTree& tree() const noexcept { return tree_; }

  // The work of the tasks.

  /// Makes room for particles of this rank's cells, and divides cells of many; whenever particles were sorted.
  virtual void give_room(const particles::CellTree& cells) = 0;

  /// P2M of a cell, where its particles are now, and of its octants where it holds many; and their smallest
  /// acceleration.
  virtual void find_multipole(const StepData& data, std::size_t c, const tasks::StepContext& step) = 0;
  /// M2M of a node that is no cell. @pre those of its children are known
  virtual void combine(std::size_t node) = 0;
  /// L2L and M2L of a node that is no cell, if any of its particles are active. @pre all multipoles are known, and the
  /// parent is expanded
  virtual void expand(std::size_t node, std::size_t worker) = 0;
  /// The same for a cell, and L2P and P2P: acceleration and potential of its active particles.
  virtual void attract(const StepData& data, std::size_t c, const tasks::StepContext& step) = 0;

  // Cells in messages to other ranks.

  /// Finds this rank's cells of whose particles any act one by one on active particles of another rank.
  /// @pre all multipoles are known, and there are copies
  /// @param is_near  shape (cells): set to 1 or 0
  virtual void find_near(std::uint32_t rank, const StepData& data, const tasks::StepContext& step,
                         std::span<std::uint8_t> is_near) = 0;

  /// The particles of this rank's cells, as of their multipoles: cell after cell, those of an octant together.
  [[nodiscard]] virtual fmm::Bodies own_bodies() const = 0;
  /// Numbers that the multipoles of a cell and its octants take, with what else is known of it; and at most those of
  /// so many cells with so many particles.
  [[nodiscard]] virtual std::size_t packed_size(std::size_t leaf) const = 0;
  [[nodiscard]] virtual std::size_t most_packed(std::size_t leaves, std::size_t particles) const = 0;
  /// @param to  shape (packed_size(leaf))
  virtual void pack(std::size_t leaf, std::span<double> to) const = 0;
  virtual void unpack(std::size_t leaf, std::span<const double> from) = 0;

  // What tasks declare; shape (nodes). Of the multipole of the root, all others are a part.
  std::vector<tasks::DatumId> multipoles, locals;
  GravityCopies* copies = nullptr;  ///< of other ranks' particles; null: there are no others

 protected:
  explicit GravityField(const particles::CellTree& cells) : tree_(cells) {}

 private:
  GravityTree tree_;
};

}  // namespace tacit::sph
