// Sorts particles along axes.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/particles/axis_sort.hpp"

#include <algorithm>
#include <cmath>

#include "tacit/base/error.hpp"

namespace tacit::particles {
namespace {

/// Steps as a number of three digits from 0 to 2; those of opposite steps add up to 26.
constexpr int code_of(const Steps& steps) noexcept { return 9 * steps[0] + 3 * steps[1] + steps[2] + 13; }
constexpr int middle = 13;

/// Moves each number to its place among those before it.
void insert_all(const SortedKeys& sorted) noexcept {
  for (std::size_t k = 1; k < sorted.keys.size(); ++k) {
    const float key = sorted.keys[k];
    const std::uint32_t who = sorted.order[k];
    std::size_t to = k;
    for (; to > 0 && sorted.keys[to - 1] > key; --to) {
      sorted.keys[to] = sorted.keys[to - 1];
      sorted.order[to] = sorted.order[to - 1];
    }
    sorted.keys[to] = key;
    sorted.order[to] = who;
  }
}

/// Equal intervals between the smallest and the largest number, about one for each.
struct Intervals {
  float low = 0.0F;
  float per_width = 0.0F;
  std::size_t last;

  explicit Intervals(std::span<const float> values) noexcept : last(values.size() - 1) {
    low = values[0];
    float high = values[0];
    for (const float value : values) {
      low = std::min(low, value);
      high = std::max(high, value);
    }
    if (high > low) per_width = static_cast<float>(last) / (high - low);
  }
  [[nodiscard]] std::size_t operator()(float value) const noexcept {
    const float place = (value - low) * per_width;
    return place > 0.0F ? std::min(static_cast<std::size_t>(std::min(place, 1e9F)), last) : 0;  // no number: 0
  }
};

}  // namespace

Axis axis_of(const Steps& steps) noexcept {
  const int code = code_of(steps);
  TACIT_EXPECT(code != middle);
  if (code > middle) return {static_cast<std::uint8_t>(code - middle - 1), 1.0F};
  return {static_cast<std::uint8_t>(middle - code - 1), -1.0F};
}

base::Vec3 direction_of(std::size_t axis) noexcept {
  const int code = static_cast<int>(axis) + middle + 1;
  const auto step = [](int digit) { return static_cast<double>(digit - 1); };
  const base::Vec3 along{step(code / 9), step(code / 3 % 3), step(code % 3)};
  return (1.0 / norm(along)) * along;
}

void sort_keys(std::span<const float> values, const SortedKeys& sorted, std::vector<std::uint32_t>& begins) {
  if (values.empty()) return;
  const Intervals interval(values);
  begins.assign(values.size() + 1, 0);
  for (const float value : values) ++begins[interval(value) + 1];
  for (std::size_t k = 1; k < begins.size(); ++k) begins[k] += begins[k - 1];
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::uint32_t to = begins[interval(values[i])]++;
    sorted.keys[to] = values[i];
    sorted.order[to] = static_cast<std::uint32_t>(i);
  }
  insert_all(sorted);
}

void resort_keys(std::span<const float> values, const SortedKeys& sorted) noexcept {
  for (std::size_t k = 0; k < sorted.order.size(); ++k) sorted.keys[k] = values[sorted.order[k]];
  insert_all(sorted);
}

}  // namespace tacit::particles
