// The loops of a stage over the cells of a tile, and the coefficients of the schemes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tacit::heat::kernels {

/// What a stage computes of y, the temperature before it; numbers that are 1 or 0 cost nothing. L0 is L(T) at the
/// begin of the step, which lies in `rate`.
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

/// Heun's scheme: L(T) by the Runge-Kutta method of order 2, stable for dt |lambda| <= 2.
[[nodiscard]] std::vector<Stage> rk2();
/// Runge-Kutta-Legendre scheme of order 2, stable for dt |lambda| <= (s^2 + s - 2) / 2.
/// @param stages  s, odd and at least 3. With an even s a step of the longest dt would leave the shortest waves as they
///                are: the step multiplies them by 1 - b + b P_s(-1), which is 1, and 2 / (s^2 + s) with an odd s.
/// @see Meyer, Balsara & Aslam (2014), J. Comput. Phys. 257, 594
[[nodiscard]] std::vector<Stage> rkl2(std::size_t stages);
/// dt |lambda| up to which the stages are stable.
[[nodiscard]] double stable_limit(const std::vector<Stage>& stages) noexcept;

/// Cells of a block: x runs fastest.
struct Tile {
  std::size_t n[3] = {1, 1, 1};        ///< along x, y and z
  std::ptrdiff_t next[3] = {0, 0, 0};  ///< to the next cell; 0 along an axis that the grid does not have
};

/// L(T) = div(kappa grad T) + S. Where `source` is null kappa and S are constant.
struct Diffusion {
  double weight[3] = {};           ///< kappa / dx^2 [1/time]; 0 along an axis that the grid does not have
  double constant_source = 0.0;    ///< S [temperature / time]
  const double* face[3] = {};      ///< kappa / dx^2 at the face below each cell
  const double* source = nullptr;  ///< S of each cell
};

/// Fields from the first cell of the tile on. @pre `out` is none of the others, but `prev`, or `base` without it
struct Fields {
  const double* y = nullptr;
  const double* prev = nullptr;
  const double* base = nullptr;
  double* rate = nullptr;
  double* out = nullptr;
};

/// The loops of one instruction set. Every cell is computed alone, by the same formula at the ends of rows and without
/// contraction, so that all sets and all divisions into tiles give bitwise identical results.
struct Loops {
  /// A stage over a tile. @param dt  of the step [time]
  /// Cost: 13 operations and at best 16 (euler) to 40 bytes (chebyshev) per cell, where kappa is constant.
  void (*advance)(const Tile&, const Diffusion&, const Stage&, double dt, const Fields&);
};

template <class Isa>
[[nodiscard]] Loops loops_of() noexcept;

}  // namespace tacit::heat::kernels
