// The gauge field as files have it, how it is made, and what is measured of it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tacit/solvers/qcd/lattice.hpp"
#include "tacit/solvers/qcd/su3.hpp"

namespace tacit::qcd {

/// A matrix of SU(3) for each link of a periodic lattice, in the order of NERSC and ILDG files: sites with x fastest
/// and t slowest, for each the links along x, y, z, t. U(x, mu) leads from x + mu to x: a quark at x sees U(x, mu)
/// psi(x + mu).
struct GaugeField {
  Extents extents;
  std::vector<Matrix3> links;

  explicit GaugeField(const Extents& size) : extents(size), links(size.sites() * axes, Matrix3::one()) {}
  [[nodiscard]] Matrix3& at(const Coordinates& x, std::size_t mu) noexcept {
    return links[extents.index(x) * axes + mu];
  }
  [[nodiscard]] const Matrix3& at(const Coordinates& x, std::size_t mu) const noexcept {
    return links[extents.index(x) * axes + mu];
  }
};

/// Links exp(i spread H), where the real and imaginary parts of the elements of H above the diagonal, and two of its
/// diagonal, are uniform in [-1, 1]: near unity where the spread is small.
/// The numbers are keyed by site and direction, and come by arithmetic and square roots alone: the same on every
/// machine.
[[nodiscard]] GaugeField random_gauge_field(const Extents& extents, double spread, std::uint64_t seed);

/// A random matrix of SU(3) for each site, by which fields are transformed: U(x, mu) -> g(x) U(x, mu) g(x + mu)^+.
[[nodiscard]] std::vector<Matrix3> random_gauge_transformation(const Extents& extents, std::uint64_t seed);
[[nodiscard]] GaugeField transformed(const GaugeField& field, const std::vector<Matrix3>& g);

/// The mean of Re tr U_p / 3 over all plaquettes, by an exact sum.
[[nodiscard]] double plaquette(const GaugeField& field);
/// The mean of Re tr U / 3 over all links.
[[nodiscard]] double link_trace(const GaugeField& field);

}  // namespace tacit::qcd
