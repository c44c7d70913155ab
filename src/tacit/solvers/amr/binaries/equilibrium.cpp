// The self-consistent field method.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/amr/binaries/equilibrium.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace tacit::amr {
namespace {

constexpr std::size_t most_iterations = 200;
/// Of densities, from one iteration to the next, as parts of the largest. Stars may creep through their grids: how far
/// says how accurate the forces between them are, in contact those at the cut.
constexpr double steady = 1e-6;
constexpr double creeping = 2e-4;
/// Grids of stars of a binary reach so many times as far as their inner Lagrange points.
constexpr double grid_reach = 1.4;

/// The inner Lagrange point of two point masses, together 1 and 1 apart, from the first of them.
double lagrange_distance(double m1) {
  const double x1 = -(1.0 - m1);
  double low = 1e-6;
  double high = 1.0 - 1e-6;
  for (int halving = 0; halving < 60; ++halving) {
    const double d = 0.5 * (low + high);
    const double force = -m1 / (d * d) + (1.0 - m1) / ((1.0 - d) * (1.0 - d)) + (x1 + d);
    (force < 0.0 ? low : high) = d;
  }
  return low;
}

double from_axis2(double x, double y) { return x * x + y * y; }

}  // namespace

double Equilibrium::Energies::virial_error() const noexcept { return std::abs(2.0 * T + W + 3.0 * Pi) / std::abs(W); }

double Equilibrium::Omega() const noexcept { return std::sqrt(Omega2_); }

/// Begins with a sphere.
Equilibrium::Equilibrium(const RotatingStarSpec& spec) : index_(spec.index), axis_ratio_(spec.axis_ratio) {
  constexpr double beyond = 1.05;
  stars_.push_back({.grid = StarGrid(beyond)});
  StarGrid& grid = stars_[0].grid;
  for (std::size_t direction = 0; direction < StarGrid::directions; ++direction) {
    for (std::size_t j = 0; j <= StarGrid::spheres; ++j) {
      const double r = grid.spacing() * static_cast<double>(j);
      grid.rho(direction, j) = std::max(0.0, 1.0 - r * r);
    }
  }
  L1_ = 2.0 * beyond;
  iterate([this] { constrain_single(); }, fmt::format("axis ratio {}", axis_ratio_));
  // Where gas at the equator would leave, the surface lies within.
  if (stars_[0].radius < 1.0 - 2.0 * grid.spacing()) {
    throw NoEquilibrium(fmt::format(
        "gas at the equator would leave a star of the axis ratio {}: the equilibrium that was found ends at "
        "{:.3g} of the radius",
        axis_ratio_, stars_[0].radius));
  }
}

/// Begins with spheres.
Equilibrium::Equilibrium(const BinarySpec& spec) : index_(spec.index) {
  const double m1 = 1.0 / (1.0 + spec.mass_ratio);
  const std::array masses{m1, 1.0 - m1};
  for (std::size_t star = 0; star < 2; ++star) {
    const double d = lagrange_distance(masses[star]);
    stars_.push_back({.grid = StarGrid(grid_reach * d * std::min(spec.fillings[star], 1.0)),
                      .mass = masses[star],
                      .filling = spec.fillings[star],
                      .centre = star == 0 ? m1 - 1.0 : m1});
    StarGrid& grid = stars_.back().grid;
    const double R = 0.8 * d * std::min(spec.fillings[star], 1.0);
    for (std::size_t direction = 0; direction < StarGrid::directions; ++direction) {
      for (std::size_t j = 0; j <= StarGrid::spheres; ++j) {
        const double r = grid.spacing() * static_cast<double>(j);
        grid.rho(direction, j) = std::max(0.0, 1.0 - r * r / (R * R));
      }
    }
  }
  L1_ = stars_[0].centre + lagrange_distance(m1);
  iterate([this] { constrain_binary(); },
          fmt::format("mass ratio {}, fillings {} and {}", spec.mass_ratio, spec.fillings[0], spec.fillings[1]));
}

/// @param constrain  finds Omega and C from the potential
template <class Constrain>
void Equilibrium::iterate(const Constrain& constrain, const std::string& asked) {
  for (Star& star : stars_) scale_to_mass(star);
  while (!is_steady()) {
    if (changes_.size() == most_iterations || (!changes_.empty() && !std::isfinite(changes_.back()))) {
      throw NoEquilibrium(
          fmt::format("no equilibrium was found for {} in {} iterations; densities changed by {} of the largest", asked,
                      changes_.size(), history()));
    }
    place_grids();
    for (Star& star : stars_) star.grid.solve();
    constrain();
    double change = 0.0;
    for (std::size_t star = 0; star < stars_.size(); ++star) change = std::max(change, renew(star));
    changes_.push_back(change);
  }
}

