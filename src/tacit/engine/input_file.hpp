// Files that keys of the parameter file name.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string_view>

#include "tacit/config/parameters.hpp"

namespace tacit::engine {

/// The file that a key names, which must be there; whether it is a good one is for its reader to say.
/// @throws config::Error naming key and file: it does not exist, is a link to nothing, or a directory
[[nodiscard]] std::filesystem::path existing_file(const config::Parameters& parameters, std::string_view key);

/// The HDF5 file that a key names.
/// @param found  what is read where the key names a set of files: its first one
/// @throws config::Error as existing_file, and if it is empty or not HDF5; base::SystemError if it cannot be read
[[nodiscard]] std::filesystem::path existing_hdf5_file(const config::Parameters& parameters, std::string_view key,
                                                       const std::optional<std::filesystem::path>& found = {});

}  // namespace tacit::engine
