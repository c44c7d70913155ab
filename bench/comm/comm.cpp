// Starts the two ranks and collects their figures.
// SPDX-License-Identifier: Apache-2.0
#include "comm/comm.hpp"

#include <string>

#include "comm/launch.hpp"
#include "comm/pingpong.hpp"
#include "comm/rank.hpp"
#include "sph/child.hpp"

namespace tacit::bench {
namespace {

constexpr std::string_view help =
    R"(Two ranks of one node, each bound to a processor of its own where there are two, pass messages back and forth;
who receives one reads every byte. Times are one-way: half a round trip, the mean of a batch; a figure is the median of
31 batches, min and max are given. All contestants take turns, batch by batch, in the same run: windows in memory of the
library, a flag in shared memory with nothing else (flag_ns), MPI with new requests (MPI_Isend, MPI_Irecv) and with
persistent ones (MPI_Start), and on one rank alone a memcpy and a read of the copy. Every message is granted separately.
Built without MPI, the two ranks are threads of one process, and nothing is compared with MPI.

  put_SIZE_ns           a message of 8 or 64 bytes
  put_SIZE_flags        the same over the time of a flag, batch by batch
  put_SIZE_vs_mpi       the time of MPI_Isend and MPI_Irecv over that of the window, which is persistent
  window_SIZE_us        a message of 8 KB, 64 KB, 1 MB, beside three ways by hand, each a copy and a flag with no grants
                        and nothing else: "shared memory", a memcpy to where the other rank reads; "past the caches",
                        the same by stores that pass them; "fetched", a memcpy by the other rank
  window_SIZE_memcpy_ratio   the same over (flag + memcpy + local read)
  window_SIZE_vs_best_way    the same over the best of the three, batch by batch
  window_SIZE_written_us, _vs_best_way, _vs_mpi   of 64 KB and 1 MB, where a rank writes a word of every cache line of a
                        message before it sends it, all contestants alike
  window_SIZE_vs_mpi    as put_SIZE_vs_mpi
  window_SIZE_mpi_vs_isend   a window through the transport `mpi` over MPI_Isend and MPI_Irecv
  message_rate_SIZE     messages one way, 64 under way (MPI: 64 MPI_Isend or MPI_Irecv and MPI_Waitall)
  buffered_SIZE_us      a message each way at once, from and to memory of the user, by insert and extract
  buffered_SIZE_ratio   the same over windows whose memory is the user's

In what follows both ranks call at once and a figure is the time of a call. Before each call a rank writes a word of
every cache line of what it sends, so no rank reads what its own cache holds already; afterwards it reads every byte
of what it got. Both belong to the time, for all contestants.

  alltoall_SIZE_us      SIZE is what each rank has for each, itself included; in memory of the library
  alltoall_SIZE_bound_ratio  over the faster of two all-to-alls with nothing but shared memory, a copy of each block and
                        one flag per rank: pull (blocks are copied by who gets them) and put (by who has them)
  alltoallv_SIZE_ratio  an all-to-all-v of the same blocks over the all-to-all
  alltoall_SIZE_vs_mpi  the faster one of MPI_Alltoall and MPI_Ialltoall over ours
  allreduce_8B_flags    a sum of one double over the time of a flag; on a node it has one stage
  allreduce_8B, barrier, broadcast_SIZE (one from each rank, in turn), allgather_SIZE, allgather_view_SIZE (in place)
                        _us and _vs_mpi
  halo_SIZE_us          eight faces of a lattice in four dimensions on 2 x 1 x 1 x 1 ranks, periodic: two faces go to
                        the other rank, six to oneself (MPI: 8 MPI_Irecv, 8 MPI_Isend, MPI_Waitall, also persistent)
  halo_SIZE_peer_us     all eight faces go to the other rank
  halo_SIZE_vs_mpi      the faster one of fresh and persistent MPI over ours
  halo_SIZE_overlapped_us    the same faces while each rank computes for a few times as long, in registers
  halo_SIZE_exposed_share    (overlapped - the computation alone) / overlapped
  halo_SIZE_hidden_fraction  1 - (overlapped - the computation alone) / the halo alone
  dispatch_ns           asking a window for a message beyond asking its slot: finding the transport
)";

Words rank_words(Effort effort) {
  return {own_program().string(), std::string(comm_rank), effort == Effort::full ? "full" : "quick"};
}

/// The figure that a rank measures last.
constexpr std::string_view last_figure = "dispatch_ns";

void run(Session& session) {
  if (mpi_version().empty()) return run_threads(session, measure_comm);
  session.add_peer("MPI", mpi_version());
  run_processes(session, launched(2, rank_words(session.effort())), last_figure);
}

}  // namespace

Benchmark comm_benchmark() {
  return {.name = "comm",
          .summary = "messages between two ranks of a node, beside MPI, a flag and a memcpy",
          .help = help,
          .run = run};
}

}  // namespace tacit::bench
