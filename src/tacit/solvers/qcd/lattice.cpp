// Numbers the sites of a folded lattice, and finds their neighbours.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/qcd/lattice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

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

LatticePart::LatticePart(const Extents& extents) noexcept : whole(extents), own(extents) {
  for (std::size_t axis = 0; axis < axes; ++axis) can_fold[axis] = extents.n[axis] % 4 == 0;
}

bool LatticePart::has(const Coordinates& at) const noexcept {
  for (std::size_t axis = 0; axis < axes; ++axis) {
    if (at[axis] < begin[axis] || at[axis] - begin[axis] >= own.n[axis]) return false;
  }
  return true;
}

Coordinates LatticePart::at(std::size_t index) const noexcept {
  Coordinates result = own.at(index);
  for (std::size_t axis = 0; axis < axes; ++axis) result[axis] += begin[axis];
  return result;
}

std::size_t most_lanes(const LatticePart& part) noexcept {
  return std::size_t{1} << static_cast<std::size_t>(std::ranges::count(part.can_fold, true));
}

Lattice::Lattice(const LatticePart& part, std::size_t lanes) : part_(part), lanes_(lanes), inner_(part.own.n) {
  TACIT_EXPECT(lanes > 0 && lanes <= most_lanes(part));
  TACIT_EXPECT(std::ranges::all_of(part.own.n, [](std::uint32_t n) { return n > 0 && n % 2 == 0; }));
  TACIT_EXPECT(std::ranges::all_of(part.begin, [](std::uint32_t x) { return x % 2 == 0; }));
  if (sites() >= Neighbour::ghost) throw base::Error("a lattice of " + part.own.text() + " sites is too large");
  std::uint32_t stride = 1;
  for (std::size_t axis = axes; axis-- > 0 && stride < lanes;) {
    if (!part.can_fold[axis]) continue;
    TACIT_EXPECT(part.own.n[axis] % 4 == 0);
    strides_[axis] = stride;
    inner_[axis] /= 2;
    stride *= 2;
  }
  TACIT_EXPECT(stride == lanes);
  find_neighbours();
  find_faces();
  find_blocks();
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
    inner[axis] -= part_.begin[axis];
    if (inner[axis] < inner_[axis]) continue;
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
    at[axis] = part_.begin[axis] + static_cast<std::uint32_t>(2 * (block % blocks)) + inside[axis];
    block /= blocks;
    if (strides_[axis] != 0 && (place.lane & strides_[axis]) != 0) at[axis] += inner_[axis];
  }
  return at;
}

void Lattice::find_neighbours() {
  neighbours_.resize(sites() * 2 * axes);
  for (std::size_t site = 0; site < sites(); ++site) {
    Coordinates at = site_at({site, 0});
    for (std::size_t axis = 0; axis < axes; ++axis) at[axis] -= part_.begin[axis];
    for (std::size_t axis = 0; axis < axes; ++axis) {
      for (const std::size_t side : {0U, 1U}) {
        Coordinates other = at;
        const std::uint32_t last = inner_[axis] - 1;
        const bool is_at_end = at[axis] == (side == 0 ? last : 0U);
        other[axis] = is_at_end ? (side == 0 ? 0U : last) : side == 0 ? at[axis] + 1 : at[axis] - 1;
        const bool crosses = is_at_end && strides_[axis] != 0;
        neighbours_[site * 2 * axes + 2 * axis + side] = static_cast<std::uint32_t>(folded_site(other)) |
                                                         (crosses ? Neighbour::crossing : 0U) |
                                                         (is_at_end && part_.is_divided[axis] ? Neighbour::ghost : 0U);
      }
    }
  }
}

void Lattice::find_faces() {
  if (std::ranges::none_of(part_.is_divided, [](bool is) { return is; })) return;
  ghost_places_.resize(sites() * 2 * axes);
  for (std::size_t axis = 0; axis < axes; ++axis) {
    if (!part_.is_divided[axis]) continue;
    Extents others{inner_};
    others.n[axis] = 1;
    for (const bool is_high : {false, true}) {
      std::array<Face, 2> face;
      for (std::size_t parity = 0; parity < 2; ++parity) {
        face[parity].axis = axis;
        face[parity].is_high = is_high;
        face[parity].parity = static_cast<std::uint32_t>(parity);
        face[parity].first_ghost = ghosts_;
        ghosts_ += others.sites() / 2;
      }
      std::array<std::size_t, 2> ghosts{};
      for (std::size_t number = 0; number < others.sites(); ++number) {
        Coordinates at = others.at(number);
        at[axis] = is_high ? inner_[axis] - 1 : 0;
        const std::size_t parity = (at[0] + at[1] + at[2] + at[3]) % 2;
        const std::size_t site = folded_site(at);
        face[parity].sites.push_back(static_cast<std::uint32_t>(site));
        // The site beyond has the other parity.
        const std::size_t beyond = 1 - parity;
        ghost_places_[site * 2 * axes + 2 * axis + (is_high ? 0 : 1)] =
            static_cast<std::uint32_t>(face[beyond].first_ghost + ghosts[beyond]++);
      }
      for (Face& one : face) faces_.push_back(std::move(one));
    }
  }
}

void Lattice::find_blocks() {
  const std::size_t blocks = half_blocks() / 2;
  const auto is_at_rim = [&](std::size_t half_block) {
    const auto first = neighbours_.begin() + static_cast<std::ptrdiff_t>(half_block * sites_of_half_block * 2 * axes);
    return std::any_of(first, first + sites_of_half_block * 2 * axes,
                       [](std::uint32_t neighbour) { return (neighbour & Neighbour::ghost) != 0; });
  };
  for (std::size_t block = 0; block < blocks; ++block) {
    (is_at_rim(block) || is_at_rim(blocks + block) ? rim_blocks_ : interior_blocks_)
        .push_back(static_cast<std::uint32_t>(block));
  }
}

}  // namespace tacit::qcd
