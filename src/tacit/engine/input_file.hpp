// Files that keys of the parameter file name.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string_view>

#include "tacit/config/parameters.hpp"

namespace tacit::engine {

/// The HDF5 file that a key names.
/// @param found  what is read where the key names a set of files: its first one
/// @throws config::Error as Parameters::existing_file, and if it is empty or not HDF5; base::SystemError if it cannot
/// be read
[[nodiscard]] std::filesystem::path existing_hdf5_file(const config::Parameters& parameters, std::string_view key,
                                                       const std::optional<std::filesystem::path>& found = {});

}  // namespace tacit::engine
