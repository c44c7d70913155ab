// The loops over multipoles that act on one local expansion; compiled once per instruction set, which TACIT_ISA names.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/fmm/kernels/m2l_loops.hpp"

#include "tacit/base/pack.hpp"
#include "tacit/base/pack_records.hpp"
#include "tacit/fmm/kernels/field_terms.hpp"

namespace tacit::fmm::kernels {
// Nothing here may be visible to the linker but what carries the instruction set in its name.
namespace {

using Isa = base::isa::TACIT_ISA;
using Wide = base::Pack<double, Isa>;

/// The next sources of the list, one in each lane; lanes beyond its end have the last one without mass.
template <int p>
struct Sources {
  Vector<Wide> at;
  Wide M[padded_terms(p)];

  [[gnu::always_inline]] Sources(const M2LWork& work, std::size_t begin) noexcept {
    std::uint32_t fours[Wide::width];  // where they begin, in units of four doubles
    double is_there[Wide::width];
    for (std::size_t lane = 0; lane < Wide::width; ++lane) {
      const std::size_t k = begin + lane;
      is_there[lane] = k < work.count ? 1.0 : 0.0;
      fours[lane] = work.sources[k < work.count ? k : work.count - 1] * std::uint32_t{multipole_length<p> / 4};
    }
    const auto centre = base::gather4<Wide>(work.multipoles, fours);
    at = {centre.a, centre.b, centre.c};
    const Wide present = Wide::load(is_there);
    for (std::size_t n = 0; n < padded_terms(p); n += 4) {
      const auto some = base::gather4<Wide>(work.multipoles + 4 + n, fours);
      M[n] = some.a * present;
      M[n + 1] = some.b * present;
      M[n + 2] = some.c * present;
      M[n + 3] = some.d * present;
    }
  }
};

template <int p>
void add(const M2LWork& work) {
  Wide L[terms(p)];
  for (Wide& term : L) term = Wide(0.0);
  for (std::size_t k = 0; k < work.count; k += Wide::width) {
    Sources<p> sources(work, k);
    const Vector<Wide> R{Wide(work.x) - sources.at.x, Wide(work.y) - sources.at.y, Wide(work.z) - sources.at.z};
    Wide d[terms(p)];
    derivatives<p>(R, Wide(work.softening2), d);
    flip_odd_orders<p>(sources.M);
    contract<p>(sources.M, d, L);
  }
  for (std::size_t n = 0; n < terms(p); ++n) work.L[n] += sum_of(L[n]);
}

}  // namespace

template <class>
M2LLoops m2l_loops_of() noexcept {
  static_assert(highest_order == 5);
  return {{&add<0>, &add<1>, &add<2>, &add<3>, &add<4>, &add<5>}};
}
template M2LLoops m2l_loops_of<Isa>() noexcept;

}  // namespace tacit::fmm::kernels
