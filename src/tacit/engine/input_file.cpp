// Says what is wrong with a file in the words of the key that names it.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/engine/input_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <system_error>

#include "tacit/base/error.hpp"
#include "tacit/comm/communicator.hpp"
#include "tacit/engine/across_ranks.hpp"
#include "tacit/io/file.hpp"
#include "tacit/io/verify.hpp"

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

namespace {

/// What is wrong with this rank's share of a file that has checksums; empty if nothing is, or it has none.
std::string damage_of_share(const fs::path& path, const comm::Communicator& ranks, tasks::Scheduler* workers) {
  std::error_code ignored;
  if (!fs::is_regular_file(path, ignored)) return {};  // its reader says what it is
  try {
    if (!io::has_checksums(path)) return {};
    return io::find_damage(path, number(ranks.rank()), ranks.size(), workers).value_or("");
  } catch (const base::Error& error) {
    return error.what();
  }
}

}  // namespace

void require_sound_files(const config::Parameters& parameters, std::vector<std::pair<std::string, fs::path>> further,
                         comm::Communicator& ranks, tasks::Scheduler* workers) {
  std::vector<std::pair<std::string, fs::path>> files;
  for (const std::string& key : parameters.paths()) files.emplace_back(key, parameters.path(key));
  std::ranges::move(further, std::back_inserter(files));
  std::string mine;  // the key in the first line
  for (std::size_t i = 0; i < files.size() && mine.empty(); ++i) {
    const auto& [key, path] = files[i];
    if (const std::string damage = damage_of_share(path, ranks, workers); !damage.empty())
      mine = fmt::format("{}\n{} is damaged: {}", key, path.string(), damage);
  }
  const std::string first = Agreement(ranks).first_text(mine);
  if (first.empty()) return;
  const std::size_t end = first.find('\n');
  const std::string key = first.substr(0, end);
  throw config::Error(parameters.where(key), key, first.substr(end + 1),
                      "take another copy of it; of a file that was changed on purpose, one made with h5repack");
}

}  // namespace tacit::engine
