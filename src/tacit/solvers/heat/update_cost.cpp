// Counts the operations and bytes of kernels/diffusion.isa.cpp.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/heat/update_cost.hpp"

namespace tacit::heat {

engine::UpdateCost cost_of_rates(const HeatParameters& parameters) {
  const auto axes = static_cast<double>(parameters.domain.dimensions);
  // 2 T, and along each axis the sum of both sides, a difference, a product, a sum.
  if (parameters.is_uniform()) return {.flops = 4.0 * axes + 1.0};
  // Along each axis two differences, two products and two sums; kappa of one face and the source come from memory.
  return {.flops = 6.0 * axes, .bytes = 8.0 * (axes + 1.0)};
}

}  // namespace tacit::heat
