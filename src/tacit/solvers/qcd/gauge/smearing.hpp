// Smearing of gauge fields: APE and stout.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "tacit/solvers/qcd/gauge/link_tasks.hpp"
#include "tacit/solvers/qcd/gauge/staples.hpp"

namespace tacit::qcd {

enum class SmearingKind : std::uint8_t { none, ape, stout };

struct Smearing {
  SmearingKind kind = SmearingKind::none;
  double weight = 0.0;  ///< alpha of APE, rho of stout
  std::uint64_t steps = 0;
  StapleAxes links = StapleAxes::spatial;  ///< that move, by staples in the same directions
};

/// Replaces links by means of their surroundings, all at once in each step; S is the sum of the staples that lead as
/// the link does, n their number (6, or 4 of spatial links):
///
///     APE      U' = the matrix of SU(3) nearest to (1 - alpha) U + alpha / n S
///     stout    U' = exp(-rho P(U S^+)) U,     P: the traceless antihermitian part
///
/// All ranks call it.
/// @see Albanese et al. (1987), Phys. Lett. B 192, 163; Morningstar & Peardon (2004), Phys. Rev. D 69, 054501
void smear(LinkTasks& tasks, GaugeField& field, const Smearing& smearing);

/// The unitary factor of a = u |a|, divided by the third root of its determinant that is nearest to 1.
/// @param a  not singular; if it is to rounding, `otherwise` is returned
[[nodiscard]] Matrix3 nearest_in_su3(const Matrix3& a, const Matrix3& otherwise) noexcept;

}  // namespace tacit::qcd
