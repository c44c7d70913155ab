// In which powers of the scale factor snapshots of expanding boxes are written.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string_view>
#include <utility>

namespace tacit::sph {

/// The power of a with which the numbers of a dataset become physical ones, as SWIFT writes them, of a gas with
/// gamma = 5/3: velocities are peculiar ones, a dx/dt.
[[nodiscard]] constexpr int comoving_power(std::string_view dataset) noexcept {
  constexpr std::array<std::pair<std::string_view, int>, 8> powers{{{"Coordinates", 1},
                                                                    {"SmoothingLengths", 1},
                                                                    {"InternalEnergies", -2},
                                                                    {"Densities", -3},
                                                                    {"Pressures", -5},
                                                                    {"VelocityDivergences", -2},
                                                                    {"Softenings", 1},
                                                                    {"Potentials", -1}}};
  for (const auto& [name, power] : powers) {
    if (name == dataset) return power;
  }
  return 0;
}

}  // namespace tacit::sph
