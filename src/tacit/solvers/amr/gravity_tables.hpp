// Tables of the lattice that gravity is computed on.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "tacit/base/error.hpp"
#include "tacit/base/pack_memory.hpp"
#include "tacit/fmm/kernels/multi_index.hpp"
#include "tacit/solvers/amr/kernels/gravity.hpp"

namespace tacit::amr {

/// Parts of a cube, which are beside each other.
inline constexpr std::size_t siblings = kernels::blocks_of_unit;

/// Calls function(std::integral_constant<int, p>()), for the orders of expansions that gravity takes.
template <class Function>
void with_order(int p, const Function& function) {
  switch (p) {
    case 2:
      return function(std::integral_constant<int, 2>());
    case 3:
      return function(std::integral_constant<int, 3>());
    case 4:
      return function(std::integral_constant<int, 4>());
    case 5:
      return function(std::integral_constant<int, 5>());
    default:
      throw base::Error("gravity takes expansions of the orders 2 to 5, not " + std::to_string(p));
  }
}

/// r^n / n! of all terms up to order p.
template <int p>
std::array<double, fmm::kernels::terms(p)> monomials_of(const std::array<double, 3>& r) {
  double along[3][p + 1];
  for (std::size_t axis = 0; axis < 3; ++axis) {
    along[axis][0] = 1.0;
    for (int k = 1; k <= p; ++k) along[axis][k] = along[axis][k - 1] * r[axis] / k;
  }
  std::array<double, fmm::kernels::terms(p)> of{};
  for (std::size_t n = 0; n < fmm::kernels::terms(p); ++n) {
    const auto& [x, y, z] = fmm::kernels::term_table<p>.index[n];
    of[n] = along[0][x] * along[1][y] * along[2][z];
  }
  return of;
}

/// What the lattice alone says, for one order of expansions and one opening angle.
class GravityTables {
 public:
  /// @throws base::Error for an order that gravity does not take
  GravityTables(int order, double angle);

  [[nodiscard]] const int* along_x() const noexcept { return along_x_.data(); }  ///< see kernels::NearWork
  [[nodiscard]] const double* near() const noexcept { return near_.data(); }     ///< see kernels::NearWork
  /// See kernels::SiblingsWork: by offset and source.
  [[nodiscard]] const double* far() const noexcept { return far_.data(); }
  /// Whether any sibling gets something: by offset and source.
  [[nodiscard]] bool far_is_any(std::size_t place) const noexcept { return far_is_any_[place] != 0; }
  [[nodiscard]] const double* monomials() const noexcept { return monomials_.data(); }  ///< see kernels::CellsWork
  [[nodiscard]] std::size_t bytes_held() const noexcept;

 private:
  void make_near(double angle);
  template <int p>
  void make_monomials();
  template <int p>
  void make_far(double angle);

  std::vector<int> along_x_;
  base::PackVector<double> near_;
  base::PackVector<double> far_;
  std::vector<std::uint8_t> far_is_any_;
  base::PackVector<double> monomials_;
};

}  // namespace tacit::amr
