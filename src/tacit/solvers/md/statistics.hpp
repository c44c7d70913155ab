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
  base::Vec3 virial{};             ///< xx yy zz, with what lies beyond the cutoff [energy]
  double external_energy = 0.0;    ///< of pulled atoms in the constant fields: minus force times unwrapped place
  std::vector<base::Vec3> forces_on_held = {};  ///< of each held group: forces of the potential on its atoms
};

/// Measures states; made and called by all ranks.
class Statistics {
 public:
  /// @param free_atoms  that nothing holds, of all ranks
  Statistics(const MdParameters& parameters, const Interaction& interaction, const engine::Resources& resources,
             std::uint64_t free_atoms);
  [[nodiscard]] Measured measure(const Atoms& atoms, const PerAtom& of_atoms, const Box& box);

 private:
  void add_group_sums(const Atoms& atoms, std::size_t i, const Box& box, std::vector<base::BufferedSum>& sums) const;
  [[nodiscard]] std::vector<base::ExactSum> sums_of(const Atoms& atoms, const PerAtom& of_atoms, const Box& box) const;

  const bool keeps_momentum_;
  const std::vector<double> masses_;
  const Groups groups_;
  const std::uint64_t free_atoms_;
  const Units units_;
  const Interaction& interaction_;
  tasks::Scheduler& scheduler_;
  exchange::RankReductions reductions_;
};

}  // namespace tacit::md
