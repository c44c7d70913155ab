// The task graph of a step.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "tacit/engine/solver.hpp"
#include "tacit/exchange/exchange.hpp"
#include "tacit/mesh/launch_slots.hpp"
#include "tacit/mesh/octree.hpp"
#include "tacit/solvers/amr/futures/step_by_futures.hpp"
#include "tacit/solvers/amr/kernels/parabolic.hpp"
#include "tacit/solvers/amr/launches/stage_launches.hpp"
#include "tacit/solvers/amr/leaf_costs.hpp"
#include "tacit/solvers/amr/ledger.hpp"
#include "tacit/solvers/amr/levels.hpp"
#include "tacit/solvers/amr/pencils.hpp"
#include "tacit/solvers/amr/self_gravity.hpp"
#include "tacit/solvers/amr/sub_grids.hpp"

namespace tacit::amr {

inline constexpr std::array both_sides{mesh::Side::low, mesh::Side::high};
[[nodiscard]] constexpr std::size_t place_of(mesh::Side side) noexcept { return side == mesh::Side::low ? 0 : 1; }

/// Advances the sub-grids of a rank by steps. All ranks make it, and call all but what says something of a state.
class Step {
 public:
  /// Builds the graph, and connects to the other ranks. @param tree, grids  must outlive this
  Step(const AmrParameters& parameters, const mesh::Octree& tree, SubGrids& grids, const engine::Resources& resources);

  /// Builds the graph of another tree and its sub-grids. Memory is used again.
  void rebuild();
  void run(const tasks::StepContext& step);
  /// Wall time of all runs so far [s].
  struct Times {
    double gravity = 0.0;  ///< solving, and the work that follows from it
    double stages = 0.0;   ///< of the gas
  };
  [[nodiscard]] const Times& times() const noexcept { return times_; }
  /// Brings the copies of sub-grids of other ranks up to the present state, as steps leave them between their stages.
  void refresh();
  /// Looks at a state that no step has left. All ranks call it.
  void look();
  /// After SubGrids::go_back: gravity is to be that of the present state. All ranks call it.
  void go_back();
  /// Has the state seen from a frame that turns faster, whose angular velocity the parameters have from now on. All
  /// ranks call it, and look afterwards. What that adds is in balances().
  void turn_frame(double from, double by);
  /// Of the last step: what has left through sides, and what floors have added, of each own leaf. Empty: nothing can.
  [[nodiscard]] const std::vector<Balance>& balances() const noexcept { return balances_; }
  /// Of the sub-grids of this rank: the largest sum of (|v_i| + c) / dx_i in any cell [1/time].
  [[nodiscard]] double fastest() const;
  /// A state with cells that are not valid.
  struct Flaw {
    std::size_t leaf = 0;
    kernels::Stage after = kernels::Stage::first;
  };
  /// Potential and acceleration of a state that a step has left, or that was looked at. Null: there is no gravity.
  [[nodiscard]] const SelfGravity* gravity() const noexcept { return gravity_ ? &*gravity_ : nullptr; }
  /// The first such sub-grid after the earliest stage that has left one.
  [[nodiscard]] std::optional<Flaw> flaw() const;
  /// What the tasks of each leaf have taken since this was last asked, in some unit of time: by leaf of the tree, 0 for
  /// those of other ranks.
  /// @pre sub-grids are divided by cost among several ranks
  [[nodiscard]] std::vector<std::uint64_t> take_costs() { return costs_.take(grids_.own(), tree_.size()); }
  /// By which sub-grids go to other ranks. Null: a graph has the order of steps.
  [[nodiscard]] MovingSubGrids* moves() noexcept { return futures_ ? &futures_->moves() : nullptr; }
  /// Null: workers compute everything.
  [[nodiscard]] const gpu::Slots* slots() const noexcept { return launch_slots_.slots(); }
  /// What a person should know of launches.
  [[nodiscard]] std::vector<std::string> new_warnings() { return launch_slots_.new_warnings(); }
  /// Of all but the graph.
  [[nodiscard]] std::size_t bytes_held() const noexcept;

