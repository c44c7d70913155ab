// Particles for the tests of sorting and of lists.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "tacit/base/random.hpp"
#include "tacit/particles/domain.hpp"

namespace tacit::particles::testing {

struct Cloud {
  std::vector<double> x, y, z;
  std::vector<std::uint64_t> id;
  std::vector<double> support;  ///< how far each particle's kernel reaches; empty where no test asks
};

/// 1 along an axis that the domain uses, else 0.
inline double used(const Domain& domain, int axis) { return axis < domain.dimension ? 1.0 : 0.0; }

/// Particles anywhere in the domain; their IDs are unique and in no order.
inline Cloud random_cloud(const Domain& domain, std::size_t n, std::uint64_t seed) {
  Cloud cloud;
  for (std::size_t i = 0; i < n; ++i) {
    cloud.x.push_back(domain.origin.x + domain.size.x * base::uniform(seed, i, 0));
    cloud.y.push_back(domain.origin.y + used(domain, 1) * domain.size.y * base::uniform(seed, i, 1));
    cloud.z.push_back(domain.origin.z + used(domain, 2) * domain.size.z * base::uniform(seed, i, 2));
    cloud.id.push_back(base::mix64(i));  // mix64 is a bijection
  }
  return cloud;
}

/// A tenth of the particles anywhere, the others around three points, the denser the nearer over three decades of
/// distance. Supports grow with the distance from the points, up to `longest`.
inline Cloud clustered_cloud(const Domain& domain, std::size_t n, double longest, std::uint64_t seed) {
  Cloud cloud = random_cloud(domain, n, seed);
  const Cloud centres = random_cloud(domain, 3, seed + 1000);
  const auto pull = [](double& value, double centre, double origin, double size, double towards) {
    // Of the images of the way to the centre none is preferred: a point near a face has its cloud on one side.
    value = centre + (value - centre) * towards;
    value = std::clamp(value, origin, std::nextafter(origin + size, origin));
  };
  for (std::size_t i = 0; i < n; ++i) {
    const bool is_loose = i % 10 == 0;
    const double towards = is_loose ? 1.0 : std::pow(10.0, -3.0 * base::uniform(seed, i, 3));
    pull(cloud.x[i], centres.x[i % 3], domain.origin.x, domain.size.x, towards);
    pull(cloud.y[i], centres.y[i % 3], domain.origin.y, domain.size.y, towards);
    pull(cloud.z[i], centres.z[i % 3], domain.origin.z, domain.size.z, towards);
    cloud.support.push_back(longest * towards * (0.2 + 0.8 * base::uniform(seed, i, 4)));
  }
  return cloud;
}

template <class Number>
std::vector<Number> permuted(const std::vector<Number>& values, std::span<const std::uint32_t> order) {
  std::vector<Number> result;
  if (values.empty()) return result;
  for (const std::uint32_t i : order) result.push_back(values[i]);
  return result;
}

inline Cloud reordered(const Cloud& cloud, std::span<const std::uint32_t> order) {
  return {permuted(cloud.x, order), permuted(cloud.y, order), permuted(cloud.z, order), permuted(cloud.id, order),
          permuted(cloud.support, order)};
}

}  // namespace tacit::particles::testing
