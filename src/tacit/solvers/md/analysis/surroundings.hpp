// The atoms around those of a rank, farther than lists of neighbours reach: for measurements.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "tacit/base/vec3.hpp"
#include "tacit/engine/solver.hpp"
#include "tacit/solvers/md/atoms.hpp"
#include "tacit/solvers/md/box.hpp"

namespace tacit::md {

/// All atoms within a distance of a rank's own, of any rank, and their images, as they are now. Distances of two atoms
/// have the same bits on any number of ranks.
class Surroundings {
 public:
  /// An atom, or an image of one.
  struct Seen {
    base::Vec3 x;
    std::uint64_t id = 0;
    std::uint32_t type = 0;
    std::uint32_t own = none;  ///< number among the rank's own, of which it is no image
  };
  static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

  /// All ranks make it. @param reach  above 0 [length]
  /// Memory: 48 bytes for each atom within reach. Cost: one exchange of them.
  Surroundings(const Atoms& atoms, const Box& box, double reach, comm::Communicator& ranks);

  /// Calls see(const Seen&, const base::Vec3& d, double d2) for each atom within reach of an own one, d leading to it,
  /// in no order that means anything. Threads: any at once.
  template <class See>
  void around(std::size_t own, const See& see) const {
    const base::Vec3 x = atoms_.position(own);
    const base::Vec3 s = box_.fraction(x);
    std::array<std::size_t, 3> from{};
    std::array<std::size_t, 3> to{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      from[axis] = cell_along(axis, s[axis] - margin_[axis]);
      to[axis] = cell_along(axis, s[axis] + margin_[axis]);
    }
    for (std::size_t z = from[2]; z <= to[2]; ++z) {
      for (std::size_t y = from[1]; y <= to[1]; ++y) {
        const std::size_t row = shape_[0] * (y + shape_[1] * z);
        for (std::size_t k = first_[row + from[0]]; k < first_[row + to[0] + 1]; ++k) {
          const Seen& other = seen_[k];
          if (other.own == own) continue;
          const base::Vec3 d = other.x - x;
          const double d2 = base::dot(d, d);
          if (d2 < reach2_) see(other, d, d2);
        }
      }
    }
  }

 private:
  [[nodiscard]] std::size_t cell_along(std::size_t axis, double fraction) const noexcept;
  void gather(comm::Communicator& ranks);
  void sort();

  const Atoms& atoms_;
  const Box box_;
  const double reach2_;
  base::Vec3 margin_;          // reach in units of the edges, a little more
  base::Vec3 low_{}, high_{};  // of own atoms, in units of the edges
  std::array<std::size_t, 3> shape_{1, 1, 1};
  std::vector<std::size_t> first_;  // by cell
  std::vector<Seen> seen_;
};

}  // namespace tacit::md
