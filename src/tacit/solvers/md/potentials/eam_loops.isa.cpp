// The loops of embedded atoms; compiled once per instruction set, which TACIT_ISA names.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/md/potentials/eam_loops.hpp"

#include "tacit/base/pack_records.hpp"

namespace tacit::md::kernels {
// Nothing here may be visible to the linker but what carries the instruction set in its name.
namespace {

using Isa = base::isa::TACIT_ISA;
using Wide = base::Pack<double, Isa>;

/// The intervals in which some distances lie, and how far in them.
struct Places {
  std::uint32_t interval[Wide::width];
  Wide t;
};

[[gnu::always_inline]] inline Places places_of(const Wide& r, const EamFunctions& of) {
  Places result;
  const Wide in_intervals = r * Wide(of.inverse_dr);
  double lanes[Wide::width];
  double begins[Wide::width];
  in_intervals.store(lanes);
  const double last = of.last;
  for (std::size_t lane = 0; lane < Wide::width; ++lane) {
    // What is far away, or no number, gets the last one.
    result.interval[lane] = lanes[lane] < last ? static_cast<std::uint32_t>(lanes[lane]) : of.last;
    begins[lane] = result.interval[lane];
  }
  result.t = min(in_intervals - Wide::load(begins), Wide(1.0));
  return result;
}

/// A spline, and its derivative by r.
struct Spline {
  Wide value;
  Wide slope;
};

/// @tparam one_type  all distances are of one function
template <bool one_type>
[[gnu::always_inline]] inline base::Pack4<Wide> coefficients(const EamFunctions& of, const Places& at,
                                                             const std::uint32_t (&function)[Wide::width]) {
  std::uint32_t record[Wide::width];
  for (std::size_t lane = 0; lane < Wide::width; ++lane) {
    record[lane] = at.interval[lane] + function[one_type ? 0 : lane];
  }
  return base::gather4<Wide>(of.intervals, record);
}

template <bool one_type>
[[gnu::always_inline]] inline Wide value_at(const EamFunctions& of, const Places& at,
                                            const std::uint32_t (&function)[Wide::width]) {
  const auto [a, b, c, d] = coefficients<one_type>(of, at, function);
  return fma(fma(fma(a, at.t, b), at.t, c), at.t, d);
}

template <bool one_type>
[[gnu::always_inline]] inline Spline spline_at(const EamFunctions& of, const Places& at,
                                               const std::uint32_t (&function)[Wide::width]) {
  const auto [a, b, c, d] = coefficients<one_type>(of, at, function);
  const Wide slope = fma(fma(Wide(3.0) * a, at.t, Wide(2.0) * b), at.t, c);
  return {fma(fma(fma(a, at.t, b), at.t, c), at.t, d), slope * Wide(of.inverse_dr)};
}

/// The neighbours of a pack: separations from them, and the functions that act.
struct Pairs {
  Wide dx, dy, dz, r2;
  double type[Wide::width];
};

[[gnu::always_inline]] inline Pairs pairs_of(const PairWork& work, const Wide (&at)[3], std::size_t k) {
  const auto [xj, yj, zj, type] = base::gather4<Wide>(work.records, work.lists + k);
  Pairs result{at[0] - xj, at[1] - yj, at[2] - zj, Wide(0.0), {}};
  result.r2 = result.dx * result.dx + result.dy * result.dy + result.dz * result.dz;
  type.store(result.type);
  return result;
}

template <bool one_type>
[[gnu::always_inline]] inline void functions_of(const std::uint32_t* table, std::size_t types, std::size_t own,
                                                const double* other, bool other_first,
                                                std::uint32_t (&function)[Wide::width]) {
  for (std::size_t lane = 0; lane < (one_type ? 1 : Wide::width); ++lane) {
    const auto theirs = static_cast<std::size_t>(one_type ? 0.0 : other[lane]);
    function[lane] = table[other_first ? theirs * types + own : own * types + theirs];
  }
}

template <bool one_type>
void sum_densities(const PairWork& work, const EamFunctions& of, double* rho) {
  const Wide zero(0.0);
  std::uint32_t function[Wide::width];
  for (std::size_t i = 0; i < work.count; ++i) {
    const double* own = work.records + 4 * (work.first + i);
    const Wide at[3] = {Wide(own[0]), Wide(own[1]), Wide(own[2])};
    const auto type = static_cast<std::size_t>(one_type ? 0.0 : own[3]);
    Wide sum = zero;
    for (std::size_t k = work.begin[i]; k < work.begin[i + 1]; k += Wide::width) {
      const Pairs pairs = pairs_of(work, at, k);
      functions_of<one_type>(of.density, work.types, type, pairs.type, false, function);
      const Places places = places_of(sqrt(pairs.r2), of);
      sum += select(pairs.r2 < Wide(of.cutoff2), value_at<one_type>(of, places, function), zero);
    }
    rho[i] = sum_of(sum);
  }
}

/// @tparam with_sums  energies and virials beside forces
template <bool one_type, bool with_sums>
void sum_forces(const PairWork& work, const EamFunctions& of, const Embedding& embedding, const PairSums& sums) {
  const Wide zero(0.0);
  std::uint32_t function[Wide::width];
  for (std::size_t i = 0; i < work.count; ++i) {
    const double* own = work.records + 4 * (work.first + i);
    const Wide at[3] = {Wide(own[0]), Wide(own[1]), Wide(own[2])};
    const auto type = static_cast<std::size_t>(one_type ? 0.0 : own[3]);
    const Wide own_slope(embedding.slope[work.first + i]);
    Wide fx = zero;
    Wide fy = zero;
    Wide fz = zero;
    Wide energy = zero;
    Wide virial[6] = {zero, zero, zero, zero, zero, zero};
    for (std::size_t k = work.begin[i]; k < work.begin[i + 1]; k += Wide::width) {
      const Pairs pairs = pairs_of(work, at, k);
      double slopes[Wide::width];
      for (std::size_t lane = 0; lane < Wide::width; ++lane) {
        slopes[lane] = embedding.slope[embedding.atom_of[work.lists[k + lane]]];
      }
      const Wide their_slope = Wide::load(slopes);
      const Wide r = sqrt(pairs.r2);
      const Places places = places_of(r, of);
      functions_of<one_type>(of.density, work.types, type, pairs.type, false, function);
      const Spline at_own = spline_at<one_type>(of, places, function);
      Wide by_density = zero;
      if constexpr (one_type) {
        by_density = (own_slope + their_slope) * at_own.slope;
      } else {
        functions_of<one_type>(of.density, work.types, type, pairs.type, true, function);
        const Spline at_other = spline_at<one_type>(of, places, function);
        by_density = own_slope * at_own.slope + their_slope * at_other.slope;
      }
      functions_of<one_type>(of.pair, work.types, type, pairs.type, false, function);
      const Spline ru = spline_at<one_type>(of, places, function);
      const Wide inverse = Wide(1.0) / r;
      const Wide u = ru.value * inverse;
      const Wide slope = by_density + (ru.slope - u) * inverse;
      const auto is_near = pairs.r2 < Wide(of.cutoff2);
      const Wide over_r = select(is_near, -slope * inverse, zero);
      const Wide pair_x = over_r * pairs.dx;
      const Wide pair_y = over_r * pairs.dy;
      const Wide pair_z = over_r * pairs.dz;
      fx += pair_x;
      fy += pair_y;
      fz += pair_z;
      if constexpr (with_sums) {
        energy += select(is_near, u, zero);
        virial[0] += pair_x * pairs.dx;
        virial[1] += pair_y * pairs.dy;
        virial[2] += pair_z * pairs.dz;
        virial[3] += pair_x * pairs.dy;
        virial[4] += pair_x * pairs.dz;
        virial[5] += pair_y * pairs.dz;
      }
    }
    sums.fx[i] = sum_of(fx);
    sums.fy[i] = sum_of(fy);
    sums.fz[i] = sum_of(fz);
    if constexpr (with_sums) {
      sums.energy[i] = 0.5 * sum_of(energy);
      for (int k = 0; k < 6; ++k) sums.virial[k][i] = 0.5 * sum_of(virial[k]);
    }
  }
}

void densities(const PairWork& work, const EamFunctions& of, double* rho) {
  work.types == 1 ? sum_densities<true>(work, of, rho) : sum_densities<false>(work, of, rho);
}

void forces(const PairWork& work, const EamFunctions& of, const Embedding& embedding, const PairSums& sums) {
  const bool with_sums = sums.energy != nullptr;
  if (work.types == 1) {
    return with_sums ? sum_forces<true, true>(work, of, embedding, sums)
                     : sum_forces<true, false>(work, of, embedding, sums);
  }
  return with_sums ? sum_forces<false, true>(work, of, embedding, sums)
                   : sum_forces<false, false>(work, of, embedding, sums);
}

}  // namespace

template <class>
EamLoops eam_loops_of() noexcept {
  return {&densities, &forces};
}
template EamLoops eam_loops_of<Isa>() noexcept;

}  // namespace tacit::md::kernels
