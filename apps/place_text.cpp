// Tables of candidates and cuts.
// SPDX-License-Identifier: Apache-2.0
#include "place_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

namespace tacit::apps {
namespace {

using placement::Candidate;
using placement::Pattern;
namespace network = placement::network;

constexpr std::size_t shown_candidates = 10;

/// A number with three digits and the unit that suits it.
std::string scaled(double value, std::string_view unit) {
  constexpr std::array<std::string_view, 7> prefixes{"", "k", "M", "G", "T", "P", "E"};
  std::size_t step = 0;
  for (; value >= 999.5 && step + 1 < prefixes.size(); ++step) value /= 1000.0;
  return fmt::format("{:.3g} {}{}", value, prefixes[step], unit);
}

struct ShapeText {
  std::string operator()(const network::Torus& t) const {
    return fmt::format("torus of {}x{}x{} routers, {} node{} on each", t.routers[0], t.routers[1], t.routers[2],
                       t.nodes_per_router, t.nodes_per_router == 1 ? "" : "s");
  }
  std::string operator()(const network::Dragonfly& d) const {
    return fmt::format("dragonfly of {} groups of {} routers", d.groups, d.routers_per_group);
  }
  std::string operator()(const network::FatTree& t) const {
    return fmt::format("fat tree of {} level{}, {} nodes on a leaf switch", t.levels.size(),
                       t.levels.size() == 1 ? "" : "s", t.levels.front().children);
  }
  std::string operator()(const network::Graph& g) const { return fmt::format("graph of {} switches", g.routers); }
};

class Page {
 public:
  Page(const placement::Machine& machine, const placement::JobRequest& request, const placement::Advice& advice)
      : machine_(machine), request_(request), advice_(advice), best_(advice.candidates.front()) {}

  void add_machine(const placement::NodeChoice& nodes) {
    add("{}: {}, {} nodes; {} usable here\n", machine_.network.name, std::visit(ShapeText{}, machine_.network.shape),
        network::node_count(machine_.network), nodes.nodes.size());
    add_count(nodes.service, "of service");
    add_count(nodes.down, "down");
    add_count(nodes.beside_down.size(), "left out because their partner on the router is down (--keep-lone uses them)");
    add_count(nodes.excluded, "excluded");
    for (const std::string& remark : machine_.remarks) add("  {}\n", remark);
  }

  void add_job() {
    const auto needed = network::nodes_needed(best_.job);
    add("job: {} ranks, {} on a node: {} nodes", request_.ranks, request_.ranks_per_node, needed);
    if (request_.spares > 0) add(" and {} spare{}", request_.spares, request_.spares == 1 ? "" : "s");
    switch (request_.pattern) {
      case Pattern::pencils:
        add("; one field of {}^3 values of {} bytes, transposed in rows and columns\n", request_.points, request_.word);
        break;
      case Pattern::halo:
        add("; faces of a field of {}^3 values of {} bytes\n", request_.points, request_.word);
        break;
      case Pattern::messages:
        add("; {} pairs that talk\n", request_.messages.list.size());
    }
  }

  void add_table() {
    add("\n{:<14}{:<42}{:<15}", "grid", "nodes", "order");
    for (const auto& exchange : best_.prediction.exchanges) add("{:>11}", exchange.name);
    if (best_.output) add("{:>11}", "output");
    add("{:>11}{:>9}\n", "together", "faster");
    std::vector<const Candidate*> shown;
    for (const Candidate& candidate : advice_.candidates) {
      // Orders that make no difference are one line.
      const auto is_same = [&candidate](const Candidate* other) {
        return candidate.grid == other->grid && candidate.nodes == other->nodes &&
               seconds_text(candidate.seconds) == seconds_text(other->seconds);
      };
      const bool is_last_row = is_same(&advice_.standard) && candidate.order == advice_.standard.order;
      if (shown.size() == shown_candidates || std::ranges::any_of(shown, is_same)) continue;
      if (is_last_row && !shown.empty()) continue;
      shown.push_back(&candidate);
      add_row(candidate, "");
    }
    add_row(advice_.standard, "  <- as listed");
    if (advice_.left_out > 0) add("{} more were left out to end within a minute\n", advice_.left_out);
  }

