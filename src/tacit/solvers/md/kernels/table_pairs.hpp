// Potentials of pairs that are tables: cubics in r^2, in equal intervals.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>

#include "tacit/base/pack_records.hpp"
#include "tacit/solvers/md/kernels/lennard_jones.hpp"

namespace tacit::md::kernels {

/// u and -u' / r, each a cubic of the place t of r^2 in its interval. Nearer than the table begins they are no numbers,
/// so that the run ends.
struct TabulatedPair {
  static constexpr std::size_t fields = 5;  // cutoff^2, r^2 of the first value, 1 / width, first interval, last one
  /// @param intervals  two records of each: a t^3 + b t^2 + c t + d of u, and of -u' / r
  template <class P>
  [[gnu::always_inline]] static inline PairTerms<P> terms(const P& r2, const P* of_pair,
                                                          const double* intervals) noexcept {
    const P place = (r2 - of_pair[1]) * of_pair[2];
    double places[P::width], first[P::width], last[P::width], begins[P::width];
    place.store(places);
    of_pair[3].store(first);
    of_pair[4].store(last);
    std::uint32_t energy[P::width], force[P::width];
    for (std::size_t lane = 0; lane < P::width; ++lane) {
      // What is far away, or no number, gets the last one.
      const double whole = !(places[lane] < last[lane]) ? last[lane] : places[lane] < 0.0 ? 0.0 : places[lane];
      const auto interval = static_cast<std::uint32_t>(whole);
      begins[lane] = interval;
      energy[lane] = 2 * (static_cast<std::uint32_t>(first[lane]) + interval);
      force[lane] = energy[lane] + 1;
    }
    const P t = place - P::load(begins);
    const P nothing(std::numeric_limits<double>::quiet_NaN());
    const auto value = [&](const std::uint32_t* record) {
      const auto [a, b, c, d] = base::gather4<P>(intervals, record);
      return select(place < P(0.0), nothing, ((a * t + b) * t + c) * t + d);
    };
    return {value(force), value(energy)};
  }
};

}  // namespace tacit::md::kernels
