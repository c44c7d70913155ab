// Heat bath and overrelaxation, link by link and sweep by sweep.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/qcd/gauge/updates.hpp"

#include <array>
#include <cmath>
#include <numbers>

#include "tacit/solvers/qcd/gauge/staples.hpp"

namespace tacit::qcd {
namespace {

/// a0 + i a . sigma
using Quaternion = std::array<double, 4>;

constexpr std::array<std::array<std::size_t, 2>, 3> subgroups{{{0, 1}, {0, 2}, {1, 2}}};

/// The part of the 2 x 2 block of a matrix that is a multiple of SU(2): Re tr r W depends on no other.
Quaternion part_of(const Matrix3& W, std::size_t i, std::size_t j) noexcept {
  return {0.5 * (W(i, i).real() + W(j, j).real()), 0.5 * (W(i, j).imag() + W(j, i).imag()),
          0.5 * (W(i, j).real() - W(j, i).real()), 0.5 * (W(i, i).imag() - W(j, j).imag())};
}

Quaternion quaternion_product(const Quaternion& a, const Quaternion& b) noexcept {
  return {a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3], a[0] * b[1] + a[1] * b[0] - a[2] * b[3] + a[3] * b[2],
          a[0] * b[2] + a[2] * b[0] - a[3] * b[1] + a[1] * b[3], a[0] * b[3] + a[3] * b[0] - a[1] * b[2] + a[2] * b[1]};
}

Quaternion conjugate_of(const Quaternion& a) noexcept { return {a[0], -a[1], -a[2], -a[3]}; }

/// r W, where r acts on rows i and j.
void multiply(const Quaternion& r, std::size_t i, std::size_t j, Matrix3& W) noexcept {
  const Complex ii(r[0], r[3]);
  const Complex ij(r[2], r[1]);
  for (std::size_t k = 0; k < 3; ++k) {
    const Complex a = W(i, k);
    const Complex b = W(j, k);
    W(i, k) = product(ii, a) + product(ij, b);
    W(j, k) = product(std::conj(ii), b) - product(std::conj(ij), a);
  }
}

/// A unit vector of equal distribution.
std::array<double, 3> draw_direction(LinkRandom& random) noexcept {
  for (;;) {
    const std::array<double, 3> v{random.symmetric(), random.symmetric(), random.symmetric()};
    const double squared = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
    if (squared > 1.0 || squared < 1e-6) continue;
    const double factor = 1.0 / std::sqrt(squared);
    return {factor * v[0], factor * v[1], factor * v[2]};
  }
}

/// cos^2 of an angle of equal distribution.
double draw_cos2(LinkRandom& random) noexcept {
  for (;;) {
    const double x = random.symmetric();
    const double y = random.symmetric();
    const double squared = x * x + y * y;
    if (squared <= 1.0 && squared > 1e-12) return x * x / squared;
  }
}

/// Replaces U by r U for an r of each subgroup, and makes it unitary to rounding.
/// @param choose  r of the quaternion part of U V and its length; where that is 0, any r is as good
template <class Choose>
void in_subgroups(Matrix3& U, const Matrix3& V, const Choose& choose) noexcept {
  Matrix3 W = U * V;
  for (const auto& [i, j] : subgroups) {
    const Quaternion a = part_of(W, i, j);
    const double k = std::sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2] + a[3] * a[3]);
    const Quaternion direction = k > 0.0 ? Quaternion{a[0] / k, a[1] / k, a[2] / k, a[3] / k} : Quaternion{1.0};
    const Quaternion r = choose(direction, k);
    multiply(r, i, j, U);
    multiply(r, i, j, W);
  }
  U = projected(U);
}

}  // namespace

/// x = 2^e m with m in [1/sqrt 2, sqrt 2]; ln m = 2 artanh((m - 1) / (m + 1)), whose eleven terms leave a rounding.
double natural_log(double x) noexcept {
  int exponent = 0;
  double m = std::frexp(x, &exponent);
  if (m < 0.5 * std::numbers::sqrt2) {
    m *= 2.0;
    --exponent;
  }
  const double s = (m - 1.0) / (m + 1.0);
  double sum = 0.0;
  for (int n = 21; n > 0; n -= 2) sum = sum * s * s + 1.0 / n;
  return exponent * std::numbers::ln2 + 2.0 * s * sum;
}

