// Starts ranks on emulated nodes and collects their figures.
// SPDX-License-Identifier: Apache-2.0
#include "comm/nodes.hpp"

#include <string>
#include <vector>

#include "comm/launch.hpp"
#include "comm/pingpong.hpp"
#include "comm/rank.hpp"
#include "sph/child.hpp"
#include "tacit/base/error.hpp"

namespace tacit::bench {
namespace {

constexpr std::string_view help =
    R"(Nodes that are emulated on this machine (tools/nodes/nodes.py; needs root and Open MPI), joined by wires of
1 Gbit/s in each direction. All ranks share the processors of this machine and yield when they wait; ours and MPI's
turns alternate, batch by batch, in the same run. Times are those of the slowest rank, the median of 21 batches.

  nodes4x1_NAME_SIZE_us      four nodes with one rank each: all_to_all, all_gather, gather, scatter in the user's
                             memory, where a node brings 40 or 400 KB: for all nodes together or, all_gather, for
                             each; the root of scatter as much for each node
  nodes4x1_NAME_SIZE_vs_mpi  the time of MPI_Alltoall and so on over ours
  nodes4x4_...               the same with four ranks on each node: a quarter of the data each
  nodes2x1_halo_SIZE_hidden  two nodes with one rank each exchange the 8 faces of a 4-D lattice, all over the wire,
                             while they compute for 1.5 times as long as the exchanges take one after the other:
                             1 - (time with both - time of the computation alone) / time of the exchanges alone, face
                             after face, blocking. Faces are packed and unpacked. Between pieces of 20 us of
                             computation each polls; MPI: MPI_Isend, MPI_Irecv, MPI_Testall. Each rank is bound to a
                             processor where there are two
  nodes2x1_halo_SIZE_us      the exchanges alone, face after face
  nodes2x1_halo_SIZE_vs_mpi  the time of MPI over ours
  nodes2x1_put_SIZE_us       a message of 8 B to 1 MB, one way: half a round trip; each is granted separately. MPI:
                             MPI_Isend, MPI_Irecv
  nodes2x1_put_SIZE_vs_mpi   the time of MPI over ours
  nodes4x1_ofi_..., nodes4x4_ofi_..., nodes2x1_ofi_...   the same through libfabric on TCP, where this build has it
                             (not with --quick); otherwise messages between nodes go through MPI
)";

/// Ranks that measure, and where.
struct Part {
  int nodes;
  int ranks;  ///< on each
  std::string what;
  std::string transport;
};

Words words_for(const Part& part, Effort effort) {
  const std::string suffix = part.transport == "mpi" ? "" : "_" + part.transport;
  return on_nodes(
      part.nodes, part.ranks,
      {own_program().string(), std::string(nodes_rank), effort == Effort::full ? "full" : "quick", part.what,
       part.transport, "nodes" + std::to_string(part.nodes) + "x" + std::to_string(part.ranks) + suffix});
}

void run_on(Session& session, const Part& part) {
  Child child(words_for(part, session.effort()));
  for (std::string line = child.read_line(); line != end_of_figures; line = child.read_line()) {
    session.add(from_line(line));
  }
  child.wait_for_end();
}

void run(Session& session) {
  if (mpi_version().empty()) throw base::Error("the benchmark 'nodes' needs MPI, which this build has not");
  session.add_peer("MPI", mpi_version());
  std::vector<std::string> transports{"mpi"};
#if defined(TACIT_HAS_OFI)
  if (session.effort() == Effort::full) transports.emplace_back("ofi");
#endif
  for (const std::string& transport : transports) {
    run_on(session, {4, 1, "collectives", transport});
    run_on(session, {4, 4, "collectives", transport});
    run_on(session, {2, 1, "halo", transport});
    run_on(session, {2, 1, "puts", transport});
  }
}

}  // namespace

void add_collectives_of_nodes(Session& session) { run_on(session, {4, 4, "collectives", "mpi"}); }

Benchmark nodes_benchmark() {
  return {.name = "nodes",
          .summary = "collectives and halos between emulated nodes, beside MPI (root only)",
          .help = help,
          .run = run};
}

}  // namespace tacit::bench
