// Makes the sub-grids, and fills them at the begin.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/amr/sub_grids.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace tacit::amr {

mesh::OctreeSpec spec_of(const Domain& domain) {
  mesh::OctreeSpec spec{.dimensions = domain.dimensions, .roots = domain.roots};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const bool is_periodic = domain.sides[axis][0] == Wall::periodic;
    spec.boundaries[axis] = is_periodic ? mesh::Boundary::periodic : mesh::Boundary::wall;
  }
  return spec;
}

namespace {

/// The nodes of a level that a region meets, along an axis: [begin, end).
struct NodeRange {
  std::int64_t begin = 0;
  std::int64_t end = 1;
  [[nodiscard]] double size() const { return static_cast<double>(end - begin); }
};

NodeRange nodes_in(const Domain& domain, const Region& region, std::uint32_t level, std::size_t axis) {
  if (axis >= domain.dimensions) return {};
  const double count = std::ldexp(static_cast<double>(domain.roots[axis]), static_cast<int>(level));
  const double scale = count / domain.box[axis];
  const double low = std::clamp(std::floor(region.low[axis] * scale), 0.0, count - 1.0);
  const double high = std::clamp(std::ceil(region.high[axis] * scale), low + 1.0, count);
  return {static_cast<std::int64_t>(low), static_cast<std::int64_t>(high)};
}

}  // namespace

double most_leaves(const Domain& domain) {
  double leaves = mesh::Octree::leaves_of_level(spec_of(domain), domain.level);
  for (const Region& region : domain.regions) {
    for (std::uint32_t level = domain.level; level < region.level; ++level) {
      double nodes = 1.0;
      for (std::size_t axis = 0; axis < domain.dimensions; ++axis)
        nodes *= nodes_in(domain, region, level, axis).size();
      leaves += std::ldexp(nodes, static_cast<int>(domain.dimensions));
    }
  }
  return leaves;
}

std::vector<mesh::Node> divided_of(const Domain& domain) {
  const mesh::OctreeSpec spec = spec_of(domain);
  std::vector<mesh::Node> divided;
  if (domain.level > 0) {
    const mesh::Octree above(spec, domain.level - 1);
    divided.assign(above.leaves().begin(), above.leaves().end());
  }
  for (const Region& region : domain.regions) {
    for (std::uint32_t level = domain.level; level < region.level; ++level) {
      const std::array ranges{nodes_in(domain, region, level, 0), nodes_in(domain, region, level, 1),
                              nodes_in(domain, region, level, 2)};
      for (std::int64_t z = ranges[2].begin; z < ranges[2].end; ++z) {
        for (std::int64_t y = ranges[1].begin; y < ranges[1].end; ++y) {
          for (std::int64_t x = ranges[0].begin; x < ranges[0].end; ++x) divided.push_back({level, {x, y, z}});
        }
      }
    }
  }
  return divided;
}

mesh::Octree make_tree(const Domain& domain) {
  if (domain.finest() == domain.level) return {spec_of(domain), domain.level};
  return {spec_of(domain), divided_of(domain)};
}

namespace {

/// Of a new size, without what was in it. Trees that grow do so again and again: an eighth more lets most of that pass
/// without new memory, and what there was is given back before more is taken.
void resize_emptied(base::PackVector<double>& numbers, std::size_t size) {
  if (size > numbers.capacity()) {
    numbers = {};
    numbers.reserve(size + size / 8);
  }
  numbers.resize(size);
}

/// Cells that a leaf sees beyond its sides. Where levels meet ghosts are parts of coarser cells, which also have slopes
/// across: so an odd layer asks for one more around corners.
std::size_t reach_of(const Domain& domain) {
  const bool has_levels = std::max(domain.finest(), domain.deepest) > domain.level;
  return has_levels ? domain.ghosts + domain.ghosts % 2 : domain.ghosts;
}

}  // namespace

Share share_of(const Domain& domain, const mesh::Octree& tree, mesh::LeafDivision division, comm::RankId rank) {
  const mesh::LeafRange own = division.of(rank);
  mesh::OctreeHalo halo = mesh::halo_of(tree, division, rank, static_cast<mesh::Index>(domain.block),
                                        static_cast<mesh::Index>(reach_of(domain)));
  return {.division = std::move(division), .own = own, .halo = std::move(halo)};
}

