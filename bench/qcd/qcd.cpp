// The Wilson operator on one core, beside what memory and registers allow, and on two ranks.
// SPDX-License-Identifier: Apache-2.0
#include "qcd/qcd.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <exception>
#include <thread>
#include <utility>
#include <vector>

#include "tacit/base/cpu_features.hpp"
#include "tacit/comm/bootstrap/threads.hpp"
#include "tacit/comm/communicator.hpp"
#include "tacit/engine/peak.hpp"
#include "tacit/engine/triad.hpp"
#include "tacit/solvers/qcd/dirac_operator.hpp"
#include "tacit/tasks/scheduler.hpp"
#include "tacit/trace/trace.hpp"

namespace tacit::bench {
namespace {

constexpr std::string_view qcd_help =
    R"(Applications of the Wilson operator, without a clover term, to a field of all sites. Bytes are those that are
stored: four links, a spinor read and one written, 480 for each site in single precision and 960 in double; operations
are the 1320 of the hopping term. Memory gives what the best of the triads (a = b + s c on arrays that no cache holds)
did that were run in turns with the applications; the peak is that of chains of multiplications and additions in
registers, as in the benchmark sph. With --quick on smaller lattices.

  dslash_fp32_mem_fraction, dslash_fp64_mem_fraction
                          32 x 16^3 sites, one core: bytes a second over those of the triad
  dslash_fp32_cache_peak  8 x 8 x 4 x 4 sites, one core: operations a second over the peak, which needs one instruction
                          for a multiplication and an addition; the operator takes two, for the sake of its bits
  dslash_2r_exposed_share 32 x 16^3 sites in single precision on two ranks of one thread each, threads of this process:
                          part of the time that communication costs
  sources_at_once_speedup 8^4 sites of a heat bath (beta 6.0, 40 sweeps), m0 = -0.7, csw = 1, one core: the time of
                          multigrid's cycles for twelve fields one after the other, over that for all of them at once;
                          aggregates of 2^4 sites, 20 test vectors
)";

double seconds_of(std::size_t runs, const auto& run) {
  const auto begin = std::chrono::steady_clock::now();
  for (std::size_t k = 0; k < runs; ++k) run();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() / static_cast<double>(runs);
}

/// An operator with its fields.
template <class T>
class Dslash {
 public:
  Dslash(const qcd::Division& division, tasks::Scheduler& scheduler)
      : space_(division, qcd::kernels::loops_for<T>(qcd::most_lanes(division.part())), scheduler),
        dirac_(space_, qcd::random_gauge_field(division.part(), 0.25, 1), {.mass = 0.1}),
        in_(space_.make()),
        out_(space_.make()) {
    std::ranges::fill(in_, T(1));
  }
  void run() { dirac_.apply(in_, out_, qcd::Conjugate::no); }
  [[nodiscard]] double sites() const { return static_cast<double>(space_.lattice().part().own.sites()); }
  [[nodiscard]] double bytes() const { return sites() * 120.0 * sizeof(T); }
  [[nodiscard]] double operations() const { return sites() * 1320.0; }

