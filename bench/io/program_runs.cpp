// Starts runs, through mpirun where there are several ranks, and reads their summaries.
// SPDX-License-Identifier: Apache-2.0
#include "io/program_runs.hpp"

#include <nlohmann/json.hpp>
#include <unistd.h>

#include <fstream>

#include "comm/launch.hpp"
#include "sph/child.hpp"
#include "tacit/base/error.hpp"

namespace tacit::bench {

RunCost run_program(const Case& what, const std::vector<std::string>& settings) {
  const auto program = own_program().parent_path() / "tacit";
  if (!std::filesystem::exists(program)) {
    throw base::SystemError(program.string(), "is not there\n  hint: build the target 'tacit' beside the benchmarks");
  }
  const auto file = what.folder / "run.toml";
  const auto output = what.folder / "out";
  std::filesystem::remove_all(output);
  ::sync();  // what earlier runs left is no load on this one
  std::ofstream(file) << what.parameters;
  Words words{program.string(), "run",          file.string(), "--threads", std::to_string(what.threads),
              "--output",       output.string()};
  for (const std::string& setting : settings) words.insert(words.end(), {"--set", setting});
  if (what.nodes > 0) {
    words = on_nodes(what.nodes, what.ranks, words);
  } else if (what.ranks > 1) {
    words = launched(what.ranks, words);
  }
  Child run(std::move(words), Output::nowhere, what.folder);
  run.wait_for_end();
  std::ifstream text(output / "summary.json");
  const auto summary = nlohmann::json::parse(text);
  return {.wall_s = summary.at("wall_s"),
          .output_exposed_s = summary.at("output_exposed_s"),
          .output_share = summary.at("output_share"),
          .steps = summary.at("steps"),
          .peak_memory_bytes = summary.at("peak_memory_bytes")};
}

}  // namespace tacit::bench
