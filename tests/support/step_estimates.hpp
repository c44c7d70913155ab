// The steps that are predicted of a run beside those that it takes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "support/temporary_folder.hpp"
#include "tacit/engine/axis.hpp"
#include "tacit/engine/run_estimate.hpp"
#include "unit/io/scratch.hpp"

namespace tacit::test {

struct StepEstimates {
  engine::StepEstimate predicted;
  engine::Rehearsal taken;

  [[nodiscard]] double of_steps() const { return predicted.steps / static_cast<double>(taken.steps.size()); }
  [[nodiscard]] double of_updates() const { return predicted.updates / static_cast<double>(taken.updates()); }
};

/// @param text    a parameter file without the key `solver`
/// @param within  for rehearsals of whole runs, by the assumed speed of the solver [s]: too little for the run itself
inline StepEstimates estimate_steps(const engine::SolverEntry& solver, const std::string& text, double within) {
  const Scratch scratch;
  put(scratch / "run.toml", text);
  std::vector<config::KeyTable> tables = engine::key_tables(solver.axis);
  const auto own = solver.tables();
  tables.insert(tables.end(), own.begin(), own.end());
  const auto read = [&](const std::vector<std::string>& settings) {
    std::vector<config::Override> overrides;
    for (const std::string& setting : settings) overrides.push_back({setting});
    return config::Document(scratch / "run.toml", overrides).read(tables);
  };
  const config::Parameters parameters = read({});
  const engine::Prediction prediction = solver.predict(parameters, 1);
  const engine::TimeParameters times = engine::read_time_parameters(parameters, solver.axis, prediction.start_time);
  // No clock: the same everywhere.
  constexpr double never = std::numeric_limits<double>::infinity();
  const engine::EstimateLimits limits{
      .whole_s = within, .first_s = 0.5 * within, .most_whole_s = never, .most_first_s = never};
  const engine::RunEstimate estimated = engine::estimate(
      {.solver = solver, .parameters = parameters, .prediction = prediction, .with = read}, times, limits);
  return {estimated.steps, engine::rehearse(solver, parameters, 1, {})};
}

}  // namespace tacit::test
