// Parameters of Tersoff's potential from his papers, in the format of LAMMPS.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace tacit::md {

enum class TersoffSet : std::uint8_t { si_1988, si_1989 };

/// @see Tersoff (1988), Phys. Rev. B 37, 6991, table I; Tersoff (1989), Phys. Rev. B 39, 5566, table I
[[nodiscard]] constexpr std::string_view tersoff_text(TersoffSet set) noexcept {
  // elements, m gamma lambda3 c d cos(theta0), n beta lambda2 B R D lambda1 A
  if (set == TersoffSet::si_1988) {
    return "Si Si Si  3 1 1.3258 4.8381 2.0417 0  22.956 0.33675 1.3258 95.373 3.0 0.2 3.2394 3264.7";
  }
  return "Si Si Si  3 1 0 100390 16.217 -0.59825  0.78734 1.1e-6 1.7322 471.18 2.85 0.15 2.4799 1830.8";
}

}  // namespace tacit::md
