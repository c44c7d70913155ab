// Exact sums over the gas of stars.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/amr/binaries/star_statistics.hpp"

#include <algorithm>
#include <cmath>

#include "tacit/base/exact_sum.hpp"
#include "tacit/tasks/parallel_for.hpp"

namespace tacit::amr {
namespace {

// Places of the sums; those of each star are behind the others.
constexpr std::size_t angular_sum = 0;
constexpr std::size_t twice_kinetic = 1;
constexpr std::size_t gravity_sum = 2;
constexpr std::size_t pressure_sum = 3;
constexpr std::size_t star_sums = 4;
constexpr std::size_t sums_of_star = 8;  // mass, moments, momenta, angular momentum
constexpr std::size_t all_star_sums = star_sums + 2 * sums_of_star;

}  // namespace

double StarsMeasured::Star::spin(const Point& of_domain) const noexcept {
  const double x = centre[0] - of_domain[0];
  const double y = centre[1] - of_domain[1];
  return angular_momentum - mass * (x * velocity[1] - y * velocity[0]);
}

double StarsMeasured::separation() const noexcept {
  double sum = 0.0;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const double apart = stars[1].centre[axis] - stars[0].centre[axis];
    sum += apart * apart;
  }
  return std::sqrt(sum);
}

double StarsMeasured::angle() const noexcept {
  return std::atan2(stars[1].centre[1] - stars[0].centre[1], stars[1].centre[0] - stars[0].centre[0]);
}

double StarsMeasured::orbital_frequency() const noexcept {
  const auto apart = [&](std::size_t axis) { return stars[1].centre[axis] - stars[0].centre[axis]; };
  const auto faster = [&](std::size_t axis) { return stars[1].velocity[axis] - stars[0].velocity[axis]; };
  const double a2 = apart(0) * apart(0) + apart(1) * apart(1);
  return a2 > 0.0 ? (apart(0) * faster(1) - apart(1) * faster(0)) / a2 : 0.0;
}

/// Where attraction and centrifugal force add up to zero: it rises from -infinity to infinity on the way.
double inner_Lagrange_point(double second) noexcept {
  double low = 0.0;
  double high = 1.0;
  for (int halving = 0; halving < 60; ++halving) {
    const double x = 0.5 * (low + high);
    const double force = -(1.0 - second) / (x * x) + second / ((1.0 - x) * (1.0 - x)) + (x - second);
    (force < 0.0 ? low : high) = x;
  }
  return 0.5 * (low + high);
}

double StarsMeasured::orbital_angular_momentum() const noexcept {
  const double reduced = stars[0].mass * stars[1].mass / (stars[0].mass + stars[1].mass);
  const auto apart = [&](std::size_t axis) { return stars[1].centre[axis] - stars[0].centre[axis]; };
  const auto faster = [&](std::size_t axis) { return stars[1].velocity[axis] - stars[0].velocity[axis]; };
  return reduced * (apart(0) * faster(1) - apart(1) * faster(0));
}

StarStatistics::StarStatistics(const AmrParameters& parameters, const mesh::Octree& tree,
                               const engine::Resources& resources)
    : parameters_(parameters), tree_(tree), scheduler_(resources.scheduler), reductions_(resources.ranks) {}

bool StarStatistics::is_wanted(const AmrParameters& parameters) noexcept {
  return parameters.gravity && (parameters.fields.species > 0 || parameters.frame_rotation != 0.0);
}

