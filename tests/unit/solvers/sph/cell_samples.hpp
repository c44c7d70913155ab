// One cell's particles with all views of them, for tests of what its tasks do.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "samples.hpp"
#include "tacit/solvers/sph/cell_data.hpp"

namespace tacit::sph::testing {

enum class Steps : std::uint8_t { common, own };

/// That all fields have the same bits.
inline void expect_same(const Gas& a, const Gas& b) {
  std::vector<std::vector<double>> wanted;
  for_each_field(a, [&](std::string_view, const auto& array) { wanted.emplace_back(array.begin(), array.end()); });
  std::size_t field = 0;
  for_each_field(b, [&](std::string_view name, const auto& array) {
    EXPECT_EQ(wanted[field++], std::vector<double>(array.begin(), array.end())) << name;
  });
}

/// n particles with IDs from 1, all else 0, in groups that begin where `groups` says.
struct OneCell {
  explicit OneCell(std::size_t n, std::vector<std::uint32_t> group_begins = {0}, Steps steps = Steps::common)
      : groups(std::move(group_begins)) {
    gas.has_own_steps = steps == Steps::own;
    for_each_field(gas, [n](std::string_view /*name*/, auto& array) { array.resize(n); });
    for (std::size_t i = 0; i < n; ++i) gas.id.push_back(i + 1);
    if (n == 0) groups.clear();
    groups.push_back(static_cast<std::uint32_t>(n));
    sides.resize(GroupBoxes::room_for(groups.size() - 1));
    boxes = {{sides.data(), GroupBoxes::stride_for(groups.size() - 1)}};
    group_h.resize(groups.size() - 1);
    limits.resize(n);
    bind();
  }
  OneCell(const OneCell&) = delete;
  OneCell& operator=(const OneCell&) = delete;

  /// Again after `gas` was replaced by another of n particles.
  void bind() { data.bind(gas, {0, gas.size()}, groups, boxes, group_h, limits); }

  [[nodiscard]] const Motion& motion() const { return no_task.read(data.motion); }
  [[nodiscard]] const Integrated& integrated() const { return no_task.read(data.integrated); }
  [[nodiscard]] const Hydro& hydro() const { return no_task.read(data.hydro); }
  [[nodiscard]] const Gradients& gradients() const { return no_task.read(data.gradients); }
  [[nodiscard]] const Forces& forces() const { return no_task.read(data.forces); }

  tasks::StepContext no_task;  ///< may look at everything
  Gas gas;
  std::vector<std::uint32_t> groups;
  std::vector<double> sides;
  GroupBoxes boxes;
  std::vector<double> group_h;
  std::vector<std::uint8_t> limits;
  CellData data;
};

/// The clock at `now` ticks of a time line that begins at 0.
inline StepClock clock_at(std::int64_t now, double tick) {
  StepClock clock;
  clock.is_common = false;
  clock.line = TimeLine::restored(0.0, tick);
  clock.go_to(now);
  return clock;
}

}  // namespace tacit::sph::testing
