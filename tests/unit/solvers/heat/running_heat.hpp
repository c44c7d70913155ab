// A heat solver with its workers, made from the text of a parameter file, and what tests ask of it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "support/test_folder.hpp"
#include "tacit/comm/bootstrap/threads.hpp"
#include "tacit/engine/axis.hpp"
#include "tacit/solvers/heat/heat_solver.hpp"
#include "tacit/tasks/scheduler.hpp"
#include "tacit/trace/trace.hpp"
#include "unit/comm/polling.hpp"
#include "unit/comm/ranks.hpp"

namespace tacit::heat::testing {

/// Of a parameter file without the key `solver`; time.end is added.
inline config::Parameters parameters_of(const std::string& text) {
  const auto path =
      test::test_folder() / (::testing::UnitTest::GetInstance()->current_test_info()->name() + std::string(".toml"));
  std::ofstream(path) << "time.end = 1.0\n" << text;
  std::vector<config::KeyTable> tables = engine::key_tables(engine::Axis{});
  const auto own = heat::key_tables();
  tables.insert(tables.end(), own.begin(), own.end());
  return config::Document(path, {}).read(tables);
}

/// A solver with its own workers, and unless it is given ranks, alone.
class RunningHeat {
 public:
  explicit RunningHeat(const HeatParameters& parameters, std::size_t workers = 1)
      : alone_(std::in_place, comm::bootstrap_alone()), run_(parameters, workers, *alone_) {}
  RunningHeat(const HeatParameters& parameters, std::size_t workers, comm::Communicator& ranks)
      : run_(parameters, workers, ranks) {}

  void steps(std::size_t count, double dt) {
    for (; count > 0; --count) {
      tasks::StepContext step;
      step.time = time_;
      step.dt = dt;
      run_.solver.step(step);
      time_ += dt;
    }
  }
  /// By steps of the stable length.
  void until(double end) {
    const double dt = run_.solver.time_step();
    const double count = std::ceil((end - time_) / dt * (1.0 - 1e-12));
    steps(static_cast<std::size_t>(count), (end - time_) / count);
  }
  [[nodiscard]] const HeatSolver& solver() const noexcept { return run_.solver; }
  [[nodiscard]] double statistic(std::string_view name) const {
    for (const engine::Statistic& one : run_.solver.statistics()) {
      if (one.name == name) return one.value;
    }
    ADD_FAILURE() << "there is no " << name;
    return 0.0;
  }
  /// Calls visit(number of the cell in the whole grid, T) for the cells of this rank.
  template <class Visit>
  void for_each(const Visit& visit) const {
    const auto& grid = run_.solver.grid();
    mesh::for_cells(grid, grid.block(), [&](std::size_t i, const Cell& cell) {
      visit(static_cast<std::size_t>((cell[2] * grid.points(1) + cell[1]) * grid.points(0) + cell[0]),
            run_.solver.fields().T[i]);
    });
  }
  [[nodiscard]] std::vector<double> temperatures() const {
    std::vector<double> all(run_.solver.elements(), -77.0);
    for_each([&](std::size_t cell, double T) { all[cell] = T; });
    return all;
  }

 private:
  struct Run {
    Run(const HeatParameters& parameters, std::size_t workers, comm::Communicator& ranks)
        : recorder(workers),
          scheduler(workers, recorder),
          polling(scheduler, ranks),
          solver(parameters, {scheduler, false, ranks}, nullptr) {}
    trace::Recorder recorder;
    tasks::Scheduler scheduler;
    comm::testing::Polling polling;
    HeatSolver solver;
  };
  std::optional<comm::Communicator> alone_;
  Run run_;
  double time_ = 0.0;
};

/// What became of the cells, and of the sums of the state.
struct Outcome {
  std::vector<double> cells;
  std::vector<double> numbers;
  friend bool operator==(const Outcome&, const Outcome&) = default;
};

/// After so many steps on ranks of this process.
inline Outcome outcome_of(const HeatParameters& parameters, std::size_t ranks, std::size_t workers, std::size_t steps,
                          double dt) {
  Outcome outcome{std::vector<double>(parameters.domain.size(), -77.0), {}};
  comm::testing::on_ranks(ranks, [&](comm::Communicator& world) {
    RunningHeat run(parameters, workers, world);
    run.steps(steps, dt);
    run.for_each([&](std::size_t cell, double T) { outcome.cells[cell] = T; });
    std::vector<double> numbers = run.solver().conserved().quantities[0].value;
    for (const engine::Statistic& one : run.solver().statistics()) numbers.push_back(one.value);
    if (number(world.rank()) == 0) outcome.numbers = numbers;
    world.synchronise();
  });
  return outcome;
}

}  // namespace tacit::heat::testing
