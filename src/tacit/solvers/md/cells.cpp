// Finds the cells that a rank sees, numbers them, and finds what lies within reach of what.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/md/cells.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "tacit/base/error.hpp"

namespace tacit::md {
namespace {

/// Layers of cells of the width w / n that a reach spans; rounding of widths must not lose one.
int layers_within(double reach, double width, int n) {
  return static_cast<int>(std::ceil(reach * n / width * (1.0 - 1e-12)));
}

}  // namespace

bool CellGrid::fits(const Box& box, double reach) noexcept {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (box.periodic[axis] && !(reach / box.width(axis) <= most_layers)) return false;
  }
  return true;
}

CellGrid::CellGrid(const Box& box, double reach, const Division& division, std::uint32_t rank, Seen seen,
                   double cells_of_brick)
    : division_(division), rank_(rank) {
  TACIT_EXPECT(reach > 0.0 && fits(box, reach));
  for (std::size_t axis = 0; axis < 3; ++axis)
    layers_[axis] = layers_within(reach, box.width_of_cells(axis), shape()[axis]);
  find_sources(box);
  stencil_ = stencil_for(box, reach);
  number_own(cells_of_brick);
  std::vector<std::vector<std::uint32_t>> of_rank(division_.ranks());
  std::vector<std::vector<std::uint32_t>> to_rank(division_.ranks());
  find_seen(seen, of_rank);
  find_shown(seen, to_rank);
  number_seen(seen, cells_of_brick, of_rank);
  for (std::uint32_t other = 0; other < division_.ranks(); ++other) {
    if (of_rank[other].empty()) continue;
    CellPeer& peer = peers_.emplace_back(CellPeer{.rank = other});
    const auto local = [this](std::uint32_t number) {
      return cell_of_[static_cast<std::size_t>(place_of_number(number))];
    };
    for (const std::uint32_t number : to_rank[other]) peer.shown.push_back(local(number));
    for (const std::uint32_t number : of_rank[other]) peer.seen.push_back(local(number));
  }
  add_ghosts();
  find_bricks_near();
}

std::int64_t CellGrid::place(const std::array<int, 3>& index) const noexcept {
  std::int64_t result = 0;
  for (std::size_t axis = 3; axis-- > 0;) {
    result = result * (shape()[axis] + 2 * layers_[axis]) + index[axis] + layers_[axis];
  }
  return result;
}

/// Calls visit(index) for all cells and layers, in the order of their places.
template <class Visit>
void CellGrid::for_each_place(const Visit& visit) const {
  std::array<int, 3> i{};
  for (i[2] = -layers_[2]; i[2] < shape()[2] + layers_[2]; ++i[2]) {
    for (i[1] = -layers_[1]; i[1] < shape()[1] + layers_[1]; ++i[1]) {
      for (i[0] = -layers_[0]; i[0] < shape()[0] + layers_[0]; ++i[0]) visit(i);
    }
  }
}

namespace {

/// How many boxes away an index is from [0, n).
int image_of(int index, int n) { return index >= 0 ? index / n : -((n - 1 - index) / n); }

}  // namespace

void CellGrid::find_sources(const Box& box) {
  for_each_place([&](const std::array<int, 3>& index) {
    std::array<int, 3> inside = index;
    bool is_open = false;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const int image = image_of(index[axis], shape()[axis]);
      is_open |= image != 0 && !box.periodic[axis];
      inside[axis] = index[axis] - image * shape()[axis];
    }
    source_.push_back(is_open ? none : static_cast<std::uint32_t>(division_.number_of(inside)));
  });
  cell_of_.assign(source_.size(), none);
}

bool CellGrid::is_like_that_of(const Box& box, double reach) const {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (layers_within(reach, box.width_of_cells(axis), shape()[axis]) != layers_[axis]) return false;
  }
  return stencil_for(box, reach) == stencil_;
}

/// Of the layers that there are.
std::vector<std::int64_t> CellGrid::stencil_for(const Box& box, double reach) const {
  std::vector<std::int64_t> result;
  const std::int64_t own = place({0, 0, 0});
  std::array<int, 3> d{};
  for (d[2] = -layers_[2]; d[2] <= layers_[2]; ++d[2]) {
    for (d[1] = -layers_[1]; d[1] <= layers_[1]; ++d[1]) {
      for (d[0] = -layers_[0]; d[0] <= layers_[0]; ++d[0]) {
        double gap2 = 0.0;  // between cells that far apart, along perpendicular edges
        for (std::size_t axis = 0; axis < 3; ++axis) {
          const double gap = std::max(std::abs(d[axis]) - 1, 0) * box.width_of_cells(axis) / shape()[axis];
          gap2 += gap * gap;
        }
        if (!box.is_tilted() && gap2 > reach * reach * (1.0 + 1e-12)) continue;
        result.push_back(place(d) - own);
      }
    }
  }
  return result;
}

