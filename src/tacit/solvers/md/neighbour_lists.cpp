// Finds the neighbours of atoms in the cells around.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/md/neighbour_lists.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tacit::md {

NeighbourLists::NeighbourLists(const Atoms& atoms, const CellGrid& grid, const kernels::PairLoops& loops, double reach,
                               std::size_t workers)
    : atoms_(atoms), grid_(grid), loops_(loops), reach_(reach), scratch_(workers) {
  match_grid();
}

/// The candidates of all atoms of a cell are the same: they are copied side by side once.
void NeighbourLists::find(std::size_t brick, std::size_t worker) {
  Lists& lists = of_brick_[brick];
  Scratch& scratch = scratch_[worker];
  lists.begin.assign(1, 0);
  std::size_t used = 0;
  const Range cells = grid_.cells_of(brick);
  for (std::size_t cell = cells.begin; cell < cells.end; ++cell) {
    const std::size_t own = atoms_.atoms_of(cell).size();
    if (own == 0) continue;
    const CellCandidates found = copy_candidates(cell, scratch);
    const std::size_t room = found.candidates.count + kernels::PairLoops::widest;
    // What floats have lost must not cost a neighbour.
    const double reach = reach_ * (1.0 + 1e-6) + 1e-6 * found.extent;
    for (std::size_t k = 0; k < own; ++k) {
      if (lists.atoms.size() < used + room) lists.atoms.resize(std::max(used + room, 3 * lists.atoms.size() / 2));
      used += loops_.find(found.self + k, found.candidates, static_cast<float>(reach * reach), atoms_.nowhere(),
                          lists.atoms.data() + used);
      lists.begin.push_back(static_cast<std::uint32_t>(used));
    }
  }
}

/// All atoms of the cells around, relative to the first one of the cell.
NeighbourLists::CellCandidates NeighbourLists::copy_candidates(std::size_t cell, Scratch& scratch) const {
  CellCandidates result;
  scratch.atom.clear();
  grid_.for_neighbours(cell, [&](std::uint32_t other) {
    if (other == cell) result.self = scratch.atom.size();
    const Range theirs = atoms_.atoms_of(other);
    for (std::uint32_t j = theirs.begin; j < theirs.end; ++j) scratch.atom.push_back(j);
  });
  const std::size_t count = scratch.atom.size();
  const std::size_t room = count + kernels::PairLoops::widest;
  for (auto* values : {&scratch.x, &scratch.y, &scratch.z}) values->resize(std::max(values->size(), room));
  scratch.atom.resize(room, atoms_.nowhere());
  const base::Vec3 centre = atoms_.position(atoms_.atoms_of(cell).begin);
  float extent = 0.0F;
  for (std::size_t k = 0; k < count; ++k) {
    const double* record = atoms_.records.data() + 4 * std::size_t{scratch.atom[k]};
    scratch.x[k] = static_cast<float>(record[0] - centre.x);
    scratch.y[k] = static_cast<float>(record[1] - centre.y);
    scratch.z[k] = static_cast<float>(record[2] - centre.z);
    extent = std::max({extent, std::abs(scratch.x[k]), std::abs(scratch.y[k]), std::abs(scratch.z[k])});
  }
  result.extent = static_cast<double>(extent);
  result.candidates = {scratch.x.data(), scratch.y.data(), scratch.z.data(), scratch.atom.data(), count};
  return result;
}

kernels::PairWork NeighbourLists::work_of(std::size_t brick) const {
  const Range own = atoms_.atoms_of(grid_.cells_of(brick));
  return {.records = atoms_.records.data(),
          .first = own.begin,
          .count = own.size(),
          .begin = of_brick_[brick].begin.data(),
          .lists = of_brick_[brick].atoms.data()};
}

NearPair NeighbourLists::nearest() const {
  NearPair result{.distance2 = std::numeric_limits<double>::infinity()};
  for (std::size_t b = 0; b < grid_.own_bricks(); ++b) {
    const Range own = atoms_.atoms_of(grid_.cells_of(b));
    for (std::size_t i = own.begin; i < own.end; ++i) {
      const std::size_t at = i - own.begin;
      for (std::uint32_t k = of_brick_[b].begin[at]; k < of_brick_[b].begin[at + 1]; ++k) {
        const std::uint32_t j = of_brick_[b].atoms[k];
        const base::Vec3 d = atoms_.position(j) - atoms_.position(i);
        const double distance2 = base::dot(d, d);
        if (j == atoms_.nowhere() || distance2 > result.distance2) continue;
        const std::uint64_t other = atoms_.id_of(atoms_.origin_of(j).atom);
        result = std::min(result, {distance2, std::min(atoms_.id[i], other), std::max(atoms_.id[i], other)});
      }
    }
  }
  return result;
}

}  // namespace tacit::md
