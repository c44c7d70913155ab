// Halves boxes around particles until few are left in each.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/particles/spacing.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <span>

#include "tacit/base/error.hpp"

namespace tacit::particles {
namespace {

constexpr std::size_t enough_for_a_mean = 8;
constexpr std::size_t few = 32;

/// Some particles, and the estimate of the box that they were found in.
struct Node {
  std::span<std::uint32_t> members;
  double spacing = 0.0;
};

/// The sides of the smallest box around the members.
struct Extent {
  std::array<double, 3> lower{}, side{};
  std::size_t longest = 0;

  Extent(const Positions& positions, std::span<const std::uint32_t> members, std::size_t axes) {
    for (std::size_t axis = 0; axis < axes; ++axis) {
      double low = positions[axis][members[0]];
      double high = low;
      for (const std::uint32_t i : members) {
        low = std::min(low, positions[axis][i]);
        high = std::max(high, positions[axis][i]);
      }
      lower[axis] = low;
      side[axis] = high - low;
      if (side[axis] > side[longest]) longest = axis;
    }
  }

  [[nodiscard]] double spacing(std::size_t count, std::size_t axes) const {
    const double share = std::pow(static_cast<double>(count), -1.0 / static_cast<double>(axes));
    const double least = share * side[longest];
    double mean = share;
    for (std::size_t axis = 0; axis < axes; ++axis) {
      mean *= std::pow(std::max(side[axis], least), 1.0 / static_cast<double>(axes));
    }
    return mean;
  }
};

}  // namespace

std::vector<double> local_spacing(const Positions& positions, int dimension) {
  const std::size_t n = positions[0].size();
  const auto axes = static_cast<std::size_t>(dimension);
  TACIT_EXPECT(axes >= 1 && axes <= 3);
  std::vector<double> spacing(n, 0.0);
  std::vector<std::uint32_t> order(n);
  std::iota(order.begin(), order.end(), 0U);
  std::vector<Node> left;  // no recursion: boxes may be halved a thousand times
  if (n > 0) left.push_back({order});
  while (!left.empty()) {
    Node node = left.back();
    left.pop_back();
    const Extent extent(positions, node.members, axes);
    if (node.members.size() >= enough_for_a_mean || node.spacing == 0.0) {
      node.spacing = extent.spacing(node.members.size(), axes);
    }
    const double halfway = extent.lower[extent.longest] + 0.5 * extent.side[extent.longest];
    const auto upper = std::partition(node.members.begin(), node.members.end(),
                                      [&](std::uint32_t i) { return positions[extent.longest][i] < halfway; });
    const auto lower_count = static_cast<std::size_t>(upper - node.members.begin());
    if (node.members.size() <= few || lower_count == 0 || lower_count == node.members.size()) {
      for (const std::uint32_t i : node.members) spacing[i] = node.spacing;
      continue;
    }
    left.push_back({node.members.first(lower_count), node.spacing});
    left.push_back({node.members.subspan(lower_count), node.spacing});
  }
  return spacing;
}

}  // namespace tacit::particles
