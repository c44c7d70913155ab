// Keeps the steps of neighbours within a factor of two of each other.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>

#include "tacit/solvers/sph/cell_view.hpp"
#include "tacit/solvers/sph/integrate.hpp"
#include "tacit/solvers/sph/pair_tasks.hpp"

namespace tacit::sph {
namespace {

/// Whether the neighbour has new steps that are too short for the cell's longest.
bool is_too_quick(const StepData& data, const CellReport& neighbour, const CellReport& cell) {
  return neighbour.active_at == data.clock.now &&
         neighbour.lowest_active_bin + most_bins_above_neighbour < cell.highest_bin;
}

/// The particles of a neighbour.
struct Quick {
  const Motion& motion;
  const Hydro& hydro;
  std::span<const std::uint8_t> bin;
  particles::View view;
  std::uint8_t active;  ///< bins up to this are new

  [[nodiscard]] kernels::Point seen_at(std::size_t j) const {
    return {view.sign.x * motion.x[j] + view.shift.x, view.sign.y * motion.y[j] + view.shift.y,
            view.sign.z * motion.z[j] + view.shift.z};
  }
  /// The lowest new bin in group k; last_bin without any.
  [[nodiscard]] std::uint8_t lowest_of(std::size_t k) const {
    std::uint8_t lowest = TimeLine::last_bin;
    for (std::size_t j = motion.groups[k]; j < motion.groups[k + 1]; ++j) {
      if (bin[j] <= active) lowest = std::min(lowest, bin[j]);
    }
    return lowest;
  }
};

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

  /// Group g by a neighbour in `bin` at a place.
  void lower(std::size_t g, const kernels::Point& at, double H, std::uint8_t bin) const {
    const auto most = static_cast<std::uint8_t>(bin + most_bins_above_neighbour);
    const double far = std::max(H, support * hydro.group_h[g]);
    if (highest[g] <= most || motion.boxes[g].distance2(at.x, at.y, at.z) >= far * far) return;
    for (std::size_t i = motion.groups[g]; i < motion.groups[g + 1]; ++i) {
      if (limit[i] <= most) continue;
      const base::Vec3 d{motion.x[i] - at.x, motion.y[i] - at.y, motion.z[i] - at.z};
      const double reach = std::max(H, support * hydro.h[i]);
      if (dot(d, d) < reach * reach) limit[i] = most;
    }
    find_highest(g);
  }

  /// All groups by those of a neighbour.
  void lower_by(const Quick& quick) const {
    for (std::size_t k = 0; k + 1 < quick.motion.groups.size(); ++k) {
      const int most = quick.lowest_of(k) + most_bins_above_neighbour;
      for (std::size_t g = 0; g < highest.size(); ++g) {
        if (highest[g] <= most) continue;
        const double far = support * std::max(hydro.group_h[g], quick.hydro.group_h[k]);
        if (distance2(motion.boxes[g], quick.motion.boxes[k], quick.view) >= far * far) continue;
        for (std::size_t j = quick.motion.groups[k]; j < quick.motion.groups[k + 1]; ++j) {
          if (quick.bin[j] <= quick.active) lower(g, quick.seen_at(j), support * quick.hydro.h[j], quick.bin[j]);
        }
      }
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
  for (const auto& neighbour : data.grid.neighbours(c)) {
    if (!is_too_quick(data, data.reports[neighbour.cell], data.reports[c])) continue;
    const CellData& other = data.cells[neighbour.cell];
    cell.lower_by({step.read(other.motion), step.read(other.hydro), step.read(other.integrated).bin,
                   data.grid.view(neighbour), data.clock.active});
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
  report_bins(state, report);
  report_motion(state, step.read(data.cells[c].motion), forces, report);
}

}  // namespace tacit::sph
