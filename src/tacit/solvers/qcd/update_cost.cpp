// Counts the operations and bytes of the operator and of the methods.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/qcd/update_cost.hpp"

#include "tacit/solvers/qcd/methods.hpp"

namespace tacit::qcd {
namespace {

/// Numbers are those that pass between processor and memory, of one site.
struct Work {
  double flops = 0.0;
  double numbers = 0.0;
};

/// D, or its Schur complement: two halves of D, of which each needs all links, and the field between is written and
/// read.
Work application(const QcdParameters& parameters, bool is_even_odd) {
  constexpr double links = 4.0 * kernels::link_numbers;
  constexpr double spinor = kernels::spinor_numbers;
  const bool has_clover = parameters.dirac.csw != 0.0;
  // A site's term: a product and a sum of each number, or two hermitian matrices of 6 x 6: 15 complex products of each
  // half, twice, and 6 real ones.
  const double local = has_clover ? 552.0 : 48.0;
  Work work{.flops = 1320.0 + local, .numbers = links + 2.0 * spinor + (has_clover ? kernels::clover_numbers : 0.0)};
  if (is_even_odd) work.numbers += links + 0.5 * spinor;
  return work;
}

/// Fields that are read or written, and operations, of the vectors of an iteration. |x|^2 takes 2 for each number, a
/// scalar product or y + a x with a complex a 4, with a real a 2.
Work vectors(Method method) {
  constexpr double spinor = kernels::spinor_numbers;
  switch (method) {
    case Method::cgnr:  // two norms, x and r advanced with their norm, p = w + a p
      return {.flops = spinor * (2.0 * 2.0 + 6.0 + 4.0), .numbers = spinor * (2.0 + 6.0 + 3.0)};
    case Method::bicgstab:  // three scalar products, two norms, six sums
      return {.flops = spinor * (3.0 * 4.0 + 2.0 * 2.0 + 6.0 * 4.0), .numbers = spinor * (6.0 + 2.0 + 18.0)};
    case Method::gcr: {  // against half of the directions on average: a scalar product, two sums
      constexpr double earlier = 0.5 * (Gcr<double>::directions - 1.0);
      return {.flops = spinor * (3.0 * 2.0 + 12.0 * earlier + 12.0),
              .numbers = spinor * (2.0 + 3.0 + 8.0 * earlier + 2.0 + 6.0)};
    }
    case Method::multigrid: {  // the same, with more directions
      constexpr double earlier = 0.5 * (Gcr<double>::preconditioned_directions - 1.0);
      return {.flops = spinor * (3.0 * 2.0 + 12.0 * earlier + 12.0),
              .numbers = spinor * (2.0 + 3.0 + 8.0 * earlier + 2.0 + 6.0)};
    }
    case Method::apply:
      break;
  }
  return {};
}

/// A cycle: D after the coarse correction and after each colour but the last, minimal residual in each block and step,
/// P and P^+; and some ten coarse iterations, of ten products of each aggregate and half of thirty directions, all in
/// single precision. Blocks and their links stay in a cache.
Work cycle(const QcdParameters& parameters) {
  constexpr double spinor = kernels::spinor_numbers;
  constexpr double coarse_iterations = 10.0;
  constexpr double complex_product = 8.0;
  const multigrid::Settings& by = parameters.multigrid;
  const Work whole = application(parameters, false);
  const auto steps = static_cast<double>(by.smoothing_steps);
  const auto block_steps = steps * static_cast<double>(by.block_steps);
  const auto vectors = static_cast<double>(by.vectors);
  const double width = 2.0 * vectors;
  const double aggregate = static_cast<double>(Extents{by.block}.sites());
  const double coarse = coarse_iterations * width * (10.0 * width + 30.0) / aggregate;
  // In a block there is half of the hopping term.
  const double block = 0.5 * 1320.0 + (whole.flops - 1320.0) + 3.0 * complex_product * 12.0;
  return {.flops = 2.0 * steps * (whole.flops + 4.0 * spinor) + block_steps * block +
                   complex_product * (24.0 * vectors + coarse),
          .numbers = 2.0 * steps * (whole.numbers + 6.0 * spinor) + steps * whole.numbers +
                     2.0 * (vectors + 2.0) * spinor + 2.0 * coarse};
}

}  // namespace

engine::UpdateCost update_cost(const QcdParameters& parameters) {
  const bool solves = parameters.method != Method::apply;
  const bool is_even_odd = solves && parameters.is_even_odd;
  const bool is_single = solves && parameters.precision == Precision::mixed;
  const bool is_one = parameters.method == Method::gcr || parameters.method == Method::multigrid;
  const double applications = solves && !is_one ? 2.0 : 1.0;
  const Work of_operator = application(parameters, is_even_odd);
  const Work of_vectors = vectors(parameters.method);
  const double part = is_even_odd ? 0.5 : 1.0;  // of the sites have vectors
  const double flops = applications * of_operator.flops + part * of_vectors.flops;
  const double numbers = applications * of_operator.numbers + part * of_vectors.numbers;
  if (parameters.method == Method::multigrid) {
    const Work single = cycle(parameters);
    return {.flops = flops,
            .single_flops = single.flops,
            .bytes = sizeof(double) * numbers + sizeof(float) * single.numbers};
  }
  if (is_single) return {.single_flops = flops, .bytes = sizeof(float) * numbers};
  return {.flops = flops, .bytes = sizeof(double) * numbers};
}

}  // namespace tacit::qcd
