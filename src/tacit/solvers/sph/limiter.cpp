// Keeps the steps of neighbours within a factor of two of each other.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>

#include "tacit/solvers/sph/cell_view.hpp"
#include "tacit/solvers/sph/integrate.hpp"
#include "tacit/solvers/sph/pair_tasks.hpp"

namespace tacit::sph {
namespace {

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
  std::span<CellBounds> slow;       ///< around those particles of each group that any neighbour may wake
  double support;

  void find_highest(std::size_t g) const {
    const std::size_t first = motion.groups[g];
    highest[g] = std::ranges::max(limit.subspan(first, motion.groups[g + 1] - first));
  }
  /// @param most  the lowest limit that any neighbour sets
  void find_slow(std::size_t g, int most) const {
    slow[g] = {kernels::empty_box, 0.0};
    for (std::size_t i = motion.groups[g]; i < motion.groups[g + 1]; ++i) {
      if (limit[i] <= most) continue;
      const kernels::Point at{motion.x[i], motion.y[i], motion.z[i]};
      slow[g].box = around(slow[g].box, {at, at});
      slow[g].h = std::max(slow[g].h, hydro.h[i]);
    }
  }

  /// Group g by a neighbour in `bin` at a place.
  void lower(std::size_t g, const kernels::Point& at, double H, std::uint8_t bin) const {
    const auto most = static_cast<std::uint8_t>(bin + most_bins_above_neighbour);
    const double far = std::max(H, support * slow[g].h);
    if (highest[g] <= most || slow[g].box.distance2(at.x, at.y, at.z) >= far * far) return;
    for (std::size_t i = motion.groups[g]; i < motion.groups[g + 1]; ++i) {
      if (limit[i] <= most) continue;
      const base::Vec3 d{motion.x[i] - at.x, motion.y[i] - at.y, motion.z[i] - at.z};
      const double reach = std::max(H, support * hydro.h[i]);
      if (dot(d, d) < reach * reach) limit[i] = most;
    }
    find_highest(g);
  }

  /// All groups by those of a neighbour.
  /// @param new_ones  around its particles with new steps
  /// @param lowest    of their bins
  /// @param near      room for the numbers of groups
  void lower_by(const Quick& quick, const CellBounds& new_ones, std::uint8_t lowest,
                std::vector<std::uint32_t>& near) const {
    near.clear();
    for (std::uint32_t g = 0; g < highest.size(); ++g) {
      if (highest[g] <= lowest + most_bins_above_neighbour) continue;
      const double far = support * std::max(slow[g].h, new_ones.h);
      if (distance2(slow[g].box, new_ones.box, quick.view) < far * far) near.push_back(g);
    }
    if (near.empty()) return;
    for (std::size_t k = 0; k + 1 < quick.motion.groups.size(); ++k) {
      const std::uint8_t lowest_here = quick.lowest_of(k);
      if (lowest_here == TimeLine::last_bin) continue;
      for (const std::uint32_t g : near) {
        if (highest[g] <= lowest_here + most_bins_above_neighbour) continue;
        const double far = support * std::max(slow[g].h, quick.hydro.group_h[k]);
        if (distance2(slow[g].box, quick.motion.boxes[k], quick.view) >= far * far) continue;
        for (std::size_t j = quick.motion.groups[k]; j < quick.motion.groups[k + 1]; ++j) {
          if (quick.bin[j] <= quick.active) lower(g, quick.seen_at(j), support * quick.hydro.h[j], quick.bin[j]);
        }
      }
    }
  }
};

/// Around the particles of a cell that have new steps; of a copy, around all of them.
const CellBounds& new_ones(const StepData& data, std::size_t c) {
  return c < data.grid.cells() ? data.reports[c].active : data.bounds[c];
}

}  // namespace

bool is_too_quick(const StepData& data, const CellReport& neighbour, const CellReport& cell) {
  return neighbour.active_at == data.clock.now &&
         neighbour.lowest_active_bin + most_bins_above_neighbour < cell.highest_gas_bin;
}

bool may_limit(const StepData& data, std::size_t quick, const particles::Neighbour& neighbour) {
  const CellReport& slow = data.reports[neighbour.cell];
  // Nobody who is active sees a cell that was not drifted, nor is seen from there.
  if (!is_too_quick(data, data.reports[quick], slow) || slow.drifted_to != data.clock.now) return false;
  const CellBounds& from = data.reports[quick].active;
  const CellBounds& to = data.bounds[neighbour.cell];
  const double far = data.physics.kernel_gamma * std::max(from.h, to.h);
  return distance2(from.box, to.box, data.grid.view(neighbour)) < far * far;
}

void limit_bins(const StepData& data, std::size_t c, const tasks::StepContext& step) {
  const double support = data.physics.kernel_gamma;
  const auto& limit = step.write(data.cells[c].limits);
  std::ranges::copy(step.read(data.cells[c].integrated).bin, limit.begin());
  const Motion& own = step.read(data.cells[c].motion);
  Scratch& scratch = data.scratch[step.worker()];
  scratch.highest_bin.resize(own.groups.size() - 1);
  scratch.slow.resize(scratch.highest_bin.size());
  const Limited cell{own, step.read(data.cells[c].hydro), limit, scratch.highest_bin, scratch.slow, support};
  int most = TimeLine::last_bin;
  for (const auto& neighbour : data.grid.neighbours(c)) {
    const CellReport& report = data.reports[neighbour.cell];
    if (is_too_quick(data, report, data.reports[c])) {
      most = std::min<int>(most, report.lowest_active_bin + most_bins_above_neighbour);
    }
  }
  for (std::size_t g = 0; g < cell.highest.size(); ++g) {
    cell.find_highest(g);
    cell.find_slow(g, most);
  }
  for (const auto& neighbour : data.grid.neighbours(c)) {
    if (!is_too_quick(data, data.reports[neighbour.cell], data.reports[c])) continue;
    const CellData& other = data.cells[neighbour.cell];
    cell.lower_by({step.read(other.motion), step.read(other.hydro), step.read(other.integrated).bin,
                   data.grid.view(neighbour), data.clock.active},
                  new_ones(data, neighbour.cell), data.reports[neighbour.cell].lowest_active_bin, scratch.near);
  }
}

void wake(const StepData& data, std::size_t c, const tasks::StepContext& step) {
  const auto& limit = step.read(data.cells[c].limits);
  const Integrated& state = step.write(data.cells[c].integrated);
  const Forces& forces = step.write(data.cells[c].forces);
  const Hydro& hydro = step.read(data.cells[c].hydro);
  CellReport& report = data.reports[c];
  bool is_woken = false;
  for (std::size_t i = 0; i < state.bin.size(); ++i) {
    if (state.bin[i] <= limit[i]) continue;
    is_woken = true;
    change_bin(state, hydro, forces, i, limit[i], data.physics, data.grid.domain(), data.clock);
  }
  if (!is_woken) return;
  report.woken_at = data.clock.now;
  const Motion& motion = step.read(data.cells[c].motion);
  report_bins(state, motion.gas(), report);
  report_motion(state, motion, forces, report);
}

}  // namespace tacit::sph
