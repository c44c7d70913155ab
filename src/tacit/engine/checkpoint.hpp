// The engine's own part of a checkpoint: where the run stands.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tacit/engine/solver.hpp"
#include "tacit/io/file.hpp"

namespace tacit::engine {

struct EngineState {
  std::string solver;
  double time = 0.0;
  double dt = 0.0;
  std::uint64_t step = 0;
  std::uint64_t snapshots = 0;
  std::uint64_t updates = 0;
  std::optional<std::uint64_t> statistics_step = {};  ///< of the last line of statistics before it
  Conservation conservation;
  std::string parameters;
  Provenance provenance;
  Origin origin = {};  ///< of the initial conditions; `save_engine` takes it from the provenance
};

void save_engine(io::FileWriter& file, const EngineState& state);

/// @throws base::FormatError if a file is none that `save_engine` has written to
void require_checkpoint(const io::FileReader& file);

/// Opens a checkpoint and makes sure that it is one, of this solver and of a layout that this version reads.
/// @throws base::SystemError, base::FormatError where it is none of ours
[[nodiscard]] io::FileReader open_checkpoint(const std::filesystem::path& path, std::string_view solver,
                                             const io::Reading& reading = {});

/// Makes sure that all keys that may not change on a restart are as they were.
/// @throws config::Error with each that is not; base::FormatError if the checkpoint does not say
void require_same_parameters(const io::FileReader& checkpoint, const config::Parameters& now);

/// @throws base::FormatError if something is missing or not finite
[[nodiscard]] EngineState load_engine(const io::FileReader& file);

/// Into the group Provenance of a file for users.
void save_provenance(io::FileWriter& file, const Provenance& provenance);

/// Keeps the settings without which the numbers of a solver's group mean nothing.
void save_settings(io::FileWriter& file, const std::string& group, const std::string& settings);
/// @param advice  what to do about other ones
/// @throws base::FormatError if they are others now
void require_same_settings(const io::FileReader& file, const std::string& group, const std::string& settings,
                           std::string_view advice);

/// The number that an attribute of a solver's group holds.
/// @param what   it is, in words
/// @param least  that it may be
/// @throws base::FormatError "has no (what); the file is damaged" if it is not one, not finite, or less
[[nodiscard]] double load_number(const io::FileReader& file, const std::string& group, const std::string& name,
                                 std::string_view what, double least = std::numeric_limits<double>::lowest());

/// Writes a state with numbers that are not finite for a person to look at; nothing continues it.
/// @throws base::Error if that cannot be done
std::uint64_t write_failed_state(const std::filesystem::path& path, const Solver& solver, const NumericsError& error,
                                 const FileContext& context, comm::Communicator& ranks);

}  // namespace tacit::engine
