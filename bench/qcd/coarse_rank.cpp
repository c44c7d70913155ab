// What each of the ranks does that `tacit bench coarse` starts.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "comm/crew.hpp"
#include "comm/rank.hpp"
#include "qcd/coarse.hpp"
#include "qcd/heat_bath.hpp"
#include "tacit/base/cpu_features.hpp"
#include "tacit/base/random.hpp"
#include "tacit/engine/peak.hpp"
#include "tacit/engine/triad.hpp"
#include "tacit/solvers/qcd/multigrid/multigrid.hpp"
#include "tacit/tasks/scheduler.hpp"
#include "tacit/trace/trace.hpp"

namespace tacit::bench {
namespace {

using qcd::multigrid::CoarseOperator;
using qcd::multigrid::CoarseSolve;
using qcd::multigrid::CoarseTransport;
using qcd::multigrid::CoarseVector;

/// One worker that polls what comes from others.
class CoarseWorker {
 public:
  explicit CoarseWorker(comm::Communicator& world) : world_(world) { scheduler.attach(world.completions()); }
  ~CoarseWorker() { scheduler.detach(world_.completions()); }
  CoarseWorker(const CoarseWorker&) = delete;
  CoarseWorker& operator=(const CoarseWorker&) = delete;

 private:
  comm::Communicator& world_;
  trace::Recorder recorder_{1, 4096};

 public:
  tasks::Scheduler scheduler{1, recorder_};
};

/// What a part of a solve took [s], summed over solves.
struct CoarseTimes {
  double all = 0.0;
  double halo = 0.0;
  double sums = 0.0;
};

/// The equations of the set-up, solved with halos and sums by a transport.
class CoarseContestant {
 public:
  CoarseContestant(CoarseOperator& from, const qcd::Division& division, const CoarseTransport& transport)
      : matrix_(from.aggregates(), from.shape().width, division, from.scheduler(), 2, transport),
        solve_(matrix_, {.tolerance = 0.01}),
        b_(matrix_.make()),
        x_(matrix_.make()) {
    for (std::size_t k = 0; k < from.aggregates().count(); ++k) {
      for (std::size_t d = 0; d <= CoarseOperator::itself; ++d) {
        std::ranges::copy(from.matrix(k, d), matrix_.matrix(k, d).begin());
      }
    }
    matrix_.complete();
  }

  /// Right-hand sides of norm 1, keyed by site of the whole lattice.
  void solve(std::uint64_t number) {
    const qcd::multigrid::CoarseShape& shape = matrix_.shape();
    const double unit = 1.0 / std::sqrt(static_cast<double>(matrix_.size()) / 6.0);
    const auto sites = matrix_.aggregates().numbers();
    for (std::size_t k = 0; k < sites.size(); ++k) {
      for (std::size_t row = 0; row < shape.width; ++row) {
        const std::uint64_t key = sites[k] * shape.width + row;
        float* const to = b_.data() + k * shape.vector() + row;
        to[0] = static_cast<float>(unit * (base::uniform(2, key, 2 * number) - 0.5));
        to[shape.rows] = static_cast<float>(unit * (base::uniform(2, key, 2 * number + 1) - 0.5));
      }
    }
    iterations_ += solve_.run(b_, x_);
  }
  [[nodiscard]] std::size_t iterations() const noexcept { return iterations_; }
  [[nodiscard]] std::uint64_t sums() const noexcept { return solve_.sums().runs(); }
  [[nodiscard]] CoarseTimes times() const noexcept {
    return {.halo = matrix_.times().send_s + matrix_.times().wait_s, .sums = solve_.sums().seconds()};
  }
  [[nodiscard]] const CoarseVector& x() const noexcept { return x_; }

