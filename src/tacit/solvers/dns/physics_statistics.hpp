// Budgets of scalars, buoyancy and forcing.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "tacit/base/vec3.hpp"
#include "tacit/engine/solver.hpp"
#include "tacit/solvers/dns/flow.hpp"

namespace tacit::dns {

/// Means over the box of a scalar and the flow that carries it. Without forcing,
///
///     d <theta^2>/dt = -2 <u theta> . G - dissipation
struct ScalarMeans {
  double variance = 0.0;     ///< <theta^2>, but for the square of the mean
  double dissipation = 0.0;  ///< 2 kappa <|grad theta|^2>
  base::Vec3 flux{};         ///< <u theta>
};

/// Cost: one pass over the modes of the scalar and the velocity; the same bits on any ranks.
[[nodiscard]] ScalarMeans scalar_means(const Flow& flow, std::size_t scalar);

/// Means of the present state, each taken when it is first asked for, since several ask for each line of statistics.
/// All ranks ask for the same ones in the same order, and forget at the same points, so that all or none take one.
class StateMeans {
 public:
  /// @param flow  must outlive this
  explicit StateMeans(const Flow& flow) : flow_(flow), scalars_(flow.scalars()) {}

  [[nodiscard]] const Flow& flow() const noexcept { return flow_; }
  [[nodiscard]] const Flow::Energetics& energetics();
  [[nodiscard]] const ScalarMeans& scalar(std::size_t number);
  /// To be called whenever the state has changed.
  void forget() noexcept;

 private:
  const Flow& flow_;
  std::optional<Flow::Energetics> energetics_;
  std::vector<std::optional<ScalarMeans>> scalars_;
};

/// The columns of statistics.csv that physics adds: the same ones throughout a run.
class PhysicsStatistics {
 public:
  explicit PhysicsStatistics(const PhysicsParameters& physics);
  void append(StateMeans& means, std::vector<engine::Statistic>& columns) const;

 private:
  struct Names {
    std::string variance;
    std::string dissipation;
    std::string production;
  };
  std::vector<Names> names_;  // of the passive scalars
};

/// Potential energy of a stratified flow, <(b/N)^2>/2 [length^2/time^2]; 0 without stratification.
[[nodiscard]] double potential_energy(StateMeans& means);

/// The dissipation that the forcing is expected to maintain; 0 where that is not known.
/// @see Eswaran & Pope (1988), Computers & Fluids 16, 257
[[nodiscard]] double expected_dissipation(const Flow& flow);

/// What a person should know of how well the flow is resolved; empty if all is well.
/// @param dissipation  of the flow
[[nodiscard]] std::string resolution_warning(const Flow& flow, double dissipation);

}  // namespace tacit::dns