void CellGrid::add_cell(const std::array<int, 3>& index) {
  cell_of_[static_cast<std::size_t>(place(index))] = static_cast<std::uint32_t>(cells());
  brick_of_.push_back(static_cast<std::uint32_t>(cells_of_brick_.size()));
  place_of_.push_back(place(index));
}

void CellGrid::number_own(double cells_of_brick) {
  const CellBox& own = division_.cells_of(rank_);
  const double side = std::max(1.0, std::cbrt(cells_of_brick));
  std::array<int, 3> bricks{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    bricks[axis] = std::clamp(static_cast<int>(std::lround(own.extent(axis) / side)), 1, own.extent(axis));
  }
  const auto begin_of = [&](std::size_t axis, int brick) {
    return own.begin[axis] + static_cast<int>(static_cast<std::int64_t>(own.extent(axis)) * brick / bricks[axis]);
  };
  std::array<int, 3> at{};
  for (at[2] = 0; at[2] < bricks[2]; ++at[2]) {
    for (at[1] = 0; at[1] < bricks[1]; ++at[1]) {
      for (at[0] = 0; at[0] < bricks[0]; ++at[0]) {
        const auto first = static_cast<std::uint32_t>(cells());
        std::array<int, 3> i{};
        for (i[2] = begin_of(2, at[2]); i[2] < begin_of(2, at[2] + 1); ++i[2]) {
          for (i[1] = begin_of(1, at[1]); i[1] < begin_of(1, at[1] + 1); ++i[1]) {
            for (i[0] = begin_of(0, at[0]); i[0] < begin_of(0, at[0] + 1); ++i[0]) add_cell(i);
          }
        }
        cells_of_brick_.push_back({first, static_cast<std::uint32_t>(cells())});
      }
    }
  }
  own_cells_ = cells();
  own_bricks_ = listed_bricks_ = cells_of_brick_.size();
}

/// Calls visit(number) for the cells of the whole box that a cell sees, itself or through faces.
template <class Visit>
void CellGrid::for_sources_around(std::size_t number, const Visit& visit) const {
  const std::int64_t at = place_of_number(number);
  for (const std::int64_t offset : stencil_) {
    const std::uint32_t source = source_[static_cast<std::size_t>(at + offset)];
    if (source != none) visit(source);
  }
}

/// Cells of others: around own ones, and in the second place around those. By rank, nearer ones first, by number.
void CellGrid::find_seen(Seen seen, std::vector<std::vector<std::uint32_t>>& of_rank) {
  depth_.assign(division_.cells(), 0);
  std::vector<std::uint32_t> found;
  const auto look = [&](std::size_t number, std::uint8_t depth) {
    for_sources_around(number, [&](std::uint32_t other) {
      if (division_.owner_of(other) == rank_ || depth_[other] != 0) return;
      depth_[other] = depth;
      found.push_back(other);
    });
  };
  const auto add = [&](std::size_t begin) {
    std::sort(found.begin() + static_cast<std::ptrdiff_t>(begin), found.end());
    for (std::size_t k = begin; k < found.size(); ++k) of_rank[division_.owner_of(found[k])].push_back(found[k]);
  };
  for (std::size_t cell = 0; cell < own_cells_; ++cell) {
    if (!is_inside(cell, 1)) look(source_[static_cast<std::size_t>(place_of_[cell])], 1);
  }
  add(0);
  if (seen == Seen::around_own) return;
  const std::size_t near = found.size();
  for (std::size_t k = 0; k < near; ++k) look(found[k], 2);
  add(near);
}

/// Own cells that others see. Who is a neighbour of whom is symmetric: so both ends find the same ones.
void CellGrid::find_shown(Seen seen, std::vector<std::vector<std::uint32_t>>& to_rank) const {
  std::vector<std::map<std::uint32_t, std::vector<std::uint32_t>>> by_depth(2);
  std::vector<std::uint32_t> numbers;
  for (std::size_t cell = 0; cell < own_cells_; ++cell) {
    if (!is_inside(cell, seen == Seen::around_own ? 1 : 2)) {
      numbers.push_back(source_[static_cast<std::size_t>(place_of_[cell])]);
    }
  }
  std::ranges::sort(numbers);
  for (const std::uint32_t number : numbers) {
    std::set<std::uint32_t> near;
    std::set<std::uint32_t> far;
    for_sources_around(number, [&](std::uint32_t other) {
      near.insert(division_.owner_of(other));
      if (seen == Seen::around_own) return;
      for_sources_around(other, [&](std::uint32_t third) { far.insert(division_.owner_of(third)); });
    });
    for (const std::uint32_t rank : near) {
      if (rank != rank_) by_depth[0][rank].push_back(number);
    }
    for (const std::uint32_t rank : far) {
      if (rank != rank_ && !near.contains(rank)) by_depth[1][rank].push_back(number);
    }
  }
  for (const auto& of_ranks : by_depth) {
    for (const auto& [rank, list] : of_ranks) to_rank[rank].insert(to_rank[rank].end(), list.begin(), list.end());
  }
}

