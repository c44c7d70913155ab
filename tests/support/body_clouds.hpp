// Clouds of bodies for the tests and the benchmark of gravity.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <span>
#include <vector>

#include "tacit/base/random.hpp"
#include "tacit/fmm/direct.hpp"

namespace tacit::fmm::test {

struct Cloud {
  std::vector<double> x, y, z, m;

  void add(const base::Vec3& at, double mass) {
    x.push_back(at.x);
    y.push_back(at.y);
    z.push_back(at.z);
    m.push_back(mass);
  }
  [[nodiscard]] std::size_t size() const { return m.size(); }
  [[nodiscard]] Bodies some(std::size_t begin, std::size_t count) const {
    const auto part = [&](const std::vector<double>& of) { return std::span<const double>(of).subspan(begin, count); };
    return {part(x), part(y), part(z), part(m)};
  }
  [[nodiscard]] Bodies all() const { return some(0, size()); }
};

/// Bodies of unequal masses at random in a cube of half-width `size` about a place.
inline Cloud random_cloud(std::size_t count, const base::Vec3& about, double size, std::uint64_t seed) {
  Cloud cloud;
  for (std::uint64_t k = 0; k < count; ++k) {
    const auto u = [&](std::uint64_t draw) { return 2.0 * base::uniform(seed, k, draw) - 1.0; };
    cloud.add(about + size * base::Vec3{u(0), u(1), u(2)}, 0.5 + base::uniform(seed, k, 3));
  }
  return cloud;
}

/// Plummer's sphere of mass 1 and scale length 1, cut off at 99.9 % of the mass.
inline Cloud plummer_sphere(std::size_t count, std::uint64_t seed) {
  Cloud cloud;
  for (std::uint64_t k = 0; k < count; ++k) {
    const double enclosed = 0.999 * (static_cast<double>(k) + base::uniform(seed, k, 0)) / static_cast<double>(count);
    const double r = 1.0 / std::sqrt(std::pow(enclosed, -2.0 / 3.0) - 1.0);
    const double cosine = 2.0 * base::uniform(seed, k, 1) - 1.0;
    const double phi = 2.0 * std::numbers::pi * base::uniform(seed, k, 2);
    const double sine = std::sqrt(1.0 - cosine * cosine);
    cloud.add(r * base::Vec3{sine * std::cos(phi), sine * std::sin(phi), cosine}, 1.0 / static_cast<double>(count));
  }
  return cloud;
}

/// Sums for each body of a cloud.
struct Sums {
  std::vector<double> potential, ax, ay, az;

  explicit Sums(std::size_t count) : potential(count), ax(count), ay(count), az(count) {}
  [[nodiscard]] Fields some(std::size_t begin, std::size_t count) {
    const auto part = [&](std::vector<double>& of) { return std::span(of).subspan(begin, count); };
    return {part(potential), part(ax), part(ay), part(az)};
  }
  [[nodiscard]] Fields all() { return some(0, ax.size()); }
  [[nodiscard]] base::Vec3 a(std::size_t i) const { return {ax[i], ay[i], az[i]}; }
};

/// |sum of m a| over sum of |m a|.
inline double net_force(std::span<const double> m, const Sums& sums) {
  base::Vec3 net;
  double scale = 0.0;
  for (std::size_t i = 0; i < m.size(); ++i) {
    net = net + m[i] * sums.a(i);
    scale += m[i] * norm(sums.a(i));
  }
  return norm(net) / scale;
}

}  // namespace tacit::fmm::test
