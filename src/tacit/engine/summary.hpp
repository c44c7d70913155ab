// The results of a run as text: summary.json, lines of statistics.csv, provenance.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tacit/engine/simulation.hpp"

namespace tacit::engine {

/// summary.json, indented. `hidden_fraction` is null when nothing was transferred, `parallelism` when no graph ran.
[[nodiscard]] std::string to_json(const Summary& summary);

/// First line of statistics.csv: the names of its columns.
[[nodiscard]] std::string statistics_header();
/// One line of statistics.csv, in code units but for wall_s; doubles in the shortest form that reads back exactly.
[[nodiscard]] std::string statistics_line(std::uint64_t step, double time, double dt, double wall_s,
                                          const Conserved& state);

/// The lines that end a run: what communication and output cost, and how fast it was.
[[nodiscard]] std::string headline(const Summary& summary);

/// Version, commit, compiler, host, date and the solver's origin, as (name, value).
[[nodiscard]] std::vector<std::pair<std::string, std::string>> provenance_rows(const Solver& solver);

/// The same as lines of comment for a TOML file: "# commit: ...".
[[nodiscard]] std::string provenance_comment(const Solver& solver);

}  // namespace tacit::engine
