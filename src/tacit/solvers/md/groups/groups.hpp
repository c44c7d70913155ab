// Groups of atoms by type, region or ID, and what is done to them: held, pulled, kept at a temperature.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tacit/base/vec3.hpp"
#include "tacit/config/parameters.hpp"
#include "tacit/solvers/md/atoms.hpp"

namespace tacit::md {

/// Atoms that have something in common when a run begins; an atom stays in its groups wherever it goes.
struct AtomGroup {
  std::string name;
  std::vector<std::uint32_t> types = {};                          ///< of these; empty: of any
  std::vector<std::pair<std::uint64_t, std::uint64_t>> ids = {};  ///< from, to, rising; empty: any
  base::Vec3 low = {}, high = {};                                 ///< low <= x < high, infinite where there is no bound
  [[nodiscard]] bool has(std::uint64_t id, std::uint32_t type, const base::Vec3& x) const;
};

/// The groups of a run, by number, and what is done to their atoms. Sets of groups are masks of bits.
struct Groups {
  static constexpr std::size_t most = 32;
  struct Held {
    std::uint32_t group = 0;  ///< number
    base::Vec3 v;             ///< of its atoms, whatever the forces [length/time]
  };
  struct Pulled {
    std::uint32_t group = 0;
    base::Vec3 force;  ///< on each of its atoms, beside the others [energy/length]
  };
  std::vector<AtomGroup> named = {};
  std::vector<Held> held = {};
  std::vector<Pulled> pulled = {};
  std::uint32_t heated = 0;  ///< mask of those that a thermostat acts on; 0: all atoms

  [[nodiscard]] std::uint32_t held_mask() const noexcept;
  /// Whether atoms are moved by what is no force of the potential.
  [[nodiscard]] bool act() const noexcept { return !held.empty() || !pulled.empty(); }
  /// Whether that gives or takes energy.
  [[nodiscard]] bool do_work() const noexcept { return !pulled.empty() || moves(); }
  /// Whether held atoms move.
  [[nodiscard]] bool moves() const noexcept;
};

/// The table [groups].
[[nodiscard]] std::span<const config::Key> groups_keys();
/// @param held  IDs of atoms that a file says do not move: the group `move_mask`, frozen unless a key names it
/// @throws config::Error with the key, where groups are not defined, lie outside of the box, or contradict each other
[[nodiscard]] Groups read_groups(const config::Parameters& p, std::span<const std::string> elements, const Box& box,
                                 std::span<const std::uint64_t> held = {});

/// Finds the groups of each atom, and gives held ones their velocities. @pre atoms are inside the box
void assign_groups(const Groups& groups, Configuration& atoms);

/// Beside the kick of the potential: pulls, and sets the velocities of held atoms. @param dt  of the kick, half a step
void kick_groups(const Groups& groups, std::span<const double> inverse_mass, Atoms& atoms, const Range& own, double dt);

/// Whether an atom goes where forces take it. @param group  of the atom: its mask
[[nodiscard]] inline bool is_free(const Atoms& atoms, std::size_t i, std::uint32_t held_mask) noexcept {
  return atoms.group.empty() || (atoms.group[i] & held_mask) == 0;
}

/// How many atoms are in each group, then how many are free, and how many are free and heated: of all ranks.
/// @throws base::Error on all ranks if a group has none, or none is free
[[nodiscard]] std::vector<std::uint64_t> count_groups(const Groups& groups, const Atoms& atoms,
                                                      comm::Communicator& ranks);

}  // namespace tacit::md
