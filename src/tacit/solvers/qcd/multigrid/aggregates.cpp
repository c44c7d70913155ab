// Numbers aggregates, and finds the blocks of each.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/qcd/multigrid/aggregates.hpp"

#include "tacit/base/error.hpp"

namespace tacit::qcd::multigrid {

Aggregates::Aggregates(const Lattice& lattice, const Coordinates& extents)
    : blocks_(lattice.half_blocks() / 2),
      lanes_(lattice.lanes()),
      blocks_of_each_(Extents{extents}.sites() / 16),
      leaves_(blocks_ * lanes_),
      colours_(blocks_ * lanes_) {
  const LatticePart& part = lattice.part();
  Extents own;
  Extents pairs;  // blocks of 2^4 of this rank
  for (std::size_t axis = 0; axis < axes; ++axis) {
    TACIT_EXPECT(extents[axis] % 2 == 0 && part.own.n[axis] % extents[axis] == 0 &&
                 part.begin[axis] % extents[axis] == 0 && part.whole.n[axis] % extents[axis] == 0);
    coarse_.n[axis] = part.whole.n[axis] / extents[axis];
    own.n[axis] = part.own.n[axis] / extents[axis];
    pairs.n[axis] = part.own.n[axis] / 2;
  }
  for (std::size_t number = 0; number < own.sites(); ++number) {
    Coordinates at = own.at(number);
    for (std::size_t axis = 0; axis < axes; ++axis) at[axis] += part.begin[axis] / extents[axis];
    numbers_.push_back(static_cast<std::uint32_t>(coarse_.index(at)));
    for (std::size_t axis = 0; axis < axes; ++axis) {
      neighbours_.push_back(static_cast<std::uint32_t>(coarse_.index(coarse_.next(at, axis))));
      neighbours_.push_back(static_cast<std::uint32_t>(coarse_.index(coarse_.before(at, axis))));
    }
  }
  members_.resize(own.sites() * blocks_of_each_);
  std::vector<std::size_t> filled(own.sites());
  for (std::size_t number = 0; number < pairs.sites(); ++number) {
    Coordinates at = pairs.at(number);
    Coordinates aggregate{};
    std::uint32_t leaves = 0;
    std::uint32_t colour = 0;
    for (std::size_t axis = 0; axis < axes; ++axis) {
      aggregate[axis] = 2 * at[axis] / extents[axis];
      at[axis] = part.begin[axis] + 2 * at[axis];
      colour ^= at[axis] / 2 % 2;
      if (coarse_.n[axis] == 1) continue;  // the neighbour is the aggregate itself
      const std::uint32_t inside = at[axis] % extents[axis];
      if (inside + 2 == extents[axis]) leaves |= 1U << (2 * axis);
      if (inside == 0) leaves |= 2U << (2 * axis);
    }
    const Place place = lattice.place(at);
    const std::size_t member = place.site / Lattice::sites_of_half_block * lanes_ + place.lane;
    const std::size_t of = own.index(aggregate);
    members_[of * blocks_of_each_ + filled[of]++] = static_cast<std::uint32_t>(member);
    leaves_[member] = leaves;
    colours_[member] = colour;
  }
}

}  // namespace tacit::qcd::multigrid
