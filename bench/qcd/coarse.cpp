// Starts the ranks of the coarse-grid solve, and collects their figures.
// SPDX-License-Identifier: Apache-2.0
#include "qcd/coarse.hpp"

#include <string>

#include "comm/launch.hpp"
#include "comm/pingpong.hpp"
#include "comm/rank.hpp"
#include "sph/child.hpp"

namespace tacit::bench {
namespace {

constexpr std::string_view help =
    R"(The coarse equations of multigrid for quarks, which are bound by the latency of halos and sums: 8^4 sites at
beta = 6 from our own heat bath, m0 = -0.7, csw = 1, aggregates of 2^4 sites and 20 test vectors (--quick: 4^4 and 4);
the coarse lattice has 4^4 sites of 40 complex numbers. GMRES on its odd sites, to |r| / |b| = 0.01 of random
right-hand sides, with one worker per rank; ranks are bound to processors of their own where there are as many. The
contestants solve the same equations with the same bits, in turns: halos by persistent windows through shared memory and
the library's reductions; MPI: halos by persistent requests (MPI_Start, MPI_Waitall) and MPI_Allreduce. Times are means
over iterations, those of the slowest rank, medians of 15 samples. A halo's time is that of copies into messages, of
sending, and of waiting for others after everything has been computed that can be; waiting includes what ranks compute
unequally. flag: the time of a flag from one processor to another.

  coarse_Nr_iteration_us  an iteration on N ranks; coarse_Nr_halo_us, coarse_Nr_sums_us: its halos, and its sums
  coarse_Nr_vs_mpi        time of halos and sums by MPI over ours
  coarse_Nr_exposed_share that of halos and sums of the time of an iteration
  coarse_sums_per_iteration   sums over ranks in a solve over its iterations
  coarse_Nr_bytes_share   bytes of matrices and vectors that an iteration reads, a second, over the triad on all ranks
  coarse_Nr_flops_share   operations of an iteration, a second, over the peak of chains of multiplications and additions
  coarse_2r_ofi_...       two ranks whose halos go through libfabric, by TCP where it finds nothing better; sums stay in
                          shared memory
)";

void run(Session& session) {
  if (mpi_version().empty()) return;  // ranks need a launcher
  session.add_peer("MPI", mpi_version());
  const auto rank = [&](const char* where) -> Words {
    return {own_program().string(), std::string(coarse_rank), session.effort() == Effort::full ? "full" : "quick",
            where};
  };
  run_processes(session, launched(2, rank("node")), "coarse_2r_flops_share");
  run_processes(session, launched(4, rank("node")), "coarse_4r_flops_share");
#if defined(TACIT_HAS_OFI)
  run_processes(session, launched(2, rank("ofi")), "coarse_2r_ofi_exposed_share");
#endif
}

}  // namespace

Benchmark coarse_benchmark() {
  return {.name = "coarse",
          .summary = "the coarse-grid solve of quarks on ranks: halos and sums, beside MPI",
          .help = help,
          .run = run};
}

}  // namespace tacit::bench
