// Measures collectives between emulated nodes beside those of MPI.
// SPDX-License-Identifier: Apache-2.0
#include "comm/nodes_rank.hpp"

#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "comm/launch.hpp"
#include "comm/nodes.hpp"
#include "tacit/base/error.hpp"
#include "tacit/comm/collectives/all_to_all.hpp"
#include "tacit/comm/collectives/gather.hpp"

namespace tacit::bench {
namespace {

using Bytes = std::vector<std::byte>;

constexpr comm::RankId root{0};

/// One collective, ours and MPI's, in the same memory.
struct Contest {
  std::string name;
  std::function<void()> ours;
  std::function<void()> mpi;
  double limit;  ///< what is asked of MPI's time over ours
};

void measure(const NodesPlan& plan, const Contest& contest, const std::string& size, std::size_t calls) {
  const auto batch = [&](const std::function<void()>& call) {
    return slowest([&] {
             for (std::size_t i = 0; i < calls; ++i) call();
           }) /
           static_cast<double>(calls);
  };
  std::vector<double> ours;
  std::vector<double> mpi;
  batch(contest.ours);
  batch(contest.mpi);
  for (std::size_t sample = 0; sample < plan.size(21, 2); ++sample) {
    ours.push_back(batch(contest.ours));
    mpi.push_back(batch(contest.mpi));
  }
  const std::string name = contest.name + "_" + size;
  plan.add({.name = name + "_us",
            .unit = "us",
            .ours = summarise(scaled(ours, 1e6)),
            .peers = {{"MPI", summarise(scaled(mpi, 1e6)).median}}});
  plan.add({.name = name + "_vs_mpi",
            .unit = "1",
            .better = Better::higher,
            .ours = summarise(ratios(mpi, ours)),
            .limit = contest.limit});
}

/// Ranks with the first one on its node.
std::size_t ranks_per_node(const comm::Communicator& world) {
  std::set<std::uint32_t> domains;
  for (const comm::RankInfo& rank : world.ranks()) domains.insert(rank.domain);
  return world.size() / domains.size();
}

/// @param small  whether combining messages of a node must pay off
void measure_size(const NodesPlan& plan, std::size_t bytes_of_node, const std::string& size, std::size_t calls,
                  bool small) {
  comm::Communicator& world = *plan.world;
  const std::size_t ranks = world.size();
  const std::size_t per_node = ranks_per_node(world);
  const std::size_t block = bytes_of_node / per_node;
  const double combined = small && per_node > 1 ? 2.0 : 1.0;
  Bytes one(block);
  Bytes many(block * ranks);
  Bytes shares(block);
  const int count = static_cast<int>(block);
  const int share = static_cast<int>(block / ranks);
  const std::span<const std::byte> share_in(one);
  comm::AllToAll<std::byte> all_to_all(world, share_in, std::span(shares));
  comm::AllGather<std::byte> all_gather(world, one, std::span(many));
  const bool is_root = world.rank() == root;
  comm::Gather<std::byte> gather(world, root, one, is_root ? std::span(many) : std::span<std::byte>());
  const std::span<const std::byte> all(many);
  comm::Scatter<std::byte> scatter(world, root, is_root ? all : all.first(0), std::span(one));
  const std::vector<Contest> contests{
      {"all_to_all", [&] { all_to_all.run(); },
       [&] { MPI_Alltoall(one.data(), share, MPI_BYTE, shares.data(), share, MPI_BYTE, MPI_COMM_WORLD); }, combined},
      {"all_gather", [&] { all_gather.run(); },
       [&] { MPI_Allgather(one.data(), count, MPI_BYTE, many.data(), count, MPI_BYTE, MPI_COMM_WORLD); }, combined},
      {"gather", [&] { gather.run(); },
       [&] { MPI_Gather(one.data(), count, MPI_BYTE, many.data(), count, MPI_BYTE, 0, MPI_COMM_WORLD); }, 1.0},
      {"scatter", [&] { scatter.run(); },
       [&] { MPI_Scatter(many.data(), count, MPI_BYTE, one.data(), count, MPI_BYTE, 0, MPI_COMM_WORLD); }, 1.0}};
  for (const Contest& contest : contests) measure(plan, contest, size, calls);
}

}  // namespace

void add_beside_mpi(const NodesPlan& plan, const std::string& name, const std::vector<double>& ours,
                    const std::vector<double>& mpi) {
  plan.add({.name = name + "_us",
            .unit = "us",
            .ours = summarise(scaled(ours, 1e6)),
            .peers = {{"MPI", summarise(scaled(mpi, 1e6)).median}}});
  Result ratio{.name = name + "_vs_mpi", .unit = "1", .better = Better::higher, .ours = summarise(ratios(mpi, ours))};
  if (plan.via == comm::ProviderId::ofi) ratio.limit = 1.0;
  plan.add(ratio);
}

void measure_collectives(const NodesPlan& plan) {
  measure_size(plan, std::size_t{40} << 10U, "40KB", plan.size(20, 2), true);
  measure_size(plan, std::size_t{400} << 10U, "400KB", plan.size(5, 1), false);
}

void serve_nodes(std::span<const std::string_view> words, std::ostream& out) {
  if (words.size() != 4) throw base::Error("a rank of the benchmark 'nodes' takes four words");
  const std::string routes = write_routes(words[2]);
  comm::Communicator world({.routes = routes});
  const Effort effort = words[0] == "quick" ? Effort::quick : Effort::full;
  const auto via = words[2] == "mpi" ? comm::ProviderId::mpi : comm::ProviderId::ofi;
  const NodesPlan plan{&world, effort, &out, std::string(words[3]), via};
  if (words[1] == "puts") {
    measure_puts(plan);
  } else {
    words[1] == "halo" ? measure_halo(plan) : measure_collectives(plan);
  }
  if (comm::number(world.rank()) == 0) out << end_of_figures << '\n' << std::flush;
}

}  // namespace tacit::bench
