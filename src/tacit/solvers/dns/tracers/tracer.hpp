// What is known of a tracer particle.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "tacit/base/vec3.hpp"

namespace tacit::dns {

/// A particle without mass that the flow carries along.
struct Tracer {
  std::uint64_t id = 0;  ///< 0 to count - 1
  base::Vec3 position;   ///< [length]; not brought back into the box, so that it says how far it has come
  base::Vec3 start;      ///< where it began [length]
  base::Vec3 first_velocity;
  base::Vec3 velocity;  ///< the flow's at the position when it was last asked for
  base::Vec3 base;      ///< within a step: where the step began (rk4)
  base::Vec3 sum;       ///< within a step: where the weighted substages have led so far
};

}  // namespace tacit::dns
