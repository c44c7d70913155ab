// Sums over all atoms: energies, momentum, temperature, pressure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <span>
#include <vector>

#include "tacit/base/exact_sum.hpp"
#include "tacit/engine/solver.hpp"
#include "tacit/exchange/reductions.hpp"
#include "tacit/solvers/md/atoms.hpp"
#include "tacit/solvers/md/interaction.hpp"
#include "tacit/solvers/md/parameters.hpp"
#include "tacit/solvers/md/step.hpp"

namespace tacit::md {

/// Of all atoms of all ranks; sums are exact, so that they do not depend on how atoms are ordered or divided.
struct Measured {
  engine::MechanicalSums sums;
  double temperature = 0.0;
  double pressure = 0.0;           ///< a third of the trace
  std::array<double, 6> stress{};  ///< the pressure tensor: xx yy zz xy xz yz
};

/// Measures states; made and called by all ranks.
class Statistics {
 public:
  Statistics(const MdParameters& parameters, const Interaction& interaction, const engine::Resources& resources);
  [[nodiscard]] Measured measure(const Atoms& atoms, const PerAtom& of_atoms);

 private:
  [[nodiscard]] std::vector<base::ExactSum> sums_of(const Atoms& atoms, const PerAtom& of_atoms) const;

  const Box box_;
  const bool keeps_momentum_;
  const std::vector<double> masses_;
  const Units units_;
  const Interaction& interaction_;
  tasks::Scheduler& scheduler_;
  exchange::RankReductions reductions_;
};

}  // namespace tacit::md
