// Reads the arguments of `tacit place` and the files that they name.
// SPDX-License-Identifier: Apache-2.0
#include "place_input.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <system_error>

#include "tacit/base/read_text.hpp"
#include "tacit/base/text.hpp"
#include "tacit/config/node.hpp"
#include "tacit/config/parameters.hpp"
#include "tacit/placement/files.hpp"
#include "tacit/placement/machine/hostlist.hpp"

namespace tacit::apps {
namespace {

namespace fs = std::filesystem;

std::string nodes_of_slurm(const std::string& option) {
  for (const char* name : {"SLURM_JOB_NODELIST", "SLURM_NODELIST"}) {
    if (const char* value = std::getenv(name); value != nullptr && *value != '\0') return value;
  }
  refuse_place(option, "'slurm' stands for SLURM_JOB_NODELIST, which is not set",
               "run this inside of a job, or name the nodes");
}

/// "16x768" as 16 and 768.
std::vector<std::uint32_t> read_grid(const std::string& text, std::size_t sides, std::uint32_t ranks) {
  std::vector<std::uint32_t> grid;
  std::uint64_t product = 1;
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t end = std::min(rest.find('x'), rest.size());
    std::uint32_t side = 0;
    const auto [stop, code] = std::from_chars(rest.data(), rest.data() + end, side);
    if (code != std::errc() || stop != rest.data() + end || side == 0 || side > most_ranks) break;
    grid.push_back(side);
    product = std::min<std::uint64_t>(product * side, std::uint64_t{1} << 40U);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (rest.empty() && grid.size() == sides && product == ranks) return grid;
  }
  refuse_place("--grid", fmt::format("'{}' is not {} numbers whose product is {}", base::printable(text), sides, ranks),
               fmt::format("for example --grid {}", fmt::join(placement::near_cube(ranks, sides), "x")));
}

placement::Pattern read_pattern(const std::string& text) {
  if (text == "pencils") return placement::Pattern::pencils;
  if (text == "halo") return placement::Pattern::halo;
  if (text.starts_with("trace:") && text.size() > 6) return placement::Pattern::messages;
  refuse_place("--pattern", fmt::format("'{}' is not one of pencils, halo, trace:FILE", base::printable(text)));
}

std::optional<placement::network::Order> read_order(const std::string& text) {
  if (text == "best") return std::nullopt;
  const auto names = placement::order_names();
  const auto found = std::ranges::find(names, text);
  if (found == names.end()) {
    const auto guess = config::closest(text, names);
    refuse_place("--order", fmt::format("'{}' is not one of best, {}", base::printable(text), fmt::join(names, ", ")),
                 guess ? fmt::format("did you mean '{}'?", *guess) : "");
  }
  return static_cast<placement::network::Order>(found - names.begin());
}

std::uint32_t ranks_per_node(const PlaceArguments& arguments, const placement::Machine& machine) {
  if (arguments.ranks_per_node > 0) return std::min(arguments.ranks_per_node, arguments.ranks);
  if (machine.node) return std::min(static_cast<std::uint32_t>(machine.node->cores.size()), arguments.ranks);
  refuse_place("--ranks-per-node", "is missing, and the machine file does not say how many cores a node has",
               "--ranks-per-node 16, or nodes.hwloc in the machine file");
}

/// Output needs somewhere to go.
void read_dump(const PlaceArguments& arguments, const placement::Machine& machine, placement::JobRequest& job) {
  if (!(arguments.exchanges_per_dump > 0.0) || !std::isfinite(arguments.exchanges_per_dump)) {
    refuse_place("--exchanges-per-dump", fmt::format("is {}; expected a number above 0", arguments.exchanges_per_dump));
  }
  if (!arguments.dump) return;
  if (!(*arguments.dump > 0.0) || !std::isfinite(*arguments.dump)) {
    refuse_place("--dump", fmt::format("is {}; expected a number of bytes above 0", *arguments.dump),
                 "tacit check says how many bytes a snapshot has");
  }
  if (placement::network::service_nodes(machine.network).empty()) {
    refuse_place("--dump", "the machine has no service nodes, to which output could go",
                 "name them in the machine file: [nodes] service = \"io[1-4]\"");
  }
  job.dump = *arguments.dump;
  job.exchanges_per_dump = arguments.exchanges_per_dump;
}

}  // namespace

