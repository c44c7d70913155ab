// The task graph of a step.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "tacit/engine/solver.hpp"
#include "tacit/exchange/exchange.hpp"
#include "tacit/exchange/migration.hpp"
#include "tacit/exchange/reductions.hpp"
#include "tacit/solvers/md/atoms.hpp"
#include "tacit/solvers/md/balance.hpp"
#include "tacit/solvers/md/cells.hpp"
#include "tacit/solvers/md/division.hpp"
#include "tacit/solvers/md/interaction.hpp"
#include "tacit/solvers/md/neighbour_lists.hpp"
#include "tacit/solvers/md/parameters.hpp"

namespace tacit::md {

/// Energy and virial of each atom, in the order of the atoms; the terms of a pair are halved between them.
struct PerAtom {
  std::vector<double> energy;
  std::array<std::vector<double>, 6> virial;  ///< xx yy zz xy xz yz
};

/// Atoms that a rank has copies of, beside its own.
struct Ghosts {
  std::vector<std::uint64_t> of_rank;  ///< shape (ranks): that come from each other one in every step, once each
  std::uint64_t images = 0;            ///< seen through periodic faces, made here from its own and from those
};

/// Advances the atoms of a rank by steps. All ranks make it, and call the same.
class Step {
 public:
  /// Builds the graph. All but `division` must outlive this.
  /// @param atoms  those in the rank's cells
  /// @param box    in which they are; of a checkpoint that of the lists
  Step(const MdParameters& parameters, Atoms& atoms, const Interaction& interaction, const engine::Resources& resources,
       const Division& division, const Box& box);
  /// Makes the lists of neighbours, and the first forces. @pre atoms are inside the box
  void begin();
  /// Makes the lists as they were when a checkpoint was written, from Atoms::start; its forces stay.
  /// @param box  that of the atoms now
  void go_on(const Box& box);
  /// Stretches the box along the axes, and all atoms with it, before a step in whose middle that happens: atoms then
  /// drift by v dt times the half of it. All ranks call it alike. @param half  factors, of half of the stretch
  void stretch(const base::Vec3& half);
  [[nodiscard]] const Box& box() const noexcept { return box_; }
  /// That for which the lists were made.
  [[nodiscard]] const Box& list_box() const noexcept { return list_box_; }
  /// From now on tasks that find forces find energies and virials, too.
  void measure_always() { has_live_ = kind_ != Interaction::Kind::embedded; }
  /// @throws engine::NumericsError where an atom moves too far, or nowhere: on all ranks
  void run(const tasks::StepContext& step);
  /// Of the present state, which it leaves as it is.
  void measure(PerAtom& to);
  /// @see NeighbourLists::nearest
  [[nodiscard]] NearPair nearest() const { return lists_.nearest(); }

  [[nodiscard]] const CellGrid& grid() const noexcept { return grid_; }
  /// How often lists were made.
  [[nodiscard]] std::uint64_t rebuilds() const noexcept { return rebuilds_; }
  /// How cells are divided among ranks again.
  [[nodiscard]] Balance& balance() noexcept { return balance_; }
  [[nodiscard]] const Balance& balance() const noexcept { return balance_; }
  [[nodiscard]] Ghosts ghosts() const;
  /// What this rank has sent to others in graphs.
  [[nodiscard]] exchange::Sent sent() const noexcept { return exchange_.sent(); }

 private:
  /// How far the atoms of a brick are from where the lists were made, and how far one went in this step.
  struct Moved {
    double from_lists2 = 0.0;
    double in_step2 = 0.0;
  };
  struct Brick {
    tasks::DatumId positions, ghosts, lists, bonds, forces, motion;  // bonds: slots, or slopes of embedding
  };
  /// Tasks by what they are for, to be activated together.
  struct Tasks {
    std::vector<tasks::TaskId> drift, counts, labels, positions, ghosts, lists, embedding, forces, kicks;
  };
  /// Atoms for which a message to or from another rank has room.
  struct Room {
    std::size_t to = 0;
    std::size_t from = 0;
  };

