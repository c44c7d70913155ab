// A flow and what runs it, and its velocity at all points, for tests of statistics.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <numbers>
#include <vector>

#include "tacit/solvers/dns/flow.hpp"
#include "tacit/solvers/dns/setups/setups.hpp"
#include "tacit/tasks/scheduler.hpp"
#include "tacit/trace/trace.hpp"

namespace tacit::dns::testing {

/// A flow with its own workers.
class RunningFlow {
 public:
  explicit RunningFlow(FlowParameters parameters, std::size_t workers = 1)
      : recorder_(workers), scheduler_(workers, recorder_), flow(estimated(parameters), scheduler_) {}

 private:
  /// Plans that take no time to find.
  static FlowParameters estimated(FlowParameters parameters) {
    parameters.rigor = fft::Rigor::estimate;
    return parameters;
  }
  trace::Recorder recorder_;
  tasks::Scheduler scheduler_;

 public:
  Flow flow;
};

inline FlowParameters cube(std::size_t n, double viscosity = 0.01) {
  constexpr double side = 2.0 * std::numbers::pi;
  return {.points = {n, n, n}, .box = {side, side, side}, .viscosity = viscosity, .scheme = Scheme::rk4};
}

/// The velocity by component, shape (z, y, x).
inline std::array<std::vector<double>, 3> at_points(Flow& flow) {
  const fft::Shape n = flow.parameters().points;
  std::array<std::vector<double>, 3> u;
  for (auto& component : u) component.resize(n[0] * n[1] * n[2]);
  flow.at_points([&](std::size_t y, std::size_t z, const std::array<const double*, 3>& row) {
    for (std::size_t c = 0; c < 3; ++c) {
      for (std::size_t x = 0; x < n[0]; ++x) u[c][(z * n[1] + y) * n[0] + x] = row[c][x];
    }
  });
  return u;
}

}  // namespace tacit::dns::testing
