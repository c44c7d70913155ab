// Counts the copies of atoms on emulated nodes.
// SPDX-License-Identifier: Apache-2.0
#include "md/nodes.hpp"

#include <ostream>
#include <string>

#include "comm/crew.hpp"
#include "comm/launch.hpp"
#include "comm/pingpong.hpp"
#include "comm/rank.hpp"
#include "md/on_ranks.hpp"
#include "md/workload.hpp"
#include "sph/child.hpp"
#include "tacit/base/error.hpp"

namespace tacit::bench {
namespace {

constexpr int nodes = 4;
constexpr int cores = 4;  // of each
constexpr std::string_view last_of_nodes = "md_4n_wire_ghosts_vs_flat";

/// Copies of atoms on a node, on the mean of the nodes.
struct NodeGhosts {
  double from_other_nodes = 0.0;  ///< received over the network in each step, once for each rank that sees them
  double from_own_node = 0.0;     ///< received from ranks beside
  double images = 0.0;            ///< seen through periodic faces
  [[nodiscard]] double all() const noexcept { return from_other_nodes + from_own_node + images; }
};

/// After some steps. All ranks of the crew call it.
NodeGhosts ghosts_of(Crew& crew, const Workload& workload, std::size_t workers) {
  comm::Communicator& ranks = crew.world();
  OnRanks atoms(parameters_of(workload), ranks, workers);
  atoms.run(workload.steps);
  const md::Ghosts mine = atoms.solver().graph().ghosts();
  double far = 0.0;
  double near = 0.0;
  for (const comm::RankInfo& other : ranks.ranks()) {
    const auto copies = static_cast<double>(mine.of_rank[number(other.rank)]);
    (other.node == ranks.own().node ? near : far) += copies;
  }
  return {.from_other_nodes = crew.sum(far) / nodes,
          .from_own_node = crew.sum(near) / nodes,
          .images = crew.sum(static_cast<double>(mine.images)) / nodes};
}

void measure_nodes(const Plan& plan) {
  comm::Communicator& world = *plan.world;
  if (world.size() != nodes * cores) throw base::Error("the benchmark 'md' needs four ranks on each of four nodes");
  // Silicon; of a crystal of 10 x 10 x 5 cells each node has a cube with 1000 atoms.
  const Workload workload{"silicon", true, {10, 10, 5}, plan.size(100, 2)};
  Crew crew(world);
  const bool is_leader = number(world.rank()) % cores == 0;
  comm::Communicator group = world.split(is_leader ? 0 : 1, number(world.rank()));
  NodeGhosts hybrid;
  if (is_leader) {
    Crew leaders(group);
    hybrid = ghosts_of(leaders, workload, cores);
  }
  const NodeGhosts flat = ghosts_of(crew, workload, 1);  // the others have waited
  const auto add = [&](const std::string& name, double ours, double theirs) {
    plan.add(
        {.name = "md_4n_" + name + "ghosts", .unit = "atoms", .ours = summarise({ours}), .peers = {{"flat", theirs}}});
  };
  add("image_", hybrid.images, flat.images);
  add("near_", hybrid.from_own_node, flat.from_own_node);
  add("", hybrid.all(), flat.all());
  add("wire_", hybrid.from_other_nodes, flat.from_other_nodes);
  plan.add(
      {.name = "md_4n_ghosts_vs_flat", .unit = "1", .ours = summarise({hybrid.all() / flat.all()}), .limit = 0.55});
  plan.add({.name = std::string(last_of_nodes),
            .unit = "1",
            .ours = summarise({hybrid.from_other_nodes / flat.from_other_nodes}),
            .limit = 0.55});
}

}  // namespace

void serve_md(std::span<const std::string_view> words, std::ostream& out) {
  if (words.size() != 1) throw base::Error("a rank of the benchmark 'md' takes one word");
  const std::string routes = write_routes("mpi");
  comm::Communicator world({.routes = routes});
  const Sink sink = [&out](const Result& result) { out << to_line(result) << '\n' << std::flush; };
  measure_nodes({&world, words[0] == "quick" ? Effort::quick : Effort::full, &sink});
}

void add_ghosts_of_nodes(Session& session) {
  if (mpi_version().empty() || !can_emulate_nodes()) return;
  session.add_peer("MPI", mpi_version());
  const Words rank{own_program().string(), std::string(md_rank), session.effort() == Effort::full ? "full" : "quick"};
  run_processes(session, on_nodes(nodes, cores, rank), last_of_nodes);
}

}  // namespace tacit::bench
