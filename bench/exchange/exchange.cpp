// Starts the ranks and collects their figures.
// SPDX-License-Identifier: Apache-2.0
#include "exchange/exchange.hpp"

#include <string>

#include "comm/launch.hpp"
#include "comm/pingpong.hpp"
#include "exchange/rank.hpp"
#include "sph/child.hpp"

namespace tacit::bench {
namespace {

constexpr std::string_view help =
    R"(Two ranks of one node, each bound to a processor of its own where there are two, exchange messages in the tasks
of a step: a graph that one worker per rank runs again and again. All contestants take turns, batch by batch, in the
same run; a figure is the median of 31 batches. They copy alike: who sends writes a word of every cache line (10000
messages: of every message), copies it to where it is sent from; who receives copies it out and reads it. Beside the
tasks: "windows", bare windows of the library in a loop (post, wait, init), and MPI_Startall and MPI_Waitall with
persistent requests, whose receives are started before anything is packed. flag: the time of a flag from one processor
to the other, in the same batches. Built without MPI, the two ranks are threads of one process, and nothing is compared
with MPI.

  exchange_halo_SIZE_us      a step with one message each way, 64 B or 8 KB
  exchange_halo_SIZE_over_windows_us   the same minus that of bare windows, batch by batch
  exchange_halo_SIZE_vs_mpi  the time of MPI over ours
  exchange_halo_8KB_poll_share   of the time of a step with a message of 8 KB each way and 100 tasks of some 10 us that
                             compute: the part that the worker spends polling between tasks, while it has tasks to run
  exchange_task_us           a step in which each rank sends the other one 10000 messages of 1 KB (--quick: 100), each
                             packed by a task and unpacked by another: its time over 10000, so one message each way.
                             "windows": the same copies in a loop, in messages of the same size as the exchange's
  exchange_poll_share        of the time of that step: the part spent polling between tasks
  exchange_wait_share        of the time of that step: the part with no task to run, which polls as well
  exchange_poll_100_ns, exchange_poll_10000_ns   asking for what has come (CompletionSource::poll) while 100 or 10000
                             messages of 1 KB (--quick: 300) are to come from the other rank and none has; "windows":
                             the same while 10000 windows are awaited one by one
  exchange_poll_10000_over_100   the one over the other, batch by batch

The heat solver with one worker per rank, by rk2 on periodic cubes of 64 (in the caches) and 256 points a side (--quick:
an eighth of that) with a constant diffusivity, and the triad a = b + s c on arrays that no cache holds:

  bandwidth_1r_gbs, bandwidth_2r_gbs   the triad on one rank, and on both at once together: bytes that it names
  heat_2r_N_ms               a step on two ranks; "one rank": the same cube on the first one, while the other sleeps
  heat_2r_speedup_N          the time on one rank over that on two; 256: "bandwidth": that of two over that of one
  heat_2r_speedup_256_of_bandwidth   the one over the other, sample by sample
  heat_2r_exposed_share_N    of a step on two ranks: the part in which a rank does nothing but communicate (pack, poll,
                             unpack), or wait for that
  heat_2n_ms                 256 points a side on two emulated nodes with one rank each, joined by a wire of 1 Gbit/s in
                             each direction (tools/nodes/nodes.py; needs root and Open MPI; ranks share this machine)
  heat_2n_exposed_share      as heat_2r_exposed_share
  heat_2n_step_over_longer   the step over the longer of its computation (what is not exposed) and the time that its
                             messages take on the wire: bytes and headers, at the full rate
  heat_2n_hidden_of_possible (serial - exposed) / the shorter of serial and computation; serial: the same messages one
                             after the other, blocking. No more can be hidden than there is computation
)";

void run(Session& session) {
  if (mpi_version().empty()) return run_threads(session, measure_exchange);
  session.add_peer("MPI", mpi_version());
  const auto rank = [&](const char* where) -> Words {
    return {own_program().string(), std::string(exchange_rank), session.effort() == Effort::full ? "full" : "quick",
            where};
  };
  run_processes(session, launched(2, rank("node")), last_on_node);
  if (can_emulate_nodes()) run_processes(session, on_nodes(2, 1, rank("nodes")), last_on_nodes);
}

}  // namespace

Benchmark exchange_benchmark() {
  return {.name = "exchange",
          .summary = "messages of a step as tasks, beside bare windows and MPI; steps of the heat solver on ranks",
          .help = help,
          .run = run};
}

}  // namespace tacit::bench
