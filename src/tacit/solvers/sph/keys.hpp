// Tables of keys by theme, and what each theme's keys become; parameters.cpp puts them together.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <span>

#include "tacit/config/parameters.hpp"
#include "tacit/solvers/sph/parameters.hpp"

namespace tacit::sph {

// The words of the tables.
using config::Choice;
using config::Key;
namespace dim = base::dimension;

[[nodiscard]] std::span<const config::Key> gravity_table();
[[nodiscard]] std::span<const config::Key> cosmology_table();
[[nodiscard]] std::span<const config::Key> potential_table();
[[nodiscard]] std::span<const config::Key> cooling_table();
[[nodiscard]] std::span<const config::Key> analysis_table();

/// G in code units: what gravity.constant says, or that of nature (CODATA 2018).
[[nodiscard]] double gravitational_constant(const config::Parameters& p);

/// @param sph  with dimension and boundary: walls have images that are not known
[[nodiscard]] SelfGravity read_gravity(const config::Parameters& p, const SphParameters& sph);

/// Whether periodic images of all particles attract as they shall in that box.
/// @throws base::Error  if it is too elongated, or too small for a softening length; names the key
void check_periodic_gravity(const SphParameters& parameters, const base::Vec3& box);

/// How the box expands, if it does.
/// @param sph  with all but set-ups and files
/// @throws config::Error  where keys contradict each other
[[nodiscard]] std::optional<Cosmology> read_cosmology(const config::Parameters& p, const SphParameters& sph);

/// @param sph  with dimension and boundary: not every field has somewhere to pull
[[nodiscard]] kernels::Potential read_potential(const config::Parameters& p, const SphParameters& sph);

/// @param sph  with dimension and boundary
/// @throws config::Error  where it cannot be measured
[[nodiscard]] Analysis read_analysis(const config::Parameters& p, const SphParameters& sph);

/// @param sph  with gamma
[[nodiscard]] std::shared_ptr<const SourceTerm> read_cooling(const config::Parameters& p, const SphParameters& sph);

}  // namespace tacit::sph
