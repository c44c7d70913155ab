// Makes the tables of the lattice that gravity is computed on.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/amr/gravity_tables.hpp"

#include <cmath>

#include "tacit/base/pack.hpp"
#include "tacit/fmm/kernels/derivatives.hpp"
#include "tacit/solvers/amr/gravity.hpp"
#include "tacit/solvers/amr/gravity_tree.hpp"
#include "tacit/solvers/amr/kernels/gravity.hpp"

namespace tacit::amr {
namespace {

using fmm::kernels::terms;
using kernels::block_cells;
using Double = base::Pack<double, base::isa::scalar>;

}  // namespace

GravityTables::GravityTables(int order, double angle) {
  with_order(order, [&]<int p>(std::integral_constant<int, p>) {
    make_near(angle);
    make_monomials<p>();
    make_far<p>(angle);
  });
}

std::size_t GravityTables::bytes_held() const noexcept {
  return (near_.capacity() + far_.capacity() + monomials_.capacity()) * sizeof(double) +
         along_x_.capacity() * sizeof(int) + far_is_any_.capacity();
}

void GravityTables::make_near(double angle) {
  const int reach = GravityTree::is_near(2.0, 0.0, 0.0, angle) ? 2 : 1;
  for (int z = -reach; z <= reach; ++z) {
    for (int y = -reach; y <= reach; ++y) {
      int along = -1;
      while (along < reach && GravityTree::is_near(along + 1.0, y, z, angle)) ++along;
      along_x_.push_back(along);
    }
  }
  const int extent = 4 * reach + 4;
  for (int z = 0; z < extent; ++z) {
    for (int y = 0; y < extent; ++y) {
      for (int x = 0; x < extent; ++x) {
        const double r2 = static_cast<double>(x * x + (y * y + z * z));
        const double psi = r2 > 0.0 ? 1.0 / std::sqrt(r2) : Gravity::self_potential;
        const double force = r2 > 0.0 ? psi / r2 : 0.0;
        near_.insert(near_.end(), {psi, force * x, force * y, force * z});
      }
    }
  }
}

template <int p>
void GravityTables::make_monomials() {
  monomials_.resize(terms(p) * block_cells);
  for (std::size_t cell = 0; cell < block_cells; ++cell) {
    const auto along = [](std::size_t k) { return 0.25 * (static_cast<double>(k % 4) - 1.5); };
    const auto of = monomials_of<p>({along(cell), along(cell / 4), along(cell / 16)});
    for (std::size_t n = 0; n < terms(p); ++n) monomials_[n * block_cells + cell] = of[n];
  }
}

/// Between parts of neighbours, which are near each other while the cubes that they are parts of are so.
template <int p>
void GravityTables::make_far(double angle) {
  const auto offsets = GravityTree::offsets_of(angle);
  far_.assign(offsets.size() * siblings * terms(p) * siblings, 0.0);
  far_is_any_.assign(offsets.size() * siblings, 0);
  for (std::size_t k = 0; k < offsets.size(); ++k) {
    for (std::size_t source = 0; source < siblings; ++source) {
      for (std::size_t sink = 0; sink < siblings; ++sink) {
        std::array<double, 3> R{};
        for (std::size_t axis = 0; axis < 3; ++axis) {
          R[axis] = static_cast<double>(sink >> axis & 1U) - static_cast<double>(source >> axis & 1U) -
                    2.0 * offsets[k][axis];
        }
        if (GravityTree::is_near(R[0], R[1], R[2], angle)) continue;
        Double d[terms(p)];
        fmm::kernels::derivatives<p>(fmm::kernels::Vector<Double>{Double(R[0]), Double(R[1]), Double(R[2])},
                                     Double(0.0), d);
        far_is_any_[k * siblings + source] = 1;
        double* const to = far_.data() + (k * siblings + source) * terms(p) * siblings + sink;
        for (std::size_t n = 0; n < terms(p); ++n) to[n * siblings] = d[n].value();
      }
    }
  }
}

}  // namespace tacit::amr
