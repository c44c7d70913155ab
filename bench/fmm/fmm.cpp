// Sums over pairs of bodies and translations of multipoles on one core, beside the peak.
// SPDX-License-Identifier: Apache-2.0
#include "fmm/fmm.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "fmm/sphere.hpp"
#include "tacit/base/cpu_features.hpp"
#include "tacit/base/pack_memory.hpp"
#include "tacit/base/random.hpp"
#include "tacit/engine/peak.hpp"
#include "tacit/fmm/direct.hpp"
#include "tacit/fmm/kernels/m2l_loops.hpp"
#include "tacit/fmm/operators.hpp"

namespace tacit::bench {
namespace {

constexpr std::string_view fmm_help =
    R"(Gravity in caches, on one core, with the loops of the best instruction set, or of the one that
TACIT_INSTRUCTION_SET names. The peak is that of chains of multiplications and additions in registers, in the same
precision and measured in turns with the loops. With --quick fewer repetitions.

  p2p_SOFTENING_PRECISION_pairs_per_s
                          a leaf of 32 bodies gathers from itself and 15 others, potential and acceleration: 32 x 512
                          pairs, one way each; bodies at random in a cube, H or epsilon a tenth of its side
  p2p_plummer_PRECISION_mutual_pairs_per_s
                          the leaf and the 15 others act on each other: twice 32 x 480 pairs, each computed once
  p2p_plummer_PRECISION_peak_fraction
                          22 operations for each pair that is gathered (a square root and a division count as one
                          each), over the peak
  m2l_ORDER_per_s         64 cells act on one, one way: the translations of one order in double precision
  m2l_ORDER_peak_fraction multiplications and additions of the sums over terms (C(p + 6, 6) pairs of them) and of the
                          recurrence of derivatives (2 for each of C(p + 4, 4) terms), over the peak
  m2l_p5_alone_per_s      the same one at a time, in plain numbers
  plummer_32k_bodies_per_s
                          potential and acceleration of a Plummer sphere of 32768 bodies in an octree with leaves of 32
                          at most, whose multipoles are there: order 4, tolerance 1e-3 of the accelerations before, both
                          ways; Wendland's softening with H = 0.012 scale lengths; lists, translations, sums in floats
  plummer_32k_rms_error   root of the mean square of its errors, relative to each acceleration, against direct sums
)";

template <class Run>
double seconds_of(std::size_t runs, const Run& run) {
  const auto begin = std::chrono::steady_clock::now();
  for (std::size_t k = 0; k < runs; ++k) run();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() / static_cast<double>(runs);
}

/// Bodies at random in a cube of side 1.
struct RandomBodies {
  std::vector<double> x, y, z, m;

  RandomBodies(std::size_t count, std::uint64_t seed) {
    for (std::uint64_t k = 0; k < count; ++k) {
      x.push_back(base::uniform(seed, k, 0));
      y.push_back(base::uniform(seed, k, 1));
      z.push_back(base::uniform(seed, k, 2));
      m.push_back(0.5 + base::uniform(seed, k, 3));
    }
  }
  [[nodiscard]] fmm::Bodies all() const { return {x, y, z, m}; }
};

/// Rates of a workload, and what part of the peak they are, in samples that take turns with the peak.
struct Rates {
  std::vector<double> per_s, of_peak;

