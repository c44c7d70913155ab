// Files that keys of the parameter file name.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tacit/config/parameters.hpp"

namespace tacit::comm {
class Communicator;
}
namespace tacit::tasks {
class Scheduler;
}

namespace tacit::engine {

/// The HDF5 file that a key names.
/// @param found  what is read where the key names a set of files: its first one
/// @throws config::Error as Parameters::existing_file, and if it is empty or not HDF5; base::SystemError if it cannot
/// be read
[[nodiscard]] std::filesystem::path existing_hdf5_file(const config::Parameters& parameters, std::string_view key,
                                                       const std::optional<std::filesystem::path>& found = {});

/// Compares every byte of the files that keys name with their checksums, where they have some: those that this program
/// wrote. All ranks call it, and each looks at a share.
/// @param further  files beside them, each with its key
/// @param workers  that compare; null: the caller does
/// @throws config::Error naming key and file, on all ranks, if one is not what was written
void require_sound_files(const config::Parameters& parameters,
                         std::vector<std::pair<std::string, std::filesystem::path>> further, comm::Communicator& ranks,
                         tasks::Scheduler* workers);

}  // namespace tacit::engine
