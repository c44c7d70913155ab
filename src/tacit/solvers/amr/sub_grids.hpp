// The state of the sub-grids: its fields, and their memory.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <string_view>
#include <vector>

#include "tacit/base/pack_memory.hpp"
#include "tacit/mesh/octree.hpp"
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

/// The cells of all leaves, without ghosts: one sub-grid behind the other along the curve, each of them field by field,
/// x fastest.
class SubGrids {
 public:
  SubGrids(const Domain& domain, std::size_t leaves);

  [[nodiscard]] std::size_t cells() const noexcept { return cells_; }  ///< of a sub-grid
  [[nodiscard]] std::size_t leaves() const noexcept { return leaves_; }
  /// At the begin of a step, and after it.
  [[nodiscard]] kernels::Variables<double> now(std::size_t leaf) noexcept { return view<double>(now_, leaf); }
  [[nodiscard]] kernels::Variables<const double> now(std::size_t leaf) const noexcept {
    return view<const double>(now_, leaf);
  }
  /// After the first stage of one. Between steps, and while the state moves to another tree, it is free.
  [[nodiscard]] kernels::Variables<double> between(std::size_t leaf) noexcept { return view<double>(between_, leaf); }
  [[nodiscard]] kernels::Variables<const double> between(std::size_t leaf) const noexcept {
    return view<const double>(between_, leaf);
  }

  /// Room for so many leaves, whose cells are not set. Memory that was held is used again.
  void resize(std::size_t leaves);
  /// Lets `between` have room for the leaves of another tree, to be filled out of `now`; end_move makes it `now`.
  void begin_move(std::size_t leaves);
  void end_move();
  /// Memory of both states, with the room beyond what they fill.
  [[nodiscard]] std::size_t bytes_held() const noexcept {
    return sizeof(double) * (now_.capacity() + between_.capacity());
  }

 private:
  template <class Number, class Vector>
  [[nodiscard]] kernels::Variables<Number> view(Vector& of, std::size_t leaf) const noexcept {
    return {of.data() + leaf * cells_ * kernels::variables, cells_};
  }

  std::size_t cells_;
  std::size_t leaves_;
  base::PackVector<double> now_;
  base::PackVector<double> between_;
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

/// Fills the state of the begin. @return whether there are cells where energy is to be deposited
[[nodiscard]] bool set_initial(const AmrParameters& parameters, const mesh::Octree& tree, SubGrids& grids);

/// Fills the state of the begin. @throws base::Error if no cell lies where energy is to be deposited
void require_initial(const AmrParameters& parameters, const mesh::Octree& tree, SubGrids& grids);

/// What the loops need of the cells of a level.
[[nodiscard]] kernels::Gas gas_of_level(const AmrParameters& parameters, std::uint32_t level);

}  // namespace tacit::amr
