// Starts the ranks of the benchmarks dns and fft and collects their figures.
// SPDX-License-Identifier: Apache-2.0
#include "dns/dns.hpp"

#include <iterator>
#include <string>

#include "comm/launch.hpp"
#include "comm/pingpong.hpp"
#include "comm/rank.hpp"
#include "dns/rank.hpp"
#include "dns/round_trip.hpp"
#include "sph/child.hpp"
#include "tacit/base/error.hpp"
#include "tacit/topology/cpus.hpp"

namespace tacit::bench {
namespace {

constexpr std::string_view dns_help =
    R"(Taylor-Green vortices by RK2 in the divergence form with the 2/3 rule, in double precision, on cubes of 64,
128 and 256 points a side (with --quick an eighth of that, under the same names): the time of a substage, which has
eight transforms. Beside it, in the same run and in turns, eight transforms of all modes, real to complex and back,
by FFTW with plans of FFTW_MEASURE on as many cores: in place and not, where there are two cores with two threads
(64: with one, too), and on two ranks also FFTW for MPI, transposed and not. The fastest of them, by medians, is the
floor. Medians of 21, 11 and 5 samples of 5, 1 and 1 steps. Two ranks are bound to a processor each, and so are two
threads.

  substage_N_RANKSxTHREADS_ms               a substage; peers: eight transforms by each plan; flag ns: a flag from one
                                            processor to the other, with two of them
  substage_N_RANKSxTHREADS_floor_ratio      over the floor, sample by sample
  substage_N_RANKSxTHREADS_words_per_point  memory of modes and buffers of all ranks, in doubles over points
  transpose_share       of a step of 128 points a side on two ranks of one node, in which a rank does nothing but
                        communicate, or wait for that; transpose_share_64, transpose_share_256: likewise
  substage_2n_ms        128 points a side on two emulated nodes with one rank each, joined by a wire of 1 Gbit/s in each
                        direction (tools/nodes/nodes.py; needs root and Open MPI; ranks share this machine)
  substage_2n_over_larger       the same over the larger of its computation (what is not exposed) and the time that its
                                messages take on the wire: bytes and headers, at the full rate
  transpose_2n_share            as transpose_share
  transpose_2n_hidden_fraction  1 - exposed / serial; serial: the same messages one after the other, blocking
)";

constexpr std::string_view fft_help =
    R"(Real points to modes and back, doubles, cubes of 64, 128 and 256 points a side (with --quick an eighth of that,
under the same names), all modes kept: our transform from and to memory, beside FFTW for MPI in place with plans of
FFTW_MEASURE, whose modes are transposed as ours are, and not, and beside heFFTe: slabs and pencils, reordered or not,
all-to-all-v or pipelined messages; on one rank also FFTW without MPI, in place and not. All take turns in the same run;
medians of 21, 11 and 5 samples of 20, 4 and 4 round trips. Two ranks of one node are bound to a processor each. Needs
MPI and FFTW's library for it; without, our times stand alone. CMake finds heFFTe, which must have its FFTW backend, if
CMAKE_PREFIX_PATH names its folder.

  fft_N_RANKS_ms          one transform: half a round trip
  fft_N_RANKS_vs_fftwmpi  the time of the faster one of FFTW for MPI over ours
  fft_N_RANKS_vs_heffte   the time of the fastest of heFFTe over ours
)";

Words rank_words(Effort effort, std::string_view what, int threads) {
  return {own_program().string(), std::string(dns_rank), effort == Effort::full ? "full" : "quick", std::string(what),
          std::to_string(threads)};
}

void collect(Session& session, Words words) {
  Child ranks(std::move(words));
  for (std::string line = ranks.read_line(); line != dns_end; line = ranks.read_line()) session.add(from_line(line));
  ranks.wait_for_end();
}

void run_dns(Session& session) {
  const Effort effort = session.effort();
  collect(session, rank_words(effort, "substages", 1));
  if (topology::allowed_cpus().size() > 1) collect(session, rank_words(effort, "substages", 2));
  if (mpi_version().empty()) return;
  session.add_peer("MPI", mpi_version());
  collect(session, launched(2, rank_words(effort, "substages", 1)));
  if (!can_emulate_nodes()) return;
  add_transposes_of_nodes(session);
}

void run_fft(Session& session) {
  const auto rank = rank_words(session.effort(), "transforms", 1);
  if (mpi_version().empty()) return collect(session, rank);
  session.add_peer("MPI", mpi_version());
  if (fftw_mpi_is_there()) session.add_peer("FFTW-MPI", "3.3");
  if (!heffte_version().empty()) session.add_peer("heFFTe", heffte_version());
  collect(session, launched(1, rank));
  collect(session, launched(2, rank));
}

}  // namespace

void add_transposes_of_nodes(Session& session) {
  collect(session, on_nodes(2, 1, rank_words(session.effort(), "wire", 1)));
}

Benchmark dns_benchmark() {
  return {.name = "dns",
          .summary = "substages of turbulence over the floor of eight transforms by FFTW; transposes",
          .help = dns_help,
          .run = run_dns};
}

Benchmark fft_benchmark() {
  return {.name = "fft",
          .summary = "transforms of cubes, beside FFTW for MPI and heFFTe",
          .help = fft_help,
          .run = run_fft};
}

}  // namespace tacit::bench