  void add_best() {
    add("\nbest: process grid {}, {}, order {}\n", placement::grid_text(best_), best_.nodes,
        placement::name(best_.order));
    for (const auto& exchange : best_.prediction.exchanges) add_links(exchange);
    if (best_.output) add_output(*best_.output);
    for (const auto& cut : placement::cut_loads(machine_.network, best_.job, best_.placement)) {
      add("  cut {:<22} {:>9} through {:>9}/s: {}\n", cut.name, scaled(cut.bytes, "B"), scaled(cut.bandwidth, "B"),
          seconds_text(cut.seconds()));
    }
    if (best_.prediction.foreign_share > 0.0) {
      add("  {:.1f} % of the traffic runs over routers without a node of this job\n",
          100.0 * best_.prediction.foreign_share);
    }
    add_rows_on_nodes();
  }

  void add_files(const std::filesystem::path& folder) {
    if (folder.empty()) {
      add("\n--output DIR writes the files for launchers\n");
      return;
    }
    const std::string at = folder.string();
    add("\nin {}:\n", at);
    add("  Slurm      sbatch --nodelist=$(paste -sd, {0}/nodes); in it SLURM_HOSTFILE={0}/hostfile srun "
        "--distribution=arbitrary -n {1}\n",
        at, request_.ranks);
    add("  Open MPI   mpirun --map-by rankfile:file={0}/rankfile -n {1} (version 4: --rankfile {0}/rankfile)\n", at,
        request_.ranks);
    add("  Cray MPICH MPICH_RANK_REORDER_METHOD=3, with {}/MPICH_RANK_ORDER in the folder of the run\n", at);
    add("  tools      {}/placement.json\n", at);
  }

  [[nodiscard]] std::string take() { return std::move(text_); }

 private:
  template <class... T>
  void add(fmt::format_string<T...> format, T&&... values) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<T>(values)...);
  }

  void add_count(std::size_t count, std::string_view what) {
    if (count > 0) add("  {} {}\n", count, what);
  }

  void add_row(const Candidate& candidate, std::string_view mark) {
    add("{:<14}{:<42}{:<15}", placement::grid_text(candidate), candidate.nodes, placement::name(candidate.order));
    for (const auto& exchange : candidate.prediction.exchanges) add("{:>11}", seconds_text(exchange.seconds));
    if (candidate.output) add("{:>11}", seconds_text(candidate.output->seconds));
    const double seconds = candidate.seconds;
    const double ratio = seconds > 0.0 ? advice_.standard.seconds / seconds : 1.0;
    add("{:>11}{:>8.2f}x{}\n", seconds_text(seconds), ratio, mark);
  }

  void add_links(const network::ExchangeTime& exchange) {
    if (exchange.busiest_link.empty()) return;
    add("  {:<10} {} over the network; busiest link {}, {}\n", exchange.name, scaled(exchange.wire_bytes, "B"),
        exchange.busiest_link, seconds_text(exchange.link_seconds));
  }

  void add_output(const network::ExchangeTime& output) {
    add_links(output);
    add("  {:<10} {} to {} service nodes; busiest node {}; together counts it once in {:g} exchanges\n", output.name,
        scaled(request_.dump, "B"), network::service_nodes(machine_.network).size(), seconds_text(output.node_seconds),
        request_.exchanges_per_dump);
  }

  /// Whether rows keep to a node, and there to a NUMA domain.
  void add_rows_on_nodes() {
    if (request_.pattern != Pattern::pencils) return;
    const std::uint32_t row = best_.grid.front();
    if (request_.ranks_per_node % row == 0) {
      add("  rows of {} ranks stay on a node", row);
      if (machine_.node && machine_.node->numa_domains > 1) {
        const auto keep = placement::do_rows_keep_to_domains(*machine_.node, row, request_.ranks_per_node);
        if (keep)
          add(", {} one of its {} NUMA domains", *keep ? "within" : "across more than", machine_.node->numa_domains);
      }
      add("\n");
    } else {
      add("  rows of {} ranks do not fit the nodes: row transposes cross the network\n", row);
    }
  }

  const placement::Machine& machine_;
  const placement::JobRequest& request_;
  const placement::Advice& advice_;
  const Candidate& best_;
  std::string text_;
};

}  // namespace

std::string seconds_text(double seconds) {
  if (seconds == 0.0) return "0 s";
  if (seconds >= 1.0) return fmt::format("{:.3g} s", seconds);
  if (seconds >= 1e-3) return fmt::format("{:.3g} ms", seconds * 1e3);
  return fmt::format("{:.3g} us", seconds * 1e6);
}

std::string place_text(const placement::Machine& machine, const placement::JobRequest& request,
                       const placement::NodeChoice& nodes, const placement::Advice& advice,
                       const std::filesystem::path& folder) {
  Page page(machine, request, advice);
  page.add_machine(nodes);
  page.add_job();
  page.add_table();
  page.add_best();
  page.add_files(folder);
  return page.take();
}

}  // namespace tacit::apps
