// A particle without mass that the flow carries along, as it travels between ranks.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "tacit/base/record.hpp"
#include "tacit/base/vec3.hpp"

namespace tacit::dns {

/// A particle without mass that the flow carries along.
struct Tracer {
  std::uint64_t id = 0;  ///< 0 to count - 1
  base::Vec3 position;   ///< [length]; not brought back into the box, so that it says how far it has come
  base::Vec3 start;      ///< where it began [length]
  base::Vec3 first_velocity;
  base::Vec3 velocity;  ///< that of the flow at the position, when last measured
  base::Vec3 base;      ///< within a step: where the step began (rk4)
  base::Vec3 sum;       ///< within a step: the weighted sum of the substages so far
  // With a continuous log:
  std::uint32_t logged_by = no_rank;     ///< rank that has written its last record
  std::uint32_t steps_since_logged = 0;  ///< own ones

  static constexpr std::uint32_t no_rank = ~0U;

  static constexpr auto record() noexcept {
    using tacit::base::member;
    return tacit::base::record("tracer", member("id", &Tracer::id), member("position", &Tracer::position),
                               member("start", &Tracer::start), member("first_velocity", &Tracer::first_velocity),
                               member("velocity", &Tracer::velocity), member("base", &Tracer::base),
                               member("sum", &Tracer::sum), member("logged_by", &Tracer::logged_by),
                               member("steps_since_logged", &Tracer::steps_since_logged));
  }
};

}  // namespace tacit::dns
