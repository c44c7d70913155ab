// Loops over the cells of a leaf that turn around the middle of the domain.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/amr/rotation/driving.hpp"

#include "tacit/solvers/amr/sub_grids.hpp"

namespace tacit::amr {

Turned& Turned::operator+=(const Turned& other) noexcept {
  momentum_x += other.momentum_x;
  momentum_y += other.momentum_y;
  energy += other.energy;
  angular_momentum += other.angular_momentum;
  return *this;
}

Turned operator*(double factor, const Turned& of) noexcept {
  return {.momentum_x = factor * of.momentum_x,
          .momentum_y = factor * of.momentum_y,
          .energy = factor * of.energy,
          .angular_momentum = factor * of.angular_momentum};
}

Turned add_driving(double part, double Omega, const Domain& domain, const mesh::Node& leaf,
                   kernels::Variables<const double> U, kernels::Variables<double> rate) {
  Turned sum;
  const double volume = domain.volume(leaf.level);
  const std::size_t cells = domain.block * domain.block * domain.block;
  for (std::size_t cell = 0; cell < cells; ++cell) {
    const Point at = centre_of(domain, leaf, cell);
    const double x = at[0] - 0.5 * domain.box[0];
    const double y = at[1] - 0.5 * domain.box[1];
    const double R2 = x * x + y * y;
    const double rho = U.of(0)[cell];
    const double l = x * U.of(2)[cell] - y * U.of(1)[cell] + rho * Omega * R2;
    // Cells have their centres beside the axis, as there are as many of them on both sides.
    const double of_force = -part * l / R2;
    const Turned here{.momentum_x = -y * of_force,
                      .momentum_y = x * of_force,
                      .energy = of_force * (x * U.of(2)[cell] - y * U.of(1)[cell]) / rho,
                      .angular_momentum = -part * l};
    rate.of(1)[cell] += here.momentum_x;
    rate.of(2)[cell] += here.momentum_y;
    rate.of(4)[cell] += here.energy;
    sum += here;
  }
  return {.momentum_x = volume * sum.momentum_x,
          .momentum_y = volume * sum.momentum_y,
          .energy = volume * sum.energy,
          .angular_momentum = volume * sum.angular_momentum};
}

Turned turn_frame(double Omega, double by, const Domain& domain, const mesh::Node& leaf, std::size_t cells,
                  kernels::Variables<double> U) {
  Turned sum;
  const double volume = domain.volume(leaf.level);
  for (std::size_t cell = 0; cell < cells; ++cell) {
    const Point at = centre_of(domain, leaf, cell);
    const double x = at[0] - 0.5 * domain.box[0];
    const double y = at[1] - 0.5 * domain.box[1];
    const double rho = U.of(0)[cell];
    const double px = U.of(1)[cell] + rho * by * y;
    const double py = U.of(2)[cell] - rho * by * x;
    const double kinetic =
        0.5 * ((px - U.of(1)[cell]) * (px + U.of(1)[cell]) + (py - U.of(2)[cell]) * (py + U.of(2)[cell])) / rho;
    const double potential = -0.5 * rho * by * (2.0 * Omega + by) * (x * x + y * y);
    sum += {.momentum_x = px - U.of(1)[cell], .momentum_y = py - U.of(2)[cell], .energy = kinetic + potential};
    U.of(1)[cell] = px;
    U.of(2)[cell] = py;
    U.of(4)[cell] += kinetic;
  }
  return {.momentum_x = volume * sum.momentum_x, .momentum_y = volume * sum.momentum_y, .energy = volume * sum.energy};
}

}  // namespace tacit::amr
