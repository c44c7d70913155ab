// A flow and what runs it, and what tests of dns ask of its modes and points.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <optional>
#include <span>
#include <vector>

#include "tacit/comm/bootstrap/threads.hpp"
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

inline base::Vec3 taylor_green(const base::Vec3& x) {
  return {std::sin(x.x) * std::cos(x.y) * std::cos(x.z), -std::cos(x.x) * std::sin(x.y) * std::cos(x.z), 0.0};
}

/// Scalars with and without a mean gradient, rotation, stratification and forcing.
inline FlowParameters with_everything(std::size_t n, Scheme scheme, Form form) {
  FlowParameters p = cube(n, scheme, 0.02);
  p.form = form;
  p.physics.scalars = {{.diffusivity = 0.03, .gradient = {0.5, 0.0, 1.0}}, {.diffusivity = 0.01}};
  p.physics.rotation = {0.3, 0.1, 0.7};
  p.physics.stratification = 1.2;
  p.physics.buoyancy_diffusivity = 0.015;
  p.physics.forcing = {.kind = ForcingKind::constant, .radius = 2.0, .power = 0.1};
  return p;
}

/// Sets all fields of such a flow.
/// @param w  amplitude of the velocity along z
inline void begin_with_everything(Flow& flow, double w = 0.0) {
  flow.set([w](const base::Vec3& x) {
    const base::Vec3 u = taylor_green(x);
    return base::Vec3{u.x, u.y, w * std::sin(x.x + 2 * x.y)};
  });
  flow.set_scalar(0, [](const base::Vec3& x) { return std::sin(x.x + x.z); });
  flow.set_scalar(1, [](const base::Vec3& x) { return std::cos(2 * x.y - x.z); });
  flow.set_scalar(2, [](const base::Vec3& x) { return 0.3 * std::cos(x.x) * std::sin(x.z); });
}

/// A flow with its own workers, and unless it is given ranks, alone.
class RunningFlow {
 public:
  explicit RunningFlow(const FlowParameters& parameters, std::size_t workers = 1)
      : alone_(std::in_place, comm::bootstrap_alone()),
        recorder_(workers),
        scheduler(workers, recorder_),
        flow(estimated(parameters), scheduler, *alone_) {}
  RunningFlow(const FlowParameters& parameters, std::size_t workers, comm::Communicator& ranks)
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
  std::optional<comm::Communicator> alone_;
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
  for (std::size_t i = 0; i < flow.fields(); ++i) all.insert(all.end(), flow.field(i).begin(), flow.field(i).end());
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
