// The keys of the dns solver and what they become.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>

#include "tacit/config/parameters.hpp"
#include "tacit/solvers/dns/distributions.hpp"
#include "tacit/solvers/dns/flow.hpp"
#include "tacit/solvers/dns/setups/scalar_fields.hpp"
#include "tacit/solvers/dns/setups/setups.hpp"
#include "tacit/solvers/dns/tracers/tracers.hpp"

namespace tacit::dns {

/// What is written beside snapshots.
struct StatisticsParameters {
  std::optional<double> spectra_every = {};  ///< [time]; without it at the begin and the end
  Binning binning;
  std::size_t slice_z = 0;  ///< index of a plane of points
};

/// All input of the solver, checked and in code units.
struct DnsParameters {
  FlowParameters flow;
  double cfl = 0.0;               ///< Courant number, see the key
  std::optional<double> dt = {};  ///< a fixed time step [time]
  Setup setup = {};
  StatisticsParameters statistics = {};
  TracerParameters tracers = {};
  ScalarFields scalars = {};
};

/// The tables of keys, for validation, help, schema and reference.
[[nodiscard]] std::span<const config::KeyTable> key_tables();

/// @throws config::Error where keys contradict each other
[[nodiscard]] DnsParameters read_parameters(const config::Parameters& parameters);

}  // namespace tacit::dns
