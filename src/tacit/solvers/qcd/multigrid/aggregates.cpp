// Numbers aggregates, and finds their neighbours, and the blocks of each.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/qcd/multigrid/aggregates.hpp"

#include <algorithm>

#include "tacit/base/error.hpp"

namespace tacit::qcd::multigrid {
namespace {

std::size_t colour_of(const Coordinates& at) noexcept { return (at[0] + at[1] + at[2] + at[3]) % 2; }

/// What a rank has of the lattice of boxes of these extents.
LatticePart coarse_part(const LatticePart& part, const Coordinates& extents) {
  LatticePart coarse = part;
  for (std::size_t axis = 0; axis < axes; ++axis) {
    TACIT_EXPECT(extents[axis] > 0 && part.own.n[axis] % extents[axis] == 0 && part.begin[axis] % extents[axis] == 0 &&
                 part.whole.n[axis] % extents[axis] == 0);
    coarse.whole.n[axis] /= extents[axis];
    coarse.own.n[axis] /= extents[axis];
    coarse.begin[axis] /= extents[axis];
    coarse.can_fold[axis] = false;
  }
  return coarse;
}

}  // namespace

Aggregates::Aggregates(const Lattice& lattice, const Coordinates& extents)
    : extents_(extents),
      part_(coarse_part(lattice.part(), extents)),
      blocks_(lattice.half_blocks() / 2),
      lanes_(lattice.lanes()),
      blocks_of_each_(Extents{extents}.sites() / 16),
      leaves_(blocks_ * lanes_),
      colours_(blocks_ * lanes_) {
  TACIT_EXPECT(std::ranges::all_of(extents, [](std::uint32_t n) { return n % 2 == 0; }));
  number();
  find_neighbours();
  find_blocks(lattice);
}

Aggregates::Aggregates(const Aggregates& finer, const Coordinates& extents)
    : extents_(extents),
      part_(coarse_part(finer.part(), extents)),
      blocks_(finer.count()),
      lanes_(1),
      blocks_of_each_(Extents{extents}.sites()),
      leaves_(blocks_) {
  number();
  find_neighbours();
  find_sites(finer);
}

void Aggregates::number() {
  // An axis of one site has no neighbours.
  if (std::ranges::all_of(part_.whole.n, [](std::uint32_t n) { return n == 1 || n % 2 == 0; })) groups_ = 2;
  places_.resize(part_.own.sites());
  for (std::size_t group = 0; group < groups_; ++group) {
    for (std::size_t place = 0; place < places_.size(); ++place) {
      const Coordinates at = part_.at(place);
      if (groups_ == 2 && colour_of(at) != group) continue;
      places_[place] = static_cast<std::uint32_t>(numbers_.size());
      numbers_.push_back(static_cast<std::uint32_t>(part_.whole.index(at)));
    }
    if (group == 0) even_ = numbers_.size();
  }
}

/// Faces first, whose order numbers the ghosts.
void Aggregates::find_neighbours() {
  const Extents& own = part_.own;
  neighbours_.assign(8 * count(), none);
  std::uint32_t ghosts = 0;
  for (std::size_t axis = 0; axis < axes; ++axis) {
    for (const bool is_high : {true, false}) {
      std::vector<CoarseFace> at_end(groups_);
      std::vector<std::vector<std::uint32_t*>> seen(groups_);  // who sees the ghosts of a group
      for (std::size_t place = 0; place < own.sites(); ++place) {
        Coordinates at = own.at(place);
        const std::uint32_t number = places_[place];
        std::uint32_t& neighbour = neighbours_[8 * number + 2 * axis + (is_high ? 0 : 1)];
        if (part_.whole.n[axis] == 1) continue;
        const bool is_at_end = at[axis] == (is_high ? own.n[axis] - 1 : 0);
        if (!is_at_end || !part_.is_divided[axis]) {
          neighbour = places_[own.index(is_high ? own.next(at, axis) : own.before(at, axis))];
          continue;
        }
        for (std::size_t k = 0; k < axes; ++k) at[k] += part_.begin[k];
        const std::size_t group = groups_ == 2 ? colour_of(at) : 0;
        at_end[group].sites.push_back(number);
        seen[groups_ - 1 - group].push_back(&neighbour);
      }
      for (std::size_t group = 0; group < groups_; ++group) {
        CoarseFace& face = at_end[group];
        face.axis = axis;
        face.is_high = is_high;
        face.group = group;
        face.ghosts = seen[group].size();
        face.first_ghost = ghosts;
        for (std::uint32_t* neighbour : seen[group]) *neighbour = ghost | ghosts++;
        if (!face.sites.empty() || face.ghosts > 0) faces_.push_back(std::move(face));
      }
    }
  }
}

void Aggregates::find_blocks(const Lattice& lattice) {
  const LatticePart& part = lattice.part();
  const Extents& own = part_.own;
  Extents pairs;  // blocks of 2^4 of this rank
  for (std::size_t axis = 0; axis < axes; ++axis) pairs.n[axis] = part.own.n[axis] / 2;
  members_.resize(own.sites() * blocks_of_each_);
  std::vector<std::size_t> filled(own.sites());
  for (std::size_t number = 0; number < pairs.sites(); ++number) {
    Coordinates at = pairs.at(number);
    Coordinates aggregate{};
    std::uint32_t leaves = 0;
    std::uint32_t colour = 0;
    for (std::size_t axis = 0; axis < axes; ++axis) {
      aggregate[axis] = 2 * at[axis] / extents_[axis];
      at[axis] = part.begin[axis] + 2 * at[axis];
      colour ^= at[axis] / 2 % 2;
      if (part_.whole.n[axis] == 1) continue;  // the neighbour is the aggregate itself
      if (at[axis] % extents_[axis] + 2 == extents_[axis]) leaves |= 1U << axis;
    }
    const Place place = lattice.place(at);
    const std::size_t member = place.site / Lattice::sites_of_half_block * lanes_ + place.lane;
    const std::size_t of = places_[own.index(aggregate)];
    members_[of * blocks_of_each_ + filled[of]++] = static_cast<std::uint32_t>(member);
    leaves_[member] = leaves;
    colours_[member] = colour;
  }
}

/// A site of the finer lattice is a block.
void Aggregates::find_sites(const Aggregates& finer) {
  members_.resize(count() * blocks_of_each_);
  std::vector<std::size_t> filled(count());
  const Extents& sites = finer.part_.own;
  for (std::size_t place = 0; place < sites.sites(); ++place) {
    const Coordinates at = sites.at(place);
    Coordinates aggregate{};
    std::uint32_t leaves = 0;
    for (std::size_t axis = 0; axis < axes; ++axis) {
      aggregate[axis] = at[axis] / extents_[axis];
      if (part_.whole.n[axis] == 1) continue;  // the neighbour is the aggregate itself
      if (at[axis] % extents_[axis] + 1 == extents_[axis]) leaves |= 1U << axis;
    }
    const std::uint32_t member = finer.places_[place];
    const std::size_t of = places_[part_.own.index(aggregate)];
    members_[of * blocks_of_each_ + filled[of]++] = member;
    leaves_[member] = leaves;
  }
}

}  // namespace tacit::qcd::multigrid
