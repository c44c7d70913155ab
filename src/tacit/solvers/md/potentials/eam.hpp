// Embedded atoms: functions of distance and density as tables, and the splines through them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tacit/base/pack_memory.hpp"
#include "tacit/solvers/md/kernels/tersoff.hpp"
#include "tacit/solvers/md/potentials/eam_loops.hpp"

namespace tacit::md::kernels {

/// Values at equal distances from 0 on.
struct EamTables {
  double dr = 0.0;                             ///< [length]
  double drho = 0.0;                           ///< [density]
  double cutoff = 0.0;                         ///< [length]
  double highest_density = 0.0;                ///< from there on F goes on as a straight line
  std::vector<std::vector<double>> embedding;  ///< by type: F(rho) [energy]
  std::vector<std::vector<double>> density;    ///< shape (types, types): rho(r) at the first type, due to the second
  std::vector<std::vector<double>> pair;       ///< likewise: r u(r) [energy length]
};

/// A cubic spline through values at the numbers 0, 1, 2, ..., four coefficients for each interval: of t^3, t^2, t, 1.
/// Its slopes at the values are differences of fourth order, at the ends of second and first order.
/// @see the spline of LAMMPS' pair style eam
[[nodiscard]] std::vector<double> eam_spline(std::span<const double> values);

/// The potential with the functions of all types.
///
///     E = sum_i F_i(rho_i) + sum_{i<j} u_ij(r_ij),   rho_i = sum_{j != i} rho_ij(r_ij)
///
/// @see Daw & Baskes (1984), Phys. Rev. B 29, 6443, eqs. (1), (2), (20)
class EmbeddedAtoms {
 public:
  EmbeddedAtoms() = default;
  /// @pre tables of densities, of pairs, and of embedding have one length each, of at least 5
  explicit EmbeddedAtoms(const EamTables& tables);

  [[nodiscard]] std::size_t types() const noexcept { return embedding_.size(); }
  [[nodiscard]] double cutoff() const noexcept { return cutoff_; }
  /// F and F' at a density [energy].
  [[nodiscard]] WithSlope embed(std::size_t type, double rho) const noexcept;
  /// For the loops over neighbours; this must outlive it.
  [[nodiscard]] EamFunctions functions() const noexcept;

 private:
  double inverse_dr_ = 0.0;
  double inverse_drho_ = 0.0;
  double cutoff_ = 0.0;
  double highest_density_ = 0.0;
  std::uint32_t last_ = 0;
  std::vector<std::vector<double>> embedding_;  // by type: coefficients
  base::PackVector<double> intervals_;
  std::vector<std::uint32_t> density_, pair_;  // shape (types, types): first intervals
};

}  // namespace tacit::md::kernels
