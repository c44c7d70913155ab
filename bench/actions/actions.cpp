// Starts the ranks and collects their figures.
// SPDX-License-Identifier: Apache-2.0
#include "actions/actions.hpp"

#include <string>

#include "actions/rank.hpp"
#include "comm/launch.hpp"
#include "comm/pingpong.hpp"
#include "sph/child.hpp"

namespace tacit::bench {
namespace {

constexpr std::string_view help =
    R"(Two ranks of one node with one worker each, bound to a processor of its own where there are two. Contestants take
turns, batch by batch, in the same run; a figure is the median of 31 batches. flag: the one-way time of a flag from one
processor to the other, in the same batches. MPI: MPI_Isend and MPI_Irecv of messages of the same size, back and forth,
or 64 under way for rates. Built without MPI, the two ranks are threads of one process, and nothing is compared with
MPI.

  flood_peak_bytes           10^6 actions without answer each way at once (--quick: 10^4), while the worker that takes
                             them computes for some time now and then: the peak of the memory of a rank above what it
                             was before, the larger one of both
  action_round_trip_ns       a call with 8 B that gives 8 B, until its answer is there
  action_round_trip_flags    the same over the one-way time of a flag, batch by batch
  actions_per_s_2r           actions without answer with 8 B from one rank to the other, until the last has run
  movable_actions_per_s_2r   the same of an object that can move, and does not
  action_64KB_us             a call with a vector of 64 KB that gives it back, halved: one way. It is copied out of the
                             argument, into a message, and out of that
  action_64KB_memcpy_ratio   the same over (flag + memcpy + local read)
  channel_local_ns           a value of 8 B set and taken on the rank of its channel
  channel_2r_ns              a value of 8 B from one rank to the other and back through two channels, halved
  wire_messages_per_1000     1000 calls with 8 B and their answers, made at once, between two emulated nodes: messages
                             of both ranks (tools/nodes/nodes.py; needs root and Open MPI)
)";

void run(Session& session) {
  if (mpi_version().empty()) return run_threads(session, measure_actions);
  session.add_peer("MPI", mpi_version());
  const auto rank = [&](const char* where) -> Words {
    return {own_program().string(), std::string(actions_rank), session.effort() == Effort::full ? "full" : "quick",
            where};
  };
  run_processes(session, launched(2, rank("node")), last_actions_on_node);
  if (can_emulate_nodes()) run_processes(session, on_nodes(2, 1, rank("nodes")), last_actions_on_nodes);
}

}  // namespace

Benchmark actions_benchmark() {
  return {.name = "actions",
          .summary = "calls of functions on another rank and channels, beside flags, copies and MPI",
          .help = help,
          .run = run};
}

}  // namespace tacit::bench
