// Which particles of a cell are to be computed, and the neighbours that they may see, put into a worker's cache.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "tacit/base/vec3.hpp"
#include "tacit/solvers/sph/kernels/force.hpp"
#include "tacit/solvers/sph/kernels/sphenix.hpp"
#include "tacit/solvers/sph/pair_tasks.hpp"

namespace tacit::sph {

/// The gas of one cell as its tasks see it.
struct CellView {
  const StepData& data;
  std::size_t c;
  const Motion& motion;
  const Hydro& hydro;
  std::span<const std::uint8_t> bin;   ///< of its gas
  std::span<const std::uint8_t> done;  ///< computed already; empty: none
  bool is_all;                         ///< all particles are active

  [[nodiscard]] bool is_wanted(std::size_t i) const {
    return (is_all || data.clock.is_active(bin[i])) && (done.empty() || done[i] == 0);
  }
  [[nodiscard]] Selection select_group(std::size_t g) const;
  /// The groups with wanted particles. @return all of these together
  Selection select(std::vector<GroupSelection>& groups_with_wanted) const;
  /// Whether so few are wanted that each group does better with a cache of its own than all with one.
  [[nodiscard]] bool is_sparse(const Selection& wanted) const { return 10 * wanted.count < motion.gas(); }
  [[nodiscard]] std::size_t groups() const { return motion.groups.size() - 1; }
};

/// Position and predicted velocity of particle i.
[[nodiscard]] inline base::Vec3 place_of(const Motion& motion, std::size_t i) {
  return {motion.x[i], motion.y[i], motion.z[i]};
}
[[nodiscard]] inline base::Vec3 velocity_of(const Motion& motion, std::size_t i) {
  return {motion.vx_p[i], motion.vy_p[i], motion.vz_p[i]};
}
/// What sums over neighbours need of the particle itself.
[[nodiscard]] kernels::ForceTarget target_of(const CellView& cell, std::size_t i);
[[nodiscard]] kernels::SphenixTarget sphenix_target_of(const CellView& cell, std::size_t i,
                                                       const kernels::ForceTarget& gas, float alpha_d);

/// Squared gap between a box and another that is seen through `view`.
[[nodiscard]] double distance2(const kernels::Box& box, const kernels::Box& other, const particles::View& view);

/// Where a cell looks for neighbours.
enum class Seen {
  within,  ///< within its own reach
  either,  ///< also particles whose own support reaches it
};
struct Region {
  kernels::Box box;
  double radius;  ///< around the box [length]
  Seen seen = Seen::either;
};

/// How the cache of the cell measures places: from the middle of the region, in quanta that suit the cell, so that
/// cells side by side agree; or, where the cell is far wider than what is looked at, that suit the region. Particles
/// beyond it (whose own kernels are so long) come as floats of that distance, which serves them.
[[nodiscard]] kernels::vector::Frame frame_of(const StepData& data, std::size_t c, const Region& region);

/// Fills the cache with the particles within `radius` of the box: what densities need.
void collect_motion(const StepData& data, std::size_t c, const Region& region, kernels::vector::VectorCache& cache,
                    const tasks::StepContext& step);
/// The same with the results of the density, and as far as they are read, of the gradients: what gradients and forces
/// need.
void collect_gas(const StepData& data, std::size_t c, const Region& region, kernels::vector::VectorCache& cache,
                 const tasks::StepContext& step);

}  // namespace tacit::sph
