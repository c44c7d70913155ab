// Groups of particles that lie near each other: friends of friends, across ranks.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tacit/base/vec3.hpp"
#include "tacit/comm/communicator.hpp"

namespace tacit::sph {

struct GroupParticle {
  std::uint64_t id = 0;     ///< unique among all ranks
  base::Vec3 x;             ///< within the box [length]
  base::Vec3 v;             ///< [velocity]
  double m = 0.0;           ///< [mass]
  std::uint64_t links = 1;  ///< 1: it makes groups; 0: it joins that of the nearest that does
};

struct Group {
  std::uint64_t id = 0;         ///< the lowest of its particles that make groups
  std::uint64_t particles = 0;  ///< that make groups
  std::uint64_t joined = 0;     ///< those that have joined
  double mass = 0.0;            ///< of both [mass]
  double joined_mass = 0.0;     ///< [mass]
  base::Vec3 centre = {};       ///< of mass, within the box [length]
  base::Vec3 velocity = {};     ///< of the centre of mass [velocity]
};

/// Two particles are friends if they are no farther apart than `linking`; a group is what friends of friends reach.
/// Particles that do not make groups join that of the nearest particle which does, of equally near ones that of the
/// lowest ID, if it is no farther away.
///
/// All ranks call it and get the same catalogue, from the heaviest group to the lightest, bitwise identical on any
/// ranks.
///
/// @param particles  of this rank
/// @param box        periodic [length]
/// @param linking    [length]; at most half of the shortest side
/// @param least      particles that make groups, of a group that is listed
/// @see Davis et al. (1985), ApJ 292, 371
/// Cost: ranks have slabs along x, and ask each other for labels as often as a group crosses their borders.
[[nodiscard]] std::vector<Group> find_groups(std::span<const GroupParticle> particles, const base::Vec3& box,
                                             double linking, std::uint64_t least, comm::Communicator& ranks);

}  // namespace tacit::sph
