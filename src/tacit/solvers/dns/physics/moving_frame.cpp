// How modes leave the frame that moves with the mean flow.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/dns/physics/moving_frame.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tacit::dns {
namespace {

/// The largest change of a phase that is rounding: the mean of a field that should have none is the sum of
/// the roundings of a transform, and u x omega adds to it.
constexpr double of_rounding = 64.0 * std::numeric_limits<double>::epsilon();

}  // namespace

MovingFrame::MovingFrame(const fft::Pencils& pencils, const ByAxis& wave_numbers, const kernels::PhysicsLoops& loops)
    : pencils_(pencils), k_(wave_numbers), loops_(loops) {
  for (std::size_t axis = 0; axis < 3; ++axis) phases_[axis].resize(k_[axis].size());
}

bool MovingFrame::would_move(const base::Vec3& mean, double dt) const {
  double largest = 0.0;
  for (std::size_t axis = 0; axis < 3; ++axis) largest += std::abs(mean[axis]) * std::ranges::max(k_[axis]) * dt;
  return largest > of_rounding;
}

void MovingFrame::begin_step(const base::Vec3& mean, double dt) {
  moves_ = would_move(mean, dt);
  velocity_ = moves_ ? mean : base::Vec3{};
  if (!moves_) return;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const double distance = mean[axis] * dt;
    for (std::size_t i = 0; i < k_[axis].size(); ++i) phases_[axis][i] = std::polar(1.0, -k_[axis][i] * distance);
  }
}

void MovingFrame::remove_mean(const fft::ColumnBlock& block, Complex* lines) const {
  if (moves_ && block.kx == 0 && block.ky == 0) lines[0] = Complex{};  // kz = 0 stands first
}

void MovingFrame::leave(const fft::ColumnBlock& block, Complex* modes) const {
  const auto column = column_factors(phases_, block);
  loops_.shift(phases_[2].size(), block.count, 2 * pencils_.ky().size(), numbers(phases_[2].data()),
               numbers(column.data()), numbers(modes));
}

}  // namespace tacit::dns
