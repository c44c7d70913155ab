// Times short lists for groups against the plain loop that they replace.
// SPDX-License-Identifier: Apache-2.0
#include "sph/ladder.hpp"

#include <utility>
#include <vector>

#include "sph/neighbourhood.hpp"
#include "tacit/solvers/sph/kernels/pair_terms.hpp"
#include "tacit/solvers/sph/kernels/vector/pair_loops.hpp"

namespace tacit::bench {
namespace {

using Kernel = NeighbourhoodKernel;
namespace kernels = sph::kernels;
namespace vector = kernels::vector;
namespace terms = kernels::terms;
using Float = base::Pack<float, base::isa::scalar>;

/// Results go where the compiler cannot see that they are not read.
void keep(double value) { asm volatile("" : : "m"(value)); }

/// Every particle of a cell with every one of the 27 cells, in plain floats: what anybody would write first.
class Naive {
 public:
  Naive(const kernels::Space& space, double side) : space_(space), gas_(space, side, 1), cache_(gas_.frame()) {
    cache_.append(vector::pair_kernels<Kernel>(base::InstructionSet::scalar).fill, gas_.motion(), gas_.gas(), {},
                  gas_.cell(), 100.0);
    cache_.seal();
  }
  [[nodiscard]] std::size_t particles() const noexcept { return gas_.searching; }

  /// Pairs within H over pairs tested.
  [[nodiscard]] double hit_share() const {
    const vector::Candidates all = cache_.candidates();
    std::size_t hits = 0;
    for (std::size_t i = 0; i < gas_.searching; ++i) {
      for (std::size_t j = 0; j < all.size; ++j) hits += separation2(all, i, j) < all.H2[i] ? 1U : 0U;
    }
    return static_cast<double>(hits) / static_cast<double>(gas_.searching * all.size);
  }
  void run() const {
    double total = 0.0;
    for (std::size_t i = 0; i < gas_.searching; ++i) total += density(i);
    for (std::size_t i = 0; i < gas_.searching; ++i) total += force(i);
    keep(total);
  }

 private:
  /// The candidates are the gas in the units of a cache, the particle i itself being number i.
  [[nodiscard]] static float separation2(const vector::Candidates& all, std::size_t i, std::size_t j) noexcept {
    const float dx = all.x[i] - all.x[j];
    const float dy = all.y[i] - all.y[j];
    const float dz = all.z[i] - all.z[j];
    return dx * dx + dy * dy + dz * dz;
  }
  [[nodiscard]] static terms::Vector<Float> direction(const float* records, std::size_t i, std::size_t j) noexcept {
    const float* a = records + 4 * i;
    const float* b = records + 4 * j;
    return {Float(a[0] - b[0]), Float(a[1] - b[1]), Float(a[2] - b[2])};
  }
  [[nodiscard]] static terms::Gas<Float> gas_of(const vector::Candidates& all, std::size_t i) noexcept {
    const float* state = all.state + 4 * i;
    return {Float(all.flow[4 * i + 3]), Float(state[0]), Float(state[1]), Float(state[2]), Float(state[3])};
  }

  [[nodiscard]] double density(std::size_t i) const {
    const vector::Candidates all = cache_.candidates();
    const Float inverse_H(all.state[4 * i]);
    Float sum_w(0);
    Float sum_q_dw(0);
    for (std::size_t j = 0; j < all.size; ++j) {
      const float r2 = separation2(all, i, j);
      if (r2 >= all.H2[i]) continue;
      const Float q = sqrt(Float(r2)) * inverse_H;
      sum_w += Float(all.m[j]) * Kernel::w(q);
      sum_q_dw += Float(all.m[j]) * q * Kernel::dw_dq(q);
    }
    return sum_of(sum_w) + sum_of(sum_q_dw);
  }

