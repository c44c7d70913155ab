// The engine's own part of a checkpoint: where the run stands.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tacit/engine/conservation.hpp"
#include "tacit/io/file.hpp"

namespace tacit::engine {

struct EngineState {
  std::string solver;
  double time = 0.0;
  double dt = 0.0;
  std::uint64_t step = 0;
  std::uint64_t snapshots = 0;
  std::uint64_t updates = 0;
  Conservation conservation;
  std::string parameters;
  std::vector<std::pair<std::string, std::string>> provenance;
};

void save_engine(io::FileWriter& file, const EngineState& state);

/// Opens a checkpoint and makes sure that it is one, of this solver and of this version's layout.
/// @throws base::SystemError where there is none (what to do is said), base::FormatError where it is none of ours
[[nodiscard]] io::FileReader open_checkpoint(const std::filesystem::path& path, std::string_view solver);

/// @throws base::FormatError if something is missing or not finite
[[nodiscard]] EngineState load_engine(const io::FileReader& file);

}  // namespace tacit::engine
