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

#include "tacit/comm/bootstrap/threads.hpp"
#include "tacit/engine/axis.hpp"
#include "tacit/solvers/md/md_solver.hpp"
#include "tacit/tasks/scheduler.hpp"
#include "tacit/trace/trace.hpp"

namespace tacit::md::testing {

/// A path for the running test alone.
inline std::filesystem::path scratch_path(const std::string& ending) {
  return std::filesystem::path(::testing::TempDir()) /
         (::testing::UnitTest::GetInstance()->current_test_info()->name() + ending);
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

/// A solver alone on one rank, with its own workers.
class RunningMd {
 public:
  explicit RunningMd(MdParameters parameters, std::size_t workers = 1, const io::FileReader* checkpoint = nullptr)
      : alone_(comm::bootstrap_alone()),
        recorder_(workers),
        scheduler_(workers, recorder_),
        solver_(std::move(parameters), {scheduler_, false, alone_}, checkpoint) {}

  void steps(std::size_t count, double dt) {
    for (; count > 0; --count) {
      tasks::StepContext step;
      step.time = time_;
      step.dt = dt;
      step.step = step_++;
      solver_.step(step);
      time_ += dt;
    }
  }
  [[nodiscard]] const MdSolver& solver() const noexcept { return solver_; }
  [[nodiscard]] double energy() const { return solver_.measured().sums.energy(); }

 private:
  comm::Communicator alone_;
  trace::Recorder recorder_;
  tasks::Scheduler scheduler_;
  MdSolver solver_;
  double time_ = 0.0;
  std::uint64_t step_ = 0;
};

}  // namespace tacit::md::testing
