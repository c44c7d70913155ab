// Ewald's sum: gravity in a box that repeats, as plain sums over images and waves.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/fmm/ewald.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <numbers>
#include <span>

#include "tacit/base/error.hpp"

namespace tacit::fmm {
namespace {

using base::Vec3;
using kernels::MultiIndex;
using kernels::place_of;

constexpr double pi = std::numbers::pi;
// Terms end where exp(-reach^2) is below 1e-15; of high derivatives, which have large factors, below 1e-27.
constexpr double reach_of_field = 6.0;
constexpr double reach_of_derivatives = 8.0;

/// One step of kernels::derivatives, for orders that are known at run time alone.
struct Raise {
  std::size_t axis = 0;
  std::size_t once = 0, twice = 0;
  double times = 0.0;
};

std::vector<MultiIndex> indices_up_to(int q) {
  std::vector<MultiIndex> all;
  for (int order = 0; order <= q; ++order) {
    for (int x = order; x >= 0; --x) {
      for (int y = order - x; y >= 0; --y) all.push_back({x, y, order - x - y});
    }
  }
  return all;
}

std::vector<Raise> raises_up_to(int q) {
  const std::vector<MultiIndex> indices = indices_up_to(q);
  std::vector<Raise> all(1);
  for (const MultiIndex& n : std::span(indices).subspan(1)) {
    int axis = -1;
    for (int a = 0; a < 3; ++a) {
      if (n[a] > 0 && (axis < 0 || n[a] < n[axis])) axis = a;
    }
    const auto lower = [&](int by) {
      return place_of({n.x - (axis == 0 ? by : 0), n.y - (axis == 1 ? by : 0), n.z - (axis == 2 ? by : 0)});
    };
    const int times = n[axis] - 1;
    all.push_back({static_cast<std::size_t>(axis), lower(1), times > 0 ? lower(2) : 0, static_cast<double>(times)});
  }
  return all;
}

/// Adds the derivatives of a function of |r| to d.
/// @param radial  shape (q + 1): ((1/r) d/dr)^j of it
void add_derivatives(std::span<const double> radial, const Vec3& r, std::span<const Raise> raises,
                     std::span<double> work, std::span<double> d) {
  const int q = static_cast<int>(radial.size()) - 1;
  work[0] = radial[static_cast<std::size_t>(q)];
  for (int level = q - 1; level >= 0; --level) {
    for (std::size_t k = terms(q - level) - 1; k > 0; --k) {
      const Raise& raise = raises[k];
      work[k] = r[raise.axis] * work[raise.once] + raise.times * work[raise.twice];
    }
    work[0] = radial[static_cast<std::size_t>(level)];
  }
  for (std::size_t k = 0; k < d.size(); ++k) d[k] += work[k];
}

/// ((1/r) d/dr)^j of erfc(alpha r) / r.
void set_screened(double r, double alpha, std::span<double> radial) {
  const double gauss = std::exp(-alpha * alpha * r * r) / (alpha * std::sqrt(pi));
  double power = 1.0;  // (2 alpha^2)^j
  double sign = 1.0;
  double B = std::erfc(alpha * r) / r;
  for (std::size_t j = 0; j < radial.size(); ++j) {
    if (j > 0) {
      power *= 2.0 * alpha * alpha;
      sign = -sign;
      B = ((2.0 * static_cast<double>(j) - 1.0) * B + power * gauss) / (r * r);
    }
    radial[j] = sign * B;
  }
}

/// The same of 1/r.
void subtract_newtonian(double r, std::span<double> radial) {
  double term = 1.0 / r;
  for (std::size_t j = 0; j < radial.size(); ++j) {
    if (j > 0) term *= -(2.0 * static_cast<double>(j) - 1.0) / (r * r);
    radial[j] -= term;
  }
}

/// The same of -erf(alpha r) / r at r = 0, where it is even.
void set_without_itself(double alpha, std::span<double> radial) {
  double term = -2.0 * alpha / std::sqrt(pi);
  for (std::size_t j = 0; j < radial.size(); ++j) {
    radial[j] = term / (2.0 * static_cast<double>(j) + 1.0);
    term *= -2.0 * alpha * alpha;
  }
}

bool is_within(const std::array<int, 3>& n, const std::array<int, 3>& near) {
  return std::abs(n[0]) <= near[0] && std::abs(n[1]) <= near[1] && std::abs(n[2]) <= near[2];
}

}  // namespace

Ewald::Ewald(const Vec3& box, double splitting) : box_(box), volume_(box.x * box.y * box.z) {
  TACIT_EXPECT(volume_ > 0.0 && splitting > 0.0);
  alpha_ = splitting / std::cbrt(volume_);
}

/// Calls function(n, R - n L) for all within reach, and at least those that are asked for.
template <class Function>
void Ewald::for_images(const Vec3& R, double reach, const std::array<int, 3>& at_least,
                       const Function& function) const {
  std::array<int, 3> first{}, last{};
  const double away = reach / alpha_;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    first[axis] = std::min(static_cast<int>(std::ceil((R[axis] - away) / box_[axis])), -at_least[axis]);
    last[axis] = std::max(static_cast<int>(std::floor((R[axis] + away) / box_[axis])), at_least[axis]);
  }
  for (int x = first[0]; x <= last[0]; ++x) {
    for (int y = first[1]; y <= last[1]; ++y) {
      for (int z = first[2]; z <= last[2]; ++z) {
        const std::array n{x, y, z};
        const Vec3 r{R.x - x * box_.x, R.y - y * box_.y, R.z - z * box_.z};
        if (dot(r, r) < away * away || is_within(n, at_least)) function(n, r);
      }
    }
  }
}

