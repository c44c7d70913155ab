// The Lennard-Jones potential: numbers of pairs of types, and what lies beyond its cutoff.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/md/interaction.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "tacit/base/cpu_features.hpp"
#include "tacit/base/error.hpp"

namespace tacit::md {
namespace {

using kernels::Truncation;

kernels::LennardJonesPair numbers_of(const LennardJonesTypes& pair, Truncation truncation) {
  if (pair.cutoff == 0.0) return {};
  const double s6 = std::pow(pair.sigma, 6);
  kernels::LennardJonesPair result{.cutoff2 = pair.cutoff * pair.cutoff,
                                   .c12 = 4.0 * pair.epsilon * s6 * s6,
                                   .c6 = 4.0 * pair.epsilon * s6,
                                   .cutoff = pair.cutoff};
  const double inverse6 = 1.0 / std::pow(pair.cutoff, 6);
  if (truncation != Truncation::cut) result.shift = (result.c12 * inverse6 - result.c6) * inverse6;
  if (truncation == Truncation::force_shifted) {
    result.slope = -(12.0 * result.c12 * inverse6 - 6.0 * result.c6) * inverse6 / pair.cutoff;
  }
  return result;
}

class LennardJonesInteraction final : public Interaction {
 public:
  explicit LennardJonesInteraction(const LennardJonesParameters& parameters)
      : parameters_(parameters), loops_(pair_loops()) {
    TACIT_EXPECT(parameters.pairs.size() == parameters.types * parameters.types);
    for (const LennardJonesTypes& pair : parameters.pairs) {
      const kernels::LennardJonesPair one = numbers_of(pair, parameters.truncation);
      of_pairs_.insert(of_pairs_.end(), {one.cutoff2, one.c12, one.c6, one.shift, one.slope, one.cutoff});
    }
  }

  [[nodiscard]] Kind kind() const override { return Kind::pairs; }
  [[nodiscard]] double cutoff() const override {
    return std::ranges::max(parameters_.pairs, {}, &LennardJonesTypes::cutoff).cutoff;
  }
  [[nodiscard]] bool acts(std::size_t a, std::size_t b) const override {
    return parameters_.pairs[a * parameters_.types + b].cutoff > 0.0;
  }
  void sum(kernels::PairWork work, const kernels::PairSums& sums) const override {
    work.of_pairs = of_pairs_.data();
    work.types = parameters_.types;
    const bool is_shifted = parameters_.truncation == Truncation::force_shifted;
    (is_shifted ? loops_.force_shifted : loops_.lennard_jones)(work, sums);
  }
  /// Integrals of u and r u' from the cutoff on, with the density of the other type around each atom.
  [[nodiscard]] Tail tail(std::span<const std::uint64_t> atoms, double volume) const override {
    Tail result;
    if (!parameters_.has_tail) return result;
    for (std::size_t i = 0; i < parameters_.types; ++i) {
      for (std::size_t j = 0; j < parameters_.types; ++j) {
        const LennardJonesTypes& pair = parameters_.pairs[i * parameters_.types + j];
        if (pair.cutoff == 0.0) continue;
        const double s6 = std::pow(pair.sigma, 6);
        const double c6 = std::pow(pair.cutoff, 6);
        const double c9 = std::pow(pair.cutoff, 9);
        const double both = static_cast<double>(atoms[i]) * static_cast<double>(atoms[j]) * pair.epsilon * s6 / volume;
        result.energy += 8.0 * std::numbers::pi / 9.0 * both * (s6 - 3.0 * c6) / c9;
        result.pressure += 16.0 * std::numbers::pi / 9.0 * both / volume * (2.0 * s6 - 3.0 * c6) / c9;
      }
    }
    return result;
  }

 private:
  LennardJonesParameters parameters_;
  const kernels::PairLoops& loops_;
  base::PackVector<double> of_pairs_;
};

class TersoffInteraction final : public Interaction {
 public:
  explicit TersoffInteraction(kernels::TersoffTable table) : table_(std::move(table)) {}
  [[nodiscard]] Kind kind() const override { return Kind::bonds; }
  [[nodiscard]] double cutoff() const override { return table_.cutoff(); }
  [[nodiscard]] bool acts(std::size_t a, std::size_t b) const override { return table_.reach(a, b) > 0.0; }
  void find_bonds(const kernels::PairWork& work, kernels::Bonds& bonds, const kernels::PairSums& sums) const override {
    kernels::sum_tersoff(table_, work, bonds, sums, &bond_loops());
  }
  [[nodiscard]] Tail tail(std::span<const std::uint64_t> /*atoms*/, double /*volume*/) const override { return {}; }

 private:
  const kernels::TersoffTable table_;
};

}  // namespace

std::unique_ptr<Interaction> make_tersoff(kernels::TersoffTable table) {
  return std::make_unique<TersoffInteraction>(std::move(table));
}

std::unique_ptr<Interaction> make_lennard_jones(const LennardJonesParameters& parameters) {
  return std::make_unique<LennardJonesInteraction>(parameters);
}

const kernels::PairLoops& pair_loops() {
  static const kernels::PairLoops loops = base::with_instruction_set(
      base::chosen_instruction_set(), []<class Isa>(Isa) { return kernels::pair_loops_of<Isa>(); });
  return loops;
}

const kernels::BondLoops& bond_loops() {
  static const kernels::BondLoops loops = base::with_instruction_set(
      base::chosen_instruction_set(), []<class Isa>(Isa) { return kernels::bond_loops_of<Isa>(); });
  return loops;
}

}  // namespace tacit::md
