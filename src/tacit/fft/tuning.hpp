// Measures once on which grid of ranks, and in how many messages, a pass is fastest; all ranks choose alike.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <vector>

#include "tacit/base/tuning_cache.hpp"
#include "tacit/comm/communicator.hpp"
#include "tacit/fft/exchange_plan.hpp"
#include "tacit/fft/pass.hpp"
#include "tacit/tasks/scheduler.hpp"

namespace tacit::fft {

/// Whether the algorithm of a pass is measured.
enum class Tuning : std::uint8_t {
  none,      ///< what is not named is chosen by rules
  measured,  ///< by times; once, where a file keeps them
};

/// How a pass is carried out, where there is a choice; zeros are chosen.
struct PassAlgorithm {
  ProcessGrid grid = {.row_size = 0, .column_size = 0};
  Division division = {.chunks = 0, .groups = 0};
  friend bool operator==(const PassAlgorithm&, const PassAlgorithm&) = default;
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

/// The algorithm by which a pass takes the least time on the slowest rank, as measured now or as the file says: the
/// grid first, then the messages on it. What `wanted` names stays. Called by all ranks, which wait for each other; the
/// first of them alone reads and writes the file, and replaces it whole.
/// @param ranks  one alone has no choice
/// @param file   where answers are kept for other runs, by processor, ranks, nodes, threads and question; empty:
///               nowhere
/// @throws base::FormatError that names the line, base::SystemError for the file; base::Error on the other ranks
/// Cost: some passes for each of about ten algorithms, once; memory of one pass
template <class Real>
[[nodiscard]] PassAlgorithm choose_algorithm(const PassQuestion& question, const PassAlgorithm& wanted,
                                             tasks::Scheduler& scheduler, comm::Communicator& ranks,
                                             const std::filesystem::path& file);

/// The lines of the file: "ROW_SIZE COLUMN_SIZE CHUNKS GROUPS KEY".
extern const base::TuningFormat pass_tunings;

extern template PassAlgorithm choose_algorithm<double>(const PassQuestion&, const PassAlgorithm&, tasks::Scheduler&,
                                                       comm::Communicator&, const std::filesystem::path&);
extern template PassAlgorithm choose_algorithm<float>(const PassQuestion&, const PassAlgorithm&, tasks::Scheduler&,
                                                      comm::Communicator&, const std::filesystem::path&);

}  // namespace tacit::fft
