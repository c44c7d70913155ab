// Schemes in time as lists of stages, and what the loops of a stage are told.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tacit::mesh {

/// What a stage computes of y, the state before it; numbers that are 1 or 0 cost nothing. `base` is the state at the
/// begin of the step, `prev` that before the last stage, L the rate of change; L0 is L(base), which lies in `rate`.
enum class Form : std::uint8_t {
  euler,      ///< out = y + h L(y)
  begin,      ///< the same, and rate = L(y)
  average,    ///< out = (base + y + h L(y)) / 2
  chebyshev,  ///< out = mu y + nu prev + rest base + h L(y) + h0 L0
};

struct Stage {
  Form form = Form::euler;
  double h = 1.0;  ///< of the step
  double mu = 1.0;
  double nu = 0.0;
  double rest = 0.0;
  double h0 = 0.0;  ///< of the step
};

/// Heun's scheme: the Runge-Kutta method of order 2, stable for dt |lambda| <= 2 where lambda is real.
[[nodiscard]] std::vector<Stage> rk2();
/// Runge-Kutta-Legendre scheme of order 2, stable for dt |lambda| <= (s^2 + s - 2) / 2 where lambda is real.
/// @param stages  s, odd and at least 3. With an even s a step of the longest dt would leave the shortest waves as they
///                are: the step multiplies them by 1 - b + b P_s(-1), which is 1, and 2 / (s^2 + s) with an odd s.
/// @see Meyer, Balsara & Aslam (2014), J. Comput. Phys. 257, 594
[[nodiscard]] std::vector<Stage> rkl2(std::size_t stages);
/// dt |lambda| up to which the stages of these schemes are stable.
[[nodiscard]] double stable_limit(const std::vector<Stage>& stages) noexcept;

/// What the form of a stage takes of a field in a cell, beside the rate L(y).
struct StageCost {
  double operations = 0.0;
  double bytes = 0.0;  ///< y and the others that it reads, and what it writes, once each
};
[[nodiscard]] StageCost cost_of(Form form) noexcept;

/// Cells of a block that one task computes: x runs fastest.
struct StageTile {
  std::size_t n[3] = {1, 1, 1};        ///< along x, y and z
  std::ptrdiff_t next[3] = {0, 0, 0};  ///< to the next cell; 0 along an axis that the grid does not have
  std::size_t first = 0;               ///< place of the first cell in a field
};

/// A field at a stage, from the first cell of the tile on. @pre `out` is none of the others, but `prev`, or `base`
/// without it
struct StageFields {
  const double* y = nullptr;
  const double* prev = nullptr;
  const double* base = nullptr;
  double* rate = nullptr;
  double* out = nullptr;
};

}  // namespace tacit::mesh
