// Measures the memory of `tacit run` on one rank and on four that read the same file.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <filesystem>
#include <string>
#include <vector>

#include "io/program_runs.hpp"
#include "sph/ranks.hpp"
#include "support/temporary_folder.hpp"
#include "tacit/base/error.hpp"

namespace tacit::bench {
namespace {

/// Gas at rest of one density, on a lattice that is disturbed a little: all ranks have as much to do.
std::string gas_of(std::size_t side) {
  return fmt::format(
      "solver = \"sph\"\n[run]\nthreads = 1\npin = false\n[sph]\nscheme = \"gadget2\"\ntime_steps = \"common\"\n"
      "[initial]\nsetup = \"sedov\"\n[sedov]\nresolution = {}\nenergy = 1e-6\n[time]\nend = 1\nmax_steps = 1\n"
      "[output]\npicture = false\n",
      side);
}

/// Reads that, and runs.
std::string read_gas(const std::filesystem::path& file, std::size_t steps) {
  return fmt::format(
      "solver = \"sph\"\n[run]\nthreads = 1\npin = false\n[sph]\nscheme = \"gadget2\"\ntime_steps = \"common\"\n"
      "[initial]\nfile = \"{}\"\n[time]\nend = 1\nmax_steps = {}\n[output]\npicture = false\n",
      file.string(), steps);
}

std::filesystem::path first_snapshot(const std::filesystem::path& output) {
  for (const auto& entry : std::filesystem::recursive_directory_iterator(output)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("snapshot") && name.ends_with(".hdf5")) return entry.path();
  }
  throw base::SystemError(output.string(), "has no snapshot");
}

}  // namespace

void add_memory_of_ranks(Session& session) {
  const test::TemporaryFolder folder;
  const auto made = folder.path() / "made";
  std::filesystem::create_directory(made);
  static_cast<void>(run_program({.folder = made, .parameters = gas_of(session.size(100, 16))}));
  const std::string parameters = read_gas(first_snapshot(made / "out"), session.size(20, 2));
  const auto peak_on = [&](int ranks) {
    const auto place = folder.path() / fmt::format("on{}", ranks);
    std::filesystem::create_directory(place);
    return static_cast<double>(
        run_program({.folder = place, .parameters = parameters, .ranks = ranks}).peak_memory_bytes);
  };
  const double alone = peak_on(1);
  const double of_four = peak_on(4);
  const auto add = [&](std::string name, double bytes) {
    session.add({.name = std::move(name), .unit = "MB", .ours = summarise({1e-6 * bytes})});
  };
  add("rss_1r_MB", alone);
  add("rss_4r_MB", of_four);
  session.add({.name = "rss_4r_share", .unit = "1", .ours = summarise({of_four / alone}), .limit = 0.35});
}

}  // namespace tacit::bench
