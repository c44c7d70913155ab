// Packs cells, and takes out of two of them who may meet.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/sph/sweep_room.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "tacit/base/error.hpp"

namespace tacit::sph {
namespace {

using namespace kernels::vector;  // of which all of this is made
using particles::Axis;

constexpr float far_away = 1e15F;
constexpr Float3 as_it_is{1.0F, 1.0F, 1.0F};

/// Puts a massless particle behind the others.
void seal(const PackedCell& cell) noexcept {
  const std::size_t at = 4 * cell.size;
  constexpr std::array nothing{far_away, far_away, far_away, 0.0F};
  std::copy_n(nothing.begin(), 4, cell.place + at);
  std::fill_n(cell.flow + at, 4, 0.0F);
  std::fill_n(cell.state + at, 4, 1.0F);
  if (cell.thermal != nullptr) std::fill_n(cell.thermal + at, 4, 1.0F);
}

/// A cell's keys in rising order along a direction.
class Ordered {
 public:
  Ordered(const PackedCell& cell, const Axis& axis) noexcept : keys_(cell.along[axis.index].keys), sign_(axis.sign) {}
  [[nodiscard]] float first() const noexcept { return sign_ * (sign_ > 0.0F ? keys_.front() : keys_.back()); }
  [[nodiscard]] float last() const noexcept { return sign_ * (sign_ > 0.0F ? keys_.back() : keys_.front()); }
  /// How many keys are below a bound.
  [[nodiscard]] std::size_t below(float bound) const noexcept {
    if (sign_ > 0.0F) return static_cast<std::size_t>(std::ranges::lower_bound(keys_, bound) - keys_.begin());
    return static_cast<std::size_t>(keys_.end() - std::ranges::upper_bound(keys_, -bound));
  }
  [[nodiscard]] float largest_size() const noexcept { return std::max(std::abs(first()), std::abs(last())); }

