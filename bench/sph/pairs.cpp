// Times the sums over neighbours of a cell's particles for each instruction set.
// SPDX-License-Identifier: Apache-2.0
#include "sph/pairs.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "framework/measure.hpp"
#include "sph/ladder.hpp"
#include "sph/neighbourhood.hpp"
#include "sph/sections.hpp"
#include "sph/work.hpp"
#include "tacit/engine/peak.hpp"
#include "tacit/solvers/sph/kernels/vector/pair_loops.hpp"
#include "tacit/tasks/host_thread.hpp"

namespace tacit::bench {
namespace {

using base::InstructionSet;
using base::Vec3;
using Kernel = NeighbourhoodKernel;
namespace kernels = sph::kernels;
namespace vector = sph::kernels::vector;

constexpr std::string_view help =
    "workload: one cell and the 26 around it, in a gas of density 1 with particles of mass 1 on a jittered lattice;\n"
    "H = 2.25 spacings (cubic spline, 48 neighbours), cells of 1.1 H, so that about one pair tested in five to ten\n"
    "interacts. Each particle of the cell searches all candidates, and sums over them. One thread. A pair is one\n"
    "particle with one candidate; times are per pair tested, search included.\n"
    "  pair_density_SET_ns     search into a list of hits, then density and its derivative over the list\n"
    "  pair_density_all_SET_ns the same without a list: every lane evaluates the kernel, interacting or not\n"
    "  pair_force_SET_ns       search into a list, then pressure, viscosity, heating, signal velocity\n"
    "  pair_force_all_SET_ns   the same without a list\n"
    "  pair_fill_SET_ns        filling the cache of floats with a candidate, per candidate\n"
    "  pair_hit_share          pairs within H of all pairs tested\n"
    "  pair_avx2_vs_scalar, pair_avx512_vs_scalar\n"
    "                          density and force with a list: time of the same code with plain floats over that of\n"
    "                          the packs\n"
    "  pair_sorted_vs_naive    density and force, time per particle of a plain loop of floats over all pairs of a "
    "cell\n"
    "                          and its neighbours over that of the best path: a cache filled with what is within H of\n"
    "                          the cell, a short list for each of its octants, best set; filling and listing "
    "included;\n"
    "                          cells of 2 H for both\n"
    "  pair_sorted_vs_naive_small_cells\n"
    "                          the same with cells of 1.1 H for the plain loop, the smallest that it can use\n"
    "  pair_hit_share_sorted, pair_hit_share_naive, pair_hit_share_naive_small_cells\n"
    "                          pairs within H of all pairs tested on these paths\n"
    "  sorted_gadget2_ns, sorted_sphenix_ns\n"
    "                          all loops of the scheme on the best path, per particle\n"
    "  pair_list_vs_all        the same, without a list over with a list, best set\n"
    "  peak_gflops             multiplications and additions in registers, best set, one core\n"
    "  pair_peak_flops_fraction\n"
    "                          operations of density and force (10 per pair tested, 27 and 89 per hit: work.hpp) per\n"
    "                          time, over that peak\n"
    "Peers named `doubles` are the scalar loops in double precision, the oracle of the tests.\n";

void fill(vector::VectorCache& cache, const Neighbourhood& gas, InstructionSet set) {
  cache.restart(gas.frame());
  cache.append(vector::pair_kernels<Kernel>(set).fill, gas.motion(), gas.gas(), {}, {{}, {}}, 100.0);
  cache.seal();
}

/// All candidates, so that every pair is tested.
void list_all(vector::VectorCache& cache, InstructionSet set) {
  cache.shortlist_either(vector::pair_kernels<Kernel>(set).search, {{}, {}}, 100.0);
}

/// The scalar loops' cache of the same gas.
kernels::NeighbourCache doubles_of(const Neighbourhood& gas, const kernels::Space& space) {
  kernels::NeighbourCache cache;
  cache.reserve(gas.x.size());
  cache.size = gas.x.size();
  const auto copy = [](const auto& from, std::vector<double>& to) { std::copy(from.begin(), from.end(), to.begin()); };
  copy(gas.x, cache.x);
  copy(gas.y, cache.y);
  copy(gas.z, cache.z);
  copy(gas.vx, cache.vx);
  copy(gas.vy, cache.vy);
  copy(gas.vz, cache.vz);
  copy(gas.m, cache.m);
  copy(gas.rho, cache.rho);
  copy(gas.omega_P, cache.omega_P);
  copy(gas.cs, cache.cs);
  copy(gas.balsara, cache.balsara);
  for (double& h : cache.h) h = gas.H / space.gamma;
  return cache;
}

/// Everything that is timed; results go where the compiler cannot see that they are not read.
class Workloads {
 public:
  Workloads(const Session& session, tasks::HostThread& host)
      : space_(kernels::space_of<Kernel>(3)),
        gas_(space_, 1.1 * space_.gamma * spacings_of_h, 1),
        cache_(gas_.frame()),
        doubles_(doubles_of(gas_, space_)),
        host_(host),
        repeats_(session.size(2000, 1)) {
    fill(cache_, gas_, InstructionSet::scalar);
    list_all(cache_, InstructionSet::scalar);
    count_hits();
  }