  [[nodiscard]] double force(std::size_t i) const {
    const vector::Candidates all = cache_.candidates();
    const terms::Gas<Float> gas_i = gas_of(all, i);
    terms::Vector<Float> a{Float(0), Float(0), Float(0)};
    Float dissipation(0);
    Float v_sig(0);
    for (std::size_t j = 0; j < all.size; ++j) {
      const float r2 = separation2(all, i, j);
      if (r2 >= (all.H2[i] > all.H2[j] ? all.H2[i] : all.H2[j]) || r2 == 0.0F) continue;
      const auto d = direction(all.place, i, j);
      const auto pair =
          terms::pair_force<Kernel>(gas_i, gas_of(all, j), terms::Separation<Float>(Float(r2)),
                                    dot(direction(all.flow, i, j), d), Float(0.8F), Float(space_.norm), 3);
      const Float pull = Float(-all.m[j]) * pair.along;
      a = {a.x + pull * d.x, a.y + pull * d.y, a.z + pull * d.z};
      dissipation += Float(all.m[j]) * pair.dissipation;
      v_sig = max(v_sig, pair.v_sig);
    }
    return sum_of(a.x) + sum_of(a.y) + sum_of(a.z) + sum_of(dissipation) + sum_of(v_sig);
  }

  kernels::Space space_;
  Neighbourhood gas_;
  vector::VectorCache cache_;
};

/// The path of the solver: a cell of 2 H, its octants as groups.
class Sorted {
 public:
  Sorted(const kernels::Space& space, base::InstructionSet set)
      : gas_(space, 2.0 * space.gamma * spacings_of_h, 2),
        loops_(vector::pair_kernels<Kernel>(set), space),
        cache_(gas_.frame()) {}
  [[nodiscard]] std::size_t particles() const noexcept { return gas_.searching; }

  void density_and_force() {
    double total = 0.0;
    within_support(Filled::motion, [&](std::size_t) { total += loops_.density(cache_, spacings_of_h).rho; });
    within_either(Filled::gas, [&](std::size_t i) { total += loops_.force(cache_, gas_.target(i), 0.8).a.x; });
    keep(total);
  }
  void gadget2() {
    double total = 0.0;
    within_support(Filled::motion, [&](std::size_t i) { total += density_and_gradients(i); });
    within_either(Filled::gas, [&](std::size_t i) { total += loops_.force(cache_, gas_.target(i), 0.8).a.x; });
    keep(total);
  }
  void sphenix() {
    double total = 0.0;
    within_support(Filled::motion, [&](std::size_t i) { total += density_and_gradients(i); });
    within_support(Filled::thermal_gas,
                   [&](std::size_t i) { total += loops_.sphenix_gradients(cache_, target(i), 3.0).laplace_u; });
    within_either(Filled::thermal_gas,
                  [&](std::size_t i) { total += loops_.sphenix_force(cache_, target(i), 3.0).du_dt; });
    keep(total);
  }

  /// Hits over tests in the search for the density.
  [[nodiscard]] double hit_share() {
    std::size_t hits = 0;
    std::size_t tests = 0;
    within_support(Filled::motion, [&](std::size_t) {
      hits += cache_.hits().count;
      tests += cache_.shortlist().size;
    });
    return static_cast<double>(hits) / static_cast<double>(tests);
  }

