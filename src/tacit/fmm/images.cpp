// Periodic images: which of them act through a tree, and what all others do together.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/fmm/images.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>

#include "tacit/base/error.hpp"
#include "tacit/fmm/ewald.hpp"

namespace tacit::fmm {
namespace {

using base::Vec3;
using kernels::MultiIndex;
using kernels::place_of;

constexpr int P = Images::order;
/// Boxes around one, along its longest side, that are near.
constexpr int near_boxes = 2;

/// The multi-indices up to order P, and the places of the sums of any two that are within it.
struct Sums {
  std::array<MultiIndex, terms(P)> index{};
  std::array<int, terms(P)> order{};
  std::vector<std::uint16_t> place;              // for each n those of n + m, |m| <= P - |n|
  std::array<std::size_t, terms(P)> first_of{};  // where those of n begin

  Sums() {
    std::size_t k = 0;
    for (int q = 0; q <= P; ++q) {
      for (int x = q; x >= 0; --x) {
        for (int y = q - x; y >= 0; --y, ++k) {
          index[k] = {x, y, q - x - y};
          order[k] = q;
        }
      }
    }
    for (std::size_t n = 0; n < terms(P); ++n) {
      first_of[n] = place.size();
      for (std::size_t m = 0; m < terms(P - order[n]); ++m) {
        const MultiIndex sum{index[n].x + index[m].x, index[n].y + index[m].y, index[n].z + index[m].z};
        place.push_back(static_cast<std::uint16_t>(place_of(sum)));
      }
    }
  }
  [[nodiscard]] const std::uint16_t* of(std::size_t n) const { return place.data() + first_of[n]; }
};

const Sums& sums() {
  static const Sums table;
  return table;
}

/// r^n / n! of all |n| <= P.
Images::Expansion monomials(const Vec3& r) noexcept {
  double along[3][P + 1];
  for (std::size_t axis = 0; axis < 3; ++axis) {
    along[axis][0] = 1.0;
    for (int k = 1; k <= P; ++k) along[axis][k] = along[axis][k - 1] * r[axis] / k;
  }
  Images::Expansion of;
  for (std::size_t n = 0; n < terms(P); ++n) {
    const MultiIndex& index = sums().index[n];
    of[n] = along[0][index.x] * along[1][index.y] * along[2][index.z];
  }
  return of;
}

}  // namespace

Images::Images(const Vec3& lower, const Vec3& sides) : middle_(lower + 0.5 * sides) {
  unit_ = std::max({sides.x, sides.y, sides.z});
  TACIT_EXPECT(std::min({sides.x, sides.y, sides.z}) > 0.0);
  // As far along each axis as along the longest.
  std::array<int, 3> count{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    count[axis] = static_cast<int>(std::ceil((near_boxes + 1) * unit_ / sides[axis] - 1e-9)) - 1;
  }
  near_.emplace_back();
  for (int x = -count[0]; x <= count[0]; ++x) {
    for (int y = -count[1]; y <= count[1]; ++y) {
      for (int z = -count[2]; z <= count[2]; ++z) {
        if (x != 0 || y != 0 || z != 0) near_.push_back({x * sides.x, y * sides.y, z * sides.z});
      }
    }
  }
  K_ = Ewald((1.0 / unit_) * sides).far_derivatives(P, count);
}

Vec3 Images::from_middle(const Vec3& x) const noexcept { return (1.0 / unit_) * (x - middle_); }

template <int p>
void Images::add_source(ConstTerms<p> M, const Vec3& centre, Expansion& all) const noexcept {
  const Expansion powers = monomials(from_middle(centre));
  double unit = 1.0;  // of length^|n|
  std::size_t n = 0;
  for (int q = 0; q <= std::max(p - 1, 0); ++q, unit /= unit_) {
    for (; n < terms(q); ++n) {
      const std::uint16_t* const place = sums().of(n);
      for (std::size_t m = 0; m < terms(P - q); ++m) all[place[m]] += unit * M[n] * powers[m];
    }
  }
}

Images::Expansion Images::act(const Expansion& all) const noexcept {
  Expansion local{};
  for (std::size_t n = 0; n < terms(P); ++n) {
    const std::uint16_t* const place = sums().of(n);
    for (std::size_t m = 0; m < terms(P - sums().order[n]); ++m) {
      local[n] += (sums().order[m] % 2 == 0 ? all[m] : -all[m]) * K_[place[m]];
    }
  }
  return local;
}

template <int p>
void Images::add_to(const Expansion& far, const Vec3& centre, Terms<p> L) const noexcept {
  const Expansion powers = monomials(from_middle(centre));
  double unit = 1.0 / unit_;  // of length^-(1 + |n|)
  std::size_t n = 0;
  for (int q = 0; q <= p; ++q, unit /= unit_) {
    for (; n < terms(q); ++n) {
      const std::uint16_t* const place = sums().of(n);
      double sum = 0.0;
      for (std::size_t m = 0; m < terms(P - q); ++m) sum += far[place[m]] * powers[m];
      L[n] += unit * sum;
    }
  }
}

template void Images::add_source<0>(ConstTerms<0>, const Vec3&, Expansion&) const noexcept;
template void Images::add_to<0>(const Expansion&, const Vec3&, Terms<0>) const noexcept;
template void Images::add_source<1>(ConstTerms<1>, const Vec3&, Expansion&) const noexcept;
template void Images::add_to<1>(const Expansion&, const Vec3&, Terms<1>) const noexcept;
template void Images::add_source<2>(ConstTerms<2>, const Vec3&, Expansion&) const noexcept;
template void Images::add_to<2>(const Expansion&, const Vec3&, Terms<2>) const noexcept;
template void Images::add_source<3>(ConstTerms<3>, const Vec3&, Expansion&) const noexcept;
template void Images::add_to<3>(const Expansion&, const Vec3&, Terms<3>) const noexcept;
template void Images::add_source<4>(ConstTerms<4>, const Vec3&, Expansion&) const noexcept;
template void Images::add_to<4>(const Expansion&, const Vec3&, Terms<4>) const noexcept;
template void Images::add_source<5>(ConstTerms<5>, const Vec3&, Expansion&) const noexcept;
template void Images::add_to<5>(const Expansion&, const Vec3&, Terms<5>) const noexcept;

}  // namespace tacit::fmm
