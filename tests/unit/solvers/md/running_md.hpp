// A solver md with its workers, made from the text of a parameter file, and what tests ask of it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "support/test_folder.hpp"
#include "tacit/comm/bootstrap/threads.hpp"
#include "tacit/engine/axis.hpp"
#include "tacit/solvers/md/md_solver.hpp"
#include "tacit/tasks/scheduler.hpp"
#include "tacit/trace/trace.hpp"
#include "unit/comm/polling.hpp"

namespace tacit::md::testing {

/// A path for the running test alone.
inline std::filesystem::path scratch_path(const std::string& ending) {
  return test::test_folder() / (::testing::UnitTest::GetInstance()->current_test_info()->name() + ending);
}

/// Of a parameter file without the key `solver`; time.end is added.
inline config::Parameters parameters_of(const std::string& text) {
  const auto path = scratch_path(".toml");
  std::ofstream(path) << "time.end = 1.0\n" << text;
  std::vector<config::KeyTable> tables = engine::key_tables(engine::Axis{});
  const auto own = md::key_tables();
  tables.insert(tables.end(), own.begin(), own.end());
  return config::Document(path, {}).read(tables);
}

/// A crystal of Lennard-Jones atoms. @param more  other tables of keys
inline MdParameters crystal(const std::string& lattice, const std::string& more = "") {
  return read_parameters(parameters_of("initial.setup = \"lattice\"\n" + more +
                                       (more.find("[md]") == std::string::npos ? "[md]\ndt = 0.005\n" : "") +
                                       "[lattice]\n" + lattice));
}

/// A solver with its own workers, and unless it is given ranks, alone.
class RunningMd {
 public:
  explicit RunningMd(MdParameters parameters, std::size_t workers = 1, const io::FileReader* checkpoint = nullptr)
      : alone_(std::in_place, comm::bootstrap_alone()), run_(std::move(parameters), workers, *alone_, checkpoint) {}
  /// @param parameters  of all atoms, of which each rank takes its share
  RunningMd(MdParameters parameters, std::size_t workers, comm::Communicator& ranks,
            const io::FileReader* checkpoint = nullptr)
      : run_(share_of(std::move(parameters), ranks), workers, ranks, checkpoint) {}

  /// What a checkpoint was written after.
  void go_to(std::size_t step, double dt) {
    for (step_ = 0, time_ = 0.0; step_ < step; ++step_) time_ += dt;
  }
  void steps(std::size_t count, double dt) {
    for (; count > 0; --count) {
      tasks::StepContext step;
      step.time = time_;
      step.dt = dt;
      step.step = step_++;
      run_.solver.step(step);
      time_ += dt;
    }
  }
  [[nodiscard]] const MdSolver& solver() const noexcept { return run_.solver; }
  [[nodiscard]] MdSolver& solver() noexcept { return run_.solver; }
  [[nodiscard]] double energy() const { return run_.solver.measured().sums.energy(); }

 private:
  static MdParameters share_of(MdParameters parameters, const comm::Communicator& ranks) {
    keep_share(parameters.initial.atoms, {number(ranks.rank()), ranks.size()});
    return parameters;
  }
  struct Run {
    Run(MdParameters parameters, std::size_t workers, comm::Communicator& ranks, const io::FileReader* checkpoint)
        : recorder(workers),
          scheduler(workers, recorder),
          polling(scheduler, ranks),
          solver(std::move(parameters), {scheduler, false, ranks}, checkpoint) {}
    trace::Recorder recorder;
    tasks::Scheduler scheduler;
    comm::testing::Polling polling;
    MdSolver solver;
  };
  std::optional<comm::Communicator> alone_;
  Run run_;
  double time_ = 0.0;
  std::uint64_t step_ = 0;
};

}  // namespace tacit::md::testing
