// A cell of gas with the 26 around it, for the benchmarks of sums over neighbours.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "tacit/base/vec3.hpp"
#include "tacit/solvers/sph/kernels/force.hpp"
#include "tacit/solvers/sph/kernels/smoothing.hpp"
#include "tacit/solvers/sph/kernels/vector/vector_cache.hpp"

namespace tacit::bench {

using NeighbourhoodKernel = sph::kernels::CubicSpline;
/// h over the distance of particles: 48 neighbours.
inline constexpr double spacings_of_h = 1.2348;

/// Particles of mass 1 and density 1 in 27 cells, those of the middle one first: the lattice points of spacing 1, each
/// moved by up to half of that.
class Neighbourhood {
 public:
  /// @param side   of a cell
  /// @param parts  of a cell along each axis: its particles are ordered by these
  Neighbourhood(const sph::kernels::Space& space, double side, int parts);

  struct Group {
    std::size_t first, end;
    sph::kernels::Box box;
  };

  [[nodiscard]] double side() const noexcept { return side_; }
  [[nodiscard]] double half() const noexcept { return 1.5 * side_; }
  [[nodiscard]] base::Vec3 at(std::size_t i) const { return {x[i], y[i], z[i]}; }
  [[nodiscard]] base::Vec3 v(std::size_t i) const { return {double{vx[i]}, double{vy[i]}, double{vz[i]}}; }
  [[nodiscard]] sph::kernels::Box cell() const noexcept;
  [[nodiscard]] sph::kernels::ForceTarget target(std::size_t i) const;
  [[nodiscard]] sph::kernels::vector::Frame frame() const { return {{}, half(), {}, {}, 3}; }
  [[nodiscard]] sph::kernels::vector::MotionView motion() const { return {x, y, z, m, vx, vy, vz}; }
  [[nodiscard]] sph::kernels::vector::GasView gas() const { return {h, rho, omega_P, cs, balsara, H / h[0]}; }
  /// With what SPHENIX needs.
  [[nodiscard]] sph::kernels::vector::GasView thermal_gas() const {
    return {h, rho, omega_P, cs, balsara, H / h[0], u, f, alpha_v, alpha_d};
  }

  double H;
  std::vector<double> x, y, z, m, h, rho, omega_P, u;
  std::vector<float> vx, vy, vz, cs, balsara, f, alpha_v, alpha_d;
  std::size_t searching = 0;  ///< particles of the middle cell
  std::vector<Group> groups;  ///< the parts of the middle cell

 private:
  void add_cell(const base::Vec3& middle, int parts);
  void add_box(const sph::kernels::Box& box);
  double side_;
};

}  // namespace tacit::bench
