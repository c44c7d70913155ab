// Steinhardt's order parameters, by the addition theorem of spherical harmonics.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/md/analysis/order.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "tacit/solvers/md/analysis/surroundings.hpp"
#include "tacit/tasks/parallel_for.hpp"

namespace tacit::md {
namespace {

/// A neighbour: its ID, and where it is, as a unit vector.
struct Bond {
  std::uint64_t id = 0;
  base::Vec3 to;
  /// Images of one atom have one ID.
  [[nodiscard]] auto key() const noexcept { return std::tuple(id, to.x, to.y, to.z); }
};

/// Legendre's polynomials of degree 4 and 6.
double legendre4(double x) noexcept {
  const double x2 = x * x;
  return 0.125 * (35.0 * x2 * x2 - 30.0 * x2 + 3.0);
}
double legendre6(double x) noexcept {
  const double x2 = x * x;
  return 0.0625 * (231.0 * x2 * x2 * x2 - 315.0 * x2 * x2 + 105.0 * x2 - 5.0);
}

}  // namespace

LocalOrder local_order(const Atoms& atoms, const Box& box, double bond, tasks::Scheduler& scheduler,
                       comm::Communicator& ranks) {
  const Surroundings surroundings(atoms, box, bond, ranks);
  LocalOrder result{.neighbours = std::vector<std::uint64_t>(atoms.count()),
                    .q4 = std::vector<double>(atoms.count()),
                    .q6 = std::vector<double>(atoms.count())};
  tasks::parallel_for(scheduler, 0, atoms.count(), [&](std::size_t first, std::size_t end) {
    std::vector<Bond> bonds;
    for (std::size_t i = first; i < end; ++i) {
      bonds.clear();
      surroundings.around(i, [&](const Surroundings::Seen& other, const base::Vec3& d, double d2) {
        bonds.push_back({other.id, (1.0 / std::sqrt(d2)) * d});
      });
      std::ranges::sort(bonds, {}, &Bond::key);
      const auto n = static_cast<double>(bonds.size());
      double sum4 = n;  // of each bond with itself
      double sum6 = n;
      for (std::size_t j = 0; j < bonds.size(); ++j) {
        for (std::size_t k = j + 1; k < bonds.size(); ++k) {
          const double cosine = base::dot(bonds[j].to, bonds[k].to);
          sum4 += 2.0 * legendre4(cosine);
          sum6 += 2.0 * legendre6(cosine);
        }
      }
      result.neighbours[i] = bonds.size();
      if (bonds.empty()) continue;
      result.q4[i] = std::sqrt(std::max(sum4, 0.0)) / n;
      result.q6[i] = std::sqrt(std::max(sum6, 0.0)) / n;
    }
  });
  return result;
}

}  // namespace tacit::md