  /// @param units       pairs or translations in a run
  /// @param operations  of each
  template <class Run>
  Rates(const Session& session, engine::PeakLoop peak, double units, double operations, std::size_t runs,
        const Run& run) {
    run();
    for (std::size_t sample = 0; sample < session.size(15, 3); ++sample) {
      double done = 0.0;
      const double peak_s = seconds_of(1, [&] { done = peak(session.size(1'000'000, 10'000)); });
      per_s.push_back(units / seconds_of(session.size(runs, 2), run));
      of_peak.push_back(per_s.back() * operations / (done / peak_s));
    }
  }
  void add(Session& session, const std::string& name, bool with_peak) {
    session.add({.name = name + "_per_s", .unit = "1/s", .better = Better::higher, .ours = summarise(per_s)});
    if (!with_peak) return;
    const std::string what = name.substr(0, name.find("_pairs"));
    session.add({.name = what + "_peak_fraction", .unit = "1", .better = Better::higher, .ours = summarise(of_peak)});
  }
};

template <class Real>
void measure_pairs(Session& session, const std::string& softened, const fmm::Softening& softening) {
  constexpr bool is_float = sizeof(Real) == sizeof(float);
  const auto set = base::chosen_instruction_set();
  const engine::PeakLoops peaks = engine::peak_loops(set);
  const engine::PeakLoop peak = is_float ? peaks.of_float : peaks.of_double;
  const std::string name = "p2p_" + softened + (is_float ? "_fp32" : "_fp64");
  fmm::NearBodies<Real> near(set);
  near.restart(fmm::Frame::around({0.5, 0.5, 0.5}, 0.5, 1.0));
  const fmm::Group all = near.add(RandomBodies(512, 1).all());
  const fmm::Group leaf{0, 32};
  const bool is_plummer = softening.kind == fmm::SofteningKind::plummer;
  Rates gathered(session, peak, 32.0 * 512.0, 22.0, 1000, [&] { near.add_forces(leaf, all, softening); });
  gathered.add(session, name + "_pairs", is_plummer);
  if (!is_plummer) return;
  const fmm::Group others{32, 480};
  Rates mutual(session, peak, 2.0 * 32.0 * 480.0, 22.0, 1000,
               [&] { near.add_forces_between(leaf, others, softening); });
  mutual.add(session, name + "_mutual_pairs", false);
}

/// Cells of some bodies each, around one.
template <int p>
struct Cells {
  base::PackVector<fmm::Multipole<p>> multipoles;
  std::vector<std::uint32_t> numbers;
  std::vector<double> L = std::vector<double>(fmm::terms(p));

  explicit Cells(std::size_t count) : numbers(count) {
    std::iota(numbers.begin(), numbers.end(), 0U);
    for (std::size_t k = 0; k < count; ++k) {
      multipoles.push_back(fmm::Operators<p>::multipole_of(RandomBodies(16, k).all()));
      multipoles.back().x += 3.0 + static_cast<double>(k % 4);
      multipoles.back().y += static_cast<double>(k / 4 % 4);
      multipoles.back().z += static_cast<double>(k / 16);
    }
  }
};

template <int p>
void measure_m2l(Session& session) {
  const auto set = base::chosen_instruction_set();
  const auto add = fmm::kernels::m2l_loops(set).add[p];
  Cells<p> cells(64);
  const double pairs = fmm::kernels::PairTable<p>::count;
  const double recurrence = (p + 4) * (p + 3) * (p + 2) * (p + 1) / 24.0;
  Rates rates(session, engine::peak_loops(set).of_double, 64.0, 2.0 * (pairs + recurrence), 1000, [&] {
    add({.multipoles = &cells.multipoles[0].x,
         .sources = cells.numbers.data(),
         .count = cells.numbers.size(),
         .L = cells.L.data()});
  });
  rates.add(session, "m2l_p" + std::to_string(p), true);
  if constexpr (p == fmm::highest_order) {
    Rates alone(session, engine::peak_loops(base::InstructionSet::scalar).of_double, 64.0, 1.0, 100, [&] {
      for (const fmm::Multipole<p>& source : cells.multipoles) {
        fmm::Operators<p>::m2l(fmm::terms_of(source), -1.0 * fmm::centre_of(source), 0.0, fmm::Terms<p>(cells.L));
      }
    });
    alone.add(session, "m2l_p" + std::to_string(p) + "_alone", false);
  }
}

void run_fmm(Session& session) {
  measure_pairs<float>(session, "newtonian", {});
  measure_pairs<float>(session, "plummer", fmm::Softening::plummer(0.1));
  measure_pairs<float>(session, "wendland_c2", {fmm::SofteningKind::wendland_c2, 0.1});
  measure_pairs<double>(session, "plummer", fmm::Softening::plummer(0.1));
  measure_m2l<2>(session);
  measure_m2l<3>(session);
  measure_m2l<4>(session);
  measure_m2l<5>(session);
  measure_sphere(session);
}

}  // namespace

Benchmark fmm_benchmark() {
  return {
      .name = "fmm", .summary = "sums over pairs and multipoles, beside the peak", .help = fmm_help, .run = run_fmm};
}

}  // namespace tacit::bench
