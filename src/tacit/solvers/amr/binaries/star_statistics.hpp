// What statistics say of stars: how they turn, how far apart they are, and whether forces are in balance.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <optional>

#include "tacit/engine/solver.hpp"
#include "tacit/exchange/reductions.hpp"
#include "tacit/mesh/octree.hpp"
#include "tacit/solvers/amr/self_gravity.hpp"
#include "tacit/solvers/amr/sub_grids.hpp"

namespace tacit::amr {

/// All velocities are those in a frame at rest, whatever the frame of the run.
struct StarsMeasured {
  double angular_momentum = 0.0;  ///< of all gas, around z in the middle of the domain
  double virial_error = 0.0;      ///< of all gas: |2 T + W + 3 Pi| / |W|
  struct Star {
    double mass = 0.0;
    Point centre{};                 ///< of mass
    Point velocity{};               ///< of that
    double angular_momentum = 0.0;  ///< along z, around the middle of the domain
    /// Around its own centre of mass. @param of_domain  its middle
    [[nodiscard]] double spin(const Point& of_domain) const noexcept;
  };
  std::array<Star, 2> stars{};  ///< the first two species, as far as there are some
  Point middle{};               ///< of the domain
  /// Of the centres of mass of both.
  [[nodiscard]] double separation() const noexcept;
  /// Of the line from star 1 to star 2, from x, in the plane of x and y.
  [[nodiscard]] double angle() const noexcept;
  /// At which the one goes around the other [1/time].
  [[nodiscard]] double orbital_frequency() const noexcept;
  /// Mass per time from star 1 to star 2: through the plane across the line between them, at the inner Lagrange point
  /// of points of their masses, no further from it than half the way to the nearer star; by velocities from those of
  /// the frame that goes around with the stars.
  double flux_L1 = 0.0;
  /// Of both around the centre of mass of both, along z.
  [[nodiscard]] double orbital_angular_momentum() const noexcept;
};

/// Where the inner Lagrange point of two points of mass on circular orbits is on the way from the first to the second,
/// as a part of it. @param second  its part of both masses
[[nodiscard]] double inner_Lagrange_point(double second) noexcept;

/// Measures states; made and called by all ranks. Sums are exact: no bit depends on ranks or threads.
class StarStatistics {
 public:
  /// All outlive this.
  StarStatistics(const AmrParameters& parameters, const mesh::Octree& tree, const engine::Resources& resources);

  /// Whether there is anything that it is asked for: gravity, and species or a frame that turns.
  [[nodiscard]] static bool is_wanted(const AmrParameters& parameters) noexcept;
  /// @param gravity  of the same state
  [[nodiscard]] StarsMeasured measure(const SubGrids& grids, const SelfGravity& gravity);

 private:
  [[nodiscard]] double flux_at_L1(const SubGrids& grids, const StarsMeasured& stars);
  const AmrParameters& parameters_;
  const mesh::Octree& tree_;
  tasks::Scheduler& scheduler_;
  exchange::RankReductions reductions_;
};

}  // namespace tacit::amr
