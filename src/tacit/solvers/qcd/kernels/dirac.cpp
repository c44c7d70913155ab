// Chooses the loops that fit a lattice.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/qcd/kernels/dirac.hpp"

#include "tacit/base/cpu_features.hpp"

namespace tacit::qcd::kernels {

template <class T>
Loops<T> loops_for(std::size_t most_lanes) {
  const base::InstructionSet widest = base::chosen_instruction_set();
  Loops<T> best = loops_of<T, base::isa::scalar>();
  for (const base::InstructionSet set : base::usable_instruction_sets()) {
    const auto loops = base::with_instruction_set(set, [](auto isa) { return loops_of<T, decltype(isa)>(); });
    if (loops.lanes <= most_lanes && loops.lanes >= best.lanes) best = loops;
    if (set == widest) break;
  }
  return best;
}
template Loops<double> loops_for<double>(std::size_t);
template Loops<float> loops_for<float>(std::size_t);

}  // namespace tacit::qcd::kernels
