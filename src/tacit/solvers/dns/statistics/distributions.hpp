// How velocity, its gradients and vorticity are distributed over the points: densities, skewness, flatness, slices.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "tacit/solvers/dns/flow.hpp"

namespace tacit::dns {

/// Three fields at points.
enum class Quantity : std::uint8_t {
  velocity,  ///< u, v, w
  gradient,  ///< du/dx, dv/dy, dw/dz: the longitudinal ones
  vorticity,
};
inline constexpr std::array<std::string_view, 3> quantity_names{"velocity", "gradient", "vorticity"};

/// Mean squares of the components of a quantity, from modes.
[[nodiscard]] std::array<double, 3> mean_squares(const Flow& flow, Quantity quantity);

/// Moments of one component about 0; 0 where it vanishes everywhere.
struct Moments {
  double root_mean_square = 0.0;
  double skewness = 0.0;  ///< <f^3> / <f^2>^(3/2)
  double flatness = 0.0;  ///< <f^4> / <f^2>^2
};
[[nodiscard]] std::array<Moments, 3> moments_of(const Flow& flow, Quantity quantity);

/// Skewness of the longitudinal derivatives: mean cube of the three over the power 3/2 of their mean square. Near -0.5
/// in developed turbulence, 0 in a field with random phases.
/// Cost: three transforms to points.
/// @see Sreenivasan & Antonia (1997), Annu. Rev. Fluid Mech. 29, 435
[[nodiscard]] double derivative_skewness(const Flow& flow);

struct Binning {
  std::size_t bins = 200;
  double range = 12.0;  ///< bins reach from -range to range [root mean square of the component]
};

/// A probability density in units of the root mean square, by component.
struct Distribution {
  std::array<Moments, 3> moments;
  std::vector<double> centre;                  ///< of the bins [root mean square]
  std::array<std::vector<double>, 3> density;  ///< its integral and `outside` add up to 1
  std::array<double, 3> outside{};             ///< share of the points beyond the bins
  std::array<std::vector<double>, 3> slice;    ///< the values in the plane that was asked for, shape (ny, nx)
};

/// @param slice_z  index of the plane of points that is returned whole
/// Cost: three transforms to points.
[[nodiscard]] Distribution distribution_of(const Flow& flow, Quantity quantity, const Binning& binning,
                                           std::size_t slice_z);

}  // namespace tacit::dns
