// What is next to a link: the rest of the plaquettes that it is part of.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "tacit/solvers/qcd/gauge/box_sites.hpp"

namespace tacit::qcd {

/// In which directions a link's staples lie.
enum class StapleAxes : std::uint8_t { all, spatial };

/// The sum of the staples of the link of a site along mu,
///
///     V = sum_{nu != mu} [U(x + mu, nu) U(x + nu, mu)^+ U(x, nu)^+ + U(x + mu - nu, nu)^+ U(x - nu, mu)^+ U(x - nu,
///     nu)]
///
/// so that Re tr U(x, mu) V is the sum of Re tr U_p over the plaquettes of the link.
/// @param links  of a box, as GaugeField has them   @pre the site is one of the rank's own
[[nodiscard]] Matrix3 staples(const Matrix3* links, const BoxSites& sites, std::uint32_t site, std::size_t mu,
                              StapleAxes which = StapleAxes::all) noexcept;

/// U(x, mu) U(x + mu, nu) U(x + nu, mu)^+ U(x, nu)^+
[[nodiscard]] Matrix3 plaquette_at(const Matrix3* links, const BoxSites& sites, std::uint32_t site, std::size_t mu,
                                   std::size_t nu) noexcept;

/// The sum of the four plaquettes of a plane that begin and end at a site, all turning from mu to nu.
[[nodiscard]] Matrix3 leaves_at(const Matrix3* links, const BoxSites& sites, std::uint32_t site, std::size_t mu,
                                std::size_t nu) noexcept;

/// a b^+
[[nodiscard]] Matrix3 times_dagger(const Matrix3& a, const Matrix3& b) noexcept;
/// a^+ b
[[nodiscard]] Matrix3 dagger_times(const Matrix3& a, const Matrix3& b) noexcept;

}  // namespace tacit::qcd
