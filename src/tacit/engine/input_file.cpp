// Says what is wrong with a file in the words of the key that names it.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/engine/input_file.hpp"

#include <fmt/format.h>

#include <string>
#include <system_error>

#include "tacit/base/error.hpp"
#include "tacit/io/file.hpp"

namespace tacit::engine {
namespace {

namespace fs = std::filesystem;

struct Fault {
  std::string what;
  std::string_view hint;
};

/// What is wrong with a path at which no regular file is.
Fault fault_of(const fs::path& path, const config::Location& where) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) return {"is a directory, expected a file", "name one file in it"};
  if (fs::exists(path, ignored)) return {"is no regular file", "name a file"};
  if (fs::is_symlink(path, ignored)) {
    return {fmt::format("is a link to '{}', which does not exist", fs::read_symlink(path, ignored).string()),
            "is the disk that it leads to mounted?"};
  }
  return {"does not exist", config::is_on_command_line(where)
                                ? "a relative path begins in the working directory"
                                : "a relative path begins in the folder of the parameter file"};
}

}  // namespace

fs::path existing_file(const config::Parameters& parameters, std::string_view key) {
  fs::path path = parameters.path(key);
  std::error_code ignored;
  if (fs::is_regular_file(path, ignored)) return path;
  const config::Location where = parameters.where(key);
  const Fault fault = fault_of(path, where);
  throw config::Error(where, std::string(key), fmt::format("'{}' {}", path.string(), fault.what),
                      std::string(fault.hint));
}

fs::path existing_hdf5_file(const config::Parameters& parameters, std::string_view key,
                            const std::optional<fs::path>& found) {
  fs::path path = found ? parameters.path(key) : existing_file(parameters, key);
  try {
    io::require_hdf5(found.value_or(path));
  } catch (const base::FormatError& error) {
    throw config::Error(parameters.where(key), std::string(key), error.what(), "name a file in the HDF5 format");
  }
  return path;
}

}  // namespace tacit::engine
