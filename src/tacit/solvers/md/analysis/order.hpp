// How ordered the surroundings of each atom are.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "tacit/comm/communicator.hpp"
#include "tacit/solvers/md/atoms.hpp"
#include "tacit/tasks/scheduler.hpp"

namespace tacit::md {

/// Of each atom of a rank, in their order.
struct LocalOrder {
  std::vector<std::uint64_t> neighbours;  ///< atoms within the length of a bond
  std::vector<double> q4, q6;             ///< Steinhardt's parameters; 0 without neighbours
};

/// The rotational invariants of the bonds of an atom to its n neighbours within `bond`,
///
///     q_l = sqrt(4 pi / (2 l + 1) sum_m |1/n sum_j Y_lm(r_j)|^2) = sqrt(1/n^2 sum_jk P_l(cos(r_j, r_k)))
///
/// With 12 neighbours q4 = 0.1909, q6 = 0.5745 of a face-centred cubic crystal, 0.0972 and 0.4848 of a hexagonal one;
/// 0.0364 and 0.5107 of a body-centred cubic one with 14; 0.5092 and 0.6285 of diamond with 4.
///
/// All ranks call it. Neighbours are summed by rising ID, so bits do not depend on ranks or threads.
///
/// @param bond  length within which atoms are neighbours [length]
/// @see Steinhardt, Nelson & Ronchetti (1983), Phys. Rev. B 28, 784
/// Cost: O(n^2) for each atom.
[[nodiscard]] LocalOrder local_order(const Atoms& atoms, const Box& box, double bond, tasks::Scheduler& scheduler,
                                     comm::Communicator& ranks);

}  // namespace tacit::md
