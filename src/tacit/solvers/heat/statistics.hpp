// Sums and extremes of a state over all ranks.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "tacit/base/exact_sum.hpp"
#include "tacit/engine/solver.hpp"
#include "tacit/exchange/reductions.hpp"
#include "tacit/solvers/heat/fields.hpp"

namespace tacit::heat {

/// Of the whole grid; bitwise identical however it is divided.
struct Measured {
  double heat = 0.0;  ///< integral of T [temperature length^d]
  double mean = 0.0;
  double least = 0.0;
  double largest = 0.0;
  std::array<double, 2> flow{};  ///< into the domain through fixed walls at low and high sides [heat / time]
  double rms_error = 0.0;        ///< against the exact solution; 0 without one
  double largest_error = 0.0;
};

/// Measures states; made and called by all ranks.
class Statistics {
 public:
  Statistics(const HeatParameters& parameters, const mesh::BlockGrid& grid, const engine::Resources& resources);
  [[nodiscard]] Measured measure(const FieldSet& fields, double time);
  /// The largest of a number of all ranks.
  [[nodiscard]] double largest(double mine) { return reductions_.largest(mine); }

 private:
  void add_flow(const FieldSet& fields, std::size_t axis, mesh::Side side, base::ExactSum& flow) const;

  const HeatParameters& parameters_;
  const mesh::BlockGrid& grid_;
  tasks::Scheduler& scheduler_;
  exchange::RankReductions reductions_;
};

}  // namespace tacit::heat
