// The loops over what the gas carries: its internal energy by an equation of its own, and species.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "tacit/solvers/amr/kernels/gas.hpp"

namespace tacit::amr::kernels {

/// Where total energies are trusted: see Synchronise.
struct Trust {
  double jump = 0.0;  ///< of rho dv^2, with the jump of the velocity in a cell
  double fall = 0.0;  ///< of rho |g| dx, what gravity gives to the mass of a cell on its length
};
inline constexpr Trust default_trust{.jump = 0.05, .fall = 0.5};

/// The internal energy e of the cells of a sub-grid is set to that of the total one, E - rho v^2 / 2, where this is
/// more than its errors, which are of the size of what velocities do in a cell and gravity on its length:
///
///     E - rho v^2 / 2 > a rho dv^2 + b rho |g| dx + 1e-11 E
///
/// Neither side changes in gas that moves as a whole. Elsewhere e stays what its own equation has made of it.
/// @see Bryan et al. (1995), Comput. Phys. Commun. 89, 149, and Teyssier (2015), Annu. Rev. Astron. Astrophys. 53, 325,
///      for the choice by the jump of velocities
struct Synchronise {
  std::size_t cells = 0;
  Variables<double> U;
  const double* jump =
      nullptr;  ///< shape (cells): sum over the axes of what velocities along them differ by [velocity]
  Variables<const double> gravity;  ///< acceleration; null: there is none
  double spacing = 0.0;             ///< of the cells, where there is gravity
  Trust trust = default_trust;
};

/// As Loops, of the fields behind the conserved variables.
struct ScalarLoops {
  /// W: internal energy as it is, with its pressure in the place of that of the gas; mass fractions of species.
  void (*to_primitive)(double gamma, const Fields& fields, std::size_t cells, Variables<const double> U,
                       Variables<double> W);
  /// Rates of all of them from the mass fluxes m through the faces (pencils.mass), upwind:
  ///
  ///     de/dt = (e u)_low - (e u)_high + P (u_low - u_high)      u = m / rho
  ///     d(rho X)/dt = (m X)_low - (m X)_high                     X over their sum at each face
  ///
  /// over dx, with linear states. Behind the rates of all fields comes |u_high - u_low|, where there is an internal
  /// energy. In gas of one pressure and velocity e stays as it is, whatever the density does.
  void (*sweep)(double gamma, Limiter limiter, const Fields& fields, const Pencils& pencils);
  void (*synchronise)(const Synchronise& by);
};

template <class Isa>
[[nodiscard]] ScalarLoops scalar_loops_of() noexcept;

}  // namespace tacit::amr::kernels