  /// Seconds of one run times this are nanoseconds per pair tested.
  [[nodiscard]] double per_pair() const { return 1e9 / static_cast<double>(repeats_ * gas_.searching * cache_.size()); }
  [[nodiscard]] double per_candidate() const { return 1e9 / static_cast<double>(repeats_ * cache_.size()); }
  [[nodiscard]] double hit_share() const {
    return static_cast<double>(hits_) / static_cast<double>(gas_.searching * cache_.size());
  }

  [[nodiscard]] Contestant density(InstructionSet set) {
    return contestant(set, [this](const vector::PairLoops& loops, std::size_t i) {
      loops.find_within(cache_, gas_.at(i), gas_.H);
      return loops.density(cache_, gas_.H / space_.gamma).rho;
    });
  }
  [[nodiscard]] Contestant density_all(InstructionSet set) {
    return contestant(set, [this](const vector::PairLoops& loops, std::size_t i) {
      const auto& frame = cache_.frame();
      const float inverse_H = 1.0F / frame.length(gas_.H);
      return loops.kernels().density_of_all(cache_.candidates(), frame.place(gas_.at(i)), inverse_H).sum_w;
    });
  }
  [[nodiscard]] Contestant force(InstructionSet set) {
    return contestant(set, [this](const vector::PairLoops& loops, std::size_t i) {
      loops.find_within_either(cache_, gas_.at(i), gas_.H);
      return loops.force(cache_, gas_.target(i), 0.8).a.x;
    });
  }
  [[nodiscard]] Contestant force_all(InstructionSet set) {
    return contestant(set, [this](const vector::PairLoops& loops, std::size_t i) {
      const auto& frame = cache_.frame();
      const vector::GasCentre centre{{frame.place(gas_.at(i)), frame.velocity(gas_.v(i))},
                                     1.0F,
                                     1.0F / frame.length(gas_.H),
                                     frame.density(1.0),
                                     frame.omega_P(1.0),
                                     1.0F};
      const vector::ForceConstants constants{0.8F, static_cast<float>(space_.norm), 3};
      return loops.kernels().forces_of_all(cache_.candidates(), centre, constants).ax;
    });
  }
  [[nodiscard]] Contestant density_in_doubles() {
    return repeated([this](std::size_t i) {
      kernels::find_within(doubles_, {gas_.x[i], gas_.y[i], gas_.z[i]}, gas_.H);
      return kernels::density_sum<Kernel>(doubles_, gas_.H / space_.gamma, space_).rho;
    });
  }
  [[nodiscard]] Contestant force_in_doubles() {
    return repeated([this](std::size_t i) {
      const auto target = gas_.target(i);
      kernels::find_within_either(doubles_, target.at, gas_.H, space_.gamma);
      return kernels::force_sum<Kernel>(doubles_, target, 0.8, space_).a.x;
    });
  }
  [[nodiscard]] Contestant filling(InstructionSet set) {
    return {std::string(name_of(set)), &host_, {[this, set] {
              for (std::size_t repeat = 0; repeat < repeats_; ++repeat) fill(cache_, gas_, set);
              list_all(cache_, set);
            }}};
  }

