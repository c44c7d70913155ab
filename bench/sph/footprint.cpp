// Measures how much memory `tacit run` needs for each particle.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>
#include <string>

#include "sph/child.hpp"
#include "sph/sections.hpp"
#include "support/temporary_folder.hpp"
#include "tacit/base/error.hpp"

namespace tacit::bench {
namespace {

/// A blast wave with individual steps, with everything that a run does but pictures.
/// @param steps  in full enough for particles to be sorted and cells to be made again, which takes memory of its own
std::string parameters_of(std::size_t side, std::size_t steps) {
  return fmt::format(
      "solver = \"sph\"\n[run]\nthreads = 2\n[initial]\nsetup = \"sedov\"\n[sedov]\nresolution = {}\n"
      "[time]\nend = 1\nmax_steps = {}\n[output]\npicture = false\n",
      side, steps);
}

/// Largest memory of a run [byte].
double peak_of_run(const std::filesystem::path& program, const std::filesystem::path& folder, std::size_t side,
                   std::size_t steps) {
  const auto file = folder / "run.toml";
  std::ofstream(file) << parameters_of(side, steps);
  const auto output = folder / fmt::format("out{}", side);
  Child run({program.string(), "run", file.string(), "--output", output.string()}, Output::nowhere, folder);
  run.wait_for_end();
  std::ifstream summary(output / "summary.json");
  return nlohmann::json::parse(summary).at("peak_memory_bytes").get<double>();
}

double cube(std::size_t side) { return static_cast<double>(side * side * side); }

}  // namespace

void add_footprint(Session& session) {
  const auto program = own_program().parent_path() / "tacit";
  if (!std::filesystem::exists(program)) {
    throw base::SystemError(program.string(), "is not there\n  hint: build the target 'tacit' beside the benchmarks");
  }
  const std::size_t few = session.size(46, 12);  // 97 336, as near to 10^5 as a cube comes
  const std::size_t many = session.size(100, 16);
  const test::TemporaryFolder folder;
  const std::size_t steps = session.size(150, 2);
  const double difference =
      peak_of_run(program, folder.path(), many, steps) - peak_of_run(program, folder.path(), few, steps);
  Result result{.name = "bytes_per_particle", .unit = "B"};
  result.ours = summarise(std::vector<double>{difference / (cube(many) - cube(few))});
  result.limit = 300.0;
  session.add(std::move(result));
}

}  // namespace tacit::bench
