// Correlation functions of mesons, from point propagators.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <span>
#include <vector>

#include "tacit/solvers/qcd/fields.hpp"

namespace tacit::qcd {

/// Solutions for the twelve spins and colours of a source at one point: column 3 spin + colour of S(x, source).
using Propagator = std::vector<Field<double>>;

/// C(t) = sum_x tr [S(x, source)^+ S(x, source)] over the sites of each t, which is the pion: gamma_5 at both ends.
/// Sums are exact. All ranks call it. @return  shape (extent of t), from t = 0 of the lattice on
[[nodiscard]] std::vector<double> pion_correlator(const FieldSpace<double>& space,
                                                  std::span<const Field<double>> columns);

/// C(t) = 1/3 sum_i sum_x tr [gamma_i S gamma_i gamma_5 S^+ gamma_5]: the rho, gamma_i at both ends. Where the gauge
/// field is rough it may have any sign.
[[nodiscard]] std::vector<double> rho_correlator(const FieldSpace<double>& space,
                                                 std::span<const Field<double>> columns);

/// The mass m with C(t) / C(t + 1) = cosh(m (t - T/2)) / cosh(m (t + 1 - T/2)), for distances t from the source; NaN
/// where there is none.
/// @param correlator  by distance from the source
[[nodiscard]] std::vector<double> effective_mass(std::span<const double> correlator);

/// From t of the lattice to the distance from a source.
[[nodiscard]] std::vector<double> from_source(std::span<const double> correlator, std::size_t source_t);

}  // namespace tacit::qcd
