// What is done to the atoms of groups.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/md/groups/groups.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "tacit/base/error.hpp"
#include "tacit/exchange/over_ranks.hpp"

namespace tacit::md {

namespace {

bool is_in(const std::vector<std::pair<std::uint64_t, std::uint64_t>>& rising, std::uint64_t id) {
  const auto behind = std::ranges::upper_bound(rising, id, {}, &std::pair<std::uint64_t, std::uint64_t>::first);
  return behind != rising.begin() && id <= std::prev(behind)->second;
}

}  // namespace

bool AtomGroup::has(std::uint64_t id, std::uint32_t type, const base::Vec3& x) const {
  if (!types.empty() && std::ranges::find(types, type) == types.end()) return false;
  if (!ids.empty() && !is_in(ids, id)) return false;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (x[axis] < low[axis] || x[axis] >= high[axis]) return false;
  }
  return true;
}

std::uint32_t Groups::held_mask() const noexcept {
  std::uint32_t mask = 0;
  for (const Held& one : held) mask |= 1U << one.group;
  return mask;
}

bool Groups::moves() const noexcept {
  return std::ranges::any_of(held, [](const Held& one) { return base::dot(one.v, one.v) > 0.0; });
}

namespace {

/// The first that names a group of the atom; null: none does.
const Groups::Held* held_by(const Groups& groups, std::uint32_t mask) {
  const auto found =
      std::ranges::find_if(groups.held, [mask](const Groups::Held& one) { return (mask >> one.group & 1U) != 0; });
  return found == groups.held.end() ? nullptr : &*found;
}

}  // namespace

void assign_groups(const Groups& groups, Configuration& atoms) {
  if (groups.named.empty()) return;
  atoms.has_groups = true;
  atoms.group.assign(atoms.size(), 0);
  for (std::size_t i = 0; i < atoms.size(); ++i) {
    for (std::size_t g = 0; g < groups.named.size(); ++g) {
      if (groups.named[g].has(atoms.id[i], atoms.type[i], atoms.x[i])) atoms.group[i] |= 1U << g;
    }
  }
  if (groups.held.empty()) return;
  atoms.v.resize(atoms.size());
  for (std::size_t i = 0; i < atoms.size(); ++i) {
    if (const Groups::Held* held = held_by(groups, atoms.group[i])) atoms.v[i] = held->v;
  }
}

void kick_groups(const Groups& groups, std::span<const double> inverse_mass, Atoms& atoms, const Range& own,
                 double dt) {
  for (std::size_t i = own.begin; i < own.end; ++i) {
    const std::uint32_t mask = atoms.group[i];
    if (mask == 0) continue;
    if (const Groups::Held* held = held_by(groups, mask)) {
      for (std::size_t axis = 0; axis < 3; ++axis) atoms.v[axis][i] = held->v[axis];
      continue;
    }
    for (const Groups::Pulled& one : groups.pulled) {
      if ((mask >> one.group & 1U) == 0) continue;
      for (std::size_t axis = 0; axis < 3; ++axis) {
        atoms.v[axis][i] += dt * (one.force[axis] * inverse_mass[atoms.type[i]]);
      }
    }
  }
}

std::vector<std::uint64_t> count_groups(const Groups& groups, const Atoms& atoms, comm::Communicator& ranks) {
  const std::size_t n = groups.named.size();
  std::vector<std::uint64_t> counts(n + 2, 0);
  const std::uint32_t held = groups.held_mask();
  for (std::size_t i = 0; i < atoms.count(); ++i) {
    const std::uint32_t mask = atoms.group.empty() ? 0 : atoms.group[i];
    for (std::size_t g = 0; g < n; ++g) counts[g] += mask >> g & 1U;
    if ((mask & held) != 0) continue;
    ++counts[n];
    if (groups.heated == 0 || (mask & groups.heated) != 0) ++counts[n + 1];
  }
  exchange::add_over(ranks, counts);
  for (std::size_t g = 0; g < n; ++g) {
    if (counts[g] > 0) continue;
    throw base::Error(fmt::format("groups.named: the group '{}' has no atoms\n  hint: correct its region, type or IDs",
                                  groups.named[g].name));
  }
  if (counts[n] == 0) throw base::Error("groups.frozen, groups.moving: all atoms are held, and none is left to move");
  if (counts[n + 1] == 0) throw base::Error("thermostat.group: all of its atoms are held");
  return counts;
}

}  // namespace tacit::md