/// Calls function(k, 4 pi / V exp(-k^2 / (4 alpha^2)) / k^2), for one of k and -k with twice that.
template <class Function>
void Ewald::for_waves(double reach, const Function& function) const {
  const double longest = 2.0 * alpha_ * reach;
  std::array<int, 3> last{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    last[axis] = static_cast<int>(std::floor(longest * box_[axis] / (2.0 * pi)));
  }
  for (int x = 0; x <= last[0]; ++x) {
    for (int y = x > 0 ? -last[1] : 0; y <= last[1]; ++y) {
      for (int z = x > 0 || y > 0 ? -last[2] : 1; z <= last[2]; ++z) {
        const Vec3 k{2.0 * pi * x / box_.x, 2.0 * pi * y / box_.y, 2.0 * pi * z / box_.z};
        const double k2 = dot(k, k);
        if (k2 < longest * longest) function(k, 8.0 * pi / volume_ * std::exp(-k2 / (4.0 * alpha_ * alpha_)) / k2);
      }
    }
  }
}

std::pair<double, Vec3> Ewald::near_part(const Vec3& R) const {
  double psi = -pi / (alpha_ * alpha_ * volume_);
  Vec3 a;
  for_images(R, reach_of_field, {}, [&](const std::array<int, 3>& /*n*/, const Vec3& r) {
    const double distance = norm(r);
    std::array<double, 2> radial{};
    if (distance > 0.0) {
      set_screened(distance, alpha_, radial);
    } else {
      set_without_itself(alpha_, radial);
    }
    psi += radial[0];
    a = a + radial[1] * r;
  });
  return {psi, a};
}

Field Ewald::field_at(const Vec3& R) const {
  auto [psi, a] = near_part(R);
  for_waves(reach_of_field, [&psi = psi, &a = a, &R](const Vec3& k, double factor) {
    const double phase = dot(k, R);
    psi += factor * std::cos(phase);
    a = a + (-factor * std::sin(phase)) * k;
  });
  return {-psi, a};
}