  void build();
  void add_messages();
  [[nodiscard]] tasks::Accesses accesses_of(std::span<const std::uint32_t> cells, tasks::AccessMode mode) const;
  void add_motion(std::size_t brick);
  void add_reduction();
  void add_ghosts(std::size_t brick);
  void add_forces(std::size_t brick);
  void add_gathering(std::size_t brick);
  void add_embedded_forces(std::size_t brick);
  [[nodiscard]] tasks::Accesses reads_bonds_near(std::size_t brick) const;
  void add_kick(std::size_t brick);
  [[nodiscard]] tasks::Accesses reads_near(std::size_t brick) const;
  [[nodiscard]] CellGrid grid_for(const Division& division, std::size_t atoms) const;
  [[nodiscard]] Range atoms_of(std::size_t brick) const { return atoms_.atoms_of(grid_.cells_of(brick)); }
  void drift(std::size_t brick, double dt);
  void find_forces(std::size_t brick);
  void add_pairs(std::size_t brick);
  void gather_forces(std::size_t brick);
  void embed(std::size_t brick);
  void find_embedded_forces(std::size_t brick);
  /// The force that the bonds of the atom behind a slot have on its centre.
  [[nodiscard]] base::Vec3 force_back(std::uint32_t centre, std::uint32_t slot_atom) const;
  void set_up_cells();
  [[nodiscard]] bool make_room();
  void look_for_division(const tasks::StepContext& step);
  void match_grid();
  void measure_brick(std::size_t brick, PerAtom& to) const;
  void kick(std::size_t brick, double dt);
  [[nodiscard]] bool expects_lists() const;
  [[nodiscard]] bool are_lists_valid() noexcept;
  [[nodiscard]] double slack() const noexcept;
  void match_box();
  [[nodiscard]] kernels::PairSums live_sums(std::size_t first);
  void make_room_for_live();
  [[nodiscard]] bool needs_lists(const tasks::StepContext& step);
  [[nodiscard]] std::optional<engine::Flaw> find_flaw(const tasks::StepContext& step) const;
  void sort_for_lists();
  void run(tasks::Activation& part, const tasks::StepContext& step) { scheduler_.run(graph_, part, step); }

  Box box_;
  Box list_box_;
  base::Vec3 drift_factor_{1.0, 1.0, 1.0};
  const double reach_;  // of the lists
  const double skin_;
  const Interaction::Kind kind_;
  const Seen seen_;
  std::vector<double> inverse_mass_;  // by type
  const Groups groups_;
  Atoms& atoms_;
  const Interaction& interaction_;
  tasks::Scheduler& scheduler_;
  comm::Communicator& ranks_;
  CellGrid grid_;
  Balance balance_;
  NeighbourLists lists_;
  std::vector<kernels::Bonds> bonds_;     // by brick; empty where pairs act
  std::vector<std::uint32_t> brick_of_;   // by atom that is seen; likewise
  std::vector<double> slopes_;            // F'(rho) by atom that is seen; empty but where atoms are embedded
  std::vector<std::uint32_t> atom_of_;    // by record; likewise
  std::vector<Moved> moved_;              // by own brick
  std::vector<std::uint32_t> of_others_;  // atoms in cells of other ranks
  std::vector<Room> rooms_;               // by peer
  exchange::Reduction shortage_;          // above 0 where a rank has no room for a message
  exchange::Reduction farthest_;          // squares: from where the lists were made, and in the step; what a rank has
  exchange::Migration<MovingAtom> migration_;
  exchange::Exchange exchange_;
  tasks::Graph graph_;
  std::vector<Brick> bricks_;
  Tasks tasks_;
  tasks::DatumId decision_{};  // what farthest_ has found
  tasks::Activation drifts_, counts_, forces_, drifts_and_forces_, lists_and_forces_, lists_alone_, ghosts_alone_;
  Moved last_;                     // of all ranks, as it was after the last step
  bool is_decision_open_ = false;  // forces are found before it is known whether lists hold
  std::uint64_t rebuilds_ = 0;
  bool has_live_ = false;
  bool is_live_ = false;  // it is of the present forces
  PerAtom live_;          // of the forces that atoms have, if has_live_
};

}  // namespace tacit::md
