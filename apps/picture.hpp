// Calls the Python package that draws.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

namespace tacit::apps {

/// Draws the picture of a finished run in a child process; a failure is a warning, the results are there all the same.
void draw_run(const std::filesystem::path& directory);

}  // namespace tacit::apps