std::vector<double> Ewald::far_derivatives(int q, const std::array<int, 3>& near) const {
  const std::vector<MultiIndex> indices = indices_up_to(q);
  const std::vector<Raise> raises = raises_up_to(q);
  std::vector<double> d(terms(q), 0.0);
  std::vector<double> work(terms(q));
  std::vector<double> radial(static_cast<std::size_t>(q) + 1);
  for_images({}, reach_of_derivatives, near, [&](const std::array<int, 3>& n, const Vec3& r) {
    const double distance = norm(r);
    if (distance == 0.0) {
      set_without_itself(alpha_, radial);
    } else {
      set_screened(distance, alpha_, radial);
      if (is_within(n, near)) subtract_newtonian(distance, radial);
    }
    add_derivatives(radial, r, raises, work, d);
  });
  d[0] -= pi / (alpha_ * alpha_ * volume_);
  for_waves(reach_of_derivatives, [&](const Vec3& k, double factor) {
    for (std::size_t i = 0; i < d.size(); ++i) {
      const MultiIndex& n = indices[i];
      const int order = n.x + n.y + n.z;
      if (order % 2 != 0) continue;  // sines, at 0
      const double term = factor * std::pow(k.x, n.x) * std::pow(k.y, n.y) * std::pow(k.z, n.z);
      d[i] += order % 4 == 0 ? term : -term;
    }
  });
  // What is odd along an axis vanishes by symmetry, but for rounding.
  for (std::size_t i = 0; i < d.size(); ++i) {
    if (indices[i].x % 2 != 0 || indices[i].y % 2 != 0 || indices[i].z % 2 != 0) d[i] = 0.0;
  }
  return d;
}

void add_periodic_pairs(const Bodies& bodies, const Vec3& box, const Softening& softening, const Fields& fields) {
  // Waves cost one term for each body, images one for each pair: so few images.
  constexpr double splitting = 5.0;
  Ewald(box, splitting).add_pairs(bodies, softening, fields);
}

void Ewald::add_pairs(const Bodies& bodies, const Softening& softening, const Fields& fields) const {
  const auto add = [&](std::size_t i, double m, double psi, const Vec3& a) {
    if (!fields.potential.empty()) fields.potential[i] -= m * psi;
    fields.ax[i] += m * a.x;
    fields.ay[i] += m * a.y;
    fields.az[i] += m * a.z;
  };
  const Softening none;
  const std::array origin{0.0}, unit{1.0};
  const Bodies one{origin, origin, origin, unit};
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    for (std::size_t j = i; j < bodies.size(); ++j) {
      Vec3 R = bodies.at(i) - bodies.at(j);
      for (std::size_t axis = 0; axis < 3; ++axis) R[axis] -= box_[axis] * std::round(R[axis] / box_[axis]);
      auto [psi, a] = near_part(R);
      if (j == i) {
        add(i, bodies.m[i], psi, a);
        continue;
      }
      const Field softened = fmm::field_at(R, one, softening);
      const Field plain = fmm::field_at(R, one, none);
      psi -= softened.potential - plain.potential;
      a = a + (softened.acceleration - plain.acceleration);
      add(i, bodies.m[j], psi, a);
      add(j, bodies.m[i], psi, -1.0 * a);
    }
  }
  for_waves(reach_of_field, [&](const Vec3& k, double factor) {
    double cosines = 0.0;
    double sines = 0.0;
    for (std::size_t j = 0; j < bodies.size(); ++j) {
      cosines += bodies.m[j] * std::cos(dot(k, bodies.at(j)));
      sines += bodies.m[j] * std::sin(dot(k, bodies.at(j)));
    }
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      const double c = std::cos(dot(k, bodies.at(i)));
      const double s = std::sin(dot(k, bodies.at(i)));
      add(i, factor, c * cosines + s * sines, (c * sines - s * cosines) * k);
    }
  });
}

}  // namespace tacit::fmm
