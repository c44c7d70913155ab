// A flow in a box of 2 pi and what runs it, for the tests of dns.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <span>
#include <vector>

#include "tacit/solvers/dns/flow.hpp"
#include "tacit/trace/trace.hpp"

namespace tacit::dns::samples {

inline FlowParameters in_a_box(std::size_t n, Scheme scheme = Scheme::rk2) {
  constexpr double side = 2.0 * std::numbers::pi;
  return {.points = {n, n, n}, .box = {side, side, side}, .scheme = scheme, .rigor = fft::Rigor::estimate};
}

class RunningFlow {
 public:
  explicit RunningFlow(const FlowParameters& parameters, std::size_t workers = 1)
      : recorder_(workers), scheduler_(workers, recorder_), flow(parameters, scheduler_) {}

  void steps(int count, double dt) {
    for (int i = 0; i < count; ++i) flow.step(dt);
  }

 private:
  trace::Recorder recorder_;
  tasks::Scheduler scheduler_;

 public:
  Flow flow;
};

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

}  // namespace tacit::dns::samples