void refuse_place(const std::string& option, const std::string& message, const std::string& hint) {
  throw config::Error({"tacit place", 0, 0}, option, message, hint);
}

std::vector<std::string> read_hosts(const std::string& option, const std::string& value) {
  std::error_code none;
  std::string text = value;
  std::string where = option;
  if (value == "slurm") {
    text = nodes_of_slurm(option);
  } else if (value.find('/') != std::string::npos || fs::is_regular_file(value, none)) {
    text = base::read_text(value, placement::largest_machine_file, "list of nodes");
    where = option + " " + value;
  }
  try {
    return placement::expand_hostlist(text);
  } catch (const placement::HostlistError& problem) {
    refuse_place(where, problem.what(), "names as in a[1-4,7],b3, or a file of them");
  }
}

placement::Machine read_machine(const PlaceArguments& arguments) {
  if (arguments.machine.empty()) refuse_place("MACHINE", "is missing", "tacit place MACHINE.toml --ranks N");
  const fs::path& path = arguments.machine;
  const std::string text = base::read_text(path, placement::largest_machine_file, "machine file");
  const std::string kind = path.extension().string();
  if (kind == ".conf") return placement::parse_topology_conf(text, path.string(), {});
  if (kind == ".yaml" || kind == ".yml") {
    const auto nodes = arguments.nodes.empty() ? std::vector<std::string>() : read_hosts("--nodes", arguments.nodes);
    return placement::read_topology_yaml(config::parse_yaml_tree(text, path.string()), "", nodes, {});
  }
  if (kind == ".xml") {
    static_cast<void>(placement::read_hwloc(config::parse_xml_tree(text, path.string())));
    throw base::FormatError(path.string(), "describes one node; name it in a machine file: [nodes] hwloc = \"" +
                                               base::printable(path.filename().string()) + "\"");
  }
  return placement::read_machine(config::parse_toml_tree(text, path.string()));
}

placement::NodeFilter read_node_filter(const PlaceArguments& arguments) {
  placement::NodeFilter request;
  if (!arguments.nodes.empty()) {
    request.nodes = read_hosts("--nodes", arguments.nodes);
    if (request.nodes.empty()) refuse_place("--nodes", "names no node");
  }
  if (!arguments.excluded.empty()) request.excluded = read_hosts("--exclude", arguments.excluded);
  if (!arguments.down.empty()) request.down = read_hosts("--down", arguments.down);
  if (arguments.keeps_lone_nodes) request.partners = placement::Partners::keep;
  return request;
}

placement::JobRequest read_job(const PlaceArguments& arguments, const placement::Machine& machine) {
  if (arguments.ranks == 0) {
    refuse_place("--ranks", "is missing", "--ranks 4096");
  }
  if (!(arguments.word > 0.0 && arguments.word <= 1024.0)) {
    refuse_place("--word", fmt::format("is {}; expected a number of bytes above 0, at most 1024", arguments.word));
  }
  placement::JobRequest job;
  job.pattern = read_pattern(arguments.pattern);
  job.ranks = arguments.ranks;
  job.ranks_per_node = ranks_per_node(arguments, machine);
  // 32 divides what transforms like; 128^3 points are 16 MB of a field for each rank.
  const double side = 128.0 * std::cbrt(static_cast<double>(job.ranks));
  job.points = arguments.points > 0 ? arguments.points : static_cast<std::uint64_t>(std::ceil(side / 32.0)) * 32;
  job.word = arguments.word;
  job.spares = arguments.spares;
  read_dump(arguments, machine, job);
  job.order = read_order(arguments.order);
  job.seed = arguments.seed;
  if (job.pattern == placement::Pattern::messages) {
    const std::string file = arguments.pattern.substr(6);
    if (!arguments.grid.empty()) refuse_place("--grid", "has no meaning for messages of a trace");
    job.messages = placement::parse_messages(base::read_text(file, placement::largest_machine_file, "list of messages"),
                                             file, job.ranks);
  } else if (!arguments.grid.empty()) {
    job.grid = read_grid(arguments.grid, job.pattern == placement::Pattern::pencils ? 2 : 3, job.ranks);
  }
  return job;
}

}  // namespace tacit::apps
