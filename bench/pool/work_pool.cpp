// Starts the ranks and collects their figures.
// SPDX-License-Identifier: Apache-2.0
#include "pool/work_pool.hpp"

#include <string>
#include <thread>
#include <vector>

#include "comm/pingpong.hpp"
#include "comm/rank.hpp"
#include "pool/rank.hpp"
#include "sph/child.hpp"

namespace tacit::bench {
namespace {

constexpr std::string_view help =
    R"(C = A B for matrices of 2048 by 2048 doubles, in 361 uneven tiles: rows and columns are cut at the same places,
into pieces of 16 to 255, so that the largest tile is some 200 times the smallest. Each tile is one call of a BLAS with
one thread (plain loops where there is none). Rank 0 has A and wants C, every rank has B; a time runs from the start of
all ranks to C complete on rank 0, and every C is checked. Two ranks on two processors, each bound to its own, unless
said otherwise; the methods take turns; medians of 7 runs. Idle is the share of the time of all workers outside BLAS:
waiting, fetching work and moving data.
Built without MPI, the two ranks are threads of one process, and nothing is compared with MPI.

  pool_s                   every rank draws its tiles from a WorkPool; A and C are used where they lie, in rank 0's
                           window. Beside it in plain MPI: a master and a slave (rank 0 deals tiles out one by one and
                           computes none), and a fixed division (tile t belongs to rank t modulo 2)
  pool_idle_share, master_idle_share, division_idle_share   idle in these runs
  pool_vs_master, pool_vs_division                          their times over the pool's, run by run
  pool_vs_master_beside    the same with a master beside two slaves, three ranks on the two processors, in which MPI
                           yields when it waits: what a user can do against the loss of the master's processor
  pool_threads_s, pool_threads_idle_share                   one rank with two threads that draw from the pool
  notice_ns, notice_flags  a put of nothing with a notice until its target has seen it, one way; over the time of a flag
  fetch_add_ns             a draw from a counter of rank 0 by rank 1 while no other draws
  fetch_add_shared_ns      a draw while both ranks draw as fast as they can
  fetch_add_shared_flags   the same over the time of a flag, batch by batch: below 1 where a core draws several times
                           before the other one gets the line
  fetch_add_vs_mpi         the time of MPI_Fetch_and_op and MPI_Win_flush over that of fetch_add_shared_ns
)";

std::vector<std::string> words_for_ranks(Effort effort, int ranks) {
  // Every launcher understands these words; Open MPI and BLAS read the rest from the environment.
  std::vector<std::string> words{"/usr/bin/env",
                                 "OMPI_ALLOW_RUN_AS_ROOT=1",
                                 "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1",
                                 "OMPI_MCA_hwloc_base_binding_policy=none",
                                 "OPENBLAS_NUM_THREADS=1",
                                 "BLIS_NUM_THREADS=1",
                                 "MKL_NUM_THREADS=1"};
  // With it Open MPI yields when it waits, which is no match where each rank has a processor.
  if (ranks > 2 || std::thread::hardware_concurrency() < 2) {
    words.emplace_back("OMPI_MCA_rmaps_base_oversubscribe=1");
    words.emplace_back("OMPI_MCA_mpi_yield_when_idle=1");
  }
  for (const char* word : {"mpirun", "-n"}) words.emplace_back(word);
  words.push_back(std::to_string(ranks));
  words.push_back(own_program().string());
  words.emplace_back(pool_rank);
  words.emplace_back(effort == Effort::full ? "full" : "quick");
  return words;
}

void run(Session& session) {
  if (mpi_version().empty()) return run_threads(session, measure_pool);
  session.add_peer("MPI", mpi_version());
  run_processes(session, words_for_ranks(session.effort(), 3), beside_figure);
  run_processes(session, words_for_ranks(session.effort(), 2), last_pool_figure);
}

}  // namespace

Benchmark work_pool_benchmark() {
  return {.name = "work_pool",
          .summary = "a matrix product in uneven tiles from a work pool, beside a master and a fixed division",
          .help = help,
          .run = run};
}

}  // namespace tacit::bench
