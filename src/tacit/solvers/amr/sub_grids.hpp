// The state of the sub-grids: its fields, and their memory.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "tacit/base/pack_memory.hpp"
#include "tacit/comm/rank.hpp"
#include "tacit/exchange/reductions.hpp"
#include "tacit/mesh/octree.hpp"
#include "tacit/mesh/octree_halo.hpp"
#include "tacit/solvers/amr/integrators.hpp"
#include "tacit/solvers/amr/kernels/gas.hpp"
#include "tacit/solvers/amr/parameters.hpp"

namespace tacit::amr {

/// The names in checkpoints of what is stored of each cell, in the order of the kernels.
[[nodiscard]] std::vector<std::string> field_names(const AmrParameters& parameters);

/// "mass_fraction_1": of a species, counted from 0, in snapshots and plotfiles.
[[nodiscard]] std::string fraction_name(std::size_t species);
/// Numbers of a cell in snapshots.
[[nodiscard]] std::size_t fields_of_snapshot(const AmrParameters& parameters) noexcept;

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
  SubGrids(const Domain& domain, Share share, const kernels::Fields& fields = {});
  /// The same where there is one rank.
  SubGrids(const Domain& domain, std::size_t leaves, const kernels::Fields& fields = {});

  [[nodiscard]] std::size_t cells() const noexcept { return cells_; }  ///< of a sub-grid
  [[nodiscard]] const kernels::Fields& fields() const noexcept { return fields_; }
  [[nodiscard]] std::size_t fields_count() const noexcept { return fields_.count(); }
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
  /// From now on there is room for a state after the second stage of three.
  void keep_later();
  /// That of an own leaf. @pre it is kept
  [[nodiscard]] kernels::Variables<double> later(std::size_t leaf) noexcept { return view<double>(later_, leaf); }
  [[nodiscard]] kernels::Variables<const double> later(std::size_t leaf) const noexcept {
    return view<const double>(later_, leaf);
  }
  /// Of an own leaf at a point of a step.
  [[nodiscard]] kernels::Variables<const double> at(Moment moment, std::size_t leaf) const noexcept {
    if (moment == Moment::now) return now(leaf);
    return moment == Moment::between ? between(leaf) : later(leaf);
  }
  /// From now on the last stage has room of its own, so that the state at the begin of a step is kept.
  void keep_begin();
  /// What the last stage of an own leaf writes: `now` until end_step, where that is not kept.
  [[nodiscard]] kernels::Variables<double> next(std::size_t leaf) noexcept {
    return view<double>(keeps_begin_ ? other_ : now_, leaf);
  }
  /// That becomes the present state, of all own leaves.
  void end_step() noexcept {
    if (keeps_begin_) std::swap(now_, other_);
  }
  /// The state at the begin of the last step is the present one again. @pre it is kept
  void go_back() noexcept { std::swap(now_, other_); }
  /// The leaves of other ranks that there are copies of, rising.
  [[nodiscard]] const std::vector<std::size_t>& copied() const noexcept { return copied_; }
  /// Place of a leaf among these. @pre it is one of them
  [[nodiscard]] std::size_t place_of_copy(std::size_t leaf) const noexcept {
    return static_cast<std::size_t>(std::ranges::lower_bound(copied_, leaf) - copied_.begin());
  }
  /// Of whichever state has been sent last.
  [[nodiscard]] kernels::Variables<double> copy(std::size_t leaf) noexcept {
    return {copies_.data() + place_of_copy(leaf) * size_of_leaf(), cells_};
  }
  [[nodiscard]] kernels::Variables<const double> copy(std::size_t leaf) const noexcept {
    return {copies_.data() + place_of_copy(leaf) * size_of_leaf(), cells_};
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
    return {between_.data() + (leaf - next_.own.begin) * size_of_leaf(), cells_};
  }
  void end_move();
  /// Memory of all states and the copies, with the room beyond what they fill.
  [[nodiscard]] std::size_t bytes_held() const noexcept {
    return sizeof(double) *
           (now_.capacity() + between_.capacity() + later_.capacity() + other_.capacity() + copies_.capacity());
  }

 private:
  template <class Number, class Vector>
  [[nodiscard]] kernels::Variables<Number> view(Vector& of, std::size_t leaf) const noexcept {
    return {of.data() + (leaf - share_.own.begin) * size_of_leaf(), cells_};
  }
  [[nodiscard]] std::vector<std::size_t> seen_leaves() const;
  [[nodiscard]] std::size_t size_of_leaf() const noexcept { return cells_ * fields_.count(); }

  std::size_t cells_;
  kernels::Fields fields_;
  Share share_;
  Share next_;  // while the state moves
  base::PackVector<double> now_;
  base::PackVector<double> between_;
  base::PackVector<double> later_;
  base::PackVector<double> other_;  // the next state, then the last one
  bool keeps_begin_ = false;
  bool keeps_later_ = false;
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
[[nodiscard]] inline GasState gas_of(kernels::Variables<const double> U, std::size_t cell, double gamma,
                                     const kernels::Fields& fields = {}) noexcept {
  const double rho = U.of(0)[cell];
  const double heat = fields.has_internal_energy ? U.of(kernels::Fields::internal_energy())[cell]
                                                 : U.of(4)[cell] - kinetic_energy(U, cell);
  return {rho, {U.of(1)[cell] / rho, U.of(2)[cell] / rho, U.of(3)[cell] / rho}, (gamma - 1.0) * heat};
}

/// Of a cell of a leaf, among those of its level.
[[nodiscard]] std::array<std::int64_t, 3> coordinates_of(const Domain& domain, const mesh::Node& leaf,
                                                         std::size_t cell);
[[nodiscard]] Point centre_of(const Domain& domain, const mesh::Node& leaf, std::size_t cell);

/// What the loops need of the cells of a level.
[[nodiscard]] kernels::Gas gas_of_level(const AmrParameters& parameters, std::uint32_t level);

}  // namespace tacit::amr
