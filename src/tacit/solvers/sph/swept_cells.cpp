// Pairs of cells, and the memory that sweeps over them need.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/sph/swept_cells.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace tacit::sph {
namespace {

using kernels::vector::Frame;
using particles::Axis;
using particles::CellBox;
using particles::Neighbour;
using particles::Steps;
using particles::View;

/// Orders are mended when particles may have moved by this part of the narrowest side of a cell: later, sweeps would
/// have to look at more particles; earlier, more would be spent on sorting. From 0.01 to 0.04 no difference was
/// measured.
constexpr double slack_in_cells = 0.02;

/// The cell's box as it is seen.
CellBox seen_through(const View& view, const CellBox& box) {
  CellBox seen;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const double a = view.sign[axis] * box.lower[axis] + view.shift[axis];
    const double b = view.sign[axis] * box.upper[axis] + view.shift[axis];
    seen.lower[axis] = std::min(a, b);
    seen.upper[axis] = std::max(a, b);
  }
  return seen;
}

/// Where a box lies: on which side of another along each axis, or beside neither (0).
Steps steps_between(const CellBox& from, const CellBox& to, int dimension) {
  Steps steps{};
  for (std::size_t axis = 0; axis < static_cast<std::size_t>(dimension); ++axis) {
    const double rounding = 1e-6 * (from.upper[axis] - from.lower[axis]);
    if (to.lower[axis] >= from.upper[axis] - rounding) steps[axis] = 1;
    if (to.upper[axis] <= from.lower[axis] + rounding) steps[axis] = -1;
  }
  if (steps == Steps{}) steps[0] = 1;  // any direction serves, if not as well
  return steps;
}

std::uint8_t longest_axis(const CellBox& box, int dimension) {
  Steps steps{};
  double longest = 0.0;
  for (std::size_t axis = 0; axis < static_cast<std::size_t>(dimension); ++axis) {
    const double side = box.upper[axis] - box.lower[axis];
    if (side <= longest) continue;
    longest = side;
    steps = {};
    steps[axis] = 1;
  }
  return particles::axis_of(steps).index;
}

/// The image through which an entry of a list stands for a pair of a cell with itself, seen from the other side: its
/// way back where that is another image, itself in a mirror.
enum class OwnImage { first, second, own_mirror };
OwnImage own_image(const particles::Domain& domain, const particles::Image& image) {
  for (const std::int8_t step : image) {
    const bool is_reflection = domain.mirrored && step % 2 != 0;
    if (step == 0 || is_reflection) continue;
    return step > 0 ? OwnImage::first : OwnImage::second;
  }
  return OwnImage::own_mirror;
}

std::size_t axes_in_use(const SweptCell& cell) { return static_cast<std::size_t>(std::popcount(cell.axes)); }

base::Vec3 middle_of(const CellBox& box, int dimension) {
  base::Vec3 middle;
  for (std::size_t axis = 0; axis < static_cast<std::size_t>(dimension); ++axis) {
    middle[axis] = 0.5 * (box.lower[axis] + box.upper[axis]);
  }
  return middle;
}

/// The narrowest side of any cell [length].
double narrowest_of(const particles::CellTree& grid) {
  double narrowest = grid.narrowest(0);
  for (std::size_t c = 1; c < grid.cells(); ++c) narrowest = std::min(narrowest, grid.narrowest(c));
  return narrowest;
}

}  // namespace

SweptCells::SweptCells(const particles::CellTree& grid, const CacheUnits& units, std::span<const double> moved,
                       Scheme scheme, std::size_t workers)
    : moved_(moved),
      dimension_(grid.domain().dimension),
      // One quantum for all, fine enough for the narrowest cell: so that frames agree on separations.
      extent_(2.0 * narrowest_of(grid)),
      has_thermal_(scheme == Scheme::sphenix),
      cells_(grid.cells()),
      slack_(grid.cells()),
      sorts_(grid.cells()),
      scratch_(workers) {
  for (std::size_t c = 0; c < cells_.size(); ++c) {
    const CellBox box = grid.box(c);
    cells_[c].middle = middle_of(box, dimension_);
    measure(c, units);
    cells_[c].own_axis = longest_axis(box, dimension_);
    cells_[c].axes = static_cast<std::uint16_t>(1U << cells_[c].own_axis);
    slack_[c] = slack_in_cells * grid.narrowest(c);
  }
  find_pairs(grid);
}

void SweptCells::measure(std::size_t c, const CacheUnits& units) {
  cells_[c].frame = Frame(cells_[c].middle, extent_, units.velocity, units.scales, dimension_);
}

SweepImage SweptCells::image_of(const particles::CellTree& grid, std::size_t near, const Neighbour& far) const {
  const View view = grid.view(far);
  const Steps steps = steps_between(grid.box(near), seen_through(view, grid.box(far.cell)), dimension_);
  Steps of_far = steps;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (view.sign[axis] < 0.0) of_far[axis] = -steps[axis];
  }
  SweepImage image{particles::axis_of(steps), particles::axis_of(of_far)};
  const auto number = [](double value) { return static_cast<float>(value); };
  image.sign = {number(view.sign.x), number(view.sign.y), number(view.sign.z)};
  image.offset = cells_[near].frame.place(cells_[far.cell].middle, {view.sign, view.shift});
  const base::Vec3 offset{double{image.offset.x}, double{image.offset.y}, double{image.offset.z}};
  image.key_offset = image.near.sign * number(dot(particles::direction_of(image.near.index), offset));
  return image;
}