 private:
  qcd::FieldSpace<T> space_;
  qcd::DiracOperator<T> dirac_;
  qcd::Field<T> in_;
  qcd::Field<T> out_;
};

/// One worker.
struct Core {
  trace::Recorder recorder{1, 4096};
  tasks::Scheduler scheduler{1, recorder};
};

qcd::Extents large_lattice(const Session& session) {
  const auto n = static_cast<std::uint32_t>(session.size(16, 8));
  return {{n, n, n, 2 * n}};
}

template <class T>
void measure_memory(Session& session, const char* name) {
  Core core;
  Dslash<T> dslash(large_lattice(session), core.scheduler);
  engine::Triad triad(session.size(std::size_t{1} << 22U, std::size_t{1} << 12U));
  dslash.run();
  double best = 0.0;
  std::vector<double> rates;
  for (std::size_t sample = 0; sample < session.size(15, 3); ++sample) {
    best = std::max(best, triad.bytes() / seconds_of(1, [&] { triad.run(); }));
    rates.push_back(dslash.bytes() / seconds_of(session.size(5, 1), [&] { dslash.run(); }));
  }
  session.add({.name = name,
               .unit = "1",
               .better = Better::higher,
               .ours = summarise(scaled(rates, 1.0 / best)),
               .limit = 0.5});
}

void measure_cache(Session& session) {
  Core core;
  Dslash<float> dslash(qcd::Extents{{8, 8, 4, 4}}, core.scheduler);
  const engine::PeakLoop peak = engine::peak_loops(base::chosen_instruction_set()).of_float;
  dslash.run();
  std::vector<double> shares;
  for (std::size_t sample = 0; sample < session.size(15, 3); ++sample) {
    double operations = 0.0;
    const double seconds = seconds_of(1, [&] { operations = peak(session.size(2'000'000, 20'000)); });
    const double ours = dslash.operations() / seconds_of(session.size(2000, 10), [&] { dslash.run(); });
    shares.push_back(ours / (operations / seconds));
  }
  session.add(
      {.name = "dslash_fp32_cache_peak", .unit = "1", .better = Better::higher, .ours = summarise(std::move(shares))});
}

/// The shares of one rank's time in each sample.
std::vector<double> exposed_shares(const Session& session, comm::Communicator& world) {
  Core core;
  core.scheduler.attach(world.completions());
  std::vector<double> shares;
  {
    Dslash<float> dslash(qcd::Division(large_lattice(session), {1, 1, 1, 2}, world), core.scheduler);
    const std::size_t runs = session.size(20, 2);
    for (std::size_t k = 0; k < runs; ++k) dslash.run();
    for (std::size_t sample = 0; sample < session.size(15, 3); ++sample) {
      world.synchronise();
      core.scheduler.settle();
      const double before = core.recorder.exposure().exposed_s;
      const double seconds = static_cast<double>(runs) * seconds_of(runs, [&] { dslash.run(); });
      core.scheduler.settle();
      shares.push_back((core.recorder.exposure().exposed_s - before) / seconds);
    }
    world.synchronise();
  }
  core.scheduler.detach(world.completions());
  return shares;
}

void measure_two_ranks(Session& session) {
  auto bootstraps = comm::bootstrap_threads(2);
  std::vector<std::vector<double>> shares(2);
  std::vector<std::exception_ptr> errors(2);
  {
    std::vector<std::jthread> threads;
    for (std::size_t rank = 0; rank < 2; ++rank) {
      threads.emplace_back([&, rank, bootstrap = std::move(bootstraps[rank])]() mutable {
        try {
          comm::Communicator world(std::move(bootstrap), {});
          shares[rank] = exposed_shares(session, world);
        } catch (...) {
          errors[rank] = std::current_exception();
        }
      });
    }
  }
  for (const std::exception_ptr& error : errors) {
    if (error) std::rethrow_exception(error);
  }
  std::vector<double> larger;
  for (std::size_t sample = 0; sample < shares[0].size(); ++sample) {
    larger.push_back(std::max(shares[0][sample], shares[1][sample]));
  }
  session.add({.name = "dslash_2r_exposed_share", .unit = "1", .ours = summarise(std::move(larger))});
}

void run_qcd(Session& session) {
  measure_memory<float>(session, "dslash_fp32_mem_fraction");
  measure_memory<double>(session, "dslash_fp64_mem_fraction");
  measure_cache(session);
  measure_two_ranks(session);
  measure_at_once(session);
}

}  // namespace

Benchmark qcd_benchmark() {
  return {.name = "qcd", .summary = "the Dirac operator, beside memory and peak", .help = qcd_help, .run = run_qcd};
}

}  // namespace tacit::bench
