// Fills the float cache of a cell.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/sph/kernels/vector/vector_cache.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "tacit/base/error.hpp"

namespace tacit::sph::kernels::vector {
namespace {

/// The power of two at or below x, so that multiplication by it rounds nothing.
double power_of_two(double x) noexcept { return std::exp2(std::floor(std::log2(x))); }

// Farther than any particle that is seen (extents are 1 to 2 units), and its square is far from overflow.
constexpr float far_away = 1e15F;

}  // namespace

FillSource source_of(const MotionView& motion) noexcept {
  FillSource source;
  source.count = motion.x.size();
  source.x = motion.x.data();
  source.y = motion.y.data();
  source.z = motion.z.data();
  source.m = motion.m.data();
  source.vx = motion.vx.data();
  source.vy = motion.vy.data();
  source.vz = motion.vz.data();
  return source;
}

FillSource source_of(const MotionView& motion, const GasView& gas) noexcept {
  FillSource source = source_of(motion);
  source.h = gas.h.data();
  source.rho = gas.rho.data();
  source.omega_P = gas.omega_P.data();
  source.cs = gas.cs.data();
  source.balsara = gas.balsara.data();
  source.support = gas.support;
  source.u = gas.u.data();
  source.f = gas.f.data();
  source.alpha_v = gas.alpha_v.data();
  source.alpha_d = gas.alpha_d.data();
  return source;
}

namespace {

/// The box in the coordinates of what is seen through the image.
void see_from_source(FillGroups& groups, const Image& image, const Box& box) noexcept {
  const std::array<std::array<double, 4>, 3> axes{{{image.sign.x, image.shift.x, box.low.x, box.high.x},
                                                   {image.sign.y, image.shift.y, box.low.y, box.high.y},
                                                   {image.sign.z, image.shift.z, box.low.z, box.high.z}}};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const auto& [sign, shift, low, high] = axes[axis];
    groups.low[axis] = sign * ((sign > 0.0 ? low : high) - shift);
    groups.high[axis] = sign * ((sign > 0.0 ? high : low) - shift);
  }
}

}  // namespace

Frame::Frame(const base::Vec3& origin, double extent, const base::Vec3& velocity, const Scales& scales, int dimension) {
  TACIT_EXPECT(extent > 0.0 && scales.mass > 0.0 && scales.velocity > 0.0);
  const double unit = power_of_two(extent);
  per_length_ = 1.0 / unit;
  // Coordinates are below 2 units, that is 2^24 quanta, which floats hold exactly, and so are the differences of those
  // that see each other. (Differences of others may be rounded.) No finer quantum does, and this one is what moves
  // particles by chance: forces are those at rounded places.
  quantum_length_ = 0x1p-23;
  per_quantum_ = 0x1p23 / unit;
  per_mass_ = 1.0 / power_of_two(scales.mass);
  // Velocities are floats to begin with: finer or coarser units than these would serve none.
  per_velocity_ = static_cast<float>(std::clamp(1.0 / power_of_two(scales.velocity), 0x1p-126, 0x1p126));
  velocity_ = {static_cast<float>(velocity.x), static_cast<float>(velocity.y), static_cast<float>(velocity.z)};
  per_density_ = per_mass_ * std::pow(unit, dimension);
  const auto per_velocity = static_cast<double>(per_velocity_);
  per_energy_ = per_velocity * per_velocity;
  per_omega_P_ = per_energy_ / per_density_;
  origin_ = {steps(origin.x), steps(origin.y), steps(origin.z)};
}

FillRule Frame::rule(const Image& image) const noexcept {
  const auto axis = [this](double sign, double shift, double origin, float velocity) {
    return FillAxis{sign * per_quantum_, steps(shift) - origin, static_cast<float>(sign), velocity};
  };
  return {axis(image.sign.x, image.shift.x, origin_.x, velocity_.x),
          axis(image.sign.y, image.shift.y, origin_.y, velocity_.y),
          axis(image.sign.z, image.shift.z, origin_.z, velocity_.z),
          quantum_length_,
          per_length_,
          per_mass_,
          per_density_,
          per_omega_P_,
          per_energy_,
          per_velocity_,
          {}};
}

