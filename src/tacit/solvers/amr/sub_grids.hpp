// The state of the sub-grids: its fields, and their memory.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include "tacit/base/pack_memory.hpp"
#include "tacit/comm/rank.hpp"
#include "tacit/exchange/reductions.hpp"
#include "tacit/mesh/octree.hpp"
#include "tacit/mesh/octree_halo.hpp"
#include "tacit/solvers/amr/kernels/gas.hpp"
#include "tacit/solvers/amr/parameters.hpp"

namespace tacit::amr {

/// What is stored of each cell, in the order of the kernels; checkpoints, sums and messages follow from this table.
struct FieldInfo {
  std::string_view name;  ///< in checkpoints
};
inline constexpr std::array<FieldInfo, kernels::variables> field_table{
    {{"density"}, {"momentum_x"}, {"momentum_y"}, {"momentum_z"}, {"energy"}}};

[[nodiscard]] mesh::OctreeSpec spec_of(const Domain& domain);
/// Of the level of the domain, finer in its regions, and around these where levels would differ by more than one.
[[nodiscard]] mesh::Octree make_tree(const Domain& domain);
/// The nodes that level and regions ask to divide; none where all is of one level that is the coarsest.
[[nodiscard]] std::vector<mesh::Node> divided_of(const Domain& domain);
/// At most so many leaves, without making any.
[[nodiscard]] double most_leaves(const Domain& domain);

/// What a rank has of a tree, and what it sees of the others.
struct Share {
  mesh::LeafDivision division;
  mesh::LeafRange own;
  mesh::OctreeHalo halo = {};
};
/// All ranks find theirs, without a message.
[[nodiscard]] Share share_of(const Domain& domain, const mesh::Octree& tree, mesh::LeafDivision division,
                             comm::RankId rank);
/// The same where all have as many leaves.
[[nodiscard]] Share share_of(const Domain& domain, const mesh::Octree& tree, std::size_t ranks, comm::RankId rank);

/// The cells of the leaves of a rank, without ghosts: one sub-grid behind the other along the curve, each of them field
/// by field, x fastest. Beside them there is room for copies of sub-grids of other ranks, of which the cells are set
/// that this one sees. All leaves go by their numbers in the tree.
class SubGrids {
 public:
  SubGrids(const Domain& domain, Share share);
  /// The same where there is one rank.
  SubGrids(const Domain& domain, std::size_t leaves);

  [[nodiscard]] std::size_t cells() const noexcept { return cells_; }  ///< of a sub-grid
  [[nodiscard]] const Share& share() const noexcept { return share_; }
  [[nodiscard]] const mesh::LeafRange& own() const noexcept { return share_.own; }
  [[nodiscard]] std::size_t leaves() const noexcept { return share_.own.size(); }  ///< of this rank
  /// At the begin of a step, and after it. @pre the leaf is an own one, here and in `between`
  [[nodiscard]] kernels::Variables<double> now(std::size_t leaf) noexcept { return view<double>(now_, leaf); }
  [[nodiscard]] kernels::Variables<const double> now(std::size_t leaf) const noexcept {
    return view<const double>(now_, leaf);
  }
  /// After the first stage of one. Between steps, and while the state moves to another tree, it is free.
  [[nodiscard]] kernels::Variables<double> between(std::size_t leaf) noexcept { return view<double>(between_, leaf); }
  [[nodiscard]] kernels::Variables<const double> between(std::size_t leaf) const noexcept {
    return view<const double>(between_, leaf);
  }
  /// From now on there is room for the state at the begin of a step.
  void keep_begin();
  /// Keeps that of an own leaf, where there is room.
  void remember(std::size_t leaf) noexcept;
  /// Makes it the present one, of all own leaves. @pre all of them have been remembered in this step
  void go_back() noexcept { std::swap(now_, begin_); }
  /// The leaves of other ranks that there are copies of, rising.
  [[nodiscard]] const std::vector<std::size_t>& copied() const noexcept { return copied_; }
  /// Place of a leaf among these. @pre it is one of them
  [[nodiscard]] std::size_t place_of_copy(std::size_t leaf) const noexcept {
    return static_cast<std::size_t>(std::ranges::lower_bound(copied_, leaf) - copied_.begin());
  }
  /// Of whichever state has been sent last.
  [[nodiscard]] kernels::Variables<double> copy(std::size_t leaf) noexcept {
    return {copies_.data() + place_of_copy(leaf) * cells_ * kernels::variables, cells_};
  }
  [[nodiscard]] kernels::Variables<const double> copy(std::size_t leaf) const noexcept {
    return {copies_.data() + place_of_copy(leaf) * cells_ * kernels::variables, cells_};
  }

  /// Room for the leaves of another tree, whose cells are not set. Memory that was held is used again.
  void resize(Share share);
  /// Lets there be copies of these leaves, in place of those that the share asks for; their cells are not set.
  /// @param leaves  rising
  void set_copied(std::vector<std::size_t> leaves);
  /// Lets `between` have room for the own leaves of another tree, to be filled out of `now` and the copies; end_move
  /// makes it `now`.
  void begin_move(Share share);
  [[nodiscard]] kernels::Variables<double> moved(std::size_t leaf) noexcept {
    return {between_.data() + (leaf - next_.own.begin) * cells_ * kernels::variables, cells_};
  }
  void end_move();
  /// Memory of all states and the copies, with the room beyond what they fill.
  [[nodiscard]] std::size_t bytes_held() const noexcept {
    return sizeof(double) * (now_.capacity() + between_.capacity() + begin_.capacity() + copies_.capacity());
  }

 private:
  template <class Number, class Vector>
  [[nodiscard]] kernels::Variables<Number> view(Vector& of, std::size_t leaf) const noexcept {
    return {of.data() + (leaf - share_.own.begin) * cells_ * kernels::variables, cells_};
  }
  [[nodiscard]] std::vector<std::size_t> seen_leaves() const;

  std::size_t cells_;
  Share share_;
  Share next_;  // while the state moves
  base::PackVector<double> now_;
  base::PackVector<double> between_;
  base::PackVector<double> begin_;
  bool keeps_begin_ = false;
  std::vector<std::size_t> copied_;
  base::PackVector<double> copies_;
};

/// rho v^2 / 2 from the conserved variables of a cell.
[[nodiscard]] inline double kinetic_energy(kernels::Variables<const double> U, std::size_t cell) noexcept {
  const double x = U.of(1)[cell];
  const double y = U.of(2)[cell];
  const double z = U.of(3)[cell];
  return 0.5 * (x * x + (y * y + z * z)) / U.of(0)[cell];
}

/// Density, velocity and pressure of a cell.
[[nodiscard]] inline GasState gas_of(kernels::Variables<const double> U, std::size_t cell, double gamma) noexcept {
  const double rho = U.of(0)[cell];
  return {rho,
          {U.of(1)[cell] / rho, U.of(2)[cell] / rho, U.of(3)[cell] / rho},
          (gamma - 1.0) * (U.of(4)[cell] - kinetic_energy(U, cell))};
}

/// Of a cell of a leaf, among those of its level.
[[nodiscard]] std::array<std::int64_t, 3> coordinates_of(const Domain& domain, const mesh::Node& leaf,
                                                         std::size_t cell);
[[nodiscard]] Point centre_of(const Domain& domain, const mesh::Node& leaf, std::size_t cell);

/// What the loops need of the cells of a level.
[[nodiscard]] kernels::Gas gas_of_level(const AmrParameters& parameters, std::uint32_t level);

}  // namespace tacit::amr
