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

/// What statistics.csv says of a state, in code units but for wall_s.
struct StatisticsRow {
  std::uint64_t step = 0;
  double coordinate = 0.0;
  double dt = 0.0;  ///< no column where the axis is counted
  double wall_s = 0.0;
  Conserved conserved = {};
  std::vector<Statistic> more = {};
};
/// First line of statistics.csv: the names of its columns, those of the solver last.
[[nodiscard]] std::string statistics_header(const StatisticsRow& row, const Axis& axis = {});
/// One line of statistics.csv; doubles in the shortest form that reads back exactly.
[[nodiscard]] std::string statistics_line(const StatisticsRow& row, const Axis& axis = {});

/// Puts what the run cost all ranks into the summary.
///
///     exposed_s         mean over all workers of all ranks, as trace::Exposure has it of those of one
///     hidden_fraction   1 - exposed_s / (mean of serial_s over ranks)
///     output_s, output_exposed_s   of the rank with the most
///     wall_s            of the first rank
///     parts             the mean over ranks of those that the summary names, and "other", the rest of wall_s
///     parallelism       work of all ranks / longest critical path of one
///
/// @param costs  by rank, at least one
void add_costs(Summary& summary, std::span<const RankCost> costs);

/// The lines that end a run: what communication and output cost, and how fast it was.
[[nodiscard]] std::string headline(const Summary& summary);

/// Version, commit, compiler, host, date and where the initial conditions came from.
[[nodiscard]] Provenance provenance_of(const Origin& origin);

/// The same as lines of comment for a TOML file: "# commit: ...".
[[nodiscard]] std::string to_comment(const Provenance& provenance);

}  // namespace tacit::engine
