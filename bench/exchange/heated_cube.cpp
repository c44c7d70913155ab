// Makes cubes and runs them.
// SPDX-License-Identifier: Apache-2.0
#include "exchange/heated_cube.hpp"

#include <cmath>
#include <numbers>

namespace tacit::bench {
namespace {

constexpr std::size_t stages = 2;  // of rk2

heat::HeatParameters parameters_of(std::size_t n) {
  const auto cells = static_cast<std::int64_t>(n);
  heat::HeatParameters parameters{.domain = {.cells = {cells, cells, cells}},
                                  .stages = heat::kernels::rk2(),
                                  .cfl = 0.9,
                                  .diffusivity = 1.0,
                                  .initial = {}};
  parameters.domain.walls.fill(heat::Wall::periodic);
  const double k = 2.0 * std::numbers::pi / static_cast<double>(n);
  parameters.initial.temperature = [k](const heat::Cell& cell) {
    return 1.0 + std::sin(k * static_cast<double>(cell[0] + cell[1] + cell[2]));
  };
  return parameters;
}

}  // namespace

HeatedCube::HeatedCube(comm::Communicator& ranks, std::size_t n)
    : ranks_(ranks),
      scheduler_(1, recorder_),
      solver_((scheduler_.attach(ranks.completions()), parameters_of(n)), {}, {.scheduler = scheduler_, .ranks = ranks},
              nullptr) {
  step_.dt = solver_.time_step();
}

void HeatedCube::run(std::size_t steps) {
  for (std::size_t i = 0; i < steps; ++i) {
    solver_.step(step_);
    step_.time += step_.dt;
    ++step_.step;
  }
}

trace::Exposure HeatedCube::exposure() {
  scheduler_.settle();
  return recorder_.exposure();
}

double HeatedCube::bytes_per_step() const {
  std::size_t points = 0;
  for (const mesh::Neighbour& other : solver_.grid().neighbours(mesh::Neighbours::faces)) {
    if (other.rank != ranks_.rank()) points += other.send.points();
  }
  return static_cast<double>(stages * points * sizeof(double));
}

ExposedSteps measure_exposed(Crew& crew, HeatedCube& cube, std::size_t steps, std::size_t samples) {
  const auto count = static_cast<double>(steps);
  const double all = count * static_cast<double>(crew.world().size());
  ExposedSteps measured;
  for (std::size_t sample = 0; sample <= samples; ++sample) {
    const trace::Exposure before = cube.exposure();
    const double seconds = crew.time(Takes::all_ranks, [&] { cube.run(steps); });
    const trace::Exposure after = cube.exposure();
    const double exposed = crew.sum(after.exposed_s - before.exposed_s);
    const double serial = crew.sum(after.serial_s - before.serial_s);
    if (sample == 0) continue;  // memory was new
    measured.seconds.push_back(seconds / count);
    measured.exposed.push_back(exposed / all);
    measured.serial.push_back(serial / all);
  }
  return measured;
}

}  // namespace tacit::bench
