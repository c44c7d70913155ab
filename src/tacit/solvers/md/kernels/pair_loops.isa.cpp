// The loops over neighbours; compiled once per instruction set, which TACIT_ISA names.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/md/kernels/pair_loops.hpp"

#include "tacit/base/pack_records.hpp"
#include "tacit/solvers/md/kernels/exponential_pairs.hpp"
#include "tacit/solvers/md/kernels/screened_pairs.hpp"
#include "tacit/solvers/md/kernels/table_pairs.hpp"

namespace tacit::md::kernels {
// Nothing here may be visible to the linker but what carries the instruction set in its name.
namespace {

using Isa = base::isa::TACIT_ISA;
using Wide = base::Pack<double, Isa>;

using Floats = base::Pack<float, Isa>;
static_assert(Floats::width <= PairLoops::widest);

/// Of the candidates from `begin` up to `end`. @return how many
[[gnu::always_inline]] inline std::size_t find_some(std::size_t begin, std::size_t end, const Floats (&at)[3],
                                                    const Candidates& of, const Floats& reach2, std::uint32_t* to) {
  constexpr float lanes[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  std::size_t found = 0;
  for (std::size_t k = begin; k < end; k += Floats::width) {
    const Floats dx = Floats::load(of.x + k) - at[0];
    const Floats dy = Floats::load(of.y + k) - at[1];
    const Floats dz = Floats::load(of.z + k) - at[2];
    auto is_near = dx * dx + dy * dy + dz * dz < reach2;
    if (end - k < Floats::width) is_near = is_near & (Floats::load(lanes) < Floats(end - k));
    store_compressed(to + found, of.atom + k, is_near);
    found += count(is_near);
  }
  return found;
}

std::size_t find(std::size_t self, const Candidates& of, float reach2, std::uint32_t nowhere, std::uint32_t* to) {
  const Floats at[3] = {Floats(of.x[self]), Floats(of.y[self]), Floats(of.z[self])};
  std::size_t found = find_some(0, self, at, of, Floats(reach2), to);
  found += find_some(self + 1, of.count, at, of, Floats(reach2), to + found);
  while (found % Wide::width != 0) to[found++] = nowhere;
  return found;
}

/// The numbers of the pairs of a type with the types in the lanes.
template <std::size_t fields>
[[gnu::always_inline]] inline void load_pairs(const double* of_type, const Wide& types, Wide* of_pair) {
  double type[Wide::width];
  types.store(type);
  double lanes[fields][Wide::width];
  for (std::size_t lane = 0; lane < Wide::width; ++lane) {
    const double* row = of_type + fields * static_cast<std::size_t>(type[lane]);
    for (std::size_t field = 0; field < fields; ++field) lanes[field][lane] = row[field];
  }
  for (std::size_t field = 0; field < fields; ++field) of_pair[field] = Wide::load(lanes[field]);
}

template <class Potential>
[[gnu::always_inline]] inline PairTerms<Wide> terms_of(const Wide& r2, const Wide* of_pair, const double* intervals) {
  if constexpr (PairPotential<Potential, Wide>) {
    return Potential::template terms<Wide>(r2, of_pair);
  } else {
    static_assert(TablePotential<Potential, Wide>);
    return Potential::template terms<Wide>(r2, of_pair, intervals);
  }
}

[[gnu::always_inline]] inline void put(double* to, double value, bool adds) { *to = adds ? *to + value : value; }

/// @tparam with_sums  energies and virials beside forces
template <class Potential, bool one_type, bool with_sums>
void sum_pairs(const PairWork& work, const PairSums& sums) {
  constexpr std::size_t fields = Potential::fields;
  Wide of_pair[fields];
  if constexpr (one_type) {
    for (std::size_t field = 0; field < fields; ++field) of_pair[field] = Wide(work.of_pairs[field]);
  }
  const Wide zero(0.0);
  for (std::size_t i = 0; i < work.count; ++i) {
    const double* own = work.records + 4 * (work.first + i);
    const Wide x(own[0]);
    const Wide y(own[1]);
    const Wide z(own[2]);
    const double* of_type = work.of_pairs + fields * work.types * static_cast<std::size_t>(one_type ? 0.0 : own[3]);
    Wide fx = zero;
    Wide fy = zero;
    Wide fz = zero;
    Wide energy = zero;
    Wide virial[6] = {zero, zero, zero, zero, zero, zero};
    for (std::size_t k = work.begin[i]; k < work.begin[i + 1]; k += Wide::width) {
      const auto [xj, yj, zj, type] = base::gather4<Wide>(work.records, work.lists + k);
      const Wide dx = x - xj;
      const Wide dy = y - yj;
      const Wide dz = z - zj;
      const Wide r2 = dx * dx + dy * dy + dz * dz;
      if constexpr (!one_type) load_pairs<fields>(of_type, type, of_pair);
      const auto is_near = r2 < of_pair[0];
      const PairTerms<Wide> terms = terms_of<Potential>(r2, of_pair, work.intervals);
      const Wide over_r = select(is_near, terms.force_over_r, zero);
      const Wide pair_x = over_r * dx;
      const Wide pair_y = over_r * dy;
      const Wide pair_z = over_r * dz;
      fx += pair_x;
      fy += pair_y;
      fz += pair_z;
      if constexpr (with_sums) {
        energy += select(is_near, terms.energy, zero);
        virial[0] += pair_x * dx;
        virial[1] += pair_y * dy;
        virial[2] += pair_z * dz;
        virial[3] += pair_x * dy;
        virial[4] += pair_x * dz;
        virial[5] += pair_y * dz;
      }
    }
    put(sums.fx + i, sum_of(fx), sums.adds);
    put(sums.fy + i, sum_of(fy), sums.adds);
    put(sums.fz + i, sum_of(fz), sums.adds);
    if constexpr (with_sums) {
      put(sums.energy + i, 0.5 * sum_of(energy), sums.adds);
      for (int k = 0; k < 6; ++k) put(sums.virial[k] + i, 0.5 * sum_of(virial[k]), sums.adds);
    }
  }
}

template <class Potential>
void run(const PairWork& work, const PairSums& sums) {
  const bool with_sums = sums.energy != nullptr;
  if (work.types == 1) {
    return with_sums ? sum_pairs<Potential, true, true>(work, sums) : sum_pairs<Potential, true, false>(work, sums);
  }
  return with_sums ? sum_pairs<Potential, false, true>(work, sums) : sum_pairs<Potential, false, false>(work, sums);
}

}  // namespace

template <class>
PairLoops pair_loops_of() noexcept {
  return {Wide::width,         &find,
          &run<LennardJones>,  &run<ForceShiftedLennardJones>,
          &run<Morse>,         &run<Buckingham>,
          &run<DampedCoulomb>, &run<UniversalRepulsion>,
          &run<TabulatedPair>};
}
template PairLoops pair_loops_of<Isa>() noexcept;

}  // namespace tacit::md::kernels
