// Numbers the sites of a folded lattice, and finds their neighbours.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/qcd/lattice.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tacit/base/error.hpp"

namespace tacit::qcd {

std::string Extents::text() const { return fmt::format("{} x {} x {} x {}", n[0], n[1], n[2], n[3]); }

Coordinates Extents::at(std::size_t index) const noexcept {
  Coordinates result{};
  for (std::size_t axis = 0; axis < axes; ++axis) {
    result[axis] = static_cast<std::uint32_t>(index % n[axis]);
    index /= n[axis];
  }
  return result;
}

Coordinates Extents::next(Coordinates at, std::size_t axis) const noexcept {
  at[axis] = at[axis] + 1 == n[axis] ? 0 : at[axis] + 1;
  return at;
}

Coordinates Extents::before(Coordinates at, std::size_t axis) const noexcept {
  at[axis] = at[axis] == 0 ? n[axis] - 1 : at[axis] - 1;
  return at;
}

std::size_t most_lanes(const Extents& extents) noexcept {
  std::size_t lanes = 1;
  for (const std::uint32_t n : extents.n) lanes *= n % 4 == 0 ? 2U : 1U;
  return lanes;
}

Lattice::Lattice(const Extents& extents, std::size_t lanes) : extents_(extents), lanes_(lanes), inner_(extents.n) {
  TACIT_EXPECT(lanes > 0 && lanes <= most_lanes(extents));
  TACIT_EXPECT(std::ranges::all_of(extents.n, [](std::uint32_t n) { return n > 0 && n % 2 == 0; }));
  if (sites() >= Neighbour::crossing) throw base::Error("a lattice of " + extents.text() + " sites is too large");
  std::uint32_t stride = 1;
  for (std::size_t axis = axes; axis-- > 0 && stride < lanes;) {
    if (extents.n[axis] % 4 != 0) continue;
    strides_[axis] = stride;
    inner_[axis] /= 2;
    stride *= 2;
  }
  TACIT_EXPECT(stride == lanes);
  find_neighbours();
}

std::size_t Lattice::folded_site(const Coordinates& inner) const noexcept {
  std::size_t block = 0;
  std::uint32_t place = 0;
  std::uint32_t parity = 0;
  for (std::size_t axis = axes; axis-- > 0;) {
    block = block * (inner_[axis] / 2) + inner[axis] / 2;
    place = place * 2 + inner[axis] % 2;
    parity ^= inner[axis] % 2;
  }
  // Of the coordinates in the block, that along x follows from the others and the parity.
  return (parity * (half_blocks() / 2) + block) * sites_of_half_block + place / 2;
}

Place Lattice::place(const Coordinates& at) const noexcept {
  Coordinates inner = at;
  std::size_t lane = 0;
  for (std::size_t axis = 0; axis < axes; ++axis) {
    if (at[axis] < inner_[axis]) continue;
    inner[axis] -= inner_[axis];
    lane += strides_[axis];
  }
  return {folded_site(inner), lane};
}

Coordinates Lattice::site_at(const Place& place) const noexcept {
  const std::size_t half = half_blocks() / 2;
  std::size_t block = place.site / sites_of_half_block;
  const auto parity = static_cast<std::uint32_t>(block / half);
  block %= half;
  const auto k = static_cast<std::uint32_t>(place.site % sites_of_half_block);
  const std::array<std::uint32_t, axes> inside{(k ^ k >> 1U ^ k >> 2U ^ parity) & 1U, k & 1U, k >> 1U & 1U,
                                               k >> 2U & 1U};
  Coordinates at{};
  for (std::size_t axis = 0; axis < axes; ++axis) {
    const std::size_t blocks = inner_[axis] / 2;
    at[axis] = static_cast<std::uint32_t>(2 * (block % blocks)) + inside[axis];
    block /= blocks;
    if (strides_[axis] != 0 && (place.lane & strides_[axis]) != 0) at[axis] += inner_[axis];
  }
  return at;
}

void Lattice::find_neighbours() {
  neighbours_.resize(sites() * 2 * axes);
  for (std::size_t site = 0; site < sites(); ++site) {
    const Coordinates at = site_at({site, 0});
    for (std::size_t axis = 0; axis < axes; ++axis) {
      for (const std::size_t side : {0U, 1U}) {
        Coordinates other = at;
        const std::uint32_t last = inner_[axis] - 1;
        const bool is_at_end = at[axis] == (side == 0 ? last : 0U);
        other[axis] = is_at_end ? (side == 0 ? 0U : last) : side == 0 ? at[axis] + 1 : at[axis] - 1;
        const bool crosses = is_at_end && strides_[axis] != 0;
        neighbours_[site * 2 * axes + 2 * axis + side] =
            static_cast<std::uint32_t>(folded_site(other)) | (crosses ? Neighbour::crossing : 0U);
      }
    }
  }
}

}  // namespace tacit::qcd
