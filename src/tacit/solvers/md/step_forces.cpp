// What tasks of a step compute: forces of pairs, of bonds, of embedded atoms, and what is measured of them.
// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "tacit/solvers/md/step.hpp"
#include "tacit/tasks/parallel_for.hpp"

namespace tacit::md {

void Step::find_forces(std::size_t brick) {
  const kernels::PairWork work = lists_.work_of(brick);
  kernels::PairSums sums = live_sums(work.first);
  sums.fx = atoms_.f[0].data() + work.first;
  sums.fy = atoms_.f[1].data() + work.first;
  sums.fz = atoms_.f[2].data() + work.first;
  interaction_.sum(work, sums);
}

/// Where energies and virials of the atoms from that one on go: nowhere, unless they are always wanted.
kernels::PairSums Step::live_sums(std::size_t first) {
  kernels::PairSums sums;
  if (!has_live_) return sums;
  sums.energy = live_.energy.data() + first;
  for (std::size_t k = 0; k < 6; ++k) sums.virial[k] = live_.virial[k].data() + first;
  return sums;
}

void Step::make_room_for_live() {
  if (!has_live_) return;
  live_.energy.resize(atoms_.count());
  for (auto& component : live_.virial) component.resize(atoms_.count());
}

/// Each atom is pushed by its own bonds, against what they do to its neighbours, and by those of its neighbours: for
/// each slot, so that the order follows from its list.
void Step::gather_forces(std::size_t brick) {
  const Range own = atoms_of(brick);
  const kernels::Bonds& bonds = bonds_[brick];
  for (std::uint32_t i = own.begin; i < own.end; ++i) {
    base::Vec3 sum;
    for (std::uint32_t slot = bonds.begin[i - own.begin]; slot < bonds.begin[i - own.begin + 1]; ++slot) {
      sum = sum + (force_back(i, bonds.atom[slot]) - bonds.force[slot]);
    }
    for (std::size_t axis = 0; axis < 3; ++axis) atoms_.f[axis][i] = sum[axis];
  }
  add_pairs(brick);
}

/// Those that act beside bonds or embedding.
void Step::add_pairs(std::size_t brick) {
  if (!interaction_.has_pairs_beside()) return;
  const kernels::PairWork work = lists_.work_of(brick);
  kernels::PairSums sums = live_sums(work.first);
  sums.fx = atoms_.f[0].data() + work.first;
  sums.fy = atoms_.f[1].data() + work.first;
  sums.fz = atoms_.f[2].data() + work.first;
  interaction_.add_pairs(work, sums);
}

/// The atom behind a copy sees the centre as often in the other direction, as far as the centre sees it (see
/// kernels::TersoffTable::reach): of any potential of bonds. Where rounding has put the pair beyond the
/// cutoff for one of the two there is no slot, and no force either: it ends at 0 there.
base::Vec3 Step::force_back(std::uint32_t centre, std::uint32_t slot_atom) const {
  const Atoms::Origin other = atoms_.origin_of(slot_atom);
  const Atoms::Origin wanted{centre, {-other.image[0], -other.image[1], -other.image[2]}};
  const std::uint32_t brick = brick_of_[other.atom];
  const kernels::Bonds& bonds = bonds_[brick];
  const std::size_t at = other.atom - atoms_of(brick).begin;
  for (std::uint32_t slot = bonds.begin[at]; slot < bonds.begin[at + 1]; ++slot) {
    if (atoms_.origin_of(bonds.atom[slot]) == wanted) return bonds.force[slot];
  }
  return {};
}

void Step::embed(std::size_t brick) {
  const kernels::PairWork work = lists_.work_of(brick);
  interaction_.embed(work, slopes_.data() + work.first, nullptr);
}

void Step::find_embedded_forces(std::size_t brick) {
  const kernels::PairWork work = lists_.work_of(brick);
  interaction_.sum_embedded(work, {.slope = slopes_.data(), .atom_of = atom_of_.data()},
                            {.fx = atoms_.f[0].data() + work.first,
                             .fy = atoms_.f[1].data() + work.first,
                             .fz = atoms_.f[2].data() + work.first});
  add_pairs(brick);
}

void Step::measure(PerAtom& to) {
  if (is_live_) {
    to = live_;
    return;
  }
  to.energy.resize(atoms_.count());
  for (auto& component : to.virial) component.resize(atoms_.count());
  const auto one = [&](std::size_t brick) { measure_brick(brick, to); };
  tasks::parallel_for(scheduler_, 0, grid_.own_bricks(), one, {.chunk = 1});
}

/// Forces are those that the atoms have already: they are summed again, and go nowhere.
void Step::measure_brick(std::size_t brick, PerAtom& to) const {
  const kernels::PairWork work = lists_.work_of(brick);
  kernels::PairSums sums{.energy = to.energy.data() + work.first};
  for (std::size_t k = 0; k < 6; ++k) sums.virial[k] = to.virial[k].data() + work.first;
  std::vector<double> forces(3 * work.count);
  sums.fx = forces.data();
  sums.fy = forces.data() + work.count;
  sums.fz = forces.data() + 2 * work.count;
  if (kind_ == Interaction::Kind::bonds) {
    kernels::Bonds bonds;
    interaction_.find_bonds(work, bonds, sums);
    return interaction_.add_pairs(work, sums);
  }
  if (kind_ == Interaction::Kind::pairs) return interaction_.sum(work, sums);
  interaction_.sum_embedded(work, {.slope = slopes_.data(), .atom_of = atom_of_.data()}, sums);
  std::vector<double> slopes(work.count);
  std::vector<double> energies(work.count);
  interaction_.embed(work, slopes.data(), energies.data());
  for (std::size_t i = 0; i < work.count; ++i) sums.energy[i] += energies[i];
  interaction_.add_pairs(work, sums);
}

}  // namespace tacit::md
