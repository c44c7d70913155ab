// The amr solver: owns the tree and the state, and is what the engine sees of them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tacit/engine/solver.hpp"
#include "tacit/engine/with_parts.hpp"
#include "tacit/engine/with_slots.hpp"
#include "tacit/exchange/reductions.hpp"
#include "tacit/mesh/octree.hpp"
#include "tacit/solvers/amr/binaries/star_statistics.hpp"
#include "tacit/solvers/amr/parameters.hpp"
#include "tacit/solvers/amr/regrid.hpp"
#include "tacit/solvers/amr/statistics.hpp"
#include "tacit/solvers/amr/step.hpp"
#include "tacit/solvers/amr/sub_grids.hpp"
#include "tacit/solvers/amr/update_cost.hpp"

namespace tacit::amr {

/// Euler's equations of an ideal gas on the sub-grids of an octree. All ranks know the tree; each has a part of its
/// sub-grids.
class AmrSolver final : public engine::Solver, public engine::WithSlots, public engine::WithParts {
 public:
  /// @param checkpoint  to continue from; null: the initial conditions of the parameters
  /// @throws base::FormatError if it does not fit the parameters or is damaged
  AmrSolver(const AmrParameters& parameters, const engine::Resources& resources, const io::FileReader* checkpoint);

  [[nodiscard]] double start_time() const override { return parameters_.begin; }
  /// @throws engine::NumericsError if there would be more sub-grids than the run may have, or memory holds
  [[nodiscard]] double time_step() const override;
  /// @throws engine::NumericsError if a density or a pressure is not positive: cell, level and place
  void step(const tasks::StepContext& step) override;
  [[nodiscard]] engine::StepLimit step_limit() const override { return {.element = "the grid"}; }
  [[nodiscard]] engine::Conserved conserved() const override;
  [[nodiscard]] std::vector<engine::Statistic> statistics() const override;
  /// What of the initial state the cells are too coarse for, and what became of launches.
  [[nodiscard]] std::vector<std::string> new_warnings() override;
  /// Cells.
  [[nodiscard]] std::uint64_t elements() const override { return tree_.size() * grids_.cells(); }
  [[nodiscard]] std::optional<engine::UpdateCost> update_cost() const override { return amr::update_cost(parameters_); }
  [[nodiscard]] engine::Origin origin() const override { return {.input = parameters_.initial.from}; }
  /// Density, velocity and pressure of the cells as overlapping grids in VTK's HDF layout, which ParaView opens, and
  /// beside them the exact ones where these are known.
  std::uint64_t write_snapshot(const std::filesystem::path& path, const engine::FileContext& context) const override;
  /// AMReX plotfiles, where they are asked for.
  [[nodiscard]] std::vector<engine::Series> series() const override;
  std::uint64_t write_series(const engine::Series& series, const std::filesystem::path& path,
                             const engine::FileContext& context) const override;
  [[nodiscard]] engine::OutputBytes output_bytes(const engine::FileContext& context) const override;
  void save(io::FileWriter& checkpoint) const override;

  [[nodiscard]] const gpu::Slots* slots() const noexcept override { return step_->slots(); }
  /// Of runs with gravity: the multipoles, and the gas.
  [[nodiscard]] std::vector<engine::StepPart> step_parts() const override;
  [[nodiscard]] const mesh::Octree& tree() const noexcept { return tree_; }
  [[nodiscard]] const SubGrids& grids() const noexcept { return grids_; }
  /// Lets the sub-grids follow the gas, as steps do every `regrid_every` of them. If these would be too many they stay
  /// as they are, and there is no further step.
  void adapt();
  /// Memory of the state, and of what a step keeps beside its graph.
  [[nodiscard]] std::size_t bytes_held() const noexcept { return grids_.bytes_held() + step_->bytes_held(); }

 private:
  void load(const io::FileReader& checkpoint);
  void begin();
  void set_tree(mesh::Octree tree);
  void redivide();
  void look_at_move();
  [[nodiscard]] bool is_divided_by_cost() const;
  [[nodiscard]] std::vector<std::uint64_t> costs();
  [[nodiscard]] mesh::LeafDivision division_of(const mesh::Octree& next);
  void agree();
  void advance(const tasks::StepContext& step, std::uint32_t halvings);
  void follow_stars();
  void tell_of_halving(const tasks::StepContext& step);
  [[nodiscard]] std::optional<engine::Flaw> first_flaw() const;
  void write_level(io::FileWriter& file, const engine::FileContext& context, std::uint32_t level) const;
  [[nodiscard]] const Measured& measured() const;
  [[noreturn]] void refuse() const;
  [[nodiscard]] engine::Flaw describe(const Step::Flaw& flaw) const;
  [[nodiscard]] std::string excess_text(std::size_t leaves) const;

  AmrParameters parameters_;
  engine::Resources resources_;
  exchange::RankReductions reductions_;
  double most_leaves_;  // of an adaptive run
  mesh::Octree tree_;
  SubGrids grids_;
  std::unique_ptr<Step> step_;
  std::optional<Mover> mover_;  // where sub-grids, or who has them, change
  mutable Statistics statistics_;
  mutable std::optional<Measured> measured_;  // of the present state
  mutable StarStatistics star_statistics_;
  double time_ = 0.0;                  // of the present state
  double fastest_ = 0.0;               // of all ranks: see Step::fastest
  double flawed_stage_ = 0.0;          // of the last step: the first that has left cells that are not valid
  std::vector<std::string> warnings_;  // of the begin, until they are asked for
  double frame_angle_ = 0.0;           // by which the frame has turned
  Ledger ledger_;                      // of this rank, since t = parameters_.begin
  std::uint64_t halved_ = 0;           // steps so far
  std::size_t needed_ = 0;             // sub-grids, which are too many; 0: they are not
};

/// The solver's entry for the registry.
[[nodiscard]] const engine::SolverEntry& solver_entry();

}  // namespace tacit::amr
