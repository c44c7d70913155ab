// The keys of the sph solver and what they become.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>

#include "tacit/config/parameters.hpp"
#include "tacit/solvers/sph/gas.hpp"
#include "tacit/solvers/sph/kernels/smoothing_length.hpp"
#include "tacit/solvers/sph/setups/setups.hpp"

namespace tacit::sph {

enum class Kernel { cubic_spline, quartic_spline, quintic_spline };

/// All input of the solver, checked and in code units.
struct SphParameters {
  Kernel kernel = Kernel::cubic_spline;
  std::string kernel_name;
  double kernel_gamma = 0.0;               ///< support radius over h
  kernels::SmoothingLengthRule smoothing;  ///< h_max is 0 when the key is not given
  double gamma = 5.0 / 3.0;
  double cfl = 0.1;
  double alpha = 1.2;
  Boundary boundary = Boundary::periodic;
  std::optional<std::filesystem::path> file;  ///< initial conditions, or
  std::optional<Setup> setup;                 ///< a built-in set-up
};

/// The tables of keys, for validation, help, schema and reference.
[[nodiscard]] std::span<const config::KeyTable> key_tables();

/// @throws config::Error where keys contradict each other (no or two sources of initial conditions, ...)
[[nodiscard]] SphParameters read_parameters(const config::Parameters& parameters);

/// The particles that the parameters name, read or made.
/// @throws base::FormatError, base::SystemError if a file cannot be used
[[nodiscard]] InitialConditions initial_conditions(const SphParameters& parameters, const base::UnitSystem& units);

}  // namespace tacit::sph
