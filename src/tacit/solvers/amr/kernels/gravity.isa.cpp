// The loops of self-gravity; compiled once per instruction set, which TACIT_ISA names.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/amr/kernels/gravity.hpp"

#include <cstddef>
#include <utility>

#include "tacit/base/pack.hpp"
#include "tacit/fmm/kernels/multi_index.hpp"

namespace tacit::amr::kernels {
// Nothing here may be visible to the linker but what carries the instruction set in its name.
namespace {

using Isa = base::isa::TACIT_ISA;
using P = base::Pack<double, Isa>;
using fmm::kernels::order_at;
using fmm::kernels::place_of_sum;
using fmm::kernels::terms;

constexpr int side = 8;  // cells of a unit along an axis
static_assert(side % P::width == 0);

/// Which cells of a row see one so many cells beyond what all of them see: their places in their block say so.
struct RowMasks {
  double ahead[3][side];
  double behind[3][side];
};
consteval RowMasks make_row_masks() {
  RowMasks masks{};
  for (int beyond = 1; beyond <= 3; ++beyond) {
    for (int x = 0; x < side; ++x) {
      masks.ahead[beyond - 1][x] = x % 4 + beyond <= 3 ? 1.0 : 0.0;
      masks.behind[beyond - 1][x] = x % 4 >= beyond ? 1.0 : 0.0;
    }
  }
  return masks;
}
constexpr RowMasks row_masks = make_row_masks();

struct Sums {
  P psi, x, y, z;
};

/// A row of sources, as sinks see it.
struct SourceRow {
  const double* masses;  // beside the first sink
  const double* table;   // of the offset along y and z
  int all;               // so far along x all sinks see all
  bool is_below_y, is_below_z;
};

/// Sources at both sides of a sink share the numbers of the table.
[[gnu::always_inline]] inline void add_row(const SourceRow& row, std::size_t x, Sums& sums) {
  const P here = P::load(row.masses);
  Sums mine{sums.psi + here * P(row.table[0]), sums.x, here * P(row.table[2]), here * P(row.table[3])};
  const auto add = [&](const P& ahead, const P& behind, const double* of) __attribute__((always_inline)) {
    const P both = ahead + behind;
    mine.psi += both * P(of[0]);
    mine.x += (ahead - behind) * P(of[1]);
    mine.y += both * P(of[2]);
    mine.z += both * P(of[3]);
  };
  const double* of = row.table + 4;
  int dx = 1;
  for (; dx <= row.all; ++dx, of += 4) add(P::load(row.masses + dx), P::load(row.masses - dx), of);
  for (std::size_t beyond = 0; beyond < 3; ++beyond, ++dx, of += 4) {
    add(P::load(row.masses + dx) * P::load(row_masks.ahead[beyond] + x),
        P::load(row.masses - dx) * P::load(row_masks.behind[beyond] + x), of);
  }
  sums.psi = mine.psi;
  sums.x = mine.x;
  sums.y = row.is_below_y ? sums.y - mine.y : sums.y + mine.y;
  sums.z = row.is_below_z ? sums.z - mine.z : sums.z + mine.z;
}

/// What some sinks of a row get from all blocks that are near theirs.
[[gnu::always_inline]] inline Sums sums_of_row(const NearWork& work, int x, int y, int z) {
  const int wide = side + 8 * work.reach;
  const int extent = 4 * work.reach + 4;
  const int offsets = 2 * work.reach + 1;
  const int pad = 4 * work.reach;
  Sums sums{P(0.0), P(0.0), P(0.0), P(0.0)};
  // Sources by their place in the region; that of the first near block is the place of the sink's own, less the pad.
  const int first_z = z / 4 * 4;
  const int first_y = y / 4 * 4;
  for (int from_z = first_z; from_z < first_z + 4 * offsets; ++from_z) {
    const int dz = from_z - pad - z;
    for (int block = 0; block < offsets; ++block) {
      const int along_x = work.along_x[(from_z - first_z) / 4 * offsets + block];
      if (along_x < 0) continue;
      for (int k = 0; k < 4; ++k) {
        const int from_y = first_y + 4 * block + k;
        const int dy = from_y - pad - y;
        const int size_z = dz < 0 ? -dz : dz;
        const int size_y = dy < 0 ? -dy : dy;
        add_row({.masses = work.masses + (from_z * wide + from_y) * wide + pad + x,
                 .table = work.table + std::ptrdiff_t{4} * ((size_z * extent + size_y) * extent),
                 .all = 4 * along_x,
                 .is_below_y = dy < 0,
                 .is_below_z = dz < 0},
                static_cast<std::size_t>(x), sums);
      }
    }
  }
  return sums;
}

void add_near(const NearWork& work) {
  for (int z = 0; z < side; ++z) {
    for (int y = 0; y < side; ++y) {
      for (int x = 0; x < side; x += static_cast<int>(P::width)) {
        const Sums sums = sums_of_row(work, x, y, z);
        const int cell = (z * side + y) * side + x;
        sums.psi.store(work.sums.psi + cell);
        sums.x.store(work.sums.ax + cell);
        sums.y.store(work.sums.ay + cell);
        sums.z.store(work.sums.az + cell);
      }
    }
  }
}

/// Places of the cells of a block.
struct BlockCells {
  double x[block_cells];
  double y[block_cells];
  double z[block_cells];
};
consteval BlockCells make_block_cells() {
  BlockCells cells{};
  for (std::size_t cell = 0; cell < block_cells; ++cell) {
    cells.x[cell] = static_cast<double>(cell % 4);
    cells.y[cell] = static_cast<double>(cell / 4 % 4);
    cells.z[cell] = static_cast<double>(cell / 16);
  }
  return cells;
}
constexpr BlockCells block_places = make_block_cells();

void add_pair(const PairWork& work) {
  for (std::size_t sink = 0; sink < block_cells; sink += P::width) {
    const P x = P(work.x) - P::load(block_places.x + sink);
    const P y = P(work.y) - P::load(block_places.y + sink);
    const P z = P(work.z) - P::load(block_places.z + sink);
    Sums sums{P::load(work.sums.psi + sink), P::load(work.sums.ax + sink), P::load(work.sums.ay + sink),
              P::load(work.sums.az + sink)};
    for (std::size_t source = 0; source < block_cells; ++source) {
      const P dx = x + P(work.spacing * block_places.x[source]);
      const P dy = y + P(work.spacing * block_places.y[source]);
      const P dz = z + P(work.spacing * block_places.z[source]);
      const P inverse = P(1.0) / sqrt(dx * dx + (dy * dy + dz * dz));
      const P psi = P(work.masses[source]) * inverse;
      const P force = psi * (inverse * inverse);
      sums.psi += psi;
      sums.x += force * dx;
      sums.y += force * dy;
      sums.z += force * dz;
    }
    sums.psi.store(work.sums.psi + sink);
    sums.x.store(work.sums.ax + sink);
    sums.y.store(work.sums.ay + sink);
    sums.z.store(work.sums.az + sink);
  }
}

/// L_n += sum_m M_m D_(n + m) for one n.
template <std::size_t n, std::size_t... m>
[[gnu::always_inline]] inline void add_term(const double* M, const double* D, double* L,
                                            std::index_sequence<m...> /*terms*/) {
  P sum = P::load(L + n * 8);
  ((sum += P(M[m]) * P::load(D + place_of_sum<n, m> * 8)), ...);
  sum.store(L + n * 8);
}

template <int p, std::size_t... n>
[[gnu::always_inline]] inline void add_terms(const double* M, const double* D, double* L,
                                             std::index_sequence<n...> /*terms*/) {
  (add_term<n>(M, D, L, std::make_index_sequence<terms(p - order_at<n>)>()), ...);
}

template <int p>
void add_siblings(const SiblingsWork& work) {
  for (std::size_t lane = 0; lane < blocks_of_unit; lane += P::width)
    add_terms<p>(work.M, work.D + lane, work.L + lane, std::make_index_sequence<terms(p)>());
}

/// sum_n L_(n + e) r^n / n! for a derivative e: of the potential itself, or along an axis.
template <std::size_t e, std::size_t... n>
[[gnu::always_inline]] inline P field_of(const double* L, const double* monomials,
                                         std::index_sequence<n...> /*terms*/) {
  P sum(0.0);
  ((sum += P(L[place_of_sum<n, e> * 8]) * P::load(monomials + n * block_cells)), ...);
  return sum;
}

template <int p>
void at_cells(const CellsWork& work) {
  constexpr std::make_index_sequence<terms(p)> all;
  constexpr std::make_index_sequence<terms(p - 1)> lower;
  for (std::size_t cell = 0; cell < block_cells; cell += P::width) {
    const double* const monomials = work.monomials + cell;
    field_of<0>(work.L, monomials, all).store(work.sums.psi + cell);
    field_of<1>(work.L, monomials, lower).store(work.sums.ax + cell);
    field_of<2>(work.L, monomials, lower).store(work.sums.ay + cell);
    field_of<3>(work.L, monomials, lower).store(work.sums.az + cell);
  }
}

}  // namespace

template <class>
GravityLoops gravity_loops_of() noexcept {
  return {&add_near,
          &add_pair,
          {nullptr, nullptr, &add_siblings<2>, &add_siblings<3>, &add_siblings<4>, &add_siblings<5>},
          {nullptr, nullptr, &at_cells<2>, &at_cells<3>, &at_cells<4>, &at_cells<5>}};
}
template GravityLoops gravity_loops_of<Isa>() noexcept;

}  // namespace tacit::amr::kernels
