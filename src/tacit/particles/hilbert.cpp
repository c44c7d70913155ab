// Hilbert's curve by exchanging and inverting bits of coordinates.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/particles/hilbert.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <span>
#include <utility>

namespace tacit::particles {
namespace {

/// How far along the curve a box of a cube of 2^bits boxes along each axis lies.
std::uint64_t distance_along(std::array<std::uint32_t, 3> at, std::size_t axes, unsigned bits) {
  const auto x = std::span(at).first(axes);
  // From the largest halves to the smallest: undoes how the curve is turned in each.
  for (unsigned bit = bits; bit-- > 1;) {
    const std::uint32_t below = (1U << bit) - 1;
    for (std::uint32_t& along : x) {
      if ((along >> bit & 1U) != 0) {
        x[0] ^= below;
      } else {
        const std::uint32_t differing = (x[0] ^ along) & below;
        x[0] ^= differing;
        along ^= differing;
      }
    }
  }
  for (std::size_t axis = 1; axis < axes; ++axis) x[axis] ^= x[axis - 1];
  std::uint32_t inverted = 0;
  for (unsigned bit = bits; bit-- > 1;) {
    if ((x[axes - 1] >> bit & 1U) != 0) inverted ^= (1U << bit) - 1;
  }
  std::uint64_t distance = 0;
  for (unsigned bit = bits; bit-- > 0;) {
    for (const std::uint32_t along : x) distance = 2 * distance + ((along ^ inverted) >> bit & 1U);
  }
  return distance;
}

}  // namespace

std::vector<std::uint32_t> hilbert_order(const std::array<int, 3>& shape, std::size_t axes) {
  const std::size_t boxes = std::size_t{1} * static_cast<std::size_t>(shape[0]) * static_cast<std::size_t>(shape[1]) *
                            static_cast<std::size_t>(shape[2]);
  std::vector<std::uint32_t> order(boxes);
  std::iota(order.begin(), order.end(), 0U);
  if (axes == 1) return order;
  const auto longest = static_cast<std::uint32_t>(std::ranges::max(shape));
  const auto bits = static_cast<unsigned>(std::bit_width(longest - 1));
  std::vector<std::pair<std::uint64_t, std::uint32_t>> by_distance;
  by_distance.reserve(boxes);
  std::array<std::uint32_t, 3> at{};
  for (const std::uint32_t box : order) {
    const auto n1 = static_cast<std::uint32_t>(shape[1]);
    const auto n2 = static_cast<std::uint32_t>(shape[2]);
    at = {box / (n1 * n2), box / n2 % n1, box % n2};
    by_distance.emplace_back(distance_along(at, axes, bits), box);
  }
  std::ranges::sort(by_distance);
  std::ranges::transform(by_distance, order.begin(), [](const auto& entry) { return entry.second; });
  return order;
}

}  // namespace tacit::particles
