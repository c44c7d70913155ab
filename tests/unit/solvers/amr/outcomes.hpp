// What runs of amr on any ranks have come to, and gases for such runs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "running_amr.hpp"
#include "unit/comm/ranks.hpp"

namespace tacit::amr::testing {

struct Outcome {
  std::vector<mesh::Node> leaves;
  std::vector<double> state;    ///< of all leaves, in their order
  std::vector<double> numbers;  ///< times, sums, errors
  std::set<mesh::Node> moved;   ///< leaves that were on another rank before a step than behind it
  friend bool operator==(const Outcome& a, const Outcome& b) {
    return a.leaves == b.leaves && a.state == b.state && a.numbers == b.numbers;
  }
};

struct Plan {
  std::size_t ranks = 1;
  std::size_t workers = 1;
  std::size_t steps = 0;
  std::filesystem::path from = {};  ///< a checkpoint; empty: the initial conditions
  std::filesystem::path to = {};    ///< likewise; empty: none is written
  double begin = 0.0;               ///< time, and how many steps there were
  std::size_t before = 0;
};

inline std::set<mesh::Node> own_leaves(const AmrSolver& solver) {
  const mesh::LeafRange& own = solver.grids().own();
  const auto leaves = solver.tree().leaves();
  return {leaves.begin() + static_cast<std::ptrdiff_t>(own.begin),
          leaves.begin() + static_cast<std::ptrdiff_t>(own.end)};
}

inline Outcome outcome_of(const AmrParameters& parameters, const Plan& plan) {
  Outcome outcome;
  std::mutex mutex;
  std::vector<std::vector<double>> parts(plan.ranks);
  comm::testing::on_ranks(plan.ranks, [&](comm::Communicator& world) {
    std::optional<io::FileReader> checkpoint;
    if (!plan.from.empty()) checkpoint.emplace(plan.from);
    RunningAmr run(parameters, plan.workers, world, checkpoint ? &*checkpoint : nullptr);
    run.go_on_from(plan.begin, plan.before);
    for (std::size_t step = 0; step < plan.steps; ++step) {
      const std::vector<mesh::Node> all(run.solver().tree().leaves().begin(), run.solver().tree().leaves().end());
      const std::set<mesh::Node> before = own_leaves(run.solver());
      run.steps(1);
      const std::lock_guard lock(mutex);
      for (const mesh::Node& leaf : own_leaves(run.solver())) {
        if (!before.contains(leaf) && std::ranges::find(all, leaf) != all.end()) outcome.moved.insert(leaf);
      }
    }
    std::vector<double> numbers{run.time(), run.solver().time_step()};
    for (const auto& one : run.solver().conserved().quantities) {
      numbers.insert(numbers.end(), one.value.begin(), one.value.end());
    }
    for (const engine::Statistic& one : run.solver().statistics()) numbers.push_back(one.value);
    if (!plan.to.empty()) {
      io::FileWriter file(plan.to, 1, world);
      run.solver().save(file);
      file.commit();
    }
    const std::lock_guard lock(mutex);
    parts[number(world.rank())] = run.state();
    outcome.leaves.assign(run.solver().tree().leaves().begin(), run.solver().tree().leaves().end());
    if (!outcome.numbers.empty()) {
      EXPECT_EQ(outcome.numbers, numbers) << "ranks do not agree";
    }
    outcome.numbers = numbers;
  });
  for (const std::vector<double>& part : parts) outcome.state.insert(outcome.state.end(), part.begin(), part.end());
  return outcome;
}

/// A gas that is alike in no two places, not even turned or mirrored, and that moves.
inline AmrParameters rough_gas(const std::string& amr) {
  AmrParameters parameters = parameters_of("initial.setup = \"sedov\"\n[amr]\n" + amr);
  parameters.initial.exact = {};
  parameters.initial.deposit.reset();
  parameters.initial.state = [](const Point& x) {
    const double a = std::sin(5.1 * x[0] + 9.7 * x[1] + 3.3 * x[2] * x[2] + 0.3);
    const double b = std::sin(11.3 * x[0] * x[0] - 4.9 * x[1] + 7.1 * x[2]);
    return GasState{1.0 + 0.4 * a, {0.5 + 0.3 * b, 0.4 - 0.2 * a, 0.3 * a * b}, 1.0 + 0.3 * a * a - 0.2 * b};
  };
  return parameters;
}

inline const char* const moving_explosion =
    "root = [4, 4]\nlow = [\"outflow\"]\nfinest = 3\nregrid_every = 2\nrefine_above = 0.1\ncoarsen_below = 0.06\n"
    "species = 2\n";

/// A hot ball beside a dense blob that drifts: sub-grids come, go, and change their ranks.
inline AmrParameters adaptive_gas(const std::string& amr) {
  AmrParameters parameters = parameters_of("initial.setup = \"sedov\"\n[amr]\n" + amr);
  parameters.initial.exact = {};
  parameters.initial.deposit.reset();
  parameters.initial.state = [axes = parameters.domain.dimensions](const Point& x) {
    const auto distance = [&](double x0, double y0, double z0) {
      return std::hypot(x[0] - x0, axes > 1 ? x[1] - y0 : 0.0, axes > 2 ? x[2] - z0 : 0.0);
    };
    const bool is_hot = distance(0.63, 0.71, 0.4) < 0.1;
    const double r = distance(0.27, 0.34, 0.45);
    return GasState{1.0 + 3.0 * std::exp(-r * r / 0.005), {2.0, 1.0, 0.5}, is_hot ? 30.0 : 1.0};
  };
  parameters.initial.fractions = [](const Point& x) { return all_of(x[0] + x[1] < 0.7 ? 0 : 1); };
  return parameters;
}

}  // namespace tacit::amr::testing
