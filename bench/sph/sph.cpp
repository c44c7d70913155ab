// Lists the parts of `tacit bench sph`, and says what they measure.
// SPDX-License-Identifier: Apache-2.0
#include "sph/sph.hpp"

#include <string_view>

#include "sph/sections.hpp"

namespace tacit::bench {
namespace {

constexpr std::string_view help =
    R"(workload: a shear layer of 64 x 64 x 16 particles on a lattice (kh_64: density 1, pressure 2.5, cubic spline,
eta = 1.2348, cfl = 0.1), stepped by the solver itself, without output. One thread is bound to one processor.
  kh64_SCHEME_updates_per_core_s     full steps, 4 a sample, one thread: particles x steps over seconds
  kh64_SCHEME_2t_updates_per_core_s  the same with two threads, over seconds and threads
  kh64_SCHEME_symmetric_updates_per_core_s
                                     the same with one thread and sph.pairs = "symmetric"
  kh64_SCHEME_symmetric_vs_gather    that over the rate of the default, sample by sample, taken in turns
  kh64_SCHEME_swift_recorded_updates_per_core_s
                  not measured here: SWIFT v2026.04, one thread, quiet machine with Zen 5 cores. It runs beside, as the
                  peer SWIFT, where TACIT_SWIFT_GADGET2 or TACIT_SWIFT_SPHENIX names a program built for the scheme
                  and TACIT_SWIFT_YML the parameters of kh_64, in whose folder it then runs
  core_peak_gflops       chains of multiplications and additions in registers, best instruction set, one core
  core_bandwidth_gbs     a = b + s c over three arrays of 64 MiB, one core; two reads and one write are counted
  peak_flops_fraction    operations that one update needs at least (each interacting pair tested and summed once in
                         every loop; counted in bench/sph/work.hpp) x updates per second, over the peak; one thread,
                         gadget2; ..._sphenix
  memory_bandwidth_fraction
                         bytes that one update needs at least (each task reads and writes its fields once, neighbours
                         come from caches; the same file) x updates per second, over the bandwidth; ..._sphenix
  threads_2_vs_2_processes
                         updates per second of one process with two threads, over the sum of two with one thread that
                         run at the same time, each bound to a processor; gadget2
  bytes_per_particle     (largest memory of 'tacit run' with 100^3 particles - the same with 46^3) / difference of the
                         particles: sphenix, four individual steps, two threads; reading of parameters, initial
                         conditions, both snapshots and the checkpoint at the end included, pictures not
  all_active_us          individual steps, gadget2, one thread: a step that all particles end, per particle
  active_1_percent_us    the same where 1 % of the particles, those of one ball, take steps shorter than the
                         others' by as much as the limiter lets stand: steps that just they end, per such particle
  active_1_percent_scattered_us
                         the same with particles drawn at random
  sort_10M_2t_speedup    9 985 600 particles (--quick: 16384) of the shear layer, 790 along x and y, each up to a
                         quarter of the spacing off the lattice, with h of 5 % around the typical: the time to make
                         cells, order all fields, make lists and the graph of a step from nothing but the particles,
                         with one thread over that with two. Particles come as the time before left them, moved anew
  sort_10M_2t_ns         that time with two threads, per particle, beside one thread
  sort_10M_2t_refine_ms  its parts, apart from the rest: finding which cells to split, ..._sort_ms: sorting into cells
                         and groups, without the fields, ..._link_ms: reaches and lists of neighbours, ..._graph_ms
and the figures of 'tacit bench sph_pairs', which describes them.
)";

void run(Session& session) {
  add_speeds(session);
  add_processes(session);
  add_active(session);
  add_footprint(session);
  add_sorting(session);
  add_pairs(session);
}

}  // namespace

Benchmark sph_benchmark() {
  return {"sph", "steps of the sph solver beside SWIFT, the machine's peaks, memory, and what pairs cost", help, run};
}

}  // namespace tacit::bench
