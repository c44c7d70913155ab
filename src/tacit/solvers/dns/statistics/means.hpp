// Means over a flow: scales of turbulence, and budgets of scalars, buoyancy and forcing.
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

/// Scales of isotropic turbulence, whether the flow is isotropic or not; infinite or zero where they have no meaning.
/// @see Pope (2000), "Turbulent Flows", ch. 5 and 6
struct Scales {
  double taylor = 0.0;                  ///< lambda = sqrt(10 nu K / eps), K the kinetic energy [length]
  double taylor_reynolds_number = 0.0;  ///< u' lambda / nu, u' = sqrt(2 K / 3)
  double kolmogorov = 0.0;              ///< eta = (nu^3 / eps)^(1/4) [length]
  double kolmogorov_time = 0.0;         ///< (nu / eps)^(1/2)
  double k_max_eta = 0.0;               ///< how well eta is resolved; 1.5 and more is good
  double integral = 0.0;                ///< pi / (2 u'^2) * integral of E(k) / k, the longitudinal scale [length]
  double turnover_time = 0.0;           ///< of the integral scale at u'
};

[[nodiscard]] Scales scales_of(const Flow::Energetics& now, const Flow& flow);

/// Means over the box of a scalar and the flow that carries it. Without forcing,
///
///     d <theta^2>/dt = -2 <u theta> . G - dissipation
struct ScalarMeans {
  double variance = 0.0;     ///< <theta^2>, but for the square of the mean
  double dissipation = 0.0;  ///< 2 kappa <|grad theta|^2>
  base::Vec3 flux{};         ///< <u theta>
};

/// Cost: one loop over the modes of the scalar and the velocity. Bitwise identical on any ranks.
[[nodiscard]] ScalarMeans scalar_means(const Flow& flow, std::size_t scalar);

/// Means of the present state, each computed when first asked for and kept, since a line of statistics needs some of
/// them several times. All ranks ask for the same ones in the same order, and forget at the same points.
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

}  // namespace tacit::dns
