// The keys of the amr solver and what they become.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "tacit/config/parameters.hpp"
#include "tacit/solvers/amr/kernels/gas.hpp"
#include "tacit/solvers/amr/setups/setups.hpp"

namespace tacit::amr {

/// What a coarser sub-grid takes through its faces to finer ones.
enum class BorderFluxes : std::uint8_t {
  of_finer,  ///< so that what leaves one enters the other
  of_each,   ///< its own, by which sums drift: no key says so, but tests, to see that they would notice
};

/// All input of the solver, checked and in code units.
struct AmrParameters {
  Domain domain;
  double begin = 0.0;  ///< time of the initial conditions
  double gamma = 1.4;
  kernels::Limiter limiter = kernels::Limiter::monotonised_central;
  kernels::Riemann riemann = kernels::Riemann::hllc;
  double cfl = 0.8;
  bool is_adaptive = false;
  std::uint32_t finest = 0;        ///< level, of adaptive runs
  std::uint64_t regrid_every = 8;  ///< steps
  double refine_above = 0.0;
  double coarsen_below = 0.0;
  BorderFluxes border_fluxes = BorderFluxes::of_finer;
  Initial initial;
};

/// The tables of keys, for validation, help, schema and reference.
[[nodiscard]] std::span<const config::KeyTable> key_tables();

/// @throws config::Error where keys contradict each other; what the set-up throws
[[nodiscard]] AmrParameters read_parameters(const config::Parameters& parameters);

/// Memory of the state and of its tasks per cell, and beside that per sub-grid, measured [byte].
[[nodiscard]] double memory_of(const Domain& domain);

}  // namespace tacit::amr