 private:
  enum class Filled { motion, gas, thermal_gas };
  [[nodiscard]] kernels::SphenixTarget target(std::size_t i) const { return {gas_.target(i), 1.0, 1.0, 1.0, 1.0}; }
  [[nodiscard]] double density_and_gradients(std::size_t i) const {
    const double rho = loops_.density(cache_, spacings_of_h).rho;
    return loops_.gradients(cache_, gas_.at(i), gas_.v(i), spacings_of_h, rho).div_v;
  }
  void fill(Filled what) {
    cache_.restart(gas_.frame());
    const auto fill_cache = loops_.kernels().fill;
    if (what == Filled::motion) cache_.append(fill_cache, gas_.motion(), {}, gas_.cell(), gas_.H);
    if (what == Filled::gas) cache_.append(fill_cache, gas_.motion(), gas_.gas(), {}, gas_.cell(), gas_.H);
    if (what == Filled::thermal_gas) {
      cache_.append(fill_cache, gas_.motion(), gas_.thermal_gas(), {}, gas_.cell(), gas_.H);
    }
    cache_.seal();
  }
  template <class Sum>
  void within_support(Filled what, const Sum& sum) {
    fill(what);
    for (const auto& group : gas_.groups) {
      loops_.shortlist(cache_, group.box, gas_.H);
      for (std::size_t i = group.first; i < group.end; ++i) {
        loops_.find_within(cache_, gas_.at(i), gas_.H);
        sum(i);
      }
    }
  }
  template <class Sum>
  void within_either(Filled what, const Sum& sum) {
    fill(what);
    for (const auto& group : gas_.groups) {
      loops_.shortlist_either(cache_, group.box, gas_.H);
      for (std::size_t i = group.first; i < group.end; ++i) {
        loops_.find_within_either(cache_, gas_.at(i), gas_.H);
        sum(i);
      }
    }
  }

  Neighbourhood gas_;
  vector::PairLoops loops_;
  vector::VectorCache cache_;
};

void add_share(Session& session, const char* name, double share) {
  session.add({.name = name, .unit = "", .better = Better::higher, .ours = summarise(std::vector<double>{share})});
}

/// Nanoseconds per particle of every sample.
std::vector<double> per_particle(const std::vector<double>& seconds, std::size_t particles) {
  std::vector<double> nanoseconds;
  for (const double s : seconds) nanoseconds.push_back(1e9 * s / static_cast<double>(particles));
  return nanoseconds;
}

}  // namespace

void add_ladder(Session& session, tasks::HostThread& host, const Repetitions& often) {
  const kernels::Space& space = kernels::space_of<Kernel>(3);
  const double H = space.gamma * spacings_of_h;
  const Naive naive(space, 2.0 * H);
  const Naive in_small_cells(space, 1.1 * H);
  Sorted sorted(space, base::best_instruction_set());
  const std::size_t repeats = session.size(300, 1);
  const auto contestant = [&](const char* name, auto run) {
    return Contestant{name, &host, {[run, repeats] {
                        for (std::size_t k = 0; k < repeats; ++k) run();
                      }}};
  };
  std::vector<Contestant> all{contestant("naive", [&naive] { naive.run(); }),
                              contestant("small cells", [&in_small_cells] { in_small_cells.run(); }),
                              contestant("sorted", [&sorted] { sorted.density_and_force(); }),
                              contestant("gadget2", [&sorted] { sorted.gadget2(); }),
                              contestant("sphenix", [&sorted] { sorted.sphenix(); })};
  const auto seconds = measure_in_turns(all, often);
  const auto times = [&](std::size_t i, std::size_t particles) {
    return per_particle(seconds[i], repeats * particles);
  };
  const auto ours = times(2, sorted.particles());
  session.add({.name = "pair_sorted_vs_naive",
               .unit = "",
               .better = Better::higher,
               .ours = summarise(ratios(times(0, naive.particles()), ours)),
               .limit = 12.0});
  session.add({.name = "pair_sorted_vs_naive_small_cells",
               .unit = "",
               .better = Better::higher,
               .ours = summarise(ratios(times(1, in_small_cells.particles()), ours))});
  add_share(session, "pair_hit_share_sorted", sorted.hit_share());
  add_share(session, "pair_hit_share_naive", naive.hit_share());
  add_share(session, "pair_hit_share_naive_small_cells", in_small_cells.hit_share());
  session.add({.name = "sorted_gadget2_ns", .unit = "ns", .ours = summarise(times(3, sorted.particles()))});
  session.add({.name = "sorted_sphenix_ns", .unit = "ns", .ours = summarise(times(4, sorted.particles()))});
}

}  // namespace tacit::bench
