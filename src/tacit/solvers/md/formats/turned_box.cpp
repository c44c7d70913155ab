// Turns boxes, and takes edges from others.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/md/formats/turned_box.hpp"

#include <algorithm>
#include <cmath>

namespace tacit::md {

using base::Vec3;

std::optional<Turn> turn_of(const std::array<Vec3, 3>& edges, const Box& box) {
  const auto& [a, b, c] = edges;
  const Vec3 normal = base::cross(a, b);
  const double volume = base::dot(normal, c);
  // Flatter than rounding lets one tell.
  if (!(std::abs(volume) > 1e-12 * base::norm(a) * base::norm(b) * base::norm(c))) return std::nullopt;
  Turn turn{.box = box};
  turn.has_third_reversed = volume < 0.0;
  const Vec3 third = turn.has_third_reversed ? -1.0 * c : c;
  // Behind a rotation numbers that ought to be 0 are as large as rounding leaves them.
  const double rounding = 1e-12 * std::max({std::abs(a.x), std::abs(b.y), std::abs(c.z)});
  const double above = std::max({std::abs(a.y), std::abs(a.z), std::abs(b.z)});
  turn.is_none = above <= rounding && a.x > 0.0 && b.y > 0.0 && c.z > 0.0;
  if (turn.is_none) {
    turn.rows = {Vec3{1.0, 0.0, 0.0}, Vec3{0.0, 1.0, 0.0}, Vec3{0.0, 0.0, 1.0}};
    turn.box.size = {a.x, b.y, c.z};
    turn.box.xy = b.x;
    turn.box.xz = c.x;
    turn.box.yz = c.y;
    return turn;
  }
  const Vec3 along = (1.0 / base::norm(a)) * a;
  const Vec3 across = (1.0 / base::norm(normal)) * normal;
  turn.rows = {along, base::cross(across, along), across};
  const Vec3 second = turn.vector(b);
  const Vec3 last = turn.vector(third);
  turn.box.size = {base::norm(a), second.y, last.z};
  turn.box.xy = second.x;
  turn.box.xz = last.x;
  turn.box.yz = last.y;
  if (turn.has_third_reversed) turn.box.origin = box.origin - last;
  return turn;
}

void Turn::apply(Configuration& atoms) const {
  const Vec3 centre = has_third_reversed ? box.origin + box.edge(2) : box.origin;  // that of the box given
  atoms.box = box;
  if (is_none) return;
  for (Vec3& x : atoms.x) x = centre + vector(x - centre);
  for (Vec3& v : atoms.v) v = vector(v);
  if (!has_third_reversed) return;
  for (ImageCount& image : atoms.image) image[2] = -image[2];
}

void straighten(Configuration& atoms) {
  Box& box = atoms.box;
  // Half of an edge, too, as files of few digits give it.
  const auto times = [](double tilt, double size, bool is_periodic) {
    return is_periodic && std::abs(tilt) > 0.5 * size * (1.0 + 1e-5) ? std::round(tilt / size) : 0.0;
  };
  const double of_second = times(box.yz, box.size.y, box.periodic[1]);
  box.yz -= of_second * box.size.y;
  box.xz -= of_second * box.xy;
  const double of_first_in_third = times(box.xz, box.size.x, box.periodic[0]);
  const double of_first_in_second = times(box.xy, box.size.x, box.periodic[0]);
  box.xz -= of_first_in_third * box.size.x;
  box.xy -= of_first_in_second * box.size.x;
  for (ImageCount& image : atoms.image) {
    // x + i a + j b + k c with b = b' + m a and c = c' + n b + l a: counts along a and b take what b and c lost.
    const std::int32_t third = image[2];
    image[0] += third * static_cast<std::int32_t>(of_first_in_third);
    image[1] += third * static_cast<std::int32_t>(of_second);
    image[0] += image[1] * static_cast<std::int32_t>(of_first_in_second);
  }
}

}  // namespace tacit::md
