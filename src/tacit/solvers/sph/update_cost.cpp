// Counts the operations and bytes of the sums over neighbours, and those of the fields of a particle.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/sph/update_cost.hpp"

#include <cmath>
#include <numbers>
#include <variant>

#include "tacit/solvers/sph/fields.hpp"

namespace tacit::sph {
namespace {

/// Of a ball of radius 1.
double ball(int dimension) {
  if (dimension == 1) return 2.0;
  return dimension == 2 ? std::numbers::pi : 4.0 / 3.0 * std::numbers::pi;
}

/// w(q) and dw/dq of a cubic spline, as a measure for all kernels (kernels/smoothing.hpp).
constexpr double w_flops = 9.0;
constexpr double dw_flops = 7.0;

/// For each neighbour (kernels/vector/pair_loops.isa.cpp), in single precision. Density: separation 8, r and q 2, the
/// kernel, and its two sums 5. Gradients: separation and velocity 11, r 3, q 1, weight 2, the product 5, the sums 17.
/// The force: separation, velocity and their products 16, r 3, both slopes 10 beside the kernel's, signal and viscosity
/// 11, pressure 4, viscous force 4, their sums 12.
constexpr double density_flops = 15.0 + w_flops + dw_flops;
constexpr double gradient_flops = 39.0 + dw_flops;
constexpr double force_flops = 60.0 + 2.0 * dw_flops;
/// Beside these, of sphenix: the Laplacian of u 6 and a slope; conduction 20, pressures 6, f and switches 9.
constexpr double sphenix_flops = 41.0 + dw_flops;

/// Of all fields that are there.
double bytes_of_fields(const SphParameters& parameters) {
  double bytes = 0.0;
  for (const Field& field : fields) {
    if (!is_there(field, contents_of(parameters))) continue;
    bytes += std::visit([]<class T>(std::vector<T> Gas::*) { return static_cast<double>(sizeof(T)); }, field.array);
  }
  return bytes;
}

}  // namespace

double neighbours_of_particle(const SphParameters& parameters) {
  return ball(parameters.dimension) *
         std::pow(parameters.kernel_gamma * parameters.smoothing.eta, parameters.dimension);
}

engine::UpdateCost update_cost(const SphParameters& parameters) {
  const double of_neighbour =
      density_flops + gradient_flops + force_flops + (parameters.scheme == Scheme::sphenix ? sphenix_flops : 0.0);
  // What neighbours have is read from caches; a particle's own fields are read and written once.
  return {.single_flops = of_neighbour * neighbours_of_particle(parameters),
          .bytes = 2.0 * bytes_of_fields(parameters)};
}

}  // namespace tacit::sph