 private:
  CoarseOperator matrix_;
  CoarseSolve solve_;
  CoarseVector b_;
  CoarseVector x_;
  std::size_t iterations_ = 0;
};

/// Means over the iterations of some solves, by sample, those of the slowest rank.
struct Solved {
  std::vector<double> all;
  std::vector<double> halo;
  std::vector<double> sums;
  std::vector<double> exposed;  // both, of a rank
};

void run_sample(Crew& crew, CoarseContestant& one, std::size_t solves, Solved* found) {
  const CoarseTimes before = one.times();
  const std::size_t iterations = one.iterations();
  const double seconds = crew.time(Takes::all_ranks, [&] {
    for (std::size_t k = 0; k < solves; ++k) one.solve(k);
  });
  const CoarseTimes after = one.times();
  const double unit = 1.0 / static_cast<double>(one.iterations() - iterations);
  const double halo = crew.largest(after.halo - before.halo);
  const double sums = crew.largest(after.sums - before.sums);
  const double exposed = crew.largest(after.halo - before.halo + after.sums - before.sums);
  if (found == nullptr) return;
  found->all.push_back(seconds * unit);
  found->halo.push_back(halo * unit);
  found->sums.push_back(sums * unit);
  found->exposed.push_back(exposed * unit);
}

/// @throws base::Error unless both have found the same
void expect_same(const CoarseContestant& ours, const CoarseContestant& other) {
  if (ours.x() != other.x()) throw base::Error("the coarse solves of two transports differ");
}

/// @param prefix  of the names of figures   @param is_node  halos by shared memory, beside MPI and the machine's limits
void measure_coarse(const Plan& plan, const std::string& prefix, bool is_node) {
  comm::Communicator& world = *plan.world;
  const BoundRank bound(world);
  Crew crew(world);
  CoarseWorker worker(world);
  const auto n = static_cast<std::uint32_t>(plan.size(8, 4));
  const qcd::Extents extents{{n, n, n, n}};
  const qcd::Division division(extents, {}, world);
  qcd::FieldSpace<double> space(division, qcd::kernels::loops_for<double>(qcd::most_lanes(division.part())),
                                worker.scheduler);
  qcd::FieldSpace<float> narrow(division, qcd::kernels::loops_for<float>(qcd::most_lanes(division.part())),
                                worker.scheduler);
  const qcd::GaugeField field = heat_bath_field(division, worker.scheduler, plan.size(40, 2));
  const qcd::DiracOperator<float> dirac(narrow, field, {.mass = plan.effort == Effort::full ? -0.7 : 0.1, .csw = 1.0});
  qcd::multigrid::Multigrid multigrid(space, dirac, {.vectors = plan.size(20, 4), .setup_iterations = plan.size(2, 0)});
  CoarseContestant ours(multigrid.coarse(), division, {});
  std::optional<CoarseContestant> mpi;
  const CoarseTransport by_mpi = is_node ? mpi_coarse_transport() : CoarseTransport{};
  if (by_mpi.halo) mpi.emplace(multigrid.coarse(), division, by_mpi);
  engine::Triad triad(plan.size(std::size_t{1} << 22U, std::size_t{1} << 12U));
  const engine::PeakLoop peak = engine::peak_loops(base::chosen_instruction_set()).of_float;
  const auto flags = world.size() == 2 ? flag_ping_pong(world) : nullptr;
  Solved of_ours;
  Solved of_mpi;
  std::vector<double> bandwidths;
  std::vector<double> peaks;
  std::vector<double> flag_s;
  const std::size_t samples = plan.size(15, 2);
  const std::size_t solves = plan.size(10, 1);
  for (std::size_t sample = 0; sample <= samples; ++sample) {
    const bool counts = sample > 0;  // the first one warms up
    run_sample(crew, ours, solves, counts ? &of_ours : nullptr);
    if (mpi) {
      run_sample(crew, *mpi, solves, counts ? &of_mpi : nullptr);
      expect_same(ours, *mpi);
    }
    if (!is_node) continue;
    bandwidths.push_back(triad.bytes() / crew.time(Takes::all_ranks, [&] { triad.run(); }));
    double operations = 0.0;
    const double seconds = crew.time(Takes::all_ranks, [&] { operations = peak(plan.size(2'000'000, 20'000)); });
    peaks.push_back(operations / seconds);
    if (flags) flag_s.push_back(time_of(*flags, plan.size(2000, 20)));
  }
  const std::optional<double> flag_ns = flag_s.empty() ? std::nullopt : std::optional(median_of(flag_s, 1e9));
  const auto add = [&](const char* name, const std::vector<double>& mine, const std::vector<double>& other) {
    Result result{.name = prefix + name, .unit = "us", .ours = summarise(scaled(mine, 1e6)), .flag_ns = flag_ns};
    if (!other.empty()) result.peers.emplace_back("MPI", median_of(other, 1e6));
    plan.add(result);
  };
  add("iteration_us", of_ours.all, of_mpi.all);
  add("halo_us", of_ours.halo, of_mpi.halo);
  add("sums_us", of_ours.sums, of_mpi.sums);
  if (mpi) {
    plan.add({.name = prefix + "vs_mpi",
              .unit = "1",
              .better = Better::higher,
              .ours = summarise(ratios(of_mpi.exposed, of_ours.exposed)),
              .limit = 1.5,
              .flag_ns = flag_ns});
  }
  if (is_node && world.size() == 2) {
    plan.add({.name = "coarse_sums_per_iteration",
              .unit = "1",
              .ours = summarise({static_cast<double>(ours.sums()) / static_cast<double>(ours.iterations())}),
              .limit = 1.0});
  }
  plan.add({.name = prefix + "exposed_share",
            .unit = "1",
            .ours = summarise(ratios(of_ours.exposed, of_ours.all)),
            .flag_ns = flag_ns});
  if (!is_node) return;
  // On each rank: ten products of each aggregate, each of 8 operations for 8 bytes; and half of thirty directions
  // twice, at odd sites.
  const qcd::multigrid::CoarseShape& shape = multigrid.coarse().shape();
  const auto sites = static_cast<double>(multigrid.coarse().aggregates().count());
  const double numbers = sites * static_cast<double>(10 * shape.matrix() + 15 * shape.vector());
  const auto add_share = [&](const char* name, double amount, const std::vector<double>& limits) {
    const double best = *std::ranges::max_element(limits);
    std::vector<double> shares;
    for (const double s : of_ours.all) shares.push_back(amount / s / best);
    plan.add({.name = prefix + name,
              .unit = "1",
              .better = Better::higher,
              .ours = summarise(std::move(shares)),
              .flag_ns = flag_ns});
  };
  add_share("bytes_share", sizeof(float) * numbers, bandwidths);
  add_share("flops_share", 4.0 * numbers, peaks);
}

}  // namespace

void serve_coarse(std::span<const std::string_view> words, std::ostream& out) {
  if (words.size() != 2) throw base::Error("a rank of the benchmark 'coarse' takes two words");
  const bool is_node = words[1] == "node";
  comm::Options options;
  if (!is_node) options.transport = comm::ProviderId::ofi;
  comm::Communicator world(options);
  const Sink sink = [&out](const Result& result) { out << to_line(result) << '\n' << std::flush; };
  measure_coarse({&world, words[0] == "quick" ? Effort::quick : Effort::full, &sink},
                 fmt::format("coarse_{}r_{}", world.size(), is_node ? "" : "ofi_"), is_node);
  world.synchronise();
}

}  // namespace tacit::bench
