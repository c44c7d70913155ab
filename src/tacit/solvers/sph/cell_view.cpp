// Selects particles and fills caches, group by group.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/sph/cell_view.hpp"

#include <algorithm>

namespace tacit::sph {
namespace {

using kernels::Box;
using kernels::vector::GasView;
using kernels::vector::Image;
using kernels::vector::MotionView;

/// Gap along an axis between [low, high] and an interval seen at sign * x + shift.
double gap(double low, double high, double other_low, double other_high, double sign, double shift) {
  const double a = sign * other_low + shift;
  const double b = sign * other_high + shift;
  return std::max({std::min(a, b) - high, low - std::max(a, b), 0.0});
}

double distance2(const Box& box, const Box& other, const particles::View& view) {
  const double x = gap(box.low.x, box.high.x, other.low.x, other.high.x, view.sign.x, view.shift.x);
  const double y = gap(box.low.y, box.high.y, other.low.y, other.high.y, view.sign.y, view.shift.y);
  const double z = gap(box.low.z, box.high.z, other.low.z, other.high.z, view.sign.z, view.shift.z);
  return x * x + y * y + z * z;
}

/// Calls append(first, count) for the runs of particles of a neighbour whose groups lie within reach of the box.
/// @param reach  of a group [length]
template <class Reach, class Append>
void for_near_groups(const Motion& motion, const Box& box, const particles::View& view, const Reach& reach,
                     const Append& append) {
  std::size_t first = 0;
  std::size_t last = 0;  // the run so far
  for (std::size_t g = 0; g + 1 < motion.groups.size(); ++g) {
    const double limit = reach(g);
    if (distance2(box, motion.boxes[g], view) >= limit * limit) continue;
    if (motion.groups[g] != last) {
      if (last > first) append(first, last - first);
      first = motion.groups[g];
    }
    last = motion.groups[g + 1];
  }
  if (last > first) append(first, last - first);
}

MotionView part(const Motion& motion, std::size_t first, std::size_t count) {
  const auto of = [first, count](const auto& field) { return field.subspan(first, count); };
  return {of(motion.x), of(motion.y), of(motion.z), of(motion.m), of(motion.vx_p), of(motion.vy_p), of(motion.vz_p)};
}

GasView part(const Hydro& hydro, double support, std::size_t first, std::size_t count) {
  const auto of = [first, count](const auto& field) { return field.subspan(first, count); };
  return {of(hydro.h), of(hydro.rho), of(hydro.omega_P), of(hydro.cs), of(hydro.balsara), support};
}

Image image_of(const particles::View& view) { return {view.sign, view.shift}; }

}  // namespace

void Selection::add(const Box& more, double h_more, std::size_t particles) noexcept {
  box.low = {std::min(box.low.x, more.low.x), std::min(box.low.y, more.low.y), std::min(box.low.z, more.low.z)};
  box.high = {std::max(box.high.x, more.high.x), std::max(box.high.y, more.high.y), std::max(box.high.z, more.high.z)};
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

Selection CellView::select_all() const {
  Selection all;
  for (std::size_t g = 0; g < groups(); ++g) {
    const Selection group = select_group(g);
    if (group.count > 0) all.add(group.box, group.h, group.count);
  }
  return all;
}

kernels::vector::Frame frame_of(const StepData& data, std::size_t c, const Box& box) {
  const base::Vec3 middle{0.5 * (box.low.x + box.high.x), 0.5 * (box.low.y + box.high.y),
                          0.5 * (box.low.z + box.high.z)};
  return {middle, data.extent[c], data.units.velocity, data.units.scales, data.physics.dimension};
}

void collect_motion(const StepData& data, std::size_t c, const Box& box, double radius,
                    kernels::vector::VectorCache& cache, const tasks::StepContext& step) {
  cache.restart(frame_of(data, c, box));
  const auto fill = data.loops.kernels().fill;
  for (const auto& neighbour : data.grid.neighbours(c)) {
    if (!neighbour.within_own_reach) continue;
    const Motion& motion = step.read(data.cells[neighbour.cell].motion);
    const particles::View view = data.grid.view(neighbour);
    for_near_groups(
        motion, box, view, [radius](std::size_t) { return radius; },
        [&](std::size_t first, std::size_t count) {
          cache.append(fill, part(motion, first, count), image_of(view), box, radius);
        });
  }
  cache.seal();
}

void collect_gas(const StepData& data, std::size_t c, const Box& box, double radius,
                 kernels::vector::VectorCache& cache, const tasks::StepContext& step) {
  cache.restart(frame_of(data, c, box));
  const auto fill = data.loops.kernels().fill;
  const double support = data.physics.kernel_gamma;
  for (const auto& neighbour : data.grid.neighbours(c)) {
    const Motion& motion = step.read(data.cells[neighbour.cell].motion);
    const Hydro& hydro = step.read(data.cells[neighbour.cell].hydro);
    const particles::View view = data.grid.view(neighbour);
    for_near_groups(
        motion, box, view, [&](std::size_t g) { return std::max(radius, support * hydro.group_h[g]); },
        [&](std::size_t first, std::size_t count) {
          cache.append(fill, part(motion, first, count), part(hydro, support, first, count), image_of(view), box,
                       radius);
        });
  }
  cache.seal();
}

}  // namespace tacit::sph
