// What set-ups of bodies without gas share.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "tacit/base/random.hpp"
#include "tacit/base/vec3.hpp"
#include "tacit/config/parameters.hpp"
#include "tacit/solvers/sph/gas.hpp"

namespace tacit::sph {

struct SphParameters;

/// GADGET's types of their bodies.
inline constexpr std::uint8_t halo_type = 1;
inline constexpr std::uint8_t disc_type = 2;
inline constexpr std::uint8_t bulge_type = 3;

/// @throws config::Error  without gravity, by which alone bodies move
void require_gravity(const config::Parameters& p, const SphParameters& sph, std::string_view setup);

/// Uniform numbers of one body, one after the other.
class Draws {
 public:
  Draws(std::uint64_t seed, std::uint64_t body) noexcept : seed_(seed), body_(body) {}
  double operator()() noexcept { return base::uniform(seed_, body_, next_++); }
  /// A vector of this length in any direction.
  base::Vec3 direction(double length) noexcept;

 private:
  std::uint64_t seed_, body_, next_ = 0;
};

/// Nothing yet, in a cube of this side [length].
[[nodiscard]] InitialConditions empty_space(std::string_view source, double side);

/// @param row  of all bodies
void add_body(InitialConditions& bodies, std::uint64_t row, const base::Vec3& x, const base::Vec3& v, double m,
              std::uint8_t type = halo_type);

}  // namespace tacit::sph
