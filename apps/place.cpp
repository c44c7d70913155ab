// tacit place: where to put the ranks of a job, and the files that tell a launcher.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <utility>

#include "commands.hpp"
#include "place_compare.hpp"
#include "place_input.hpp"
#include "place_text.hpp"
#include "tacit/base/error.hpp"
#include "tacit/io/output_directory.hpp"
#include "tacit/placement/files.hpp"

namespace tacit::apps {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

/// Reports progress on stderr, and stops a computation that takes too long.
class ProgressWatch {
 public:
  bool operator()(std::string_view doing) {
    const auto now = Clock::now();
    if (now - start_ > longest) return false;
    if (now - last_report_ > between) {
      fmt::print(stderr, "place: {} ({:.0f} s)\n", doing, std::chrono::duration<double>(now - start_).count());
      last_report_ = now;
    }
    return true;
  }

 private:
  static constexpr std::chrono::seconds between{2};
  static constexpr std::chrono::seconds longest{30};  // of a minute in all; the last candidate may take as long
  Clock::time_point start_ = Clock::now();
  Clock::time_point last_report_ = start_;
};

void make_folder(const fs::path& folder) {
  std::error_code failed;
  fs::create_directories(folder, failed);
  if (failed)
    throw base::SystemError(folder.string(), "cannot make the folder, choose another with --output", failed.value());
}

void write_files(const fs::path& folder, const placement::Machine& machine, const placement::JobRequest& request,
                 const placement::Advice& advice) {
  const placement::Candidate& best = advice.candidates.front();
  const auto used = placement::used_nodes(best.placement, best.listed);
  // The spares are what the job asks for beyond them, in the order of the list.
  auto asked = used;
  for (const auto node : best.listed) {
    if (asked.size() == used.size() + request.spares) break;
    if (std::ranges::find(used, node) == used.end()) asked.push_back(node);
  }
  make_folder(folder);
  io::write_atomically(folder / "MPICH_RANK_ORDER", placement::mpich_rank_order(best.placement, used));
  io::write_atomically(folder / "rankfile", placement::openmpi_rankfile(machine.network, best.placement, machine.node));
  io::write_atomically(folder / "hostfile", placement::slurm_hostfile(machine.network, best.placement));
  io::write_atomically(folder / "nodes", placement::node_list(machine.network, asked));
  io::write_atomically(folder / "placement.json", placement::to_json(machine.network, request, advice));
}

}  // namespace

int place(const PlaceArguments& arguments) {
  if (arguments.wants_blue_waters) {
    refuse_place("--blue-waters", "is no longer an option; docs/guide/placement-model.md has the table",
                 "the machine is a file: tacit place examples/machines/blue_waters.toml --ranks N");
  }
  if (!arguments.compare.empty()) return place_compare(arguments);
  placement::Machine machine = read_machine(arguments);
  const placement::JobRequest request = read_job(arguments, machine);
  const placement::NodeChoice nodes = placement::choose_nodes(machine.network, read_node_filter(arguments));
  const placement::Advice advice =
      placement::advise(machine.network, request, nodes.nodes, !arguments.nodes.empty(), ProgressWatch());
  if (!arguments.output.empty()) write_files(arguments.output, machine, request, advice);
  if (arguments.as_json) {
    fmt::print("{}", placement::to_json(machine.network, request, advice));
  } else {
    fmt::print("{}", place_text(machine, request, nodes, advice, arguments.output));
  }
  return success;
}

}  // namespace tacit::apps
