// What was predicted for a placement beside what its run has measured.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "commands.hpp"

namespace tacit::apps {

/// Reads placement.json in the folder --output and trace.json of the run --compare, and prints both.
/// @throws base::FormatError or base::SystemError that says which of them is missing, or what the run has not recorded
int place_compare(const PlaceArguments& arguments);

}  // namespace tacit::apps
