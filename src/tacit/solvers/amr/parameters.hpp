// The keys of the amr solver and what they become.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "tacit/config/parameters.hpp"
#include "tacit/mesh/launch_slots.hpp"
#include "tacit/mesh/octree.hpp"
#include "tacit/solvers/amr/gravity.hpp"
#include "tacit/solvers/amr/integrators.hpp"
#include "tacit/solvers/amr/kernels/gas.hpp"
#include "tacit/solvers/amr/kernels/scalars.hpp"
#include "tacit/solvers/amr/setups/setups.hpp"

namespace tacit::amr {

/// What a coarser sub-grid takes through its faces to finer ones.
enum class BorderFluxes : std::uint8_t {
  of_finer,  ///< so that what leaves one enters the other
  of_each,   ///< its own, by which sums drift: no key says so, but tests, to see that they would notice
};

/// What sub-grids are divided among ranks by. No bit of a result depends on it.
enum class Rebalance : std::uint8_t { count, cost };

/// By what the parts of a step are put into their order. No bit of a result depends on it.
enum class StepOrder : std::uint8_t {
  graph,    ///< tasks and messages that are built once for a tree
  futures,  ///< coroutines that await each other, and channels
};

/// What refines sub-grids, and joins them again: a value in each of them, and two thresholds.
struct Criterion {
  std::uint32_t finest = 0;    ///< the deepest level that it asks for
  double refine_above = 0.0;   ///< of sub-grids that are one level coarser than that
  double coarsen_below = 0.0;  ///< of the parts of such ones
  double ratio = 1.0;          ///< of thresholds from level to level: what is coarser has lower ones

  /// Whether a leaf is to be divided, or, if it is of the finest level, to stay with all around it.
  [[nodiscard]] bool refines(std::uint32_t level, double value) const;
  /// Whether a leaf may not be joined with the other parts of its parent.
  [[nodiscard]] bool keeps(std::uint32_t level, double value) const;
};

/// What a cell is taken to hold between its faces.
enum class Reconstruction : std::uint8_t { plm, ppm };

/// What cells are lifted to after each stage; 0: they are not.
struct Floors {
  double density = 0.0;
  double pressure = 0.0;
  [[nodiscard]] bool are_set() const noexcept { return density > 0.0 || pressure > 0.0; }
};

/// Angular momentum that is taken from the gas, as waves or a magnetised wind take it.
struct Driving {
  double rate = 0.0;                                       ///< its part per time [1/time]
  double until = std::numeric_limits<double>::infinity();  ///< no longer
};

/// All input of the solver, checked and in code units.
struct AmrParameters {
  Domain domain;
  double begin = 0.0;  ///< time of the initial conditions
  double gamma = 1.4;
  kernels::Fields fields = {};
  kernels::Trust trust = kernels::default_trust;  ///< no key says so, but tests
  Reconstruction reconstruction = Reconstruction::plm;
  Integrator integrator = Integrator::rk2;
  kernels::Limiter limiter = kernels::Limiter::monotonised_central;
  kernels::Riemann riemann = kernels::Riemann::hllc;
  double cfl = 0.8;
  Floors floors = {};
  std::uint32_t halvings = 5;  ///< how often a step that leaves cells that are not valid is made again
  bool is_adaptive = false;
  std::uint32_t finest = 0;         ///< level that any criterion or region asks for
  std::uint64_t regrid_every = 16;  ///< steps from one look at the sub-grids to the next; of fixed ones, at their costs
  Rebalance rebalance = Rebalance::count;
  StepOrder order = StepOrder::graph;
  std::uint64_t most_leaves = 0;  ///< that adaptive runs may have; 0: as many as the memory here holds
  Criterion jumps;
  std::optional<Criterion> density;
  std::vector<Criterion> of_species;          ///< the same of the densities of the first species
  std::optional<double> plotfile_every = {};  ///< time
  std::optional<GravityOptions> gravity = {};
  /// Angular velocity of the frame around z in the middle of the domain [1/time]: of one that follows stars, at
  /// present.
  double frame_rotation = 0.0;
  bool follows_stars = false;      ///< whether the frame does
  std::uint64_t follow_every = 8;  ///< steps; no key says so, but tests
  std::optional<Driving> driving = {};
  mesh::LaunchSetting launches = {};
  BorderFluxes border_fluxes = BorderFluxes::of_finer;
  /// What sub-grids cost, in place of what is measured: no key says so, but tests.
  std::function<std::uint64_t(const mesh::Node& leaf)> cost_of = {};
  Initial initial;

  /// Whether anything may enter or leave, or be added: through sides that are not periodic, by floors, by driving, or
  /// by a frame that changes.
  [[nodiscard]] bool is_open() const noexcept;
};

/// The tables of keys, for validation, help, schema and reference.
[[nodiscard]] std::span<const config::KeyTable> key_tables();

/// @throws config::Error where keys contradict each other; what the set-up throws
[[nodiscard]] AmrParameters read_parameters(const config::Parameters& parameters);

/// Memory of the state of so many sub-grids and of their tasks [byte].
[[nodiscard]] double memory_of(const AmrParameters& parameters, double leaves);
/// Memory that all ranks together need beside it for copies of sub-grids of others [byte]: about, as if each had a
/// cube.
[[nodiscard]] double memory_of_copies(const AmrParameters& parameters, double leaves, std::size_t ranks);
/// How many sub-grids an adaptive run may have: as the key says, or as many as fit into the memory of this machine.
/// @param machines  as much memory as so many of these there is, and all is used alike
[[nodiscard]] double leaves_limit(const AmrParameters& parameters, double machines);

}  // namespace tacit::amr
