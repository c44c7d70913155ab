// What `tacit place` prints for people.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "tacit/placement/advice.hpp"
#include "tacit/placement/machine/machine.hpp"

namespace tacit::apps {

/// Machine, job, the table of candidates, cuts of the best, and how to use the files.
/// @param folder  of the files; empty: none were written
[[nodiscard]] std::string place_text(const placement::Machine& machine, const placement::JobRequest& request,
                                     const placement::NodeChoice& nodes, const placement::Advice& advice,
                                     const std::filesystem::path& folder);

/// "1.23 s", "45.6 ms": three digits and a unit.
[[nodiscard]] std::string seconds_text(double seconds);

}  // namespace tacit::apps
