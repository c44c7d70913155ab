// Takes figures of other benchmarks, by talk, and runs a star through two transports.
// SPDX-License-Identifier: Apache-2.0
#include "talks/talks.hpp"

#include <array>
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "comm/comm.hpp"
#include "comm/launch.hpp"
#include "comm/nodes.hpp"
#include "comm/pingpong.hpp"
#include "dns/dns.hpp"
#include "framework/scratch_folder.hpp"
#include "io/io.hpp"
#include "io/program_runs.hpp"
#include "pool/work_pool.hpp"
#include "sph/sections.hpp"

namespace tacit::bench {
namespace {

constexpr std::string_view help =
    R"(What the five talks of docs/talks.md show, as far as two cores and ten minutes go. The figures are those of other
benchmarks, which describe them, under the name of the talk:

  swift_...      of 'tacit bench sph_pairs': pairs of particles by instruction set, and sorted against naive
  pmr_...        of 'tacit bench comm': halos of a 4-D lattice and sums over ranks, beside MPI
  psdns_...      of 'tacit bench comm': all-to-alls, pulled in chunks in an order of each rank's own, beside MPI; of
                 'tacit bench dns': transposes between two emulated nodes
  hybrid_...     of 'tacit bench nodes': collectives of four nodes with four ranks each, 40 and 400 KB; of 'tacit bench
                 work_pool': a matrix product from a pool, by a master, divided; of 'tacit bench io': files by one rank,
                 by one of each node, by all
and
  octotiger_star_2x1_mpi_ms, octotiger_star_2x1_ofi_ms
                 a step of a star of 4^3 sub-grids with its gravity (--quick: 2^3) on two emulated nodes with one rank
                 each, through MPI and through libfabric, with the same input; needs root
  octotiger_star_2x1_ofi_vs_mpi
                 the time through MPI over that through libfabric
)";

/// Figures whose names begin so, for a talk.
struct Kept {
  std::string_view talk;
  std::string_view begin;
};

/// Runs a benchmark, or a part of one, and hands on the figures that are kept, with the name of the talk before theirs.
void take(Session& session, std::initializer_list<Kept> kept, const std::function<void(Session&)>& run) {
  Session inner(session.effort(), [&](const Result& result) {
    for (const Kept& of : kept) {
      if (!result.name.starts_with(of.begin)) continue;
      Result named = result;
      named.name = std::string(of.talk) + "_" + result.name;
      session.add(std::move(named));
    }
  });
  run(inner);
}

constexpr std::string_view star = R"(solver = "amr"
[initial]
setup = "polytrope"
[gravity]
self = true
order = 4
[amr]
root = [1, 1, 1]
box = [3.0, 3.0, 3.0]
low = "reflecting"
gamma = 1.6666666666666667
[time]
end = 100.0
[output]
picture = false
checkpoint_every = 0.0
)";

void add_star(Session& session) {
  const ScratchFolder folder("tacit-bench-talks");
  const std::string steps = std::to_string(session.size(20, 2));
  const std::string level = session.effort() == Effort::full ? "2" : "1";
  const std::vector<std::string> settings{"amr.level=" + level, "time.max_steps=" + steps, "run.peak_share=never"};
  const Case nodes{.folder = folder.path(), .parameters = std::string(star), .nodes = 2};
  std::array<std::vector<double>, 2> ms;
  constexpr std::array<std::string_view, 2> transports{"mpi", "ofi"};
#if defined(TACIT_HAS_OFI)
  constexpr std::size_t count = 2;
#else
  constexpr std::size_t count = 1;
#endif
  const std::size_t turns = session.size(3, 1);
  for (std::size_t turn = 0; turn < turns; ++turn) {
    for (std::size_t i = 0; i < count; ++i) {
      std::vector<std::string> all = settings;
      all.push_back("ranks.transport=" + std::string(transports[i]));
      const RunCost cost = run_program(nodes, all);
      ms[i].push_back(1e3 * cost.wall_s / static_cast<double>(cost.steps));
    }
  }
  for (std::size_t i = 0; i < count; ++i) {
    session.add(
        {.name = "octotiger_star_2x1_" + std::string(transports[i]) + "_ms", .unit = "ms", .ours = summarise(ms[i])});
  }
  if (count < 2) return;
  std::vector<double> ratios;
  for (std::size_t turn = 0; turn < turns; ++turn) ratios.push_back(ms[0][turn] / ms[1][turn]);
  session.add({.name = "octotiger_star_2x1_ofi_vs_mpi",
               .unit = "1",
               .better = Better::higher,
               .ours = summarise(ratios),
               .limit = 1.0});
}

void run(Session& session) {
  const bool has_mpi = !mpi_version().empty();
  if (has_mpi) session.add_peer("MPI", mpi_version());
  take(session, {{"swift", "pair_"}}, add_pairs);
  take(session, {{"pmr", "halo_"}, {"pmr", "allreduce_"}, {"psdns", "alltoall"}}, comm_benchmark().run);
  take(session, {{"hybrid", "pool_"}}, work_pool_benchmark().run);
  take(session, {{"hybrid", "write_"}}, add_all_writes);
  if (!has_mpi || !can_emulate_nodes()) return;
  take(session, {{"hybrid", "nodes4x4_"}}, add_collectives_of_nodes);
  take(session, {{"psdns", "substage_2n"}, {"psdns", "transpose_2n"}}, add_transposes_of_nodes);
  add_star(session);
}

}  // namespace

Benchmark talks_benchmark() {
  return {.name = "talks",
          .summary = "figures of the five talks that Tacit begins with, as far as two cores go; ten minutes",
          .help = help,
          .run = run};
}

}  // namespace tacit::bench
