// Spectra of a flow, the transfer of energy between scales, and structure functions, from modes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <vector>

#include "tacit/solvers/dns/flow.hpp"

namespace tacit::dns {

/// By shells: shell n has the modes with |k| nearest to n times `shell_width`, which is the smallest wave number of the
/// box. Numbers are sums over a shell; divide by the width for densities E(k), T(k).
///
///     dE/dt = T - D + what drives the flow,   Pi(n) = - sum over m <= n of T(m)
///
/// @see Pope (2000), "Turbulent Flows", section 6.6
struct Shells {
  double shell_width = 0.0;         ///< [1/length]
  std::vector<double> energy;       ///< their sum is the kinetic energy
  std::vector<double> dissipation;  ///< 2 nu k^2 times the energy; their sum is the dissipation
  std::vector<double> helicity;     ///< their sum is the mean of u . omega
  std::vector<double> transfer;     ///< what the nonlinear term brings to the shell [energy/time]; their sum is 0
  std::vector<double> flux;         ///< what passes the outer side of the shell towards larger wave numbers
};

/// By the wave number along one axis, whatever the others are: mean of the square of each component, both signs of the
/// wave number together. Entry i belongs to wave number i times 2 pi / L; divide by that step for E_cc(k).
using LineSpectra = std::array<std::vector<double>, 3>;

/// Moments of differences of the velocity du = u(x + r) - u(x), r along one axis; L: the component along it, T: across,
/// mean of the two. Exact means over the box, from modes: for order 3, <(u'-u)^3> = 3 <u^2 u'> - 3 <u u'^2>, and means
/// of products are sums over modes.
///
/// @see Frisch (1995), "Turbulence", ch. 6: in isotropic turbulence longitudinal3 = -4/5 eps r, and longitudinal3 + 2
///      mixed3 = -4/3 eps r, where neither viscosity nor forcing matters
struct StructureFunctions {
  std::vector<double> separation;     ///< r: 0 to half the box in steps of the grid [length]
  std::vector<double> longitudinal2;  ///< <du_L^2>
  std::vector<double> transverse2;    ///< <du_T^2>
  std::vector<double> longitudinal3;  ///< <du_L^3>
  std::vector<double> mixed3;         ///< <du_L du_T^2>
};

struct Spectra {
  Shells shells;
  std::array<LineSpectra, 3> lines;              ///< by axis
  std::array<StructureFunctions, 3> structures;  ///< by axis
};

/// All spectra of the present field: three transforms to points and six back. With spherical truncation, transfer and
/// order 3 have the aliases that this truncation leaves.
/// Memory while it works: nine fields of modes with all points along z, and half a kB per shell and thread.
[[nodiscard]] Spectra spectra_of(const Flow& flow);

/// The energy in shells of width 1 around k = 0, 1, 2, ... in units of the smallest wave number of the box; their sum
/// is the kinetic energy. Cost: one loop over the modes.
[[nodiscard]] std::vector<double> spectrum(const Flow& flow);

}  // namespace tacit::dns
