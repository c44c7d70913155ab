// The power spectrum of all matter, measured from particles on a mesh.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "tacit/base/vec3.hpp"
#include "tacit/comm/communicator.hpp"
#include "tacit/tasks/scheduler.hpp"

namespace tacit::sph {

struct PointMass {
  base::Vec3 x;    ///< within the box [length]
  double m = 0.0;  ///< [mass]
};

/// By shells of waves, |k| within half of the lowest wave number of a multiple of it, below the mesh's Nyquist number.
struct MatterPower {
  std::vector<double> k;             ///< mean of the modes of a shell [length^-1]
  std::vector<double> power;         ///< mean of V |delta_k|^2 / W(k)^2 [length^3]; shot noise is in it
  std::vector<std::uint64_t> modes;  ///< how many, a wave and its opposite being two
  std::vector<double> expected;      ///< mean of what was given as a function of k; empty without one
  double shot_noise = 0.0;           ///< V sum m^2 / (sum m)^2, that of particles at random places [length^3]
};

/// Assigns masses to a mesh by B-splines of third degree (PCS), of which each particle reaches 4^3 points, transforms,
/// and divides by the spline's own transform
///
///     W(k) = product over axes of [sin(pi k_i / n) / (pi k_i / n)]^4
///
/// Masses of points are sums of integers, 2^61 of all mass or more, so no bit depends on the order of particles, on
/// threads or ranks.
///
/// @param particles  of this rank; of all ranks together one at least
/// @param box        [length]
/// @param n          points of the mesh along each side, 8 or more
/// @param expected   a spectrum of k [length^-1] to be averaged over the same modes; may be empty
/// @throws base::Error if there are more ranks than can share the mesh
/// @see Sefusatti et al. (2016), MNRAS 460, 3624 (splines and their aliases); Jing (2005), ApJ 620, 559
/// Memory: 24 bytes for each point and 40 for each particle, of this rank
[[nodiscard]] MatterPower matter_power(std::span<const PointMass> particles, const base::Vec3& box, std::size_t n,
                                       const std::function<double(double)>& expected, tasks::Scheduler& scheduler,
                                       comm::Communicator& ranks);

}  // namespace tacit::sph
