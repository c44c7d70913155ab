// Sums and errors of a state over all sub-grids.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <vector>

#include "tacit/engine/solver.hpp"
#include "tacit/exchange/reductions.hpp"
#include "tacit/mesh/octree.hpp"
#include "tacit/solvers/amr/ledger.hpp"
#include "tacit/solvers/amr/self_gravity.hpp"
#include "tacit/solvers/amr/sub_grids.hpp"

namespace tacit::amr {

/// Of the whole domain; bitwise identical however it is divided.
struct Measured {
  double mass = 0.0;
  std::array<double, 3> momentum{};
  double momentum_scale = 0.0;  ///< integral of |rho v|, and what sides have pushed
  double energy = 0.0;
  double kinetic = 0.0;
  double potential = 0.0;                 ///< of the gas in its own gravity: integral of rho phi / 2
  std::array<double, 3> largest_speed{};  ///< of any cell, along each axis
  double largest_density = 0.0;
  std::array<double, kernels::most_fields> left{};   ///< through sides since the begin
  std::array<double, kernels::most_fields> added{};  ///< by floors, driving and changes of the frame
  double turned = 0.0;                               ///< angular momentum along z that driving has added
  std::array<double, kernels::most_fields>
      balanced{};  ///< integrals of all fields, with what left, without what was added
  std::array<double, kernels::most_species> species{};  ///< masses
  // Means over the volume of the absolute differences from the exact solution; 0 without one.
  double error_density = 0.0;
  double error_velocity = 0.0;  ///< of the length of the difference
  double error_pressure = 0.0;
};

/// Measures states; made and called by all ranks.
class Statistics {
 public:
  Statistics(const AmrParameters& parameters, const mesh::Octree& tree, const engine::Resources& resources);
  /// @param time     since the begin
  /// @param gravity  of the same state; null: there is none   @param ledger  of this rank; null: all sums are 0
  [[nodiscard]] Measured measure(const SubGrids& grids, double time, const SelfGravity* gravity = nullptr,
                                 const Ledger* ledger = nullptr);
  /// All sums of the ledgers of all ranks, in their order: each in two numbers, of which the second is what the first
  /// has been rounded by.
  [[nodiscard]] std::vector<double> totals(const Ledger& ledger);

 private:
  const AmrParameters& parameters_;
  const mesh::Octree& tree_;
  tasks::Scheduler& scheduler_;
  exchange::RankReductions reductions_;
};

}  // namespace tacit::amr
