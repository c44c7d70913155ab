// Harmonics, and the radial integrals that make potentials of them.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/amr/binaries/star_grid.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace tacit::amr {
namespace {

constexpr double pi = std::numbers::pi;
constexpr std::size_t highest = StarGrid::highest;
constexpr std::size_t spheres = StarGrid::spheres;

/// Those with even l + m: m from l down to 0 or 1 in steps of two.
constexpr std::size_t harmonics = [] {
  std::size_t count = 0;
  for (std::size_t l = 0; l <= highest; ++l) count += l / 2 + 1;
  return count;
}();
using Values = std::array<double, harmonics>;

/// Calls visit(place, l, m) for all, rising with l.
template <class Visit>
constexpr void for_harmonics(const Visit& visit) {
  std::size_t place = 0;
  for (std::size_t l = 0; l <= highest; ++l) {
    for (std::size_t m = l % 2; m <= l; m += 2) visit(place++, l, m);
  }
}

/// Factors of the recursion of normalised associated Legendre functions from l - 1 and l - 2 to l; made once.
struct Recursion {
  std::array<std::array<double, highest + 1>, highest + 1> a{};
  std::array<std::array<double, highest + 1>, highest + 1> b{};
  std::array<double, highest + 1> diagonal{};
};
const Recursion& recursion() {
  static const Recursion all = [] {
    Recursion of;
    const auto square = [](std::size_t k) { return static_cast<double>(k) * static_cast<double>(k); };
    for (std::size_t m = 0; m <= highest; ++m) {
      of.diagonal[m] = m == 0 ? std::sqrt(0.25 / pi) : std::sqrt(1.0 + 0.5 / static_cast<double>(m));
      for (std::size_t l = m + 1; l <= highest; ++l) {
        of.a[l][m] = std::sqrt((4.0 * square(l) - 1.0) / (square(l) - square(m)));
        if (l > m + 1) of.b[l][m] = std::sqrt((square(l - 1) - square(m)) / (4.0 * square(l - 1) - 1.0));
      }
    }
    return of;
  }();
  return all;
}

/// Orthonormal real harmonics of a direction (x, y, z) of length 1. @see Press et al. (2007), Numerical Recipes, 6.7
Values harmonics_at(const Point& n) {
  const Recursion& by = recursion();
  const double s = std::sqrt(n[0] * n[0] + n[1] * n[1]);
  const double cosine = s > 0.0 ? n[0] / s : 1.0;
  Values Y{};
  double of_diagonal = by.diagonal[0];
  double angle_now = 1.0;  // cos(m psi)
  double angle_before = cosine;
  for (std::size_t m = 0; m <= highest; ++m) {
    if (m > 0) {
      of_diagonal *= by.diagonal[m] * s;
      const double next = m == 1 ? cosine : 2.0 * cosine * angle_now - angle_before;
      angle_before = angle_now;
      angle_now = next;
    }
    const double factor = m == 0 ? 1.0 : std::numbers::sqrt2 * angle_now;
    double before = 0.0;
    double now = of_diagonal;
    for (std::size_t l = m; l <= highest; ++l) {
      if (l > m) {
        const double next = by.a[l][m] * (n[2] * now - by.b[l][m] * before);
        before = now;
        now = next;
      }
      // Of l there are l / 2 + 1, behind those of all before.
      if ((l + m) % 2 == 0) Y[(l + 1) * (l + 1) / 4 + m / 2] = factor * now;
    }
  }
  return Y;
}

struct Direction {
  Point n{};
  double weight = 0.0;  ///< with its mirror images
  Values Y{};
};

/// Nodes of Gauss's rule between 0 and 1 of the one between -1 and 1, by Newton's method, and their weights.
std::array<std::array<double, 2>, StarGrid::polar> gauss_nodes() {
  constexpr std::size_t count = 2 * StarGrid::polar;
  std::array<std::array<double, 2>, StarGrid::polar> nodes{};
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    double x = std::cos(pi * (static_cast<double>(i) + 0.75) / (static_cast<double>(count) + 0.5));
    double slope = 1.0;
    for (int step = 0; step < 8; ++step) {
      double before = 1.0;
      double now = x;
      for (std::size_t l = 2; l <= count; ++l) {
        const auto n = static_cast<double>(l);
        const double next = ((2.0 * n - 1.0) * x * now - (n - 1.0) * before) / n;
        before = now;
        now = next;
      }
      slope = static_cast<double>(count) * (x * now - before) / (x * x - 1.0);
      x -= now / slope;
    }
    nodes[i] = {x, 2.0 / ((1.0 - x * x) * slope * slope)};
  }
  return nodes;
}