double draw_su2(double alpha, LinkRandom& random) noexcept {
  constexpr double enough = 1.5;  // for the first of these to accept often
  for (;;) {
    if (alpha > enough) {
      const double x = natural_log(random.positive());
      const double y = natural_log(random.positive());
      const double delta = -(x + y * draw_cos2(random)) / alpha;
      const double r = random.positive();
      if (r * r <= 1.0 - 0.5 * delta) return 1.0 - delta;
    } else {
      const double x0 = random.symmetric();
      const double r = random.positive();
      if (r * r <= 1.0 - x0 * x0 && natural_log(random.positive()) <= alpha * (x0 - 1.0)) return x0;
    }
  }
}

void heat_bath(Matrix3& U, const Matrix3& V, double beta, LinkRandom& random) noexcept {
  in_subgroups(U, V, [&](const Quaternion& a, double k) {
    const double x0 = draw_su2(2.0 / 3.0 * beta * k, random);
    const double length = std::sqrt(std::fmax(0.0, 1.0 - x0 * x0));
    const std::array<double, 3> n = draw_direction(random);
    return quaternion_product({x0, length * n[0], length * n[1], length * n[2]}, conjugate_of(a));
  });
}

void overrelax(Matrix3& U, const Matrix3& V) noexcept {
  in_subgroups(U, V, [](const Quaternion& a, double /*k*/) {
    const Quaternion turned = conjugate_of(a);
    return quaternion_product(turned, turned);
  });
}

template <class Update>
void Sweeps::sweep(GaugeField& field, const Update& update) {
  Matrix3* const links = field.links.data();
  const BoxSites& sites = tasks_.sites();
  for (std::size_t mu = 0; mu < axes; ++mu) {
    tasks_.run_both({links, axes, mu}, [&](std::span<const std::uint32_t> mine) {
      for (const std::uint32_t site : mine) {
        update(links[site * axes + mu], staples(links, sites, site, mu), sites.in_lattice(site) * axes + mu);
      }
    });
  }
}

void Sweeps::heat_bath(GaugeField& field, std::uint64_t number) {
  sweep(field, [&](Matrix3& U, const Matrix3& V, std::uint64_t link) {
    LinkRandom random(seed_, link, number);
    qcd::heat_bath(U, V, beta_, random);
  });
}

void Sweeps::overrelax(GaugeField& field) {
  sweep(field, [](Matrix3& U, const Matrix3& V, std::uint64_t /*link*/) { qcd::overrelax(U, V); });
}

/// Two rows of equal distribution in a ball, which Gram and Schmidt make orthonormal, and the third from them.
GaugeField hot_gauge_field(const LatticePart& lattice, std::uint64_t seed) {
  GaugeField field(lattice);
  for (std::size_t number = 0; number < field.box.size.sites(); ++number) {
    const std::uint64_t site = field.extents.index(field.box.site(number));
    for (std::size_t mu = 0; mu < axes; ++mu) {
      LinkRandom random(seed, site * axes + mu, 0);
      Matrix3 link;
      for (std::size_t row = 0; row < 2; ++row) {
        for (double squared = 2.0; squared > 1.0 || squared < 1e-6;) {
          squared = 0.0;
          for (std::size_t k = 0; k < 3; ++k) {
            const double real = random.symmetric();
            link(row, k) = {real, random.symmetric()};
            squared += std::norm(link(row, k));
          }
        }
      }
      field.links[number * axes + mu] = projected(link);
    }
  }
  return field;
}

void exchange_links(LinkTasks& tasks, std::vector<Matrix3>& links) {
  for (std::size_t mu = 0; mu < axes; ++mu) {
    tasks.run_both({links.data(), axes, mu}, [](std::span<const std::uint32_t> /*sites*/) {});
  }
}

}  // namespace tacit::qcd
