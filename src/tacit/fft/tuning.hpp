// Measures once on which grid of ranks, and in how many messages, a pass is fastest; all ranks choose alike.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "tacit/comm/communicator.hpp"
#include "tacit/fft/exchange_plan.hpp"
#include "tacit/fft/pass.hpp"
#include "tacit/tasks/scheduler.hpp"

namespace tacit::fft {

/// Whether the way of a pass is measured.
enum class Tuning : std::uint8_t {
  none,      ///< what is not named is chosen by rules
  measured,  ///< by times; once, where a file keeps them
};

/// How a pass is carried out, where there is a choice; zeros are chosen.
struct PassWay {
  ProcessGrid grid = {.row_size = 0, .column_size = 0};
  Division division = {.chunks = 0, .groups = 0};
  friend bool operator==(const PassWay&, const PassWay&) = default;
};

/// What is to be carried out, alike on all ranks.
struct PassQuestion {
  Modes modes;
  PassFields fields;
  Rigor rigor = Rigor::measure;
};

/// The grids on which every rank has something, beginning with that of choose_grid; at most 8.
/// @throws base::Error if there is none
[[nodiscard]] std::vector<ProcessGrid> grids_to_try(const Modes& modes, const comm::Communicator& ranks);

/// The way in which a pass takes least on the slowest rank, as measured now or as the file says: the grid first, then
/// the messages on it. What `wanted` names stays. Called by all ranks, which wait for each other; the first of them
/// alone reads and writes the file, and replaces it whole.
/// @param ranks  one alone has no choice
/// @param file   where answers are kept for other runs, by processor, ranks, nodes, threads and question; empty:
///               nowhere
/// @throws base::FormatError that names the line, base::SystemError for the file; base::Error on the other ranks
/// Cost: some passes for each of about ten ways, once; memory of one pass
template <class Real>
[[nodiscard]] PassWay choose_way(const PassQuestion& question, const PassWay& wanted, tasks::Scheduler& scheduler,
                                 comm::Communicator& ranks, const std::filesystem::path& file);

/// The entries of a file: "ROW_SIZE COLUMN_SIZE CHUNKS GROUPS KEY" in each line, below a line that names the format.
/// @param path  for messages
/// @throws base::FormatError that names the line
[[nodiscard]] std::map<std::string, PassWay> parse_pass_ways(const std::string& text, const std::string& path);
[[nodiscard]] std::string pass_ways_text(const std::map<std::string, PassWay>& ways);

extern template PassWay choose_way<double>(const PassQuestion&, const PassWay&, tasks::Scheduler&, comm::Communicator&,
                                           const std::filesystem::path&);
extern template PassWay choose_way<float>(const PassQuestion&, const PassWay&, tasks::Scheduler&, comm::Communicator&,
                                          const std::filesystem::path&);

}  // namespace tacit::fft