 private:
  template <class Sum>
  Contestant contestant(InstructionSet set, const Sum& sum) {
    const vector::PairLoops loops(vector::pair_kernels<Kernel>(set), space_);
    Contestant result = repeated([loops, sum](std::size_t i) { return sum(loops, i); });
    result.name = name_of(set);
    return result;
  }
  template <class Sum>
  Contestant repeated(const Sum& sum) {
    return {"doubles", &host_, {[this, sum] {
              double total = 0.0;
              for (std::size_t repeat = 0; repeat < repeats_; ++repeat) {
                for (std::size_t i = 0; i < gas_.searching; ++i) total += sum(i);
              }
              asm volatile("" : : "m"(total));
            }}};
  }
  void count_hits() {
    const vector::PairLoops loops(vector::pair_kernels<Kernel>(InstructionSet::scalar), space_);
    for (std::size_t i = 0; i < gas_.searching; ++i) {
      loops.find_within(cache_, gas_.at(i), gas_.H);
      hits_ += cache_.hits().count;
    }
  }

  kernels::Space space_;
  Neighbourhood gas_;
  vector::VectorCache cache_;
  kernels::NeighbourCache doubles_;
  tasks::HostThread& host_;
  std::size_t repeats_;
  std::size_t hits_ = 0;
};

/// Seconds of each sample for every usable set, narrow ones first, and of the doubles behind them.
struct Times {
  std::vector<std::vector<double>> density, force, density_all, force_all;
  /// Of density and force together.
  [[nodiscard]] std::vector<double> with_list(std::size_t set) const { return sums(density[set], force[set]); }
  [[nodiscard]] std::vector<double> without(std::size_t set) const { return sums(density_all[set], force_all[set]); }

