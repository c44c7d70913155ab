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
#include "tacit/mesh/domain.hpp"

namespace tacit::heat {

/// What bounds the domain along an axis, at both sides.
enum class Wall : std::uint8_t { periodic, fixed, insulating };

using Cell = std::array<std::int64_t, 3>;  ///< of the whole grid, along x, y and z
using Point = std::array<double, 3>;       ///< [length]

/// A box of cells, and what bounds it.
struct Domain : mesh::Domain {
  std::array<Wall, 3> walls{};
  Point low{};  ///< temperatures of fixed walls
  Point high{};

  /// One along each axis that there is.
  void set_walls(std::span<const Wall> of_axes);
  [[nodiscard]] bool has(Wall wall) const;
  /// Whether there are fixed walls across one axis only, or all are as warm: see between_walls.
  [[nodiscard]] bool is_between_two_walls() const;
};

using ByCell = std::function<double(const Cell&)>;

/// A number of each cell: the same one for all, or a function.
struct Coefficient {
  double constant = 0.0;
  ByCell by_cell = {};  ///< empty: it is constant
  [[nodiscard]] bool is_constant() const { return !by_cell; }
  [[nodiscard]] double operator()(const Cell& cell) const { return by_cell ? by_cell(cell) : constant; }
};

/// A solution T = about(x) + prod_i factor(i, x_i, t), where x is the coordinate along `axis`, and t = 0 at the begin.
struct Exact {
  std::size_t axis = 0;
  std::function<double(double x)> about;
  std::function<double(std::size_t axis, double x, double time)> factor = {};
  std::string from = {};  ///< the set-up and its keys, in words
};

/// That solution in the cells at one time.
class ExactAt {
 public:
  ExactAt(const Exact& exact, const Domain& domain, double time);
  [[nodiscard]] double operator()(const Cell& cell) const {
    const auto factor = [&](std::size_t axis) { return factors_[axis][static_cast<std::size_t>(cell[axis])]; };
    return about_[static_cast<std::size_t>(cell[axis_])] + factor(0) * factor(1) * factor(2);
  }

 private:
  std::size_t axis_;
  std::vector<double> about_;
  std::array<std::vector<double>, 3> factors_;
};

/// What fixed walls alone bring: linear between those of the first axis that has such; `mean` where none has.
[[nodiscard]] Exact between_walls(const Domain& domain, double mean);

/// What a run begins with. Functions are called by one thread, row by row, and only before `release`.
struct Initial {
  ByCell temperature;
  Coefficient diffusivity = {};     ///< [length^2 / time]
  ByCell source = {};               ///< [temperature / time]; empty: none
  std::optional<Exact> exact = {};  ///< without a source, where it is known
  std::string from = {};            ///< a path, or the set-up in words
  std::string checksum = {};        ///< of a file

  /// Lets go of what the functions hold, as files and planes of them. Those that were there still compare as true.
  void release();
};

// Each set-up: its keys, and what it makes of them.
// @throws config::Error where the domain is none for it; of a file also base::FormatError, base::SystemError
[[nodiscard]] std::span<const config::Key> eigenmode_keys();
[[nodiscard]] Initial make_eigenmode(const config::Parameters& parameters, const Domain& domain);
[[nodiscard]] std::span<const config::Key> gaussian_keys();
[[nodiscard]] Initial make_gaussian(const config::Parameters& parameters, const Domain& domain);
[[nodiscard]] std::span<const config::Key> two_layers_keys();
[[nodiscard]] Initial make_two_layers(const config::Parameters& parameters, const Domain& domain);
[[nodiscard]] Initial make_from_file(const config::Parameters& parameters, const Domain& domain);

/// heat.diffusivity. @throws config::Error if it is not given
[[nodiscard]] Coefficient constant_diffusivity(const config::Parameters& parameters);
/// One that the set-up knows. @throws config::Error if heat.diffusivity is given, too
[[nodiscard]] Coefficient diffusivity_of_cells(const config::Parameters& parameters, ByCell by_cell);

}  // namespace tacit::heat
