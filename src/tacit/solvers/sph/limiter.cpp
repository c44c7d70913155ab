// Keeps the steps of neighbours within a factor of two of each other.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>

#include "tacit/solvers/sph/integrate.hpp"
#include "tacit/solvers/sph/pair_tasks.hpp"

namespace tacit::sph {
namespace {

/// Whether the neighbour has new steps that are too short for the cell's longest.
bool is_too_quick(const StepData& data, const CellReport& neighbour, const CellReport& cell) {
  return neighbour.active_at == data.clock.now &&
         neighbour.lowest_active_bin + most_bins_above_neighbour < cell.highest_bin;
}

kernels::Point seen_at(const Motion& motion, std::size_t j, const particles::View& view) {
  return {view.sign.x * motion.x[j] + view.shift.x, view.sign.y * motion.y[j] + view.shift.y,
          view.sign.z * motion.z[j] + view.shift.z};
}

/// One cell, whose limits are lowered from the particles' own bins.
struct Limited {
  const Motion& motion;
  const Hydro& hydro;
  std::span<std::uint8_t> limit;
  std::span<std::uint8_t> highest;  ///< limit in each group
  double support;

  void find_highest(std::size_t g) const {
    const std::size_t first = motion.groups[g];
    highest[g] = std::ranges::max(limit.subspan(first, motion.groups[g + 1] - first));
  }

  /// By a neighbour in `bin` at a place.
  void lower(const kernels::Point& at, double H, std::uint8_t bin) const {
    const auto most = static_cast<std::uint8_t>(bin + most_bins_above_neighbour);
    for (std::size_t g = 0; g < highest.size(); ++g) {
      if (highest[g] <= most) continue;
      const double far = std::max(H, support * hydro.group_h[g]);
      if (motion.boxes[g].distance2(at.x, at.y, at.z) >= far * far) continue;
      for (std::size_t i = motion.groups[g]; i < motion.groups[g + 1]; ++i) {
        if (limit[i] <= most) continue;
        const base::Vec3 d{motion.x[i] - at.x, motion.y[i] - at.y, motion.z[i] - at.z};
        const double reach = std::max(H, support * hydro.h[i]);
        if (dot(d, d) < reach * reach) limit[i] = most;
      }
      find_highest(g);
    }
  }
};

}  // namespace

bool may_need_limit(const StepData& data, std::size_t c) {
  return std::ranges::any_of(data.grid.neighbours(c), [&](const particles::Neighbour& neighbour) {
    return is_too_quick(data, data.reports[neighbour.cell], data.reports[c]);
  });
}

void limit_bins(const StepData& data, std::size_t c, const tasks::StepContext& step) {
  const double support = data.physics.kernel_gamma;
  const auto& limit = step.write(data.cells[c].limits);
  std::ranges::copy(step.read(data.cells[c].integrated).bin, limit.begin());
  const Motion& own = step.read(data.cells[c].motion);
  auto& highest_of_groups = data.scratch[step.worker()].highest_bin;
  highest_of_groups.resize(own.groups.size() - 1);
  const Limited cell{own, step.read(data.cells[c].hydro), limit, highest_of_groups, support};
  for (std::size_t g = 0; g < highest_of_groups.size(); ++g) cell.find_highest(g);
  const std::uint8_t highest = data.reports[c].highest_bin;
  for (const auto& neighbour : data.grid.neighbours(c)) {
    if (!is_too_quick(data, data.reports[neighbour.cell], data.reports[c])) continue;
    const CellData& other = data.cells[neighbour.cell];
    const Motion& motion = step.read(other.motion);
    const Hydro& hydro = step.read(other.hydro);
    const auto& bin = step.read(other.integrated).bin;
    const particles::View view = data.grid.view(neighbour);
    for (std::size_t j = 0; j < bin.size(); ++j) {
      const bool is_new = bin[j] <= data.clock.active;
      if (!is_new || bin[j] + most_bins_above_neighbour >= highest) continue;
      cell.lower(seen_at(motion, j, view), support * hydro.h[j], bin[j]);
    }
  }
}

void wake(const StepData& data, std::size_t c, const tasks::StepContext& step) {
  const auto& limit = step.read(data.cells[c].limits);
  const Integrated& state = step.write(data.cells[c].integrated);
  const Forces& forces = step.read(data.cells[c].forces);
  CellReport& report = data.reports[c];
  for (std::size_t i = 0; i < state.bin.size(); ++i) {
    if (state.bin[i] > limit[i]) change_bin(state, forces, i, limit[i], data.clock);
  }
  const auto [lowest, highest] = std::ranges::minmax(state.bin);
  report.lowest_bin = lowest;
  report.highest_bin = highest;
  report_motion(state, step.read(data.cells[c].motion), forces, report);
}

}  // namespace tacit::sph