StarsMeasured StarStatistics::measure(const SubGrids& grids, const SelfGravity& gravity) {
  const Domain& domain = parameters_.domain;
  const kernels::Fields& fields = parameters_.fields;
  const std::size_t stars = std::min<std::size_t>(fields.species, 2);
  const double Omega = parameters_.frame_rotation;
  const Point middle{0.5 * domain.box[0], 0.5 * domain.box[1], 0.5 * domain.box[2]};
  using Sums = std::array<base::ExactSum, all_star_sums>;
  const auto of_leaves = [&](std::size_t first, std::size_t end) {
    std::array<base::BufferedSum, all_star_sums> sums;
    for (std::size_t leaf = first; leaf < end; ++leaf) {
      const kernels::Variables<const double> U = grids.now(leaf);
      const double volume = domain.volume(tree_.leaf(leaf).level);
      const double* const phi = gravity.field(leaf).of(0);
      for (std::size_t cell = 0; cell < grids.cells(); ++cell) {
        const Point place = centre_of(domain, tree_.leaf(leaf), cell);
        const GasState gas = gas_of(U, cell, parameters_.gamma, fields);
        const double x = place[0] - middle[0];
        const double y = place[1] - middle[1];
        const Point v{gas.v[0] - Omega * y, gas.v[1] + Omega * x, gas.v[2]};
        const double m = volume * gas.rho;
        sums[angular_sum].add(m * (x * v[1] - y * v[0]));
        sums[twice_kinetic].add(m * (v[0] * v[0] + (v[1] * v[1] + v[2] * v[2])));
        sums[gravity_sum].add(0.5 * m * (phi[cell] - gravity.centrifugal_potential(place)));
        sums[pressure_sum].add(volume * gas.P);
        for (std::size_t star = 0; star < stars; ++star) {
          const double part = volume * U.of(fields.first_species() + star)[cell];
          auto* const of_star = sums.data() + star_sums + star * sums_of_star;
          of_star[0].add(part);
          for (std::size_t axis = 0; axis < 3; ++axis) {
            of_star[1 + axis].add(part * place[axis]);
            of_star[4 + axis].add(part * v[axis]);
          }
          of_star[7].add(part * (x * v[1] - y * v[0]));
        }
      }
    }
    Sums result{};
    for (std::size_t k = 0; k < all_star_sums; ++k) result[k] = sums[k].sum();
    return result;
  };
  const auto together = [](Sums all, const Sums& more) {
    for (std::size_t k = 0; k < all_star_sums; ++k) all[k].merge(more[k]);
    return all;
  };
  const std::size_t chunk = (grids.leaves() + 31) / 32;
  const Sums mine =
      tasks::parallel_reduce(scheduler_, grids.own().begin, grids.own().end, chunk, Sums{}, of_leaves, together);
  exchange::Reduction& reduction = reductions_.of({.sums = all_star_sums});
  std::ranges::copy(mine, reduction.sums().begin());
  reduction.run();
  const auto sum = [&](std::size_t k) { return reduction.sums()[k].value(); };
  StarsMeasured result{.angular_momentum = sum(angular_sum),
                       .virial_error = std::abs(sum(twice_kinetic) + sum(gravity_sum) + 3.0 * sum(pressure_sum)) /
                                       std::abs(sum(gravity_sum)),
                       .middle = middle};
  for (std::size_t star = 0; star < stars; ++star) {
    const std::size_t first = star_sums + star * sums_of_star;
    StarsMeasured::Star& of = result.stars[star];
    of.mass = sum(first);
    if (of.mass == 0.0) continue;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      of.centre[axis] = sum(first + 1 + axis) / of.mass;
      of.velocity[axis] = sum(first + 4 + axis) / of.mass;
    }
    of.angular_momentum = sum(first + 7);
  }
  if (result.stars[0].mass > 0.0 && result.stars[1].mass > 0.0) result.flux_L1 = flux_at_L1(grids, result);
  return result;
}

/// Cells up to their length from the plane count, the less the further away: in cells along x the sum is that of the
/// plane between two of them.
double StarStatistics::flux_at_L1(const SubGrids& grids, const StarsMeasured& stars) {
  const Domain& domain = parameters_.domain;
  const auto& [first, second] = stars.stars;
  const double mass = first.mass + second.mass;
  const double apart = stars.separation();
  if (!(apart > 0.0)) return 0.0;
  const double way = inner_Lagrange_point(second.mass / mass);
  const double reach = 0.5 * apart * std::min(way, 1.0 - way);
  const double orbital = stars.orbital_frequency();
  Point along{};
  Point at{};
  Point centre{};
  Point velocity{};  // of the centre of mass
  for (std::size_t axis = 0; axis < 3; ++axis) {
    along[axis] = (second.centre[axis] - first.centre[axis]) / apart;
    at[axis] = first.centre[axis] + way * apart * along[axis];
    centre[axis] = (first.mass * first.centre[axis] + second.mass * second.centre[axis]) / mass;
    velocity[axis] = (first.mass * first.velocity[axis] + second.mass * second.velocity[axis]) / mass;
  }
  const auto of_leaves = [&](std::size_t begin, std::size_t end) {
    base::BufferedSum sum;
    for (std::size_t leaf = begin; leaf < end; ++leaf) {
      const kernels::Variables<const double> U = grids.now(leaf);
      const std::uint32_t level = tree_.leaf(leaf).level;
      const double h = domain.spacing(0, level);
      for (std::size_t cell = 0; cell < grids.cells(); ++cell) {
        const Point place = centre_of(domain, tree_.leaf(leaf), cell);
        double s = 0.0;
        double r2 = 0.0;
        for (std::size_t axis = 0; axis < 3; ++axis) {
          s += (place[axis] - at[axis]) * along[axis];
          r2 += (place[axis] - at[axis]) * (place[axis] - at[axis]);
        }
        if (!(std::abs(s) < h) || r2 - s * s > reach * reach) continue;
        // In the frame of the stars: the one of the run turns with frame_rotation around the middle of the domain.
        const double Omega = parameters_.frame_rotation;
        const double rho = U.of(0)[cell];
        const double vx =
            U.of(1)[cell] / rho - Omega * (place[1] - stars.middle[1]) - velocity[0] + orbital * (place[1] - centre[1]);
        const double vy =
            U.of(2)[cell] / rho + Omega * (place[0] - stars.middle[0]) - velocity[1] - orbital * (place[0] - centre[0]);
        const double vz = U.of(3)[cell] / rho - velocity[2];
        const double speed = vx * along[0] + vy * along[1] + vz * along[2];
        sum.add(domain.volume(level) * rho * speed * (1.0 - std::abs(s) / h) / h);
      }
    }
    return sum.sum();
  };
  const auto together = [](base::ExactSum all, const base::ExactSum& more) {
    all.merge(more);
    return all;
  };
  const std::size_t chunk = (grids.leaves() + 31) / 32;
  exchange::Reduction& reduction = reductions_.of({.sums = 1});
  reduction.sums()[0] = tasks::parallel_reduce(scheduler_, grids.own().begin, grids.own().end, chunk, base::ExactSum{},
                                               of_leaves, together);
  reduction.run();
  return reduction.sums()[0].value();
}

}  // namespace tacit::amr
