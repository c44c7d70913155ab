// The clover term of a site: two hermitian 6 x 6 matrices, and their inverses.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>

#include "tacit/solvers/qcd/gauge_field.hpp"
#include "tacit/solvers/qcd/kernels/dirac.hpp"

namespace tacit::qcd {

/// A on the two upper spins and on the two lower ones: of each the six numbers of the diagonal, then the elements below
/// it row by row, real and imaginary part. Row 3 spin + colour.
using CloverTerm = std::array<double, kernels::clover_numbers>;

/// A = 4 + m0 - csw/16 sum_{mu < nu} gamma_mu gamma_nu (Q_mu,nu - Q_mu,nu^+), where Q is the sum of the four plaquettes
/// of the plane that begin and end at x.
/// @see Sheikholeslami & Wohlert (1985), Nucl. Phys. B 259, 572
[[nodiscard]] CloverTerm clover_term(const GaugeField& field, const Coordinates& x, double mass, double csw);

/// A^-1; nothing if it is singular to rounding.
[[nodiscard]] std::optional<CloverTerm> inverse(const CloverTerm& a);

}  // namespace tacit::qcd
