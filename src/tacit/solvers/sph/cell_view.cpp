// Selects particles and fills caches, group by group.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/sph/cell_view.hpp"

#include <algorithm>

namespace tacit::sph {
namespace {

using kernels::Box;
using kernels::vector::FillGroups;
using kernels::vector::GasView;
using kernels::vector::Image;
using kernels::vector::MotionView;

/// Gap along an axis between [low, high] and an interval seen at sign * x + shift.
double gap(double low, double high, double other_low, double other_high, double sign, double shift) {
  const double a = sign * other_low + shift;
  const double b = sign * other_high + shift;
  return std::max({std::min(a, b) - high, low - std::max(a, b), 0.0});
}

MotionView seen(const Motion& motion) {
  return {motion.x, motion.y, motion.z, motion.m, motion.vx_p, motion.vy_p, motion.vz_p};
}

GasView seen(const Hydro& hydro, double support) {
  return {hydro.h, hydro.rho, hydro.omega_P, hydro.cs, hydro.balsara, support};
}

/// What SPHENIX needs besides.
void add_thermal(GasView& gas, const Motion& motion, const Hydro& hydro, std::span<const float> alpha_d) {
  gas.u = motion.thermal_p;
  gas.f = hydro.f;
  gas.alpha_v = hydro.alpha_v;
  gas.alpha_d = alpha_d;
}

FillGroups groups_of(const Motion& motion, const double* h) {
  FillGroups groups;
  groups.groups = {motion.groups.size() - 1, motion.groups.data()};
  groups.boxes = motion.boxes.sides;
  groups.h = h;
  return groups;
}

Image image_of(const particles::View& view) { return {view.sign, view.shift}; }

}  // namespace

double distance2(const kernels::Box& box, const kernels::Box& other, const particles::View& view) {
  const double x = gap(box.low.x, box.high.x, other.low.x, other.high.x, view.sign.x, view.shift.x);
  const double y = gap(box.low.y, box.high.y, other.low.y, other.high.y, view.sign.y, view.shift.y);
  const double z = gap(box.low.z, box.high.z, other.low.z, other.high.z, view.sign.z, view.shift.z);
  return x * x + y * y + z * z;
}

void Selection::add(const Box& more, double h_more, std::size_t particles) noexcept {
  box = kernels::around(box, more);
  h = std::max(h, h_more);
  count += particles;
}

Selection CellView::select_group(std::size_t g) const {
  Selection selection;
  const std::size_t first = motion.groups[g];
  const std::size_t end = motion.groups[g + 1];
  if (is_all && done.empty()) {
    selection.add(motion.boxes[g], hydro.group_h[g], end - first);
    return selection;
  }
  for (std::size_t i = first; i < end; ++i) {
    if (!is_wanted(i)) continue;
    const kernels::Point at{motion.x[i], motion.y[i], motion.z[i]};
    selection.add({at, at}, hydro.h[i], 1);
  }
  return selection;
}

Selection CellView::select(std::vector<GroupSelection>& groups_with_wanted) const {
  groups_with_wanted.clear();
  const auto add = [&](std::size_t g) {
    const Selection group = select_group(g);
    if (group.count > 0) groups_with_wanted.push_back({g, group});
  };
  if (is_all) {
    for (std::size_t g = 0; g < groups(); ++g) add(g);
  } else {
    std::size_t next = 0;  // group that was not looked at
    for_each_active(data.clock, bin, [&](std::size_t i) {
      if (i < motion.groups[next]) return;
      while (motion.groups[next + 1] <= i) ++next;
      add(next++);
    });
  }
  Selection all;
  for (const auto& [g, group] : groups_with_wanted) all.add(group.box, group.h, group.count);
  return all;
}

kernels::ForceTarget target_of(const CellView& cell, std::size_t i) {
  const base::Vec3 at = place_of(cell.motion, i);
  const Hydro& hydro = cell.hydro;
  return {{at.x, at.y, at.z}, velocity_of(cell.motion, i), hydro.h[i], hydro.rho[i], hydro.omega_P[i], hydro.cs[i],
          hydro.balsara[i],   cell.data.clock.hubble};
}

kernels::SphenixTarget sphenix_target_of(const CellView& cell, std::size_t i, const kernels::ForceTarget& gas,
                                         float alpha_d) {
  return {gas, cell.motion.thermal_p[i], cell.hydro.f[i], cell.hydro.alpha_v[i], alpha_d};
}

kernels::vector::Frame frame_of(const StepData& data, std::size_t c, const Region& region) {
  constexpr double most_excess = 16.0;  // as in a cell with particles in one corner
  constexpr double excess = 4.0;
  const auto& [low, high] = region.box;
  const base::Vec3 middle{0.5 * (low.x + high.x), 0.5 * (low.y + high.y), 0.5 * (low.z + high.z)};
  const double seen = 0.5 * std::max({high.x - low.x, high.y - low.y, high.z - low.z}) + region.radius;
  const double extent = data.extent[c] > most_excess * seen ? excess * seen : data.extent[c];
  return {middle, extent, data.units.velocity, data.units.scales, data.physics.dimension};
}

void collect_motion(const StepData& data, std::size_t c, const Region& region, kernels::vector::VectorCache& cache,
                    const tasks::StepContext& step) {
  cache.restart(frame_of(data, c, region));
  const auto fill = data.loops.kernels().fill;
  for (const auto& neighbour : data.grid.neighbours(c)) {
    if (!neighbour.within_own_reach) continue;
    const particles::View view = data.grid.view(neighbour);
    if (distance2(region.box, data.bounds[neighbour.cell].box, view) >= region.radius * region.radius) continue;
    const Motion& motion = step.read(data.cells[neighbour.cell].motion);
    if (motion.gas() == 0) continue;  // without groups, all particles would be looked at
    cache.append(fill, seen(motion), image_of(view), region.box, region.radius, groups_of(motion, nullptr));
  }
  cache.seal();
}

void collect_gas(const StepData& data, std::size_t c, const Region& region, kernels::vector::VectorCache& cache,
                 const tasks::StepContext& step) {
  cache.restart(frame_of(data, c, region));
  const auto fill = data.loops.kernels().fill;
  const SphParameters& physics = data.physics;
  const bool sees_either = region.seen == Seen::either;
  for (const auto& neighbour : data.grid.neighbours(c)) {
    if (!sees_either && !neighbour.within_own_reach) continue;
    const particles::View view = data.grid.view(neighbour);
    const CellBounds& bounds = data.bounds[neighbour.cell];
    const double farthest = sees_either ? std::max(region.radius, physics.kernel_gamma * bounds.h) : region.radius;
    if (distance2(region.box, bounds.box, view) >= farthest * farthest) continue;
    const CellData& other = data.cells[neighbour.cell];
    const Motion& motion = step.read(other.motion);
    if (motion.gas() == 0) continue;
    const Hydro& hydro = step.read(other.hydro);
    GasView gas = seen(hydro, physics.kernel_gamma);
    if (physics.scheme == Scheme::sphenix) {
      add_thermal(gas, motion, hydro, sees_either ? step.read(other.gradients).alpha_d : std::span<float>{});
    }
    cache.append(fill, seen(motion), gas, image_of(view), region.box, region.radius,
                 groups_of(motion, sees_either ? hydro.group_h.data() : nullptr));
  }
  cache.seal();
}

}  // namespace tacit::sph
