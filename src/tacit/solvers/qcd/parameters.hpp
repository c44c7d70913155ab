// The keys of the qcd solver and what they become.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "tacit/config/parameters.hpp"
#include "tacit/solvers/qcd/dirac_operator.hpp"
#include "tacit/solvers/qcd/division.hpp"
#include "tacit/solvers/qcd/formats/gauge_file.hpp"
#include "tacit/solvers/qcd/gauge_field.hpp"
#include "tacit/solvers/qcd/multigrid/settings.hpp"
#include "tacit/solvers/qcd/solve.hpp"
#include "tacit/solvers/qcd/sources/source_shapes.hpp"

namespace tacit::qcd {

enum class Setup : std::uint8_t { unit, random, file };

/// Where the gauge field comes from.
struct GaugeSource {
  Setup setup = Setup::unit;
  double spread = 0.0;
  std::uint64_t seed = 0;
  std::filesystem::path file = {};

  [[nodiscard]] std::string text() const;
};

enum class SourceKind : std::uint8_t { point, wall, random, ones, file };

/// The right-hand sides.
struct SourceParameters {
  SourceKind kind = SourceKind::point;
  Coordinates position{};
  std::uint64_t seed = 0;
  std::filesystem::path file = {};
  SourceSmearing smearing = {};

  /// Whether there is one for each spin and colour, of which correlators are made.
  [[nodiscard]] bool has_columns() const noexcept { return kind == SourceKind::point || kind == SourceKind::wall; }
  [[nodiscard]] std::size_t count() const noexcept { return has_columns() ? 12U : 1U; }
};

/// All input of the solver, checked.
struct QcdParameters {
  Extents extents;
  RanksPerAxis ranks{};  ///< 0: chosen
  GaugeSource gauge;
  DiracParameters dirac;
  SourceParameters source;
  Method method = Method::cgnr;
  Precision precision = Precision::whole;
  bool is_even_odd = true;  ///< the Schur complement is solved
  SolveOptions solve;
  std::size_t at_once = 1;        ///< sources that are solved for together, of Method::multigrid
  multigrid::Settings multigrid;  ///< of Method::multigrid
  GaugeFormat writes_gauge = GaugeFormat::none;
  bool writes_solutions = false;
};

/// The tables of keys, for validation, help, schema and reference.
[[nodiscard]] std::span<const config::KeyTable> key_tables();

/// @throws config::Error where keys contradict each other; of a file its header is read: base::FormatError,
///         base::SystemError
[[nodiscard]] QcdParameters read_parameters(const config::Parameters& parameters);

}  // namespace tacit::qcd