void SweptCells::use_axes(std::size_t near, std::size_t far, const SweepImage& image) {
  const auto use = [](SweptCell& cell, const Axis& axis) {
    cell.axes = static_cast<std::uint16_t>(cell.axes | (1U << axis.index));
  };
  use(cells_[near], image.near);
  use(cells_[far], image.far);
}

/// Each pair of cells and each image once: the lists hold both ways.
void SweptCells::find_pairs(const particles::CellTree& grid) {
  first_pair_.push_back(0);
  first_own_image_.push_back(0);
  for (std::size_t c = 0; c < cells_.size(); ++c) {
    for (const Neighbour& other : grid.neighbours(c)) {
      const bool is_same_cell = other.cell == c && other.image == particles::Image{};
      if (other.cell < c || is_same_cell) continue;
      SweepImage image = image_of(grid, c, other);
      if (other.cell == c) {
        const OwnImage which = own_image(grid.domain(), other.image);
        if (which == OwnImage::second) continue;
        image.is_one_sided = which == OwnImage::own_mirror;
        own_images_.push_back(image);
      } else {
        const auto place = static_cast<std::uint32_t>(images_.size());
        const bool is_new = pairs_.size() == first_pair_.back() || pairs_.back().far != other.cell;
        if (is_new) pairs_.push_back({other.cell, place, place});
        images_.push_back(image);
        ++pairs_.back().end;
      }
      use_axes(c, other.cell, image);
    }
    first_pair_.push_back(static_cast<std::uint32_t>(pairs_.size()));
    first_own_image_.push_back(static_cast<std::uint32_t>(own_images_.size()));
  }
}

void SweptCells::bind(const particles::CellTree& grid) {
  const std::size_t floats = has_thermal_ ? 16 : 12;  // floats in the records of a particle
  std::size_t particles = 0;
  std::size_t fullest = 0;
  std::size_t keys = 0;
  for (std::size_t c = 0; c < cells_.size(); ++c) {
    const std::size_t count = grid.range(c).count;
    particles += count;
    fullest = std::max(fullest, count);
    keys += count * axes_in_use(cells_[c]);
  }
  records_.resize(floats * (particles + cells_.size() * packing_room));
  sums_.resize(particles * kernels::vector::sweep_sums);
  keys_.resize(keys);
  orders_.resize(keys);
  for (SweepScratch& scratch : scratch_) {
    scratch.room.reserve(fullest);
    scratch.densities.reserve(fullest);
    scratch.gradients.reserve(fullest);
    scratch.rates.reserve(fullest);
  }
  keys = 0;
  for (std::size_t c = 0; c < cells_.size(); ++c) {
    const auto [begin, count] = grid.range(c);
    SweptCell& cell = cells_[c];
    SweptView view = view_of(c, floats * (begin + c * packing_room), keys, count);
    view.packed.sums = sums_.data() + begin * kernels::vector::sweep_sums;
    cell.is_sorted = false;
    cell.packed.bind(view);
    cell.sums.bind(view.packed.sums);
    keys += count * axes_in_use(cell);
  }
}

/// Where the records and orders of a cell of `count` particles are.
SweptView SweptCells::view_of(std::size_t c, std::size_t first_record, std::size_t first_key, std::size_t count) {
  SweptView view;
  view.reach = &cells_[c].reach;
  view.packed.size = count;
  const std::size_t stride = 4 * (count + packing_room);
  view.packed.place = records_.data() + first_record;
  view.packed.flow = view.packed.place + stride;
  view.packed.state = view.packed.flow + stride;
  if (has_thermal_) view.packed.thermal = view.packed.state + stride;
  for (std::size_t axis = 0; axis < Axis::count; ++axis) {
    if ((cells_[c].axes >> axis & 1U) == 0) continue;
    view.packed.along[axis] = {std::span(keys_).subspan(first_key, count),
                               std::span(orders_).subspan(first_key, count)};
    first_key += count;
  }
  return view;
}

void SweptCells::refresh_orders(std::size_t c, const PackedCell& packed, SweepRoom& room) {
  using Order = SweepRoom::Order;
  SweptCell& cell = cells_[c];
  const double moved = moved_[c] - cell.moved_at_sort;
  if (!cell.is_sorted || !(moved >= 0.0 && moved <= slack_[c])) {
    const Order before = cell.is_sorted ? Order::stale : Order::none;
    for (std::size_t axis = 0; axis < Axis::count; ++axis) {
      if ((cell.axes >> axis & 1U) != 0) room.sort(packed, axis, before);
    }
    ++(cell.is_sorted ? sorts_[c].mended : sorts_[c].made);
    cell.is_sorted = true;
    cell.moved_at_sort = moved_[c];
  }
  // Rounded up, so that nothing is lost.
  cell.reach.slack = cell.frame.length(moved_[c] - cell.moved_at_sort) * (1.0F + 0x1p-20F);
}

SweptCells::Sorts SweptCells::sorts() const noexcept {
  Sorts all;
  for (const Sorts& one : sorts_) {
    all.made += one.made;
    all.mended += one.mended;
  }
  return all;
}

}  // namespace tacit::sph
