// The initial conditions, and exact solutions that go with them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "tacit/config/parameters.hpp"
#include "tacit/engine/solver.hpp"
#include "tacit/mesh/domain.hpp"

namespace tacit::heat {

using mesh::Cell;
using mesh::Domain;
using mesh::Wall;
using ByCell = std::function<double(const Cell&)>;

/// A solution T = about(x) + prod_i factor(i, x_i, t), where x is the coordinate along `axis`, and t = 0 at the begin.
struct Exact {
  std::size_t axis = 0;
  std::function<double(double x)> about;
  std::function<double(std::size_t axis, double x, double time)> factor = {};
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

/// What a run begins with. Functions are called by one thread, row by row, and only where the run begins.
struct Initial {
  ByCell temperature;
  ByCell diffusivity = {};          ///< [length^2 / time]; empty: the constant of heat.diffusivity
  ByCell source = {};               ///< [temperature / time], beside heat.source; empty: none
  std::optional<Exact> exact = {};  ///< where it is known; of two layers that to which they come at last
  engine::Origin origin = {};
};

// Each set-up: its keys, and what it makes of them. Those that need heat.diffusivity take 0 where it is not given,
// which read_parameters refuses.
// @throws config::Error where the domain is none for it; of a file also base::FormatError, base::SystemError
[[nodiscard]] std::span<const config::Key> eigenmode_keys();
[[nodiscard]] Initial make_eigenmode(const config::Parameters& parameters, const Domain& domain);
[[nodiscard]] std::span<const config::Key> gaussian_keys();
[[nodiscard]] Initial make_gaussian(const config::Parameters& parameters, const Domain& domain);
[[nodiscard]] std::span<const config::Key> two_layers_keys();
[[nodiscard]] Initial make_two_layers(const config::Parameters& parameters, const Domain& domain);
[[nodiscard]] std::span<const config::Key> formula_keys();
[[nodiscard]] Initial make_formulas(const config::Parameters& parameters, const Domain& domain);
[[nodiscard]] Initial make_from_file(const config::Parameters& parameters, const Domain& domain);

}  // namespace tacit::heat
