// A flow and what runs it, and what tests of dns ask of its modes and points.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <span>
#include <vector>

#include "tacit/solvers/dns/flow.hpp"
#include "tacit/tasks/scheduler.hpp"
#include "tacit/trace/trace.hpp"

namespace tacit::dns::testing {

/// A box of 2 pi.
inline FlowParameters cube(std::size_t n, Scheme scheme = Scheme::rk2, double viscosity = 0.0) {
  constexpr double side = 2.0 * std::numbers::pi;
  return {.points = {n, n, n},
          .box = {side, side, side},
          .viscosity = viscosity,
          .scheme = scheme,
          .rigor = fft::Rigor::estimate};
}

/// A flow with its own workers.
class RunningFlow {
 public:
  /// @param ranks  null: one rank
  explicit RunningFlow(FlowParameters parameters, std::size_t workers = 1, comm::Communicator* ranks = nullptr)
      : recorder_(workers), scheduler(workers, recorder_), flow(estimated(parameters), scheduler, ranks) {}

  void steps(int count, double dt) {
    for (int i = 0; i < count; ++i) flow.step(dt);
  }
  [[nodiscard]] const trace::Recorder& recorder() const noexcept { return recorder_; }

 private:
  /// Plans that take no time to find.
  static FlowParameters estimated(FlowParameters parameters) {
    parameters.rigor = fft::Rigor::estimate;
    return parameters;
  }
  trace::Recorder recorder_;

 public:
  tasks::Scheduler scheduler;
  Flow flow;
};

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

/// All modes of a flow, of its scalars too, one after the other.
inline std::vector<Complex> all_modes(const Flow& flow) {
  std::vector<Complex> all;
  for (std::size_t c = 0; c < 3; ++c) all.insert(all.end(), flow.modes(c).begin(), flow.modes(c).end());
  for (std::size_t s = 0; s < flow.scalars(); ++s) all.insert(all.end(), flow.scalar(s).begin(), flow.scalar(s).end());
  return all;
}

/// The root of the sum of |a - b|^2.
inline double distance(std::span<const Complex> a, std::span<const Complex> b) {
  double sum = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += std::norm(a[i] - b[i]);
  return std::sqrt(sum);
}

/// Where the mode (kx, ky, kz) stands, kx >= 0, in waves per box.
inline std::size_t place_of(const Flow& flow, const Waves& k) {
  const fft::Modes& modes = flow.pencils().modes();
  const auto index = [&](std::size_t axis) {
    return static_cast<std::size_t>(k[axis] < 0 ? k[axis] + static_cast<std::int64_t>(modes.count(axis)) : k[axis]);
  };
  return flow.pencils().spectral_place(index(0), index(1), index(2));
}

/// Half of the mean square of a field.
inline double half_square(const Flow& flow, std::span<const Complex> field) {
  double sum = 0.0;
  const std::size_t of_zero_kx = flow.pencils().modes().count(1) * flow.pencils().modes().count(2);
  for (std::size_t i = 0; i < field.size(); ++i) sum += (i < of_zero_kx ? 0.5 : 1.0) * std::norm(field[i]);
  return sum;
}

}  // namespace tacit::dns::testing