Share share_of(const Domain& domain, const mesh::Octree& tree, std::size_t ranks, comm::RankId rank) {
  return share_of(domain, tree, mesh::LeafDivision(tree.size(), ranks), rank);
}

std::vector<std::string> field_names(const AmrParameters& parameters) {
  std::vector<std::string> names{"density", "momentum_x", "momentum_y", "momentum_z", "energy"};
  if (parameters.fields.has_internal_energy) names.emplace_back("internal_energy");
  for (std::size_t k = 1; k <= parameters.fields.species; ++k) names.push_back(fmt::format("species_{}", k));
  return names;
}

std::string fraction_name(std::size_t species) { return fmt::format("mass_fraction_{}", species + 1); }

std::size_t fields_of_snapshot(const AmrParameters& parameters) noexcept {
  const std::size_t sets = parameters.initial.exact ? 2 : 1;
  return sets * kernels::variables + parameters.fields.species + (parameters.gravity ? gravity_variables : 0);
}

SubGrids::SubGrids(const Domain& domain, Share share, const kernels::Fields& fields)
    : cells_(domain.cells_of_block(0) * domain.cells_of_block(1) * domain.cells_of_block(2)),
      fields_(fields),
      share_(std::move(share)),
      next_{.division = share_.division, .own = {}} {
  now_.resize(leaves() * size_of_leaf());
  between_.resize(leaves() * size_of_leaf());
  set_copied(seen_leaves());
}

SubGrids::SubGrids(const Domain& domain, std::size_t leaves, const kernels::Fields& fields)
    : SubGrids(domain, Share{.division = mesh::LeafDivision(leaves, 1), .own = {0, leaves}}, fields) {}

void SubGrids::keep_begin() {
  keeps_begin_ = true;
  resize_emptied(other_, now_.size());
}

void SubGrids::keep_later() {
  keeps_later_ = true;
  resize_emptied(later_, now_.size());
}

void SubGrids::resize(Share share) {
  begin_move(std::move(share));
  end_move();
}

void SubGrids::set_copied(std::vector<std::size_t> leaves) {
  copied_ = std::move(leaves);
  resize_emptied(copies_, copied_.size() * size_of_leaf());
}

std::vector<std::size_t> SubGrids::seen_leaves() const {
  std::vector<std::size_t> leaves;
  for (const mesh::SharedCells& seen : share_.halo.receive) leaves.push_back(seen.leaf);
  return leaves;
}

void SubGrids::begin_move(Share share) {
  next_ = std::move(share);
  resize_emptied(between_, next_.own.size() * size_of_leaf());
}

void SubGrids::end_move() {
  std::swap(now_, between_);
  resize_emptied(between_, now_.size());
  if (keeps_begin_) resize_emptied(other_, now_.size());
  if (keeps_later_) resize_emptied(later_, now_.size());
  share_ = std::move(next_);
  set_copied(seen_leaves());
}

std::array<std::int64_t, 3> coordinates_of(const Domain& domain, const mesh::Node& leaf, std::size_t cell) {
  std::array<std::int64_t, 3> at{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const std::size_t cells = domain.cells_of_block(axis);
    at[axis] = leaf.at[axis] * static_cast<std::int64_t>(cells) + static_cast<std::int64_t>(cell % cells);
    cell /= cells;
  }
  return at;
}

Point centre_of(const Domain& domain, const mesh::Node& leaf, std::size_t cell) {
  const auto at = coordinates_of(domain, leaf, cell);
  Point centre{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    centre[axis] = (static_cast<double>(at[axis]) + 0.5) * domain.spacing(axis, leaf.level);
  }
  return centre;
}

kernels::Gas gas_of_level(const AmrParameters& parameters, std::uint32_t level) {
  kernels::Gas gas{
      .gamma = parameters.gamma, .scale = {}, .has_internal_energy = parameters.fields.has_internal_energy};
  for (std::size_t axis = 0; axis < parameters.domain.dimensions; ++axis) {
    gas.scale[axis] = 1.0 / parameters.domain.spacing(axis, level);
  }
  return gas;
}

}  // namespace tacit::amr
