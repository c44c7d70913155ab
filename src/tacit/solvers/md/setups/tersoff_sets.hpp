// Parameters of Tersoff's potential from his papers, in the format of LAMMPS.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace tacit::md {

enum class TersoffSet : std::uint8_t { si_1988, si_1989, sic_1989 };

/// Of silicon and carbon, bonds of unlike atoms follow from those of like ones by the rules of the paper: lambda1 and
/// lambda2 are means, A, B and both ends of the cutoff are roots of products, and B is multiplied by chi = 0.9776.
/// @see Tersoff (1988), Phys. Rev. B 37, 6991, table I; Tersoff (1989), Phys. Rev. B 39, 5566, table I, with the
///      erratum Phys. Rev. B 41, 3248 (1990)
[[nodiscard]] constexpr std::string_view tersoff_text(TersoffSet set) noexcept {
  // elements, m gamma lambda3 c d cos(theta0), n beta lambda2 B R D lambda1 A
  if (set == TersoffSet::si_1988) {
    return "Si Si Si  3 1 1.3258 4.8381 2.0417 0  22.956 0.33675 1.3258 95.373 3.0 0.2 3.2394 3264.7";
  }
  if (set == TersoffSet::si_1989) {
    return "Si Si Si  3 1 0 100390 16.217 -0.59825  0.78734 1.1e-6 1.7322 471.18 2.85 0.15 2.4799 1830.8";
  }
  return "Si Si Si 3 1 0 100390 16.217 -0.59825  0.78734 1.1e-6 1.7322 471.18 2.85 0.15 2.4799 1830.8\n"
         "C C C    3 1 0 38049 4.3484 -0.57058  0.72751 1.5724e-7 2.2119 346.74 1.95 0.15 3.4879 1393.6\n"
         "Si C C   3 1 0 100390 16.217 -0.59825  0.78734 1.1e-6 1.97205 395.14509 2.3572604 0.1527197 2.9839 "
         "1597.3111\n"
         "C Si Si  3 1 0 38049 4.3484 -0.57058  0.72751 1.5724e-7 1.97205 395.14509 2.3572604 0.1527197 2.9839 "
         "1597.3111\n"
         "Si Si C  3 1 0 100390 16.217 -0.59825  0 0 0 0 2.3572604 0.1527197 0 0\n"
         "Si C Si  3 1 0 100390 16.217 -0.59825  0 0 0 0 2.85 0.15 0 0\n"
         "C Si C   3 1 0 38049 4.3484 -0.57058  0 0 0 0 1.95 0.15 0 0\n"
         "C C Si   3 1 0 38049 4.3484 -0.57058  0 0 0 0 2.3572604 0.1527197 0 0";
}

}  // namespace tacit::md
