// The parts of `tacit bench io` that need no other ranks; each adds its figures, which the help text of io.cpp
// describes. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "framework/benchmark.hpp"

namespace tacit::bench {

/// Peak, bandwidth, checksums, compression, a record of the log, the bound of staging (memory.cpp).
void add_memory_figures(Session& session, const std::filesystem::path& folder);
/// Runs of the solvers whose output is blocking, beside, or not there (hidden.cpp).
void add_hidden_fractions(Session& session, const std::filesystem::path& folder);
/// The example of README.md (hidden.cpp).
void add_share_of_sedov(Session& session, const std::filesystem::path& folder);
/// Steps while a large file is written (steps.cpp).
void add_steps_during_output(Session& session, const std::filesystem::path& folder);

}  // namespace tacit::bench
