// A kernel of two phases for tests, its plain loop, and a launch of it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "tacit/base/random.hpp"
#include "tacit/gpu/slots.hpp"

namespace tacit::gpu::testing {

/// In each block of numbers: y_i = by x_i, and then z_i = y_i - y_j / 3 with j on the other side of the block. Without
/// the end of the first phase, the second reads what is not there yet.
struct Mirror {
  static constexpr std::string_view name = "mirror";
  static constexpr std::size_t block_size = 16;
  double by = 1.0;
  const double* x = nullptr;
  double* y = nullptr;
  double* z = nullptr;
  std::size_t n = 0;

  template <class Team>
  TACIT_HOST_DEVICE void operator()(Team& team, std::size_t block) const {
    const std::size_t first = block * block_size;
    const std::size_t count = n - first < block_size ? n - first : block_size;
    team.each(count, [&](std::size_t i) { y[first + i] = by * x[first + i]; });
    team.each(count, [&](std::size_t i) { z[first + i] = y[first + i] - y[first + count - 1 - i] / 3.0; });
  }
  static std::size_t blocks(std::size_t n) { return (n + block_size - 1) / block_size; }
};

inline void mirror_plainly(double by, std::span<const double> x, std::span<double> z) {
  for (std::size_t first = 0; first < x.size(); first += Mirror::block_size) {
    const std::size_t count = std::min(Mirror::block_size, x.size() - first);
    for (std::size_t i = 0; i < count; ++i) z[first + i] = by * x[first + i] - by * x[first + count - 1 - i] / 3.0;
  }
}

inline std::vector<double> random_numbers(std::size_t n, std::uint64_t seed) {
  std::vector<double> x;
  for (std::uint64_t i = 0; i < n; ++i) x.push_back(base::uniform(seed, i, 7) - 0.5);
  return x;
}

inline Need need_of(std::size_t n) {
  return {.memory_bytes = 3 * aligned_bytes(n * sizeof(double)), .work = static_cast<double>(n)};
}

/// Copies x to the device and z back.
inline void record_mirror(Program& on, double by, std::span<const double> x, std::span<double> z) {
  const std::size_t n = x.size();
  const double* const at = on.copy_in(x);
  auto* const y = on.memory<double>(n);
  auto* const result = on.memory<double>(n);
  on.run(Mirror{by, at, y, result, n}, Mirror::blocks(n));
  on.copy_out(result, z);
}

/// A problem whose result is known.
struct Problem {
  std::vector<double> x;
  std::vector<double> z;
  std::vector<double> expected;
  double by = 1.0;

  Problem(std::size_t n, std::uint64_t seed)
      : x(random_numbers(n, seed)), z(n, -1.0), expected(n), by(base::uniform(seed, n, 3)) {
    mirror_plainly(by, x, expected);
  }
  [[nodiscard]] auto record() {
    return [this](Program& on) { record_mirror(on, by, x, z); };
  }
  void compute() { mirror_plainly(by, x, z); }
  [[nodiscard]] bool is_solved() const { return z == expected; }
};

}  // namespace tacit::gpu::testing
