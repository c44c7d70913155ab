// tacit info of a continuous log.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

namespace tacit::apps {

/// Whether a file has the name of a log.
[[nodiscard]] bool is_log(const std::filesystem::path& path);

/// Prints what a log holds. @return exit code
/// @throws base::FormatError, base::SystemError if it is no log or cannot be read
int info_of_log(const std::filesystem::path& path);

/// Prints whether every record before the last mark of a log is as it was written. @throws as info_of_log
bool verify_log(const std::filesystem::path& path, const std::string& name);

}  // namespace tacit::apps
