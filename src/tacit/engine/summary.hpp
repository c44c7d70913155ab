// The results of a run as text: summary.json, lines of statistics.csv, provenance.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tacit/engine/simulation.hpp"

namespace tacit::engine {

/// summary.json, indented. `hidden_fraction` is null when nothing was transferred, `parallelism` when no graph ran.
[[nodiscard]] std::string to_json(const Summary& summary);

/// First line of statistics.csv: the names of its columns, those of the solver last.
[[nodiscard]] std::string statistics_header(std::span<const Statistic> more);
/// One line of statistics.csv, in code units but for wall_s; doubles in the shortest form that reads back exactly. What
/// is absent is an empty field, which readers take as missing.
[[nodiscard]] std::string statistics_line(std::uint64_t step, double time, double dt, double wall_s,
                                          const Conserved& state, std::span<const Statistic> more);

/// Puts what the run cost all ranks into the summary.
///
///     exposed_s         mean over all workers of all ranks, as trace::Exposure has it of those of one
///     hidden_fraction   1 - exposed_s / (mean of serial_s over ranks)
///     output_s, wall_s  of the first rank, which writes
///     parallelism       work of all ranks / longest critical path of one
///
/// @param costs  by rank, at least one
void add_costs(Summary& summary, std::span<const RankCost> costs);

/// The lines that end a run: what communication and output cost, and how fast it was.
[[nodiscard]] std::string headline(const Summary& summary);

/// Version, commit, compiler, host, date and the solver's origin, as (name, value).
[[nodiscard]] std::vector<std::pair<std::string, std::string>> provenance_rows(const Solver& solver);

/// The same as lines of comment for a TOML file: "# commit: ...".
[[nodiscard]] std::string provenance_comment(const Solver& solver);

}  // namespace tacit::engine