const std::vector<Direction>& all_directions() {
  static const std::vector<Direction> all = [] {
    std::vector<Direction> of;
    for (const auto& [z, weight] : gauss_nodes()) {
      for (std::size_t k = 0; k < StarGrid::around; ++k) {
        const double psi = pi * (static_cast<double>(k) + 0.5) / static_cast<double>(StarGrid::around);
        const double s = std::sqrt(1.0 - z * z);
        const Point n{s * std::cos(psi), s * std::sin(psi), z};
        of.push_back({n, 4.0 * pi * weight / static_cast<double>(StarGrid::around), harmonics_at(n)});
      }
    }
    return of;
  }();
  return all;
}

using OnSpheres = std::array<double, spheres + 1>;

/// Integrals of f(s) s^power between neighbouring spheres 0, 1, 2, ...: that from j to j + 1 at j. By cubics through
/// four values of the whole, and where the power changes too much from sphere to sphere for that, of f between two of
/// them. At the origin f s^power is 0.
OnSpheres integrals_between(const OnSpheres& f, int power) {
  OnSpheres g{};
  for (std::size_t j = 1; j <= spheres; ++j) g[j] = f[j] * std::pow(static_cast<double>(j), power);
  OnSpheres parts{};
  for (std::size_t j = 0; j < spheres; ++j) {
    if (static_cast<int>(j) > std::abs(power) && j + 1 < spheres) {
      parts[j] = (13.0 * (g[j] + g[j + 1]) - g[j - 1] - g[j + 2]) / 24.0;
      continue;
    }
    // Of s^p and s^(p + 1) from a to b; a power of -1 has a logarithm.
    const auto a = static_cast<double>(j);
    const double b = a + 1.0;
    const auto moment = [&](int p) {
      if (p == -1) return j == 0 ? 0.0 : std::log(b / a);
      return (std::pow(b, p + 1) - (j == 0 ? 0.0 : std::pow(a, p + 1))) / (p + 1.0);
    };
    const double slope = f[j + 1] - f[j];
    parts[j] = slope * moment(power + 1);
    if (j > 0) parts[j] += (f[j] - slope * a) * moment(power);
    if (j == 0 && power >= 0) parts[j] += f[0] * moment(power);
  }
  return parts;
}

}  // namespace

StarGrid::StarGrid(double radius)
    : radius_(radius), rho_(directions * (spheres + 1)), phi_((spheres + 1) * harmonics) {}

Point StarGrid::place(std::size_t direction, std::size_t sphere) const noexcept {
  const double r = spacing() * static_cast<double>(sphere);
  const Point& n = all_directions()[direction].n;
  return {r * n[0], r * n[1], r * n[2]};
}

double StarGrid::integral(const std::function<double(std::size_t, std::size_t)>& each) const {
  double sum = 0.0;
  for (std::size_t direction = 0; direction < directions; ++direction) {
    OnSpheres f{};
    for (std::size_t j = 0; j <= spheres; ++j) {
      if (rho(direction, j) > 0.0) f[j] = each(direction, j);
    }
    double of_direction = 0.0;
    for (const double part : integrals_between(f, 2)) of_direction += part;
    sum += all_directions()[direction].weight * of_direction * spacing() * spacing() * spacing();
  }
  return sum;
}