/// Densities stay, or creep: as far in each iteration as in the one before.
bool Equilibrium::is_steady() const {
  if (changes_.size() < 2) return false;
  const double last = changes_.back();
  return last < steady || (last < creeping && last > 0.9 * changes_[changes_.size() - 2]);
}

/// "0.3, 0.1, ..., 0.02, 0.03": the first and the last of them.
std::string Equilibrium::history() const {
  std::string text;
  for (std::size_t i = 0; i < changes_.size(); ++i) {
    const bool is_shown = i < 4 || i + 4 >= changes_.size();
    if (is_shown) text += fmt::format("{}{:.3g}", i == 0 ? "" : ", ", changes_[i]);
    if (!is_shown && i == 4) text += ", ...";
  }
  return text;
}

void Equilibrium::scale_to_mass(Star& star) const {
  const StarGrid& grid = star.grid;
  const double mass = grid.integral([&](std::size_t direction, std::size_t j) { return grid.rho(direction, j); });
  const double factor = star.mass / mass;
  star.largest_rho = 0.0;
  for (std::size_t direction = 0; direction < StarGrid::directions; ++direction) {
    for (std::size_t j = 0; j <= StarGrid::spheres; ++j) {
      double& rho = star.grid.rho(direction, j);
      rho *= factor;
      star.largest_rho = std::max(star.largest_rho, rho);
    }
  }
}

/// Such that centres of mass are where they are to be: what a star has moved in its grid, the grid moves back.
void Equilibrium::place_grids() {
  if (stars_.size() == 1) return;
  for (Star& star : stars_) {
    const double moment = star.grid.integral([&](std::size_t direction, std::size_t j) {
      return star.grid.rho(direction, j) * star.grid.place(direction, j)[0];
    });
    star.origin = star.centre - moment / star.mass;
  }
}

double Equilibrium::potential(const Point& x) const noexcept {
  double sum = 0.0;
  for (const Star& star : stars_) sum += star.grid.potential(Point{x[0] - star.origin, x[1], x[2]});
  return sum;
}

double Equilibrium::effective_potential(const Point& x) const noexcept {
  return potential(x) - 0.5 * Omega2_ * from_axis2(x[0], x[1]);
}

/// The potential at the pole is that at the equator, with the centrifugal one.
void Equilibrium::constrain_single() {
  const double pole = potential({0.0, 0.0, axis_ratio_});
  Omega2_ = std::max(0.0, 2.0 * (potential({1.0, 0.0, 0.0}) - pole));
  stars_[0].C = axis_ratio_ < 1.0 ? pole : potential({1.0, 0.0, 0.0});
}

/// The force of star 1 on star 2, towards star 1: by the difference of potentials that are a little apart.
double Equilibrium::pull() const {
  constexpr double apart = 1e-4;
  const Star& star = stars_[1];
  const StarGrid& other = stars_[0].grid;
  const double shift = star.origin - stars_[0].origin;
  return star.grid.integral([&](std::size_t direction, std::size_t j) {
    const Point x = star.grid.place(direction, j);
    const double difference = other.potential(Point{x[0] + shift + apart, x[1], x[2]}) -
                              other.potential(Point{x[0] + shift - apart, x[1], x[2]});
    return star.grid.rho(direction, j) * difference / (2.0 * apart);
  });
}

/// Place on the axis where the effective potential is highest: by sections, after a look at some places.
double Equilibrium::highest_between(double low, double high) const {
  constexpr int places = 64;
  const double step = (high - low) / places;
  int best = 1;
  double most = on_axis(low + step);
  for (int i = 2; i < places; ++i) {
    const double value = on_axis(low + step * i);
    if (value > most) {
      most = value;
      best = i;
    }
  }
  double a = low + step * (best - 1);
  double b = low + step * (best + 1);
  for (int section = 0; section < 40; ++section) {
    const double third = (b - a) / 3.0;
    (on_axis(a + third) < on_axis(b - third) ? a : b) += on_axis(a + third) < on_axis(b - third) ? third : -third;
  }
  return 0.5 * (a + b);
}

