// AMReX plotfiles of the state: all levels, with means where there are finer ones.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <vector>

#include "tacit/comm/communicator.hpp"
#include "tacit/engine/solver.hpp"
#include "tacit/mesh/octree.hpp"
#include "tacit/mesh/octree_halo.hpp"
#include "tacit/solvers/amr/self_gravity.hpp"
#include "tacit/solvers/amr/sub_grids.hpp"

namespace tacit::amr {

/// A node of the tree: a leaf, or one that is divided.
struct PlotNode {
  mesh::Node node;
  mesh::LeafRange leaves;  ///< that it consists of
};
/// All nodes from a level on, level by level, along the curve. @pre no leaf is coarser
[[nodiscard]] std::vector<std::vector<PlotNode>> nodes_from(const mesh::Octree& tree, std::uint32_t coarsest);

/// Fields of the cells of leaves, whose means over parts of a cell are those of the cell.
struct LeafFields {
  std::function<kernels::Variables<const double>(std::size_t leaf)> of;
  std::size_t count = 0;
};

/// Fields of all nodes of a level that a rank has: of those whose first leaf it has.
class LevelMeans {
 public:
  /// Of the finest level, where all are leaves. All outlive this.
  LevelMeans(const Domain& domain, const mesh::Octree& tree, const SubGrids& grids, LeafFields fields,
             comm::Communicator& ranks);

  /// Goes to the next coarser level. All ranks call it.
  /// @param finer, coarser  nodes of both levels, as nodes_from gives them
  void coarsen(const std::vector<PlotNode>& finer, const std::vector<PlotNode>& coarser);
  /// Of an own node of this level. @param place  among its nodes
  [[nodiscard]] kernels::Variables<const double> of(const std::vector<PlotNode>& nodes, std::size_t place) const;
  /// Which of the nodes of a level this rank has.
  [[nodiscard]] mesh::LeafRange own(const std::vector<PlotNode>& nodes) const;

 private:
  /// Of own nodes of a level that are divided.
  struct Means {
    std::vector<std::size_t> places;  ///< of the nodes among all of the level, rising
    std::size_t each = 0;             ///< numbers of a node
    std::vector<double> numbers;
    /// @pre the node is one of them
    [[nodiscard]] std::size_t begin_of(std::size_t place) const;
    [[nodiscard]] bool has(std::size_t place) const;
  };
  [[nodiscard]] bool is_leaf(const PlotNode& node) const;
  [[nodiscard]] Means room_for(const std::vector<PlotNode>& nodes) const;
  /// The nodes of which several ranks have parts.
  [[nodiscard]] std::vector<std::size_t> shared_nodes(const std::vector<PlotNode>& nodes) const;
  void take_shared(const std::vector<PlotNode>& finer, const std::vector<PlotNode>& coarser,
                   std::span<const std::size_t> shared, Means& means) const;
  void take_means(const std::vector<PlotNode>& finer, std::size_t place, kernels::Variables<double> coarser) const;

  const Domain& domain_;
  const mesh::Octree& tree_;
  const SubGrids& grids_;
  LeafFields fields_;
  comm::Communicator& ranks_;
  Means means_;  // of this level
};

/// What one takes, about [byte]. @param leaves  of a tree without any coarser than amr.level
[[nodiscard]] double plotfile_bytes(const AmrParameters& parameters, double leaves, bool double_precision);

/// Writes one. All ranks call it. @param gravity  of the same state; null: there is none
/// @return bytes   @throws base::SystemError on all of them
std::uint64_t write_plotfile(const std::filesystem::path& path, const engine::FileContext& context,
                             const AmrParameters& parameters, const mesh::Octree& tree, const SubGrids& grids,
                             const SelfGravity* gravity, comm::Communicator& ranks);

}  // namespace tacit::amr
