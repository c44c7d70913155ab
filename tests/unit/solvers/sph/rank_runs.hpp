// Gas on ranks of one process, and all that a run leaves of it, for the tests of this layer.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string_view>
#include <vector>

#include "samples.hpp"
#include "tacit/solvers/sph/fields.hpp"
#include "unit/comm/polling.hpp"
#include "unit/comm/ranks.hpp"

namespace tacit::sph::testing {

/// A solver of one of several ranks, with its workers.
class RankRun {
 public:
  RankRun(const SphParameters& parameters, const InitialConditions& initial, comm::Communicator& ranks,
          std::size_t workers)
      : recorder_(workers, 64),
        scheduler_(workers, recorder_),
        polling_(scheduler_, ranks),
        ranks_(ranks),
        solver_(parameters, base::UnitSystem{}, share_of(initial, {comm::number(ranks.rank()), ranks.size()}),
                {scheduler_, true, ranks}) {}
  void advance(int steps) {
    for (; steps > 0; --steps) step(solver_.time_step());
  }
  /// Steps of the length that the solver asks for, and a shorter one at the end.
  void advance_to(double end) {
    while (time_ < end) step(std::min(solver_.time_step(), end - time_));
  }
  [[nodiscard]] SphSolver& solver() noexcept { return solver_; }
  [[nodiscard]] std::size_t rank() const noexcept { return comm::number(ranks_.rank()); }

 private:
  void step(double dt) {
    tasks::StepContext step;
    step.time = time_;
    step.dt = dt;
    solver_.step(step);
    time_ += dt;
  }

  trace::Recorder recorder_;
  tasks::Scheduler scheduler_;
  comm::testing::Polling polling_;
  comm::Communicator& ranks_;
  SphSolver solver_;
  double time_ = solver_.start_time();
};

/// What a checkpoint has of each particle, by its ID, and numbers of all together.
struct Outcome {
  std::map<std::uint64_t, std::vector<double>> particles;
  std::vector<double> numbers;
  friend bool operator==(const Outcome&, const Outcome&) = default;

  /// Adds what one rank has. All ranks call it, with the same lock.
  void add(RankRun& run, std::mutex& lock) {
    const SphSolver& solver = run.solver();
    const engine::MechanicalSums sums = solver.sums();
    const std::vector<double> found{sums.kinetic_energy,
                                    sums.energy(),
                                    sums.momentum_scale,
                                    solver.time_step(),
                                    solver.shortest_step(),
                                    static_cast<double>(solver.updated()),
                                    static_cast<double>(solver.rebuilds()),
                                    static_cast<double>(solver.sorts()),
                                    static_cast<double>(solver.elements())};
    const std::scoped_lock guard(lock);
    for (std::size_t i = 0; i < solver.gas().size(); ++i) {
      std::vector<double>& particle = particles[solver.gas().id[i]];
      EXPECT_TRUE(particle.empty()) << "two ranks have a particle";
      for_each_stored_field(solver.gas(), [&](std::string_view, const auto& array) { particle.push_back(array[i]); });
    }
    EXPECT_TRUE(numbers.empty() || numbers == found);
    numbers = found;
  }
};

enum class Cuts : std::uint8_t { where_they_pay, at_every_sort };

inline Outcome outcome_of(const SphParameters& parameters, const InitialConditions& initial, std::size_t ranks,
                          std::size_t workers, int steps, Cuts cuts = Cuts::where_they_pay) {
  Outcome outcome;
  std::mutex lock;
  comm::testing::on_ranks(ranks, [&](comm::Communicator& world) {
    RankRun run(parameters, initial, world, workers);
    if (cuts == Cuts::at_every_sort) run.solver().cut_at_every_sort();
    run.advance(steps);
    if (cuts == Cuts::at_every_sort) {  // where cells are made again, leaves are shared out besides
      EXPECT_GE(5 * (run.solver().cuts() + run.solver().rebuilds()), static_cast<std::uint64_t>(steps));
    }
    outcome.add(run, lock);
  });
  return outcome;
}

/// The same with something done before each step, on each rank by itself.
inline Outcome outcome_with(const SphParameters& parameters, const InitialConditions& initial, std::size_t ranks,
                            int steps, const std::function<void(RankRun&)>& before_step) {
  Outcome outcome;
  std::mutex lock;
  comm::testing::on_ranks(ranks, [&](comm::Communicator& world) {
    RankRun run(parameters, initial, world, 1);
    for (int step = 0; step < steps; ++step) {
      before_step(run);
      run.advance(1);
    }
    outcome.add(run, lock);
  });
  return outcome;
}

/// A hot spot off the middle of gas that moves.
inline InitialConditions moving_blast(std::size_t side, int dimension) {
  InitialConditions gas = uniform_gas(side, 0.4, dimension);
  for (std::size_t i = 0; i < gas.size(); ++i) {
    gas.vx[i] = 3.0;
    if (dimension > 1) gas.vy[i] = -1.0;
    const double dx = gas.x[i] - 0.3;
    const double dy = dimension > 1 ? gas.y[i] - 0.4 : 0.0;
    if (dx * dx + dy * dy < 0.02) gas.u[i] = 40.0;
  }
  return gas;
}

}  // namespace tacit::sph::testing
