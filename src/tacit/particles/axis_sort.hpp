// The 13 axes along which a cell may touch another, and orders of particles along them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tacit/base/vec3.hpp"

namespace tacit::particles {

/// Steps of -1, 0 or 1 along x, y and z: where a cell lies, seen from one beside it.
using Steps = std::array<int, 3>;

/// One of the axes through the faces, edges and corners of a cell; both of its directions share it.
struct Axis {
  static constexpr std::size_t count = 13;
  std::uint8_t index = 0;  ///< 0 .. count - 1
  float sign = 1.0F;       ///< -1 where the steps go against the axis
};

/// The axis of these steps, which are not all 0.
[[nodiscard]] Axis axis_of(const Steps& steps) noexcept;
/// The unit vector along an axis.
[[nodiscard]] base::Vec3 direction_of(std::size_t axis) noexcept;

/// Numbers in rising order, and whose they are.
struct SortedKeys {
  std::span<float> keys;
  std::span<std::uint32_t> order;
};

/// Sorts numbers from nothing; equal ones stay in their order. What is not a number goes anywhere.
///
/// @param values  shape (N)
/// @param sorted  shape (N), written
/// @param begins  scratch that only grows
/// Cost: O(N) where numbers are spread evenly, some 5 ns each; O(N^2) where nearly all are close together.
void sort_keys(std::span<const float> values, const SortedKeys& sorted, std::vector<std::uint32_t>& begins);

/// Takes new numbers for particles that were sorted, and puts them right by insertion.
///
/// Cost: O(N + number of pairs that changed their order).
void resort_keys(std::span<const float> values, const SortedKeys& sorted) noexcept;

}  // namespace tacit::particles
