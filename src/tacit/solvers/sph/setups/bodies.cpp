// Bodies without gas, one after the other.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/sph/setups/bodies.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "tacit/config/parameters.hpp"
#include "tacit/solvers/sph/parameters.hpp"

namespace tacit::sph {

void require_gravity(const config::Parameters& p, const SphParameters& sph, std::string_view setup) {
  if (sph.gravity.is_present) return;
  throw config::Error(p.where(p.is_given("gravity.self") ? "gravity.self" : "initial.setup"), "gravity.self",
                      fmt::format("{} has bodies without gas, which move by gravity alone", setup),
                      "set gravity.self = true, and gravity.softening");
}

base::Vec3 Draws::direction(double length) noexcept {
  const double z = 2.0 * (*this)() - 1.0;
  const double angle = 2.0 * std::numbers::pi * (*this)();
  const double across = std::sqrt(1.0 - z * z);
  return length * base::Vec3{across * std::cos(angle), across * std::sin(angle), z};
}

InitialConditions empty_space(std::string_view source, double side) {
  InitialConditions bodies;
  bodies.source = source;
  bodies.box = {side, side, side};
  bodies.has_types = true;
  return bodies;
}

void add_body(InitialConditions& bodies, std::uint64_t row, const base::Vec3& x, const base::Vec3& v, double m,
              std::uint8_t type) {
  bodies.id.push_back(row + 1);
  bodies.x.push_back(x.x);
  bodies.y.push_back(x.y);
  bodies.z.push_back(x.z);
  bodies.vx.push_back(v.x);
  bodies.vy.push_back(v.y);
  bodies.vz.push_back(v.z);
  bodies.m.push_back(m);
  bodies.u.push_back(0.0);
  bodies.type.push_back(type);
}

}  // namespace tacit::sph
