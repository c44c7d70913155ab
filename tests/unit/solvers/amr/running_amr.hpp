// An amr solver with its workers, made from the text of a parameter file, and what tests ask of it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/test_folder.hpp"
#include "tacit/comm/bootstrap/threads.hpp"
#include "tacit/engine/axis.hpp"
#include "tacit/engine/keys.hpp"
#include "tacit/solvers/amr/amr_solver.hpp"
#include "tacit/tasks/scheduler.hpp"
#include "tacit/trace/trace.hpp"
#include "unit/comm/polling.hpp"

namespace tacit::amr::testing {

/// Of a parameter file without the key `solver`; time.end is added.
inline AmrParameters parameters_of(const std::string& text) {
  const auto path =
      test::test_folder() / (::testing::UnitTest::GetInstance()->current_test_info()->name() + std::string(".toml"));
  std::ofstream(path) << "time.end = 1.0\n" << text;
  std::vector<config::KeyTable> tables = engine::key_tables(engine::Axis{});
  const auto own = amr::key_tables();
  tables.insert(tables.end(), own.begin(), own.end());
  return read_parameters(config::Document(path, {}).read(tables));
}

/// A solver with its own workers, and unless it is given ranks, alone.
class RunningAmr {
 public:
  explicit RunningAmr(const std::string& text, std::size_t workers = 1) : RunningAmr(parameters_of(text), workers) {}
  explicit RunningAmr(const AmrParameters& parameters, std::size_t workers = 1)
      : alone_(std::in_place, comm::bootstrap_alone()), run_(parameters, workers, *alone_, nullptr) {}
  RunningAmr(const AmrParameters& parameters, std::size_t workers, comm::Communicator& ranks,
             const io::FileReader* checkpoint = nullptr)
      : run_(parameters, workers, ranks, checkpoint) {}

  /// After a restart.
  void go_on_from(double time, std::uint64_t step) {
    time_ = time;
    count_ = step;
  }
  void step(double dt) {
    tasks::StepContext step;
    step.time = time_;
    step.dt = dt;
    step.step = count_++;
    run_.solver.step(step);
    time_ += dt;
  }
  void steps(std::size_t count) {
    for (; count > 0; --count) step(run_.solver.time_step());
  }
  void until(double end) {
    while (time_ < end) step(std::min(run_.solver.time_step(), end - time_));
  }
  void adapt() { run_.solver.adapt(); }
  [[nodiscard]] std::vector<std::string> new_warnings() { return run_.solver.new_warnings(); }
  [[nodiscard]] const AmrSolver& solver() const noexcept { return run_.solver; }
  [[nodiscard]] double time() const noexcept { return time_; }
  [[nodiscard]] double statistic(std::string_view name) const {
    for (const engine::Statistic& one : run_.solver.statistics()) {
      if (one.name == name) return one.value;
    }
    ADD_FAILURE() << "there is no " << name;
    return 0.0;
  }
  /// All fields of this rank, in the order of memory.
  [[nodiscard]] std::vector<double> state() const {
    std::vector<double> all;
    const mesh::LeafRange& own = run_.solver.grids().own();
    for (std::size_t leaf = own.begin; leaf < own.end; ++leaf) {
      const auto U = run_.solver.grids().now(leaf);
      all.insert(all.end(), U.first, U.first + run_.solver.grids().fields_count() * U.next);
    }
    return all;
  }

 private:
  struct Run {
    Run(const AmrParameters& parameters, std::size_t workers, comm::Communicator& ranks,
        const io::FileReader* checkpoint)
        : recorder(workers),
          scheduler(workers, recorder),
          polling(scheduler, ranks),
          solver(parameters, {scheduler, false, ranks}, checkpoint) {}
    trace::Recorder recorder;
    tasks::Scheduler scheduler;
    comm::testing::Polling polling;
    AmrSolver solver;
  };
  std::optional<comm::Communicator> alone_;
  Run run_;
  double time_ = 0.0;
  std::uint64_t count_ = 0;
};

/// Of statistics.csv.
inline double column(const RunningAmr& run, std::string_view name) {
  for (const auto& one : run.solver().conserved().columns) {
    if (one.name == name) return one.value.value();
  }
  ADD_FAILURE() << "there is no " << name;
  return 0.0;
}

}  // namespace tacit::amr::testing