void Equilibrium::constrain_binary() {
  Omega2_ = pull() / (stars_[0].mass * stars_[1].mass);
  L1_ = highest_between(stars_[0].centre, stars_[1].centre);
  for (Star& star : stars_) {
    if (star.filling <= 1.0) {
      star.C = on_axis(star.centre + star.filling * (L1_ - star.centre));
    } else {
      const double outer = on_axis(highest_between(stars_[1].centre, stars_[1].centre + 1.2));
      star.C = on_axis(L1_) + (star.filling - 1.0) * (outer - on_axis(L1_));
    }
  }
}

bool Equilibrium::is_beyond_L1(std::size_t star, double x) const noexcept { return (star == 0) == (x > L1_); }

double Equilibrium::potential_at(std::size_t star, std::size_t direction, std::size_t sphere) const {
  double sum = stars_[star].grid.potential(direction, sphere);
  Point x = stars_[star].grid.place(direction, sphere);
  x[0] += stars_[star].origin;
  for (std::size_t other = 0; other < stars_.size(); ++other) {
    if (other != star) sum += stars_[other].grid.potential(Point{x[0] - stars_[other].origin, x[1], x[2]});
  }
  return sum - 0.5 * Omega2_ * from_axis2(x[0], x[1]);
}

/// New densities of a star, from its centre outwards to where there is none. @return their largest change
double Equilibrium::renew(std::size_t number) {
  Star& star = stars_[number];
  const StarGrid before = star.grid;
  const double largest_before = star.largest_rho;
  star.radius = 0.0;
  for (std::size_t direction = 0; direction < StarGrid::directions; ++direction) {
    bool is_inside = true;
    for (std::size_t j = 0; j <= StarGrid::spheres; ++j) {
      const Point x = star.grid.place(direction, j);
      is_inside = is_inside && !(stars_.size() > 1 && is_beyond_L1(number, x[0] + star.origin));
      const double H = is_inside ? star.C - potential_at(number, direction, j) : 0.0;
      is_inside = H > 0.0;
      star.grid.rho(direction, j) = is_inside ? std::pow(H, index_) : 0.0;
      if (is_inside) star.radius = std::max(star.radius, star.grid.spacing() * static_cast<double>(j));
    }
    if (is_inside) {
      throw NoEquilibrium(
          fmt::format("gas of star {} leaves it: there is no surface within {:.3g}; densities changed by {}",
                      number + 1, star.grid.radius(), history()));
    }
  }
  const double of_unit = star.grid.rho(0, 0);
  scale_to_mass(star);
  // rho = (H / ((n + 1) K))^n
  star.K = std::pow(of_unit / star.grid.rho(0, 0), 1.0 / index_) / (index_ + 1.0);
  double change = 0.0;
  for (std::size_t direction = 0; direction < StarGrid::directions; ++direction) {
    for (std::size_t j = 0; j <= StarGrid::spheres; ++j)
      change = std::max(change, std::abs(star.grid.rho(direction, j) - before.rho(direction, j)));
  }
  return change / std::max(star.largest_rho, largest_before);
}

Equilibrium::Gas Equilibrium::at(const Point& x) const noexcept {
  const std::size_t number = stars_.size() > 1 && x[0] > L1_ ? 1 : 0;
  const Star& star = stars_[number];
  // Far from the axis there are places of as much potential, too.
  const Point from{x[0] - star.origin, x[1], x[2]};
  const double most = star.radius + 1.5 * star.grid.spacing();
  if (from[0] * from[0] + (from[1] * from[1] + from[2] * from[2]) > most * most) return {};
  const double H = star.C - effective_potential(x);
  if (!(H > 0.0)) return {};
  const double rho = std::pow(H / ((index_ + 1.0) * star.K), index_);
  return {number, rho, rho * H / (index_ + 1.0)};
}

Equilibrium::Energies Equilibrium::energies() const {
  Energies all;
  for (std::size_t number = 0; number < stars_.size(); ++number) {
    const Star& star = stars_[number];
    const auto rho = [&](std::size_t direction, std::size_t j) { return star.grid.rho(direction, j); };
    const auto turning = [&](std::size_t direction, std::size_t j) {
      const Point x = star.grid.place(direction, j);
      return 0.5 * Omega2_ * from_axis2(x[0] + star.origin, x[1]);
    };
    all.T += star.grid.integral([&](std::size_t d, std::size_t j) { return rho(d, j) * turning(d, j); });
    all.W += star.grid.integral(
        [&](std::size_t d, std::size_t j) { return 0.5 * rho(d, j) * (potential_at(number, d, j) + turning(d, j)); });
    all.Pi += star.grid.integral(
        [&](std::size_t d, std::size_t j) { return star.K * std::pow(rho(d, j), 1.0 + 1.0 / index_); });
  }
  return all;
}

}  // namespace tacit::amr
