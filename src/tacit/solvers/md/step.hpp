// The task graph of a step.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "tacit/base/pack_memory.hpp"
#include "tacit/engine/solver.hpp"
#include "tacit/exchange/exchange.hpp"
#include "tacit/exchange/migration.hpp"
#include "tacit/exchange/reductions.hpp"
#include "tacit/solvers/md/atoms.hpp"
#include "tacit/solvers/md/cells.hpp"
#include "tacit/solvers/md/division.hpp"
#include "tacit/solvers/md/interaction.hpp"
#include "tacit/solvers/md/parameters.hpp"

namespace tacit::md {

/// Energy and virial of each atom, in the order of the atoms; the terms of a pair are halved between them.
struct PerAtom {
  std::vector<double> energy;
  std::array<std::vector<double>, 6> virial;  ///< xx yy zz xy xz yz
};

/// Advances the atoms of a rank by steps. All ranks make it, and call the same.
class Step {
 public:
  /// Builds the graph. All but `division` must outlive this.
  /// @param atoms  those in the rank's cells
  Step(const MdParameters& parameters, Atoms& atoms, const Interaction& interaction, const engine::Resources& resources,
       const Division& division);
  /// Makes the lists of neighbours, and the first forces. @pre atoms are inside the box
  void begin();
  /// Makes the lists as they were when a checkpoint was written, from Atoms::start; its forces stay.
  void go_on();
  /// @throws engine::NumericsError where an atom moves too far, or nowhere: on all ranks
  void run(const tasks::StepContext& step);
  /// Of the present state, which it leaves as it is.
  void measure(PerAtom& to);
  /// The nearest pair of atoms of which one is this rank's, and the square of its distance [length^2]; for initial
  /// conditions.
  struct Pair {
    double distance2 = 0.0;
    std::uint64_t first = 0, second = 0;  ///< IDs, rising
    friend auto operator<=>(const Pair&, const Pair&) = default;
  };
  [[nodiscard]] Pair nearest() const;

  [[nodiscard]] const CellGrid& grid() const noexcept { return grid_; }
  /// How often lists were made.
  [[nodiscard]] std::uint64_t rebuilds() const noexcept { return rebuilds_; }
  /// What this rank has sent to others in graphs.
  [[nodiscard]] exchange::Sent sent() const noexcept { return exchange_.sent(); }

 private:
  /// Neighbours of the atoms of a brick: those of its atom i are atoms[begin[i]] ... atoms[begin[i + 1] - 1].
  struct Lists {
    std::vector<std::uint32_t> begin;
    std::vector<std::uint32_t> atoms;
  };
  struct Scratch {
    base::PackVector<float> x, y, z;
    std::vector<std::uint32_t> atom;
  };
  /// How far the atoms of a brick are from where the lists were made, and how far one went in this step.
  struct Moved {
    double from_lists2 = 0.0;
    double in_step2 = 0.0;
  };
  struct Brick {
    tasks::DatumId positions, ghosts, lists, bonds, motion;
  };
  /// Tasks by what they are for, to be activated together.
  struct Tasks {
    std::vector<tasks::TaskId> drift, counts, labels, positions, ghosts, lists, forces;
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
  [[nodiscard]] tasks::Accesses reads_near(std::size_t brick) const;
  [[nodiscard]] Range atoms_of(std::size_t brick) const { return atoms_.atoms_of(grid_.cells_of(brick)); }
  void drift(std::size_t brick, double dt);
  struct CellCandidates {
    kernels::Candidates candidates;
    std::size_t self = 0;  ///< the first atom of the cell
    double extent = 0.0;   ///< the largest coordinate [length]
  };
  void find_neighbours(std::size_t brick, Scratch& scratch);
  CellCandidates copy_candidates(std::size_t cell, Scratch& scratch) const;
  void find_forces(std::size_t brick);
  void gather_forces(std::size_t brick);
  /// The force that the bonds of the atom behind a slot have on its centre.
  [[nodiscard]] base::Vec3 force_back(std::uint32_t centre, std::uint32_t slot_atom) const;
  void set_up_cells();
  [[nodiscard]] bool make_room();
  void measure_brick(std::size_t brick, PerAtom& to) const;
  void kick(std::size_t brick, double dt);
  [[nodiscard]] kernels::PairWork work_of(std::size_t brick) const;
  [[nodiscard]] bool needs_lists(const tasks::StepContext& step);
  [[nodiscard]] std::optional<engine::Flaw> find_flaw(const tasks::StepContext& step) const;
  void sort_anew();
  void run(tasks::Activation& part, const tasks::StepContext& step) { scheduler_.run(graph_, part, step); }

  const Box box_;
  const double reach_;  // of the lists
  const double skin_;
  std::vector<double> inverse_mass_;  // by type
  Atoms& atoms_;
  const Interaction& interaction_;
  const kernels::PairLoops& loops_;
  tasks::Scheduler& scheduler_;
  comm::Communicator& ranks_;
  CellGrid grid_;
  std::vector<Lists> lists_;              // by brick
  std::vector<kernels::Bonds> bonds_;     // by brick; empty where pairs act
  std::vector<std::uint32_t> brick_of_;   // by atom that is seen; likewise
  std::vector<Scratch> scratch_;          // by worker
  std::vector<Moved> moved_;              // by own brick
  std::vector<std::uint32_t> of_others_;  // atoms in cells of other ranks
  std::vector<Room> rooms_;               // by peer
  exchange::Reduction shortage_;          // above 0 where a rank has no room for a message
  exchange::Reduction farthest_;          // squares: from where the lists were made, and in the step
  exchange::Migration<MovingAtom> migration_;
  exchange::Exchange exchange_;
  tasks::Graph graph_;
  std::vector<Brick> bricks_;
  Tasks tasks_;
  tasks::Activation drifts_, counts_, forces_, lists_and_forces_, lists_alone_, ghosts_alone_;
  std::uint64_t rebuilds_ = 0;
};

}  // namespace tacit::md
