// A solver of the registry's kind with its workers, made from the text of a parameter file, and what tests ask of it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "support/temporary_folder.hpp"
#include "tacit/comm/bootstrap/threads.hpp"
#include "tacit/engine/axis.hpp"
#include "tacit/engine/solver.hpp"
#include "tacit/io/file.hpp"
#include "tacit/tasks/scheduler.hpp"
#include "tacit/trace/trace.hpp"
#include "unit/comm/polling.hpp"
#include "unit/comm/ranks.hpp"

namespace tacit::testing {

/// Of a parameter file without the key `solver`; time.end is added.
inline config::Parameters parameters_of(const engine::SolverEntry& entry, const std::string& text) {
  const test::TemporaryFolder folder;
  const auto path = folder / "run.toml";
  std::ofstream(path) << "time.end = 1.0\n" << text;
  std::vector<config::KeyTable> tables = engine::key_tables(entry.axis);
  const auto own = entry.tables();
  tables.insert(tables.end(), own.begin(), own.end());
  return config::Document(path, {}).read(tables);
}

/// A solver with its own workers, and unless it is given ranks, alone.
class RunningSolver {
 public:
  RunningSolver(const engine::SolverEntry& entry, const std::string& text, std::size_t workers = 1)
      : alone_(std::in_place, comm::bootstrap_alone()), run_(entry, text, workers, *alone_, nullptr) {}
  RunningSolver(const engine::SolverEntry& entry, const std::string& text, std::size_t workers,
                comm::Communicator& ranks, const io::FileReader* restart = nullptr)
      : run_(entry, text, workers, ranks, restart) {}

  [[nodiscard]] engine::Solver& solver() noexcept { return *run_.solver; }
  void steps(std::size_t count, double dt) {
    for (; count > 0; --count) {
      tasks::StepContext step;
      step.time = time_;
      step.dt = dt;
      solver().step(step);
      time_ += dt;
    }
  }
  /// By steps of the stable length, or shorter, all as long.
  void until(double end) {
    const double count = std::ceil((end - time_) / solver().time_step() * (1.0 - 1e-12));
    steps(static_cast<std::size_t>(count), (end - time_) / count);
  }
  [[nodiscard]] double statistic(std::string_view name) {
    for (const engine::Statistic& one : solver().statistics()) {
      if (one.name == name) return one.value;
    }
    ADD_FAILURE() << "there is no " << name;
    return 0.0;
  }

 private:
  struct Run {
    Run(const engine::SolverEntry& entry, const std::string& text, std::size_t workers, comm::Communicator& ranks,
        const io::FileReader* restart)
        : recorder(workers),
          scheduler(workers, recorder),
          polling(scheduler, ranks),
          solver(entry.make(parameters_of(entry, text), {scheduler, false, ranks}, restart)) {}
    trace::Recorder recorder;
    tasks::Scheduler scheduler;
    comm::testing::Polling polling;
    std::unique_ptr<engine::Solver> solver;
  };
  std::optional<comm::Communicator> alone_;
  Run run_;
  double time_ = 0.0;
};

/// The cells of a field after some steps on ranks of this process, as a snapshot has them, and all statistics behind.
/// @param go_on_from  a checkpoint to begin with; empty: the initial conditions
/// @param keep        where a checkpoint is left; empty: nowhere
inline std::vector<double> outcome_of(const engine::SolverEntry& entry, const std::string& text,
                                      const std::string& field, std::size_t ranks, std::size_t workers,
                                      std::size_t steps, double dt, const std::filesystem::path& go_on_from = {},
                                      const std::filesystem::path& keep = {}) {
  const test::TemporaryFolder folder;
  std::vector<double> numbers;
  comm::testing::on_ranks(ranks, [&](comm::Communicator& world) {
    std::optional<io::FileReader> restart;
    if (!go_on_from.empty()) restart.emplace(go_on_from);
    RunningSolver run(entry, text, workers, world, restart ? &*restart : nullptr);
    run.steps(steps, dt);
    const std::vector<engine::Statistic> statistics = run.solver().statistics();
    const auto snapshot = folder / "snapshot.hdf5";
    engine::FileContext context{.run_name = "test", .double_precision = true};
    static_cast<void>(run.solver().write_snapshot(snapshot, context));
    if (!keep.empty()) {
      io::FileWriter checkpoint(keep, 0, world);
      run.solver().save(checkpoint);
      static_cast<void>(checkpoint.commit());
    }
    world.synchronise();
    if (number(world.rank()) == 0) {
      numbers.resize(run.solver().elements());
      io::FileReader(snapshot).read("VTKHDF/CellData/" + field, numbers);
      for (const engine::Statistic& one : statistics) numbers.push_back(one.value);
    }
    world.synchronise();
  });
  return numbers;
}

}  // namespace tacit::testing
