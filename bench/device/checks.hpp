// Launches that end before the next begins, and what is compared.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tacit/base/error.hpp"
#include "tacit/base/random.hpp"
#include "tacit/gpu/slots.hpp"

namespace tacit::device_run {

/// Numbers whose bits have been compared.
struct Check {
  std::string name;
  std::size_t compared = 0;
  std::size_t different = 0;

  void compare(std::span<const double> got, std::span<const double> expected) {
    for (std::size_t i = 0; i < expected.size(); ++i) {
      ++compared;
      different += std::memcmp(&got[i], &expected[i], sizeof(double)) == 0 ? 0 : 1;
    }
  }
};

/// A figure.
struct Figure {
  std::string name;
  double value = 0.0;
  std::string unit;
};

/// Waits for so many ends. @throws base::Error that says which launch has failed, and why
inline void wait_for(gpu::Slots& slots, std::size_t count) {
  std::array<base::Completion, 64> some;
  while (count > 0) {
    const std::size_t got = slots.poll(std::span(some).first(std::min(some.size(), count)));
    for (std::size_t i = 0; i < got; ++i) {
      if (some[i].error != 0) throw base::Error(slots.explain(some[i]));
    }
    count -= got;
  }
}

/// Launches, and waits for the end.
template <class Record>
void launch(gpu::Slots& slots, gpu::LaunchKind kind, const gpu::Need& need, const Record& record) {
  auto one = slots.acquire(kind, need);
  if (!one) throw base::Error("a slot has too little memory for a launch");
  one.post(base::Token{1}, record);
  wait_for(slots, 1);
}

inline std::vector<double> random_numbers(std::size_t count, std::uint64_t seed, double low, double high) {
  std::vector<double> numbers(count);
  for (std::size_t i = 0; i < count; ++i) numbers[i] = low + (high - low) * base::uniform(seed, i, 1);
  return numbers;
}

/// Stages of heat: both forms of the diffusivity, all forms of stages, tiles of many sizes.
[[nodiscard]] Check check_heat(gpu::Slots& slots, bool is_short);
/// Stages of gas: all limiters and Riemann solvers, one to three dimensions, sub-grids of 8 and 16, all kinds of sides.
[[nodiscard]] Check check_gas(gpu::Slots& slots, bool is_short);
/// What launches take, and how many cells of gas a second are advanced.
[[nodiscard]] std::vector<Figure> measure_speed(gpu::Slots& slots, bool is_short);

}  // namespace tacit::device_run