 private:
  static std::vector<double> sums(const std::vector<double>& a, const std::vector<double>& b) {
    std::vector<double> result(a.size());
    for (std::size_t i = 0; i < a.size(); ++i) result[i] = a[i] + b[i];
    return result;
  }
};

Times measure_sets(Workloads& work, const Repetitions& often) {
  std::vector<Contestant> all;
  const auto sets = base::usable_instruction_sets();
  for (const InstructionSet set : sets) all.push_back(work.density(set));
  for (const InstructionSet set : sets) all.push_back(work.force(set));
  for (const InstructionSet set : sets) all.push_back(work.density_all(set));
  for (const InstructionSet set : sets) all.push_back(work.force_all(set));
  all.push_back(work.density_in_doubles());
  all.push_back(work.force_in_doubles());
  auto seconds = measure_in_turns(all, often);
  Times times;
  auto next = seconds.begin();
  for (auto* part : {&times.density, &times.force, &times.density_all, &times.force_all}) {
    for (std::size_t set = 0; set < sets.size(); ++set) part->push_back(std::move(*next++));
  }
  times.density.push_back(std::move(*next++));
  times.force.push_back(std::move(*next));
  return times;
}

void add_nanoseconds(Session& session, const Workloads& work, const std::string& name,
                     const std::vector<std::vector<double>>& seconds) {
  const auto sets = base::usable_instruction_sets();
  for (std::size_t set = 0; set < sets.size(); ++set) {
    Result result{.name = name + "_" + std::string(name_of(sets[set])) + "_ns", .unit = "ns"};
    result.ours = summarise(scaled(seconds[set], work.per_pair()));
    if (seconds.size() > sets.size()) {
      result.peers.emplace_back("doubles", summarise(scaled(seconds.back(), work.per_pair())).median);
    }
    session.add(std::move(result));
  }
}

/// How many times faster packs are than plain floats; for the sets that are there.
void add_speedups(Session& session, const Times& times) {
  const auto sets = base::usable_instruction_sets();
  for (std::size_t set = 0; set < sets.size(); ++set) {
    const bool is_v3 = sets[set] == InstructionSet::v3;
    if (!is_v3 && sets[set] != InstructionSet::v4) continue;
    Result result{
        .name = is_v3 ? "pair_avx2_vs_scalar" : "pair_avx512_vs_scalar", .unit = "", .better = Better::higher};
    result.ours = summarise(ratios(times.with_list(0), times.with_list(set)));
    result.limit = is_v3 ? 2.4 : 4.0;
    session.add(std::move(result));
  }
  Result list{.name = "pair_list_vs_all", .unit = "", .better = Better::higher};
  list.ours = summarise(ratios(times.without(sets.size() - 1), times.with_list(sets.size() - 1)));
  session.add(std::move(list));
}

void add_peak(Session& session, const Workloads& work, const Times& times, tasks::HostThread& host,
              const Repetitions& often) {
  const std::size_t best = base::usable_instruction_sets().size() - 1;
  const engine::PeakLoop loop = engine::peak_loops(base::best_instruction_set()).of_float;
  const std::size_t rounds = session.size(2'000'000, 100);
  double operations = 0.0;
  std::vector<Contestant> peak{{"peak", &host, {[&] { operations = loop(rounds); }}}};
  const auto seconds = measure_in_turns(peak, often);
  std::vector<double> gflops;
  for (const double s : seconds[0]) gflops.push_back(1e-9 * operations / s);
  const double peak_gflops = summarise(gflops).median;
  session.add({.name = "peak_gflops", .unit = "Gflop/s", .better = Better::higher, .ours = summarise(gflops)});
  const double per_pair = 2.0 * operations::test + work.hit_share() * (operations::density + operations::force);
  std::vector<double> fractions;
  for (const double s : times.with_list(best)) fractions.push_back(per_pair / (s * work.per_pair()) / peak_gflops);
  session.add({.name = "pair_peak_flops_fraction", .unit = "", .better = Better::higher, .ours = summarise(fractions)});
}

void add_filling(Session& session, Workloads& work, const Repetitions& often) {
  std::vector<Contestant> all;
  for (const InstructionSet set : base::usable_instruction_sets()) all.push_back(work.filling(set));
  const auto seconds = measure_in_turns(all, often);
  for (std::size_t set = 0; set < all.size(); ++set) {
    session.add({.name = "pair_fill_" + all[set].name + "_ns",
                 .unit = "ns",
                 .ours = summarise(scaled(seconds[set], work.per_candidate()))});
  }
}

}  // namespace

void add_pairs(Session& session) {
  tasks::HostThread host;
  Workloads work(session, host);
  const Repetitions often = repetitions(session.effort(), 1);
  const Times times = measure_sets(work, often);
  add_nanoseconds(session, work, "pair_density", times.density);
  add_nanoseconds(session, work, "pair_density_all", times.density_all);
  add_nanoseconds(session, work, "pair_force", times.force);
  add_nanoseconds(session, work, "pair_force_all", times.force_all);
  add_filling(session, work, often);
  session.add({.name = "pair_hit_share",
               .unit = "",
               .better = Better::higher,
               .ours = summarise(std::vector<double>{work.hit_share()})});
  add_speedups(session, times);
  add_peak(session, work, times, host, often);
  add_ladder(session, host, often);
}

Benchmark sph_pairs_benchmark() {
  return {"sph_pairs", "sums over neighbours by instruction set, with and without lists of hits", help, add_pairs};
}

}  // namespace tacit::bench