 private:
  friend class StepByFutures;  // the same work, put into its order otherwise
  using Neighbours = SelfGravity::Neighbours;
  /// Of the sides of a leaf, where the fluxes through one are kept: beside another level. By axis and side.
  static constexpr std::size_t not_kept = std::numeric_limits<std::size_t>::max();
  using KeptFluxes = std::array<std::array<std::size_t, 2>, 3>;
  void keep_fluxes();
  void add_data();
  void add_halo(kernels::Stage stage);
  void add_fluxes(kernels::Stage stage);
  void add_stage(kernels::Stage stage);
  [[nodiscard]] const std::vector<tasks::DatumId>& data_of(Moment moment) const noexcept;
  [[nodiscard]] tasks::DatumId before_datum(kernels::Stage stage, std::size_t leaf) const;
  /// Leaves that a stage of an own one reads beside itself, own ones and copies.
  [[nodiscard]] std::vector<std::size_t> seen_by(std::size_t leaf) const;
  [[nodiscard]] tasks::Accesses accesses_of(kernels::Stage stage, std::size_t leaf) const;
  [[nodiscard]] std::size_t own_place(std::size_t leaf) const noexcept { return leaf - grids_.own().begin; }
  /// Of a leaf among the own ones, and behind these the copies.
  [[nodiscard]] std::size_t held_place(std::size_t leaf) const noexcept;
  [[nodiscard]] std::size_t count_of_cells(const mesh::SharedCells& part) const;
  void pack_cells(kernels::Stage stage, const mesh::SharedCells& part, std::span<double> to) const;
  void unpack_cells(const mesh::SharedCells& part, std::span<const double> from);
  void run_stages(std::span<const kernels::Stage> stages, std::size_t part, const tasks::StepContext& step);
  void compute(kernels::Stage stage, std::size_t leaf, double dt);
  void add_task(tasks::TaskKind kind, kernels::Stage stage, std::size_t leaf);
  void add_launching_task(tasks::TaskKind kind, kernels::Stage stage, std::size_t leaf);
  void advance(kernels::Stage stage, std::size_t leaf, double dt, Scratch& scratch);
  void sweep(const kernels::Pencils& pencils) const;
  void launch_or_advance(kernels::Stage stage, std::size_t leaf, tasks::StepContext& step);
  void post_launch(gpu::Launch launch, kernels::Stage stage, std::size_t leaf, double dt, base::Token token);
  void compute_without_slot(kernels::Stage stage, std::size_t leaf, double dt);
  [[nodiscard]] StageOfLeaf launch_of(kernels::Stage stage, std::size_t leaf, double dt);
  void take_layers_beyond(kernels::Stage stage, std::size_t leaf, std::size_t axis, mesh::Side side,
                          kernels::Variables<double> to) const;
  void end_stage(kernels::Stage stage, std::size_t leaf, double dt);
  void add_correction(kernels::Stage stage, std::size_t leaf);
  void correct(kernels::Stage stage, std::size_t leaf, double dt);
  void correct_side(kernels::Stage stage, std::size_t leaf, std::size_t axis, std::size_t side, double dt);
  [[nodiscard]] kernels::Variables<double> kept(std::size_t leaf, std::size_t axis, std::size_t side);
  [[nodiscard]] kernels::Variables<double> after(kernels::Stage stage, std::size_t leaf);
  [[nodiscard]] bool is_beside(std::size_t leaf, mesh::Beside::Relation relation) const;
  void look_at_all();
  void note_sides(std::size_t leaf, std::size_t axis, double dt);
  void synchronise(std::size_t leaf, kernels::Variables<double> U);
  void raise(kernels::Stage stage, std::size_t leaf, kernels::Variables<double> U);
  void note(std::size_t leaf, const Turned& added);
  void finish(kernels::Stage stage, std::size_t leaf);
  void end_step();
  void fill_pencils(kernels::Stage stage, std::size_t leaf, std::size_t axis, Scratch& scratch) const;
  [[nodiscard]] kernels::Variables<const double> before(kernels::Stage stage, std::size_t leaf) const;
  [[nodiscard]] kernels::Gas gas_at(std::size_t leaf) const;

  const AmrParameters& parameters_;
  const mesh::Octree& tree_;
  SubGrids& grids_;
  const kernels::Loops loops_;
  const kernels::ScalarLoops scalar_loops_;
  const kernels::ParabolicLoops parabolic_loops_;
  tasks::Scheduler& scheduler_;
  mesh::LaunchSlots launch_slots_;
  gpu::LaunchKind launch_kind_{};
  std::vector<PencilShape> shapes_;  // by axis
  std::vector<Neighbours> beside_;   // by own leaf
  std::vector<Scratch> scratch_;     // by worker, and with launch slots of a thread that polls
  std::optional<StageLaunches> launches_;
  Levels levels_;
  std::vector<KeptFluxes> kept_;  // by leaf that is held: places in fluxes_
  base::PackVector<double> fluxes_;
  std::vector<std::vector<kernels::Condition>> conditions_;  // by stage and own leaf
  base::PackVector<double> jumps_;  // of velocities, by own leaf and cell: where there is an internal energy
  std::vector<Balance> balances_;   // by own leaf
  LeafCosts costs_;
  Times times_;
  std::optional<SelfGravity> gravity_;
  exchange::Exchange exchange_;
  tasks::Graph graph_;
  /// Of the whole step; where gravity is found in between, of each stage.
  std::vector<tasks::Activation> activations_;
  tasks::Activation refresh_;        // the messages before the first stage
  std::vector<tasks::DatumId> now_;  // by own leaf
  std::vector<tasks::DatumId> between_;
  std::vector<tasks::DatumId> later_;   // of three stages
  std::vector<tasks::DatumId> copies_;  // by copy: of whichever state it is
  /// Kept fluxes through a side of a leaf, which is finer than the one beyond on another rank.
  struct Passed {
    comm::RankId rank{};  ///< to which they go, or from which they come
    std::size_t leaf = 0;
    std::size_t axis = 0;
    std::size_t side = 0;
    std::size_t beyond = 0;  ///< the coarser leaf
  };
  [[nodiscard]] std::vector<double> fluxes_of(const Passed& one);
  void take_fluxes(const Passed& one, std::span<const double> from);
  std::vector<Passed> to_pass_;
  std::vector<Passed> to_take_;
  std::vector<tasks::DatumId> passed_;    // by leaf that is held: its fluxes that go to another rank, or come from it
  bool is_timed_ = false;                 // what messages take alone
  std::optional<StepByFutures> futures_;  // in place of the graph
};

}  // namespace tacit::amr