 private:
  std::span<const float> keys_;
  float sign_;
};

/// What rounding may take from a difference of keys: each is the sum of three products of coordinates that are rounded
/// to quanta of 2^-23 and to floats, and each of these steps loses at most 2^-24 of the largest.
float rounding_of(float largest_key) noexcept { return 0x1p-20F * (1.0F + largest_key); }

/// What takes a vector that was summed in the image back to where it belongs.
Float3 way_back(const Float3& sign, bool is_curl) noexcept {
  const float turn = is_curl ? sign.x * sign.y * sign.z : 1.0F;
  return {turn * sign.x, turn * sign.y, turn * sign.z};
}

}  // namespace

void SweepRoom::Side::reserve(std::size_t most) {
  const std::size_t whole = (most + 2 * widest) / widest * widest;
  if (whole <= turned_key.size()) return;
  turned_key.resize(whole);
  turned_index.resize(whole);
  fields.resize(whole * sweep_fields);
  sums.resize(whole * sweep_sums);
}

void SweepRoom::Side::take(const PackedCell& cell, const Axis& axis, std::size_t first, std::size_t end) noexcept {
  const auto& [keys, order] = cell.along[axis.index];
  size = end - first;
  if (axis.sign > 0.0F) {
    key = keys.data() + first;
    index = order.data() + first;
    return;
  }
  for (std::size_t k = 0; k < size; ++k) {
    const std::size_t from = cell.size - 1 - (first + k);
    turned_key[k] = -keys[from];
    turned_index[k] = order[from];
  }
  key = turned_key.data();
  index = turned_index.data();
}

void SweepRoom::reserve(std::size_t most) {
  near_.reserve(most);
  far_.reserve(most);
  const std::size_t padded = most + packing_room;
  if (padded <= values_.size()) return;
  values_.resize(padded);
  begins_.reserve(padded + 1);
  streams_.resize(padded);
}

void SweepRoom::pack(FillFunction fill, const MotionView& motion, const GasView& gas, const Frame& frame,
                     const PackedCell& cell) {
  reserve(cell.size);
  FillRule rule = frame.rule({});
  rule.region = {{-far_away, -far_away, -far_away}, {far_away, far_away, far_away}, 0.0F};
  float* const unused = streams_.data();
  // What is not a number is left out and leaves records of before at the end; the kick will report it.
  static_cast<void>(fill(source_of(motion, gas), rule, {},
                         {0, unused, unused, unused, unused, unused, cell.place, cell.flow, cell.state, cell.thermal}));
  seal(cell);
}

void SweepRoom::sort(const PackedCell& cell, std::size_t axis, Order before) {
  const base::Vec3 along = particles::direction_of(axis);
  const Float3 n{static_cast<float>(along.x), static_cast<float>(along.y), static_cast<float>(along.z)};
  const std::span<float> values(values_.data(), cell.size);
  for (std::size_t i = 0; i < cell.size; ++i) {
    const float* const at = cell.place + 4 * i;
    values[i] = at[0] * n.x + at[1] * n.y + at[2] * n.z;
  }
  if (before == Order::none) {
    particles::sort_keys(values, cell.along[axis], begins_);
  } else {
    particles::resort_keys(values, cell.along[axis]);
  }
}

void SweepRoom::load(Side& side, const SweepKind& kind, const PackedCell& cell, const Float3& sign,
                     const Float3& offset) {
  const auto fill = kind.has_thermal ? kind.kernels.fill_thermal : kind.kernels.fill;
  fill({cell.place, cell.flow, cell.state, cell.thermal, side.index, side.size, static_cast<std::uint32_t>(cell.size),
        sign, offset},
       side.fields.data(), side.sums.data());
}

void SweepRoom::unload(const Side& side, const SweepKind& kind, const PackedCell& cell, const Float3& sign) {
  kind.kernels.harvest({side.index, side.size, side.sums.data(), cell.sums, sign});
}

void SweepRoom::sweep_self(const SweepKind& kind, const PackedCell& cell, std::size_t axis, const SweepReach& reach) {
  if (cell.size < 2) return;
  const Axis along{static_cast<std::uint8_t>(axis), 1.0F};
  near_.take(cell, along, 0, cell.size);
  load(near_, kind, cell, as_it_is, {0.0F, 0.0F, 0.0F});
  const float slack = 2.0F * reach.slack + rounding_of(Ordered(cell, along).largest_size());
  kind.loop.self({near_.view(reach.H_max), {}, slack, kind.constants});
  unload(near_, kind, cell, as_it_is);
}

void SweepRoom::sweep_pair(const SweepKind& kind, const PackedCell& near, const PackedCell& far,
                           const SweepImage& image, const SweepReach& reach_near, const SweepReach& reach_far) {
  if (near.size == 0 || far.size == 0) return;
  const Ordered nearer(near, image.near);
  const Ordered farther(far, image.far);
  const float largest = std::max(nearer.largest_size(), farther.largest_size() + std::abs(image.key_offset));
  const float slack = reach_near.slack + reach_far.slack + rounding_of(2.0F * largest) - image.key_offset;
  const float most = std::max(reach_near.H_max, reach_far.H_max) + slack;
  // Of the one those with the largest keys, of the other those with the smallest.
  const std::size_t first = nearer.below(farther.first() - most);
  const std::size_t end = farther.below(nearer.last() + most);
  if (first == near.size || end == 0) return;
  near_.take(near, image.near, first, near.size);
  far_.take(far, image.far, 0, end);
  load(near_, kind, near, as_it_is, {0.0F, 0.0F, 0.0F});
  load(far_, kind, far, image.sign, image.offset);
  kind.loop.pair({near_.view(reach_near.H_max), far_.view(reach_far.H_max), slack, kind.constants});
  unload(near_, kind, near, as_it_is);
  if (!image.is_one_sided) unload(far_, kind, far, way_back(image.sign, kind.sums_curls));
}

}  // namespace tacit::sph
