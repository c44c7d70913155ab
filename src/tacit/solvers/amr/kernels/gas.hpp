// The loops over the cells of a sub-grid: primitive variables, fluxes along pencils, the sum of a stage.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "tacit/gpu/macros.hpp"

namespace tacit::amr::kernels {

/// Of the conserved variables: density, momentum along x, y and z, energy. The primitive ones, density, velocity and
/// pressure, stand in the same places.
inline constexpr std::size_t variables = 5;
/// Kinds of gas that may be told apart.
inline constexpr std::size_t most_species = 8;
/// Of all that may be stored of a cell.
inline constexpr std::size_t most_fields = variables + 1 + most_species;

/// What is stored of each cell: the conserved variables, and behind them what a run asks for.
struct Fields {
  bool has_internal_energy = false;  ///< internal energy by an equation of its own (dual energy)
  std::size_t species = 0;           ///< densities of these; their sum is the density, but for rounding
  [[nodiscard]] constexpr std::size_t count() const noexcept { return first_species() + species; }
  /// Place of the internal energy, where there is one.
  [[nodiscard]] static constexpr std::size_t internal_energy() noexcept { return variables; }
  [[nodiscard]] constexpr std::size_t first_species() const noexcept {
    return variables + (has_internal_energy ? 1 : 0);
  }
  friend bool operator==(const Fields&, const Fields&) = default;
};
/// Ghost cells that the linear reconstruction asks for on each side.
inline constexpr std::size_t ghosts = 2;

/// Slope of a cell from the differences to both neighbours, 0 where they have different signs.
enum class Limiter : std::uint8_t {
  minmod,               ///< the smaller one
  van_leer,             ///< their harmonic mean
  monotonised_central,  ///< the mean, but at most twice either of them
};
enum class Riemann : std::uint8_t { hll, hllc };

/// One number of each variable, apart from each other by `next` numbers.
template <class Number>
struct Variables {
  Number* first = nullptr;
  std::size_t next = 0;
  [[nodiscard]] TACIT_HOST_DEVICE Number* of(std::size_t variable) const noexcept { return first + variable * next; }
};

/// Pencils of cells along an axis, side by side. In memory cells that are next to each other along the axis are `lanes`
/// apart, so that loops over the lanes are contiguous whatever the axis is.
struct Pencils {
  std::size_t cells = 0;  ///< along the axis, without ghosts
  std::size_t lanes = 0;
  std::size_t axis = 0;               ///< that the pencils follow: which velocity is normal to the faces
  double scale = 0.0;                 ///< 1 / dx [1/length]
  Variables<const double> primitive;  ///< shape (cells + 2 ghosts, lanes)
  Variables<double> rate;             ///< shape (cells, lanes): (F_low - F_high) / dx of each cell
  Variables<double> low = {};         ///< shape (lanes): the flux through the first faces; null: it is not wanted
  Variables<double> high = {};        ///< and through the last ones
  double* mass = nullptr;             ///< shape (cells + 1, lanes): mass through all faces; null: it is not wanted
};

/// A stage of a Runge-Kutta scheme of order 2 (Heun) or 3, which keep what is bounded bounded (Shu & Osher 1988).
enum class Stage : std::uint8_t {
  first,            ///< out = U + dt L(U)
  second,           ///< out = (base + U + dt L(U)) / 2
  second_of_three,  ///< out = (3 base + U + dt L(U)) / 4
  third_of_three,   ///< out = (base + 2 (U + dt L(U))) / 3
};

/// Of all cells of a sub-grid; `out` may be `base`.
struct Update {
  std::size_t cells = 0;
  Variables<const double> U;
  Variables<const double> base;  ///< of the begin of the step
  Variables<const double> rate;
  Variables<double> out;
  double dt = 0.0;
  std::size_t fields = variables;  ///< that are advanced
};

/// What a sub-grid looks like.
struct Condition {
  bool is_valid = true;  ///< density and pressure of all cells are positive and finite, energies finite
  double fastest = 0.0;  ///< the largest sum over the axes of (|v| + c) / dx [1/time]
};

struct Gas {
  double gamma = 5.0 / 3.0;
  std::array<double, 3> scale{};     ///< 1 / dx along each axis [1/length]; 0 along one that is not divided
  bool has_internal_energy = false;  ///< the pressure is that of the field behind the conserved variables
};

/// The loops of one instruction set. No lane knows of others and nothing is contracted: all sets give the same bits.
/// Formulas are written so that a mirrored state gives mirrored bits.
struct Loops {
  void (*to_primitive)(double gamma, std::size_t cells, Variables<const double> U, Variables<double> W);
  /// Piecewise linear reconstruction of primitive variables, fluxes by a Riemann solver, and their differences. Cost:
  /// every face once, some 150 (hll) to 180 (hllc) operations; 10 numbers in and out per cell.
  void (*sweep)(double gamma, Limiter limiter, Riemann riemann, const Pencils& pencils);
  void (*update)(Stage stage, const Update& update);
  Condition (*look_at)(const Gas& gas, std::size_t cells, Variables<const double> U);
};

template <class Isa>
[[nodiscard]] Loops loops_of() noexcept;

}  // namespace tacit::amr::kernels
