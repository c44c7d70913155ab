// Makes cubes and runs them.
// SPDX-License-Identifier: Apache-2.0
#include "exchange/heated_cube.hpp"

#include <cmath>
#include <numbers>

#include "tacit/mesh/kernels/stages.hpp"

namespace tacit::bench {
namespace {

constexpr std::size_t stages = 2;  // of rk2

heat::HeatParameters parameters_of(std::size_t n, std::size_t layers) {
  const auto cells = static_cast<std::int64_t>(n);
  heat::HeatParameters parameters;
  parameters.stages = mesh::rk2();
  parameters.cfl = 0.9;
  parameters.domain.cells = {cells, cells, static_cast<std::int64_t>(layers)};
  parameters.diffusivity = 1.0;
  const double k = 2.0 * std::numbers::pi / static_cast<double>(n);
  parameters.initial.temperature = [k](const heat::Cell& cell) {
    return 1.0 + std::sin(k * static_cast<double>(cell[0] + cell[1] + cell[2]));
  };
  return parameters;
}

}  // namespace

HeatedCube::HeatedCube(comm::Communicator& ranks, std::size_t n, std::size_t layers)
    : ranks_(ranks),
      scheduler_(1, recorder_),
      solver_((scheduler_.attach(ranks.completions()), parameters_of(n, layers)),
              {.scheduler = scheduler_, .ranks = ranks}, nullptr) {
  step_.dt = solver_.time_step();
}

void HeatedCube::run(std::size_t steps) {
  for (std::size_t i = 0; i < steps; ++i) {
    solver_.step(step_);
    step_.time += step_.dt;
    ++step_.step;
  }
}

double HeatedCube::exposed_s() {
  scheduler_.settle();
  return recorder_.exposure().exposed_s;
}

std::vector<std::size_t> HeatedCube::messages_of_step() const {
  std::vector<std::size_t> bytes;
  for (std::size_t stage = 0; stage < stages; ++stage) {
    for (const mesh::Neighbour& other : solver_.grid().neighbours(mesh::Neighbours::faces)) {
      if (other.rank != ranks_.rank()) bytes.push_back(other.send.points() * sizeof(double));
    }
  }
  return bytes;
}

ExposedStep time_exposed(Crew& crew, HeatedCube& cube, std::size_t steps) {
  const auto count = static_cast<double>(steps);
  const double before = cube.exposed_s();
  const double seconds = crew.time(Takes::all_ranks, [&] { cube.run(steps); });
  const double exposed = crew.sum(cube.exposed_s() - before) / static_cast<double>(crew.world().size());
  return {.seconds = seconds / count, .exposed = exposed / count};
}

}  // namespace tacit::bench