void StarGrid::solve() {
  const auto& all = all_directions();
  std::vector<double> moments((spheres + 1) * harmonics);  // rho_lm by sphere
  for (std::size_t direction = 0; direction < directions; ++direction) {
    const Direction& of = all[direction];
    for (std::size_t j = 0; j <= spheres; ++j) {
      const double amount = of.weight * rho(direction, j);
      if (amount == 0.0) continue;
      double* const to = moments.data() + j * harmonics;
      for (std::size_t k = 0; k < harmonics; ++k) to[k] += amount * of.Y[k];
    }
  }
  // In units of the distance of spheres.
  for_harmonics([&](std::size_t place, std::size_t l, std::size_t /*m*/) {
    const int order = static_cast<int>(l);
    OnSpheres f{};
    for (std::size_t j = 0; j <= spheres; ++j) f[j] = moments[j * harmonics + place];
    const OnSpheres inner = integrals_between(f, order + 2);
    const OnSpheres outer = integrals_between(f, 1 - order);
    const double factor = -4.0 * pi / (2.0 * static_cast<double>(l) + 1.0) * spacing() * spacing();
    double within = 0.0;
    for (std::size_t j = 1; j <= spheres; ++j) {
      within += inner[j - 1];
      phi_[j * harmonics + place] = factor * within * std::pow(static_cast<double>(j), -order - 1);
    }
    // From outside: near the origin differences of such powers have no digits.
    double beyond = 0.0;
    for (std::size_t j = spheres; j-- > 1;) {
      beyond += outer[j];
      phi_[j * harmonics + place] += factor * beyond * std::pow(static_cast<double>(j), order);
    }
    phi_[place] = l == 0 ? factor * (beyond + outer[0]) : 0.0;
  });
}

double StarGrid::potential(std::size_t direction, std::size_t sphere) const noexcept {
  const Values& Y = all_directions()[direction].Y;
  const double* const from = phi_.data() + sphere * harmonics;
  double sum = 0.0;
  for (std::size_t k = 0; k < harmonics; ++k) sum += Y[k] * from[k];
  return sum;
}

/// Cubics between spheres; beyond the last one r^-(l+1).
double StarGrid::potential(const Point& place) const noexcept {
  const double r = std::sqrt(place[0] * place[0] + (place[1] * place[1] + place[2] * place[2]));
  const double scale = r > 0.0 ? 1.0 / r : 0.0;
  const Values Y = harmonics_at({scale * place[0], scale * place[1], r > 0.0 ? scale * place[2] : 1.0});
  double sum = 0.0;
  if (r >= radius_) {
    const double ratio = radius_ / r;
    const double* const from = phi_.data() + spheres * harmonics;
    double power = ratio;
    std::size_t k = 0;
    for (std::size_t l = 0; l <= highest; ++l, power *= ratio) {
      for (const std::size_t end = k + l / 2 + 1; k < end; ++k) sum += power * Y[k] * from[k];
    }
    return sum;
  }
  const double t = r / spacing();
  const std::size_t first = std::clamp(static_cast<std::size_t>(t), std::size_t{1}, spheres - 2) - 1;
  const double x = t - static_cast<double>(first);
  const std::array weights{-(x - 1.0) * (x - 2.0) * (x - 3.0) / 6.0, x * (x - 2.0) * (x - 3.0) / 2.0,
                           -x * (x - 1.0) * (x - 3.0) / 2.0, x * (x - 1.0) * (x - 2.0) / 6.0};
  const double* const from = phi_.data() + first * harmonics;
  for (std::size_t k = 0; k < harmonics; ++k) {
    sum += Y[k] * (weights[0] * from[k] + weights[1] * from[harmonics + k] + weights[2] * from[2 * harmonics + k] +
                   weights[3] * from[3 * harmonics + k]);
  }
  return sum;
}

}  // namespace tacit::amr
