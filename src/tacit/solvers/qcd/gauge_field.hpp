// The gauge field as files have it, how it is made, and what is measured of it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tacit/base/error.hpp"
#include "tacit/comm/communicator.hpp"
#include "tacit/solvers/qcd/lattice.hpp"
#include "tacit/solvers/qcd/su3.hpp"

namespace tacit::qcd {

/// The sites of which a rank has links: its part, and along axes that ranks divide the sites next to that, edges and
/// corners too.
struct GaugeBox {
  Extents extents;      ///< of the whole lattice
  Coordinates first{};  ///< site
  Extents size;         ///< sites from there on along each axis, around the lattice

  explicit GaugeBox(const LatticePart& part);
  /// The number of a site of the whole lattice, x fastest. @pre it is one of these
  [[nodiscard]] std::size_t number(const Coordinates& x) const {
    std::size_t result = 0;
    for (std::size_t axis = axes; axis-- > 0;) {
      const std::uint32_t around = x[axis] >= first[axis] ? 0 : extents.n[axis];
      const std::uint32_t offset = x[axis] + around - first[axis];
      TACIT_EXPECT(offset < size.n[axis]);
      result = result * size.n[axis] + offset;
    }
    return result;
  }
  /// The site with that number.
  [[nodiscard]] Coordinates site(std::size_t number) const noexcept;
};

/// A matrix of SU(3) for each link of a periodic lattice, or of what a rank has of it, in the order of NERSC and ILDG
/// files: sites with x fastest and t slowest, for each the links along x, y, z, t. U(x, mu) leads from x + mu to x: a
/// quark at x sees U(x, mu) psi(x + mu).
struct GaugeField {
  Extents extents;   ///< of the whole lattice
  LatticePart part;  ///< of this rank
  GaugeBox box;
  std::vector<Matrix3> links;  ///< of the box

  /// All links are 1. @param lattice  or the part of a rank
  explicit GaugeField(const LatticePart& lattice)
      : extents(lattice.whole), part(lattice), box(lattice), links(box.size.sites() * axes, Matrix3::one()) {}
  [[nodiscard]] bool is_whole() const noexcept { return part.own.n == extents.n; }
  [[nodiscard]] Matrix3& at(const Coordinates& x, std::size_t mu) { return links[box.number(x) * axes + mu]; }
  [[nodiscard]] const Matrix3& at(const Coordinates& x, std::size_t mu) const {
    return links[box.number(x) * axes + mu];
  }
};

/// Links exp(i spread H), where the real and imaginary parts of the elements of H above the diagonal, and two of its
/// diagonal, are uniform in [-1, 1]: near unity where the spread is small.
/// The numbers are keyed by site and direction, and come by arithmetic and square roots alone: the same on every
/// machine, in whatever parts.
[[nodiscard]] GaugeField random_gauge_field(const LatticePart& lattice, double spread, std::uint64_t seed);

/// A random matrix of SU(3) for each site, by which fields are transformed: U(x, mu) -> g(x) U(x, mu) g(x + mu)^+.
[[nodiscard]] std::vector<Matrix3> random_gauge_transformation(const Extents& extents, std::uint64_t seed);
/// @pre field is that of a whole lattice
[[nodiscard]] GaugeField transformed(const GaugeField& field, const std::vector<Matrix3>& g);

/// The mean of Re tr U_p / 3 over all plaquettes, by an exact sum.
/// @param ranks  of whose parts the lattice consists, which all call it; null where there is one
[[nodiscard]] double plaquette(const GaugeField& field, comm::Communicator* ranks = nullptr);
/// The mean of Re tr U / 3 over all links, likewise.
[[nodiscard]] double link_trace(const GaugeField& field, comm::Communicator* ranks = nullptr);

}  // namespace tacit::qcd
