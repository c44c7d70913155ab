// Potentials of many bodies as the step sees them: bonds of Stillinger and Weber, embedded atoms.
// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "tacit/base/cpu_features.hpp"
#include "tacit/solvers/md/interaction.hpp"

namespace tacit::md {
namespace {

class StillingerWeberInteraction final : public Interaction {
 public:
  explicit StillingerWeberInteraction(kernels::StillingerWeber potential) : potential_(std::move(potential)) {}
  [[nodiscard]] Kind kind() const override { return Kind::bonds; }
  [[nodiscard]] double cutoff() const override { return potential_.cutoff(); }
  void find_bonds(const kernels::PairWork& work, kernels::Bonds& bonds, const kernels::PairSums& sums) const override {
    kernels::sum_centres(potential_, work, bonds, sums);
  }
  [[nodiscard]] Tail tail(std::span<const std::uint64_t> /*atoms*/, double /*volume*/) const override { return {}; }

 private:
  const kernels::StillingerWeber potential_;
};

class EmbeddedInteraction final : public Interaction {
 public:
  explicit EmbeddedInteraction(kernels::EmbeddedAtoms potential)
      : potential_(std::move(potential)), functions_(potential_.functions()), loops_(eam_loops()) {}
  [[nodiscard]] Kind kind() const override { return Kind::embedded; }
  [[nodiscard]] double cutoff() const override { return potential_.cutoff(); }
  void embed(kernels::PairWork work, double* slopes, double* energies) const override {
    work.types = potential_.types();
    loops_.densities(work, functions_, slopes);
    for (std::size_t i = 0; i < work.count; ++i) {
      const auto type = static_cast<std::size_t>(work.records[4 * (work.first + i) + 3]);
      const kernels::WithSlope of = potential_.embed(type, slopes[i]);
      slopes[i] = of.slope;
      if (energies != nullptr) energies[i] = of.value;
    }
  }
  void sum_embedded(kernels::PairWork work, const kernels::Embedding& of,
                    const kernels::PairSums& sums) const override {
    work.types = potential_.types();
    loops_.forces(work, functions_, of, sums);
  }
  [[nodiscard]] Tail tail(std::span<const std::uint64_t> /*atoms*/, double /*volume*/) const override { return {}; }

 private:
  const kernels::EmbeddedAtoms potential_;
  const kernels::EamFunctions functions_;
  const kernels::EamLoops& loops_;
};

}  // namespace

std::unique_ptr<Interaction> make_stillinger_weber(kernels::StillingerWeber potential) {
  return std::make_unique<StillingerWeberInteraction>(std::move(potential));
}

std::unique_ptr<Interaction> make_embedded_atoms(kernels::EmbeddedAtoms potential) {
  return std::make_unique<EmbeddedInteraction>(std::move(potential));
}

const kernels::EamLoops& eam_loops() {
  static const kernels::EamLoops loops = base::with_instruction_set(
      base::chosen_instruction_set(), []<class Isa>(Isa) { return kernels::eam_loops_of<Isa>(); });
  return loops;
}

}  // namespace tacit::md
