// Says what is wrong with a file in the words of the key that names it.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/engine/input_file.hpp"

#include <string>

#include "tacit/base/error.hpp"
#include "tacit/io/file.hpp"

namespace tacit::engine {

namespace fs = std::filesystem;

fs::path existing_hdf5_file(const config::Parameters& parameters, std::string_view key,
                            const std::optional<fs::path>& found) {
  fs::path path = found ? parameters.path(key) : parameters.existing_file(key);
  try {
    io::require_hdf5(found.value_or(path));
  } catch (const base::FormatError& error) {
    throw config::Error(parameters.where(key), std::string(key), error.what(), "name a file in the HDF5 format");
  }
  return path;
}

}  // namespace tacit::engine
