// Fills cells with gas.
// SPDX-License-Identifier: Apache-2.0
#include "sph/neighbourhood.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "tacit/base/random.hpp"

namespace tacit::bench {
namespace {

using base::Vec3;
using sph::kernels::Box;

bool is_inside(const Vec3& at, const Box& box) {
  return at.x >= box.low.x && at.y >= box.low.y && at.z >= box.low.z && at.x < box.high.x && at.y < box.high.y &&
         at.z < box.high.z;
}

Box cube(const Vec3& low, double side) { return {{low.x, low.y, low.z}, {low.x + side, low.y + side, low.z + side}}; }

}  // namespace

Neighbourhood::Neighbourhood(const sph::kernels::Space& space, double side, int parts)
    : H(space.gamma * spacings_of_h), side_(side) {
  constexpr int middle = 13;
  add_cell({}, parts);
  searching = x.size();
  const std::size_t searching_groups = groups.size();
  for (int k = 0; k < 27; ++k) {
    if (k != middle) add_cell(side * Vec3{k % 3 - 1.0, k / 3 % 3 - 1.0, k / 9 - 1.0}, parts);
  }
  groups.resize(searching_groups);
  for (auto* field : {&m, &rho, &omega_P, &u}) field->assign(x.size(), 1.0);
  for (auto* field : {&cs, &balsara, &f, &alpha_v, &alpha_d}) field->assign(x.size(), 1.0F);
  h.assign(x.size(), spacings_of_h);
}

Box Neighbourhood::cell() const noexcept { return cube({-0.5 * side_, -0.5 * side_, -0.5 * side_}, side_); }

sph::kernels::ForceTarget Neighbourhood::target(std::size_t i) const {
  return {{x[i], y[i], z[i]}, v(i), spacings_of_h, 1.0, 1.0, 1.0, 1.0};
}

void Neighbourhood::add_cell(const Vec3& middle, int parts) {
  const double part = side_ / parts;
  for (int k = 0; k < parts * parts * parts; ++k) {
    const Vec3 corner{part * (k % parts), part * (k / parts % parts), part * (k / parts / parts)};
    const std::size_t first = x.size();
    const Box box = cube(middle + corner - 0.5 * side_ * Vec3{1.0, 1.0, 1.0}, part);
    add_box(box);
    groups.push_back({first, x.size(), box});
  }
}

void Neighbourhood::add_box(const Box& box) {
  const int most = static_cast<int>(std::ceil(half())) + 1;
  const int points = 2 * most + 1;
  for (int point = 0; point < points * points * points; ++point) {
    const auto random = [point](std::uint64_t draw) {
      return base::uniform(5, static_cast<std::uint64_t>(point), draw);
    };
    const Vec3 place{point % points - most + random(0) - 0.5, point / points % points - most + random(1) - 0.5,
                     point / points / points - most + random(2) - 0.5};
    if (!is_inside(place, box)) continue;
    x.push_back(place.x);
    y.push_back(place.y);
    z.push_back(place.z);
    vx.push_back(static_cast<float>(random(3) - 0.5));
    vy.push_back(static_cast<float>(random(4) - 0.5));
    vz.push_back(static_cast<float>(random(5) - 0.5));
  }
}

}  // namespace tacit::bench