/// Whether all that lies within so many stencils of an own cell is this rank's for sure.
bool CellGrid::is_inside(std::size_t cell, int stencils) const {
  const CellBox& own = division_.cells_of(rank_);
  const std::array<int, 3> index = division_.index_of(source_[static_cast<std::size_t>(place_of_[cell])]);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (own.extent(axis) == shape()[axis]) continue;
    const int reach = stencils * layers_[axis];
    if (index[axis] - own.begin[axis] < reach || own.end[axis] - 1 - index[axis] < reach) return false;
  }
  return true;
}

void CellGrid::number_seen(Seen seen, double cells_of_brick, const std::vector<std::vector<std::uint32_t>>& of_rank) {
  const auto most = static_cast<std::size_t>(std::max(1.0, cells_of_brick));
  for (const int depth : {1, 2}) {
    for (const std::vector<std::uint32_t>& numbers : of_rank) {
      std::size_t in_brick = 0;
      std::uint32_t first = 0;
      const auto end_brick = [&] {
        cells_of_brick_.push_back({first, static_cast<std::uint32_t>(cells())});
        in_brick = 0;
      };
      for (const std::uint32_t number : numbers) {
        if (depth_[number] != depth) continue;
        if (in_brick == 0) first = static_cast<std::uint32_t>(cells());
        add_cell(division_.index_of(number));
        if (++in_brick == most) end_brick();
      }
      if (in_brick > 0) end_brick();
    }
    if (depth == 1 && seen == Seen::around_those) listed_bricks_ = cells_of_brick_.size();
  }
}

/// Of cells that some cell with lists sees through a face.
void CellGrid::add_ghosts() {
  std::vector<bool> is_seen(source_.size(), false);
  const std::size_t listed = listed_bricks_ == 0 ? 0 : cells_of_brick_[listed_bricks_ - 1].end;
  for (std::size_t cell = 0; cell < listed; ++cell) {
    for (const std::int64_t offset : stencil_) is_seen[static_cast<std::size_t>(place_of_[cell] + offset)] = true;
  }
  struct Found {
    GhostCell ghost;
    std::size_t place;
  };
  std::vector<std::vector<Found>> of_brick(bricks());
  for_each_place([&](const std::array<int, 3>& index) {
    const auto at = static_cast<std::size_t>(place(index));
    if (!is_seen[at] || source_[at] == none) return;
    GhostCell ghost;
    for (std::size_t axis = 0; axis < 3; ++axis) ghost.image[axis] = image_of(index[axis], shape()[axis]);
    if (ghost.image == ImageCount{}) return;
    ghost.source = cell_of_[static_cast<std::size_t>(place_of_number(source_[at]))];
    of_brick[brick_of_[ghost.source]].push_back({ghost, at});
  });
  for (const auto& found : of_brick) {
    const auto first = static_cast<std::uint32_t>(all_cells());
    for (const Found& one : found) {
      cell_of_[one.place] = static_cast<std::uint32_t>(all_cells());
      ghosts_.push_back(one.ghost);
    }
    ghosts_of_brick_.push_back({first, static_cast<std::uint32_t>(all_cells())});
  }
}

void CellGrid::find_bricks_near() {
  for (std::size_t b = 0; b < listed_bricks_; ++b) {
    std::set<std::uint32_t> near;
    std::set<std::uint32_t> images;
    for (std::uint32_t cell = cells_of_brick_[b].begin; cell < cells_of_brick_[b].end; ++cell) {
      for_neighbours(cell, [&](std::uint32_t other) {
        if (other < cells()) {
          near.insert(brick_of_[other]);
        } else {
          images.insert(brick_of_[ghost(other).source]);
        }
      });
    }
    bricks_near_.emplace_back(near.begin(), near.end());
    images_near_.emplace_back(images.begin(), images.end());
  }
}

}  // namespace tacit::md
