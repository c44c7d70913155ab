// Opens HDF5 files from untrusted sources.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "tacit/io/detail/hdf5.hpp"

namespace tacit::io::detail {

/// The file, opened for reading; with a Session held.
/// @throws base::SystemError, base::FormatError if it is missing, no file, empty, no HDF5 file or damaged
[[nodiscard]] File open_file(const std::filesystem::path& path);

/// How links are followed: never out of the file.
[[nodiscard]] Properties link_access();

}  // namespace tacit::io::detail
