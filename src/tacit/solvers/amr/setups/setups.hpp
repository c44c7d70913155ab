// The initial conditions: what the set-ups know of the domain, and what they give.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tacit/config/parameters.hpp"
#include "tacit/solvers/amr/kernels/gas.hpp"

namespace tacit::amr {

/// What is beyond a side of the domain.
enum class Wall : std::uint8_t { periodic, outflow, diode, reflecting };

using Point = std::array<double, 3>;  ///< [length]

/// A part of the domain in which sub-grids have at least a level.
struct Region {
  std::uint32_t level = 0;
  Point low{};
  Point high{};
};

/// A box of root blocks, which are divided l times along each of its axes; an axis that it does not have is one cell
/// long, on all levels.
struct Domain {
  std::size_t dimensions = 3;
  std::array<std::int64_t, 3> roots{1, 1, 1};
  std::size_t block = 8;    ///< cells of a sub-grid along each axis
  std::uint32_t level = 0;  ///< of all sub-grids but those in a region
  std::vector<Region> regions;
  std::uint32_t deepest = 0;  ///< level that sub-grids may reach as the gas moves
  Point box{1.0, 1.0, 1.0};
  std::array<std::array<Wall, 2>, 3> sides{};  ///< the low and the high one of each axis
  std::size_t ghosts = kernels::ghosts;        ///< cells beyond a sub-grid that its own ones see along an axis

  /// Cells of a sub-grid along an axis.
  [[nodiscard]] std::size_t cells_of_block(std::size_t axis) const noexcept { return axis < dimensions ? block : 1; }
  /// Cells of a whole level along an axis.
  [[nodiscard]] std::int64_t cells(std::size_t axis, std::uint32_t at_level) const noexcept {
    return axis < dimensions ? (roots[axis] << at_level) * static_cast<std::int64_t>(block) : 1;
  }
  [[nodiscard]] double spacing(std::size_t axis, std::uint32_t at_level) const noexcept {
    return box[axis] / static_cast<double>(cells(axis, at_level));
  }
  /// Of a cell of a level [length^3].
  [[nodiscard]] double volume(std::uint32_t at_level) const noexcept {
    return spacing(0, at_level) * spacing(1, at_level) * spacing(2, at_level);
  }
  [[nodiscard]] bool has(Wall wall) const noexcept;
  /// The finest level that is asked for.
  [[nodiscard]] std::uint32_t finest() const noexcept;
};

/// Gas at a place: primitive variables.
struct GasState {
  double rho = 0.0;
  std::array<double, 3> v{};
  double P = 0.0;
};
using GasAt = std::function<GasState(const Point&)>;

/// Of the mass of gas, by species; their sum is 1. What a run does not tell apart counts as its last species.
using Fractions = std::array<double, kernels::most_species>;
/// Gas of one species, counted from 0.
[[nodiscard]] constexpr Fractions all_of(std::size_t species) noexcept {
  Fractions fractions{};
  fractions[species] = 1.0;
  return fractions;
}

/// Of a cell: density, momentum, energy, internal energy, and the density of each species.
using GasMeans = std::array<double, 6 + kernels::most_species>;
[[nodiscard]] GasMeans means_of(const GasState& gas, const Fractions& fractions, double gamma) noexcept;

/// Thermal energy that is added to the initial state, in the same density wherever the function says so.
struct Deposit {
  double energy = 0.0;
  std::function<bool(const Point&)> is_within;
  Point low{};  ///< corners of a box around it
  Point high{};
};

/// What the initial state has in a part of the domain, a star or a pulse, and coarse cells could pass over.
struct Feature {
  std::string name;  ///< "the star"
  Point low{};       ///< corners of a box around it [length]
  Point high{};
  double spacing = 0.0;  ///< cells of at most this length show its shape [length]
  double density = 0.0;  ///< of the gas around
  double mass = 0.0;     ///< that it has beyond what the gas around would have in its place
};

/// What a run begins with.
struct Initial {
  GasAt state;  ///< in cells that have the one at their centres
  /// The means in all cells of a sub-grid of a level, x fastest, in place of the state at their centres; empty: that.
  std::function<std::vector<GasMeans>(std::uint32_t level, const std::array<std::int64_t, 3>& first_cell)> means = {};
  std::optional<Deposit> deposit = {};
  std::vector<Feature> features = {};
  /// The solution at a time since the begin; empty where none is known.
  std::function<GasAt(double time)> exact = {};
  std::string from = {};  ///< the set-up in words
  /// Throws config::Error where the state at a place is none that gas can have; empty: it always is one.
  std::function<void(const Point&, const std::function<std::string()>& cell)> check = {};
  /// Species of the gas at a place; empty: all is of the first.
  std::function<Fractions(const Point&)> fractions = {};
  std::size_t species = 0;  ///< that a run tells apart where no key says how many
  std::size_t stars = 0;    ///< the first species are those of stars
  double separation = 0.0;  ///< of the centres of mass of two stars [length]
  double rotation = 0.0;    ///< angular velocity around z in the middle of the domain of what turns as a whole [1/time]
};

// Each set-up: its keys, and what it makes of them.
// @throws config::Error where the domain is none for it
[[nodiscard]] std::span<const config::Key> sod_keys();
[[nodiscard]] Initial make_sod(const config::Parameters& parameters, const Domain& domain, double gamma);
[[nodiscard]] std::span<const config::Key> sedov_keys();
[[nodiscard]] Initial make_sedov(const config::Parameters& parameters, const Domain& domain, double gamma);
[[nodiscard]] std::span<const config::Key> polytrope_keys();
[[nodiscard]] Initial make_polytrope(const config::Parameters& parameters, const Domain& domain, double gamma);
[[nodiscard]] std::span<const config::Key> rotating_star_keys();
[[nodiscard]] Initial make_rotating_star(const config::Parameters& parameters, const Domain& domain, double gamma);
[[nodiscard]] std::span<const config::Key> binary_keys();
[[nodiscard]] Initial make_binary(const config::Parameters& parameters, const Domain& domain, double gamma);
[[nodiscard]] std::span<const config::Key> wave_keys();
[[nodiscard]] Initial make_wave(const config::Parameters& parameters, const Domain& domain, double gamma);
[[nodiscard]] std::span<const config::Key> noh_keys();
[[nodiscard]] Initial make_noh(const config::Parameters& parameters, const Domain& domain, double gamma);
[[nodiscard]] std::span<const config::Key> vortex_keys();
[[nodiscard]] Initial make_vortex(const config::Parameters& parameters, const Domain& domain, double gamma);
[[nodiscard]] std::span<const config::Key> formula_keys();
[[nodiscard]] Initial make_formulas(const config::Parameters& parameters, const Domain& domain, double gamma);
[[nodiscard]] std::span<const config::Key> array_keys_of_gas();
[[nodiscard]] Initial make_arrays(const config::Parameters& parameters, const Domain& domain, double gamma);
[[nodiscard]] std::span<const config::Key> kelvin_helmholtz_keys();
[[nodiscard]] Initial make_kelvin_helmholtz(const config::Parameters& parameters, const Domain& domain, double gamma);

}  // namespace tacit::amr