void VectorCache::reserve(std::size_t more) {
  const std::size_t needed = size_ + more + 2 * widest;
  if (needed <= capacity_) return;
  capacity_ = std::max(needed, 2 * capacity_);
  streams_.grow(capacity_, size_);
  numbers_.grow(capacity_, 0);
  for (auto* records : {&place_, &flow_, &state_, &thermal_}) records->resize(4 * capacity_);
  hits_ = {0, numbers_[hit_index], streams_[hit_r], streams_[hit_m]};
}

void VectorCache::append(FillFunction fill, const MotionView& motion, const Image& image, const Box& box, double radius,
                         const FillGroups& groups) {
  append(fill, source_of(motion), image, box, radius, groups);
}

void VectorCache::append(FillFunction fill, const MotionView& motion, const GasView& gas, const Image& image,
                         const Box& box, double radius, const FillGroups& groups) {
  append(fill, source_of(motion, gas), image, box, radius, groups);
}

void VectorCache::append(FillFunction fill, const FillSource& source, const Image& image, const Box& box, double radius,
                         FillGroups groups) {
  reserve(source.count);
  FillRule rule = frame_.rule(image);
  rule.region = region(box, radius);
  see_from_source(groups, image, box);
  groups.radius = radius;
  size_ = fill(source, rule, groups,
               {size_, streams_[all_x], streams_[all_y], streams_[all_z], streams_[all_m], streams_[all_H2],
                place_.data(), flow_.data(), state_.data(), thermal_.data()});
}

void VectorCache::seal() {
  reserve(0);
  for (const Stream stream : {all_x, all_y, all_z}) std::fill_n(streams_[stream] + size_, widest, far_away);
  for (const Stream stream : {all_m, all_H2}) std::fill_n(streams_[stream] + size_, widest, 0.0F);
  for (std::size_t k = size_; k < size_ + widest; ++k) {
    std::copy_n(std::array{far_away, far_away, far_away, 0.0F}.begin(), 4, &place_[4 * k]);
    std::fill_n(&flow_[4 * k], 4, 0.0F);
    std::fill_n(&state_[4 * k], 4, 1.0F);
    std::fill_n(&thermal_[4 * k], 4, 1.0F);
  }
}

Region VectorCache::region(const Box& box, double radius) const noexcept {
  return {frame_.place({box.low.x, box.low.y, box.low.z}), frame_.place({box.high.x, box.high.y, box.high.z}),
          frame_.length(radius)};
}

ShortlistTarget VectorCache::room_for_list() noexcept {
  return {streams_[list_x], streams_[list_y],  streams_[list_z],
          streams_[list_m], streams_[list_H2], numbers_[list_index]};
}

void VectorCache::shortlist(const SearchFunctions& search, const Box& box, double radius) {
  listed_radius_ = frame_.length(radius);
  listed_ = search.shortlist(candidates(), region(box, radius), room_for_list());
}

void VectorCache::shortlist_either(const SearchFunctions& search, const Box& box, double radius) {
  listed_radius_ = frame_.length(radius);
  listed_ = search.shortlist_either(candidates(), region(box, radius), room_for_list());
}

Shortlist VectorCache::shortlist() const noexcept {
  return {listed_,          streams_[list_x],  streams_[list_y],    streams_[list_z],
          streams_[list_m], streams_[list_H2], numbers_[list_index]};
}

Candidates VectorCache::candidates() const noexcept {
  return {size_,         streams_[all_x], streams_[all_y], streams_[all_z], streams_[all_m], streams_[all_H2],
          place_.data(), flow_.data(),    state_.data(),   thermal_.data()};
}

}  // namespace tacit::sph::kernels::vector
