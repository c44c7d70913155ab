// What passes between sub-grids of different levels: averages, slopes, fluxes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "tacit/mesh/octree.hpp"
#include "tacit/solvers/amr/pencils.hpp"
#include "tacit/solvers/amr/sub_grids.hpp"

namespace tacit::amr {

/// The state at one point of a step: of own leaves, and of those of other ranks what has been sent at that point.
struct StateView {
  const SubGrids& grids;
  Moment moment = Moment::now;
  [[nodiscard]] kernels::Variables<const double> of(std::size_t leaf) const noexcept {
    if (!grids.own().contains(leaf)) return grids.copy(leaf);
    return grids.at(moment, leaf);
  }
};

/// Mean of 2^n numbers: sums of pairs, of pairs of these, ... so that mirrored numbers give the same bits.
/// @param count  2^n; the numbers are overwritten
[[nodiscard]] double mean_of(std::array<double, 8>& numbers, std::size_t count);

/// Remembers the last few answers of Octree::covering: cells that are looked at one after the other lie in the same
/// leaves.
class NearbyLeaves {
 public:
  /// @param tree  outlives this
  explicit NearbyLeaves(const mesh::Octree& tree) : tree_(tree) {}
  [[nodiscard]] std::optional<std::size_t> covering(const mesh::Node& node);

 private:
  struct Answer {
    mesh::Node node;
    std::optional<std::size_t> leaf;
  };
  const mesh::Octree& tree_;
  std::array<Answer, 8> answers_{};  // a leaf with those beside it
  std::size_t count_ = 0;            // that were ever asked for
};

/// Conserved variables of cells that no sub-grid has, out of those that are there.
class Levels {
 public:
  using Cell = std::array<std::int64_t, 3>;                 ///< among those of a level
  using Values = std::array<double, kernels::most_fields>;  ///< those that are stored count

  /// @param tree  outlives this
  Levels(const Domain& domain, double gamma, const mesh::Octree& tree) : domain_(domain), gamma_(gamma), tree_(tree) {}

  /// Of a cell of a level: its own, the mean of the finer ones that it consists of, or of the coarser one around it;
  /// beyond sides of the domain what these say.
  [[nodiscard]] Values at(std::uint32_t level, Cell cell, const StateView& state, NearbyLeaves& near) const;
  /// The same of a single cell.
  [[nodiscard]] Values at(std::uint32_t level, const Cell& cell, const StateView& state) const {
    NearbyLeaves near(tree_);
    return at(level, cell, state, near);
  }
  /// The parts of a cell of the next finer level, x fastest: linear, with slopes that keep each variable between its
  /// neighbours. Their mean is the cell. Where a part would have no positive density or pressure all are like it.
  [[nodiscard]] std::array<Values, 8> parts_of(std::uint32_t level, const Cell& cell, const StateView& state,
                                               NearbyLeaves& near) const;
  /// The ghost cells of a leaf at a side with another level beyond.
  /// @param to  shape (ghosts, lanes)
  void take_beyond(const PencilShape& shape, std::size_t leaf, mesh::Side side, const StateView& state,
                   kernels::Variables<double> to) const;

 private:
  [[nodiscard]] bool is_valid(const Values& values, const kernels::Fields& fields) const;
  void take_means(const PencilShape& shape, std::size_t leaf, mesh::Side side, const StateView& state,
                  kernels::Variables<double> to) const;
  void take_parts(const PencilShape& shape, std::size_t leaf, mesh::Side side, const StateView& state,
                  kernels::Variables<double> to) const;

  const Domain& domain_;
  double gamma_;
  const mesh::Octree& tree_;
};

/// Means over the faces of the next coarser level of the fluxes through those of a leaf: of its part of the coarser
/// side, one of 2^(d-1).
/// @param fine  shape (lanes)   @param part  which one, the lower axis across fastest   @param to  shape (lanes)
void average_fluxes(const PencilShape& shape, std::size_t fields, kernels::Variables<const double> fine,
                    std::size_t part, kernels::Variables<double> to);

}  // namespace tacit::amr
