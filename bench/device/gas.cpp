// Stages of gas on a device beside the loops of the processor.
// SPDX-License-Identifier: Apache-2.0
#include "gas.hpp"

#include <algorithm>

#include "checks.hpp"
#include "tacit/base/cpu_features.hpp"

namespace tacit::device_run {
namespace {

namespace kernels = amr::kernels;
using kernels::ghosts;
using kernels::variables;

/// Conserved variables of gas with jumps, whose pressure is positive.
std::vector<double> random_gas(std::size_t cells, std::uint64_t seed) {
  std::vector<double> U = random_numbers(variables * cells, seed, -2.0, 2.0);
  for (std::size_t i = 0; i < cells; ++i) {
    const double rho = 0.1 + 0.5 * (U[i] + 2.0);
    double kinetic = 0.0;
    for (std::size_t k = 1; k < 4; ++k) kinetic += 0.5 * U[k * cells + i] * U[k * cells + i] / rho;
    U[i] = rho;
    U[4 * cells + i] = kinetic + 0.05 + 0.3 * (U[4 * cells + i] + 2.0);
  }
  return U;
}

kernels::Loops loops() {
  return base::with_instruction_set(base::chosen_instruction_set(),
                                    []<class Isa>(Isa) { return kernels::loops_of<Isa>(); });
}

}  // namespace

amr::AmrParameters gas_parameters(std::size_t dimensions, std::size_t block) {
  amr::AmrParameters parameters;
  parameters.domain.dimensions = dimensions;
  parameters.domain.block = block;
  return parameters;
}

GasProblem::GasProblem(const amr::AmrParameters& of, const std::vector<amr::PencilShape>& of_axes, std::uint64_t seed)
    : parameters(of), shapes(of_axes), walls(static_cast<std::uint64_t>(base::uniform(seed, 0, 9) * 729.0)) {
  for (std::size_t axis = 0; axis < 3; ++axis) cells *= parameters.domain.cells_of_block(axis);
  U = random_gas(cells, seed + 1);
  base = random_gas(cells, seed + 2);
  out.assign(variables * cells, -1.0);
  for (const amr::PencilShape& shape : shapes) {
    for (std::size_t side = 0; side < 2; ++side) {
      layers[shape.axis][side] = random_gas(ghosts * shape.lanes(), seed + 3 + 2 * shape.axis + side);
      kept[shape.axis][side].assign(variables * shape.lanes(), -1.0);
    }
  }
}

amr::StageOfLeaf GasProblem::stage(kernels::Stage of) {
  amr::StageOfLeaf result;
  result.stage = of;
  result.dt = 0.003;
  result.scale = {8.0, 9.0, 7.0};
  result.U = {U.data(), cells};
  result.base = {base.data(), cells};
  result.out = {out.data(), cells};
  std::uint64_t rest = walls;
  for (const amr::PencilShape& shape : shapes) {
    for (std::size_t side = 0; side < 2; ++side, rest /= 3) {
      result.sides[shape.axis][side] = {.is_outside = rest % 3 > 0, .turns = rest % 3 == 1};
      if ((rest + side) % 2 == 0) result.sides[shape.axis][side].kept = {kept[shape.axis][side].data(), shape.lanes()};
    }
  }
  result.take_beyond = [this](std::size_t axis, mesh::Side side, kernels::Variables<double> to) {
    const std::vector<double>& from = layers[axis][side == mesh::Side::low ? 0 : 1];
    const std::size_t numbers = from.size() / variables;
    for (std::size_t k = 0; k < variables; ++k) std::copy_n(from.data() + k * numbers, numbers, to.of(k));
  };
  return result;
}

void GasProblem::advance(const amr::StageOfLeaf& of) {
  static const kernels::Loops by = loops();
  amr::Scratch scratch(parameters.domain);
  by.to_primitive(parameters.gamma, cells, of.U, scratch.primitive);
  for (const amr::PencilShape& shape : shapes) {
    const auto from_layer = [&](std::size_t layer) {
      return kernels::Variables<double>{scratch.pencils.first + layer * shape.lanes(), scratch.pencils.next};
    };
    amr::take_layers(shape, variables, {scratch.primitive.first, scratch.primitive.next}, 0, shape.cells,
                     from_layer(ghosts));
    for (const mesh::Side side : {mesh::Side::low, mesh::Side::high}) {
      const bool is_low = side == mesh::Side::low;
      const amr::StageOfLeaf::Side& beyond = of.sides[shape.axis][is_low ? 0 : 1];
      if (beyond.is_outside) {
        amr::fill_outside(shape, variables, side, beyond.turns ? amr::Wall::reflecting : amr::Wall::outflow,
                          scratch.pencils);
        continue;
      }
      of.take_beyond(shape.axis, side, scratch.layers);
      by.to_primitive(parameters.gamma, ghosts * shape.lanes(), {scratch.layers.first, scratch.layers.next},
                      from_layer(is_low ? 0 : ghosts + shape.cells));
    }
    by.sweep(parameters.gamma, parameters.limiter, parameters.riemann,
             {.cells = shape.cells,
              .lanes = shape.lanes(),
              .axis = shape.axis,
              .scale = of.scale[shape.axis],
              .primitive = {scratch.pencils.first, scratch.pencils.next},
              .rate = scratch.pencil_rate,
              .low = of.sides[shape.axis][0].kept,
              .high = of.sides[shape.axis][1].kept});
    amr::put_layers(shape, variables, {scratch.pencil_rate.first, scratch.pencil_rate.next},
                    shape.axis == 0 ? amr::Mode::set : amr::Mode::add, scratch.rate);
  }
  by.update(of.stage, {.cells = cells,
                       .U = of.U,
                       .base = of.base,
                       .rate = {scratch.rate.first, scratch.rate.next},
                       .out = of.out,
                       .dt = of.dt});
}

Check check_gas(gpu::Slots& slots, bool is_short) {
  const gpu::LaunchKind kind = slots.kind("gas stage");
  Check check{.name = "gas stages"};
  std::uint64_t seed = 1;
  for (std::size_t dimensions = 1; dimensions <= 3; ++dimensions) {
    for (const std::size_t block : {8U, 16U}) {
      if (is_short && block == 16 && dimensions == 3) continue;
      amr::AmrParameters parameters = gas_parameters(dimensions, block);
      std::vector<amr::PencilShape> shapes;
      for (std::size_t axis = 0; axis < dimensions; ++axis) shapes.emplace_back(parameters.domain, axis);
      for (const auto limiter :
           {kernels::Limiter::minmod, kernels::Limiter::van_leer, kernels::Limiter::monotonised_central}) {
        for (const auto riemann : {kernels::Riemann::hll, kernels::Riemann::hllc}) {
          for (const auto stage : {kernels::Stage::first, kernels::Stage::second}) {
            parameters.limiter = limiter;
            parameters.riemann = riemann;
            const amr::StageLaunches launches(parameters, shapes);
            GasProblem on_cpu(parameters, shapes, 100 * ++seed);
            GasProblem on_device(parameters, shapes, 100 * seed);
            on_cpu.advance(on_cpu.stage(stage));
            const amr::StageOfLeaf of = on_device.stage(stage);
            launch(slots, kind, launches.need(), [&](gpu::Program& program) { launches.record(program, of); });
            check.compare(on_device.out, on_cpu.out);
            for (std::size_t axis = 0; axis < dimensions; ++axis) {
              for (std::size_t side = 0; side < 2; ++side)
                check.compare(on_device.kept[axis][side], on_cpu.kept[axis][side]);
            }
          }
        }
      }
    }
  }
  return check;
}

}  // namespace tacit::device_run
