// The keys of the gauge solver and what they become.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>

#include "tacit/config/parameters.hpp"
#include "tacit/solvers/qcd/division.hpp"
#include "tacit/solvers/qcd/formats/gauge_file.hpp"
#include "tacit/solvers/qcd/gauge/flow.hpp"
#include "tacit/solvers/qcd/gauge/smearing.hpp"

namespace tacit::qcd {

enum class Start : std::uint8_t { cold, hot, file };

/// All input of the solver, checked.
struct GaugeParameters {
  Extents extents;
  RanksPerAxis ranks{};  ///< 0: chosen
  double beta = 0.0;
  std::uint64_t seed = 0;
  Start start = Start::cold;
  std::filesystem::path file = {};
  std::uint64_t overrelaxations = 0;   ///< after each heat bath
  std::uint64_t measures_from = 0;     ///< the first sweep of which is measured
  std::uint64_t measures_every = 1;    ///< sweeps
  std::array<std::size_t, 2> loops{};  ///< longest sides of Wilson loops: r, t; 0: none
  Smearing smearing = {};              ///< of the fields of which Wilson loops are measured
  FlowSettings flow = {};
  std::uint64_t flows_every = 1;           ///< measurements
  GaugeFormat writes = GaugeFormat::none;  ///< fields
  std::optional<double> writes_every = {};

  /// Where the first field comes from, in words.
  [[nodiscard]] std::string origin() const;
};

/// The tables of keys, for validation, help, schema and reference.
[[nodiscard]] std::span<const config::KeyTable> gauge_key_tables();

/// @throws config::Error where keys contradict each other; of a file its header is read: base::FormatError,
///         base::SystemError
[[nodiscard]] GaugeParameters read_gauge_parameters(const config::Parameters& parameters);

}  // namespace tacit::qcd
