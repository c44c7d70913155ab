// Averages the leaves level by level, and hands all to the format.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/amr/plotfile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "tacit/base/error.hpp"
#include "tacit/engine/summary.hpp"
#include "tacit/exchange/over_ranks.hpp"
#include "tacit/io/plotfile.hpp"
#include "tacit/solvers/amr/levels.hpp"

namespace tacit::amr {
namespace {

/// Which part of its parent a node is, the lower axes first.
std::size_t place_of_part(const mesh::Node& node, std::size_t dimensions) {
  std::size_t place = 0;
  for (std::size_t axis = 0; axis < dimensions; ++axis) place |= static_cast<std::size_t>(node.at[axis] & 1) << axis;
  return place;
}

/// Of a node, which is a range of the cells of its level.
io::PlotBox box_of(const Domain& domain, const mesh::Node& node) {
  io::PlotBox box;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const auto cells = static_cast<std::int64_t>(domain.cells_of_block(axis));
    box.low[axis] = node.at[axis] * cells;
    box.high[axis] = box.low[axis] + cells - 1;
  }
  return box;
}

io::PlotLevel plot_level(const Domain& domain, std::uint32_t level, const std::vector<PlotNode>& nodes) {
  io::PlotLevel result;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    result.domain.high[axis] = domain.cells(axis, level) - 1;
    result.spacing[axis] = domain.spacing(axis, level);
  }
  for (const PlotNode& node : nodes) result.boxes.push_back(box_of(domain, node.node));
  return result;
}

/// What yt looks for beside the header.
std::string job_info(const AmrParameters& parameters) {
  std::string periodic;
  for (std::size_t axis = 0; axis < parameters.domain.dimensions; ++axis) {
    periodic += parameters.domain.sides[axis][0] == Wall::periodic ? " 1" : " 0";
  }
  return fmt::format("materials.gamma = {:.17g}\nProb.lo_bc ={}\n", parameters.gamma, periodic);
}

}  // namespace

std::vector<std::vector<PlotNode>> nodes_from(const mesh::Octree& tree, std::uint32_t coarsest) {
  std::vector<std::vector<PlotNode>> levels(tree.finest() - coarsest + 1);
  for (std::size_t leaf = 0; leaf < tree.size(); ++leaf) {
    mesh::Node node = tree.leaf(leaf);
    TACIT_EXPECT(node.level >= coarsest);
    for (;;) {
      std::vector<PlotNode>& nodes = levels[node.level - coarsest];
      if (nodes.empty() || nodes.back().node != node) nodes.push_back({node, {leaf, leaf}});
      nodes.back().leaves.end = leaf + 1;
      if (node.level == coarsest) break;
      node = tree.parent(node);
    }
  }
  return levels;
}

LevelMeans::LevelMeans(const Domain& domain, const mesh::Octree& tree, const SubGrids& grids, LeafFields fields,
                       comm::Communicator& ranks)
    : domain_(domain), tree_(tree), grids_(grids), fields_(std::move(fields)), ranks_(ranks) {}

bool LevelMeans::is_leaf(const PlotNode& node) const { return tree_.leaf(node.leaves.begin).level == node.node.level; }

mesh::LeafRange LevelMeans::own(const std::vector<PlotNode>& nodes) const {
  const auto place = [&](std::size_t leaf) {
    const auto first_leaf = [](const PlotNode& node) { return node.leaves.begin; };
    return static_cast<std::size_t>(std::ranges::lower_bound(nodes, leaf, {}, first_leaf) - nodes.begin());
  };
  return {place(grids_.own().begin), place(grids_.own().end)};
}

bool LevelMeans::Means::has(std::size_t place) const { return std::ranges::binary_search(places, place); }

std::size_t LevelMeans::Means::begin_of(std::size_t place) const {
  return static_cast<std::size_t>(std::ranges::lower_bound(places, place) - places.begin()) * each;
}

LevelMeans::Means LevelMeans::room_for(const std::vector<PlotNode>& nodes) const {
  const mesh::LeafRange mine = own(nodes);
  Means means{.places = {}, .each = grids_.cells() * fields_.count, .numbers = {}};
  for (std::size_t place = mine.begin; place < mine.end; ++place) {
    if (!is_leaf(nodes[place])) means.places.push_back(place);
  }
  means.numbers.resize(means.places.size() * means.each);
  return means;
}

std::vector<std::size_t> LevelMeans::shared_nodes(const std::vector<PlotNode>& nodes) const {
  const mesh::LeafDivision& division = grids_.share().division;
  std::vector<std::size_t> shared;
  for (std::size_t place = 0; place < nodes.size(); ++place) {
    const mesh::LeafRange& leaves = nodes[place].leaves;
    if (division.owner(leaves.begin) != division.owner(leaves.end - 1)) shared.push_back(place);
  }
  return shared;
}

kernels::Variables<const double> LevelMeans::of(const std::vector<PlotNode>& nodes, std::size_t place) const {
  if (is_leaf(nodes[place])) return fields_.of(nodes[place].leaves.begin);
  return {means_.numbers.data() + means_.begin_of(place), grids_.cells()};
}

/// The cells of a node of the next coarser level that consist of those of a finer one.
void LevelMeans::take_means(const std::vector<PlotNode>& finer, std::size_t place,
                            kernels::Variables<double> coarser) const {
  const kernels::Variables<const double> U = of(finer, place);
  const std::size_t count = std::size_t{1} << domain_.dimensions;
  const std::size_t which = place_of_part(finer[place].node, domain_.dimensions);
  const std::array<std::size_t, 3> next{1, domain_.block, domain_.block * domain_.block};
  std::array<std::size_t, 3> half{1, 1, 1};
  std::size_t corner = 0;
  for (std::size_t axis = 0; axis < domain_.dimensions; ++axis) {
    half[axis] = domain_.block / 2;
    corner += (which >> axis & 1U) * half[axis] * next[axis];
  }
  for (std::size_t z = 0; z < half[2]; ++z) {
    for (std::size_t y = 0; y < half[1]; ++y) {
      for (std::size_t x = 0; x < half[0]; ++x) {
        const std::size_t first = 2 * (x + y * next[1] + z * next[2]);
        const std::size_t to = corner + x + y * next[1] + z * next[2];
        for (std::size_t k = 0; k < fields_.count; ++k) {
          std::array<double, 8> numbers{};
          for (std::size_t i = 0; i < count; ++i) {
            numbers[i] = U.of(k)[first + (i & 1U) + (i >> 1U & 1U) * next[1] + (i >> 2U) * next[2]];
          }
          coarser.of(k)[to] = mean_of(numbers, count);
        }
      }
    }
  }
}

void LevelMeans::coarsen(const std::vector<PlotNode>& finer, const std::vector<PlotNode>& coarser) {
  Means means = room_for(coarser);
  const std::vector<std::size_t> shared = shared_nodes(coarser);
  const mesh::LeafRange mine = own(finer);
  std::size_t parent = 0;
  for (std::size_t place = mine.begin; place < mine.end; ++place) {
    while (!coarser[parent].leaves.contains(finer[place].leaves.begin)) ++parent;
    if (std::ranges::binary_search(shared, parent)) continue;
    TACIT_EXPECT(means.has(parent));
    take_means(finer, place, {means.numbers.data() + means.begin_of(parent), grids_.cells()});
  }
  // Few at a time, so that where there are many ranks theirs need little memory.
  constexpr std::size_t most = 64;
  for (std::size_t first = 0; first < shared.size(); first += most) {
    take_shared(finer, coarser, std::span(shared).subspan(first, std::min(most, shared.size() - first)), means);
  }
  means_ = std::move(means);
}

/// The means of a part are on the rank that has it; all others say the least number that there is, and the largest
/// counts.
void LevelMeans::take_shared(const std::vector<PlotNode>& finer, const std::vector<PlotNode>& coarser,
                             std::span<const std::size_t> shared, Means& means) const {
  const mesh::LeafRange mine = own(finer);
  std::vector<double> numbers(shared.size() * means.each, -std::numeric_limits<double>::infinity());
  for (std::size_t i = 0; i < shared.size(); ++i) {
    const mesh::LeafRange& leaves = coarser[shared[i]].leaves;
    for (std::size_t place = mine.begin; place < mine.end; ++place) {
      if (!leaves.contains(finer[place].leaves.begin)) continue;
      take_means(finer, place, {numbers.data() + i * means.each, grids_.cells()});
    }
  }
  exchange::take_largest(ranks_, std::span(numbers));
  for (std::size_t i = 0; i < shared.size(); ++i) {
    if (!means.has(shared[i])) continue;
    std::copy_n(numbers.data() + i * means.each, means.each, means.numbers.data() + means.begin_of(shared[i]));
  }
}

/// A box for each leaf, and for each node that is divided: these have made so many leaves out of those of amr.level.
double plotfile_bytes(const AmrParameters& parameters, double leaves, bool double_precision) {
  const Domain& domain = parameters.domain;
  const double parts = std::ldexp(1.0, static_cast<int>(domain.dimensions));
  const double divided = (leaves - mesh::Octree::leaves_of_level(spec_of(domain), domain.level)) / (parts - 1.0);
  auto numbers = static_cast<double>(kernels::variables + parameters.fields.species + (parameters.gravity ? 1 : 0));
  for (std::size_t axis = 0; axis < 3; ++axis) numbers *= static_cast<double>(domain.cells_of_block(axis));
  constexpr double text_of_box = 470.0;  // its place, four times, and the extremes of each field
  return (leaves + divided) * (numbers * (double_precision ? sizeof(double) : sizeof(float)) + text_of_box);
}

/// Level 0 of the file is amr.level, which there is everywhere.
std::uint64_t write_plotfile(const std::filesystem::path& path, const engine::FileContext& context,
                             const AmrParameters& parameters, const mesh::Octree& tree, const SubGrids& grids,
                             const SelfGravity* gravity, comm::Communicator& ranks) {
  const Domain& domain = parameters.domain;
  const std::vector<std::vector<PlotNode>> levels = nodes_from(tree, domain.level);
  io::PlotfileContent content{.dimensions = domain.dimensions,
                              .fields = {"density", "velocity_x", "velocity_y", "velocity_z", "pressure"},
                              .levels = {},
                              .low = {},
                              .high = domain.box,
                              .time = context.coordinate,
                              .step = context.step,
                              .number = context.double_precision ? io::Number::float64 : io::Number::float32};
  for (std::size_t k = 0; k < parameters.fields.species; ++k) content.fields.push_back(fraction_name(k));
  if (gravity != nullptr) content.fields.emplace_back("potential");
  for (std::size_t level = 0; level < levels.size(); ++level) {
    content.levels.push_back(plot_level(domain, domain.level + static_cast<std::uint32_t>(level), levels[level]));
  }
  io::Plotfile file(path, std::move(content), ranks);
  LevelMeans means(domain, tree, grids, {[&](std::size_t leaf) { return grids.now(leaf); }, grids.fields_count()},
                   ranks);
  std::optional<LevelMeans> potentials;
  if (gravity != nullptr)
    potentials.emplace(domain, tree, grids, LeafFields{[=](std::size_t leaf) { return gravity->field(leaf); }, 1},
                       ranks);
  for (std::size_t level = levels.size(); level-- > 0;) {
    const std::vector<PlotNode>& nodes = levels[level];
    if (level + 1 < levels.size()) means.coarsen(levels[level + 1], nodes);
    if (level + 1 < levels.size() && potentials) potentials->coarsen(levels[level + 1], nodes);
    const mesh::LeafRange mine = means.own(nodes);
    file.write_level(level, mine.begin, mine.size(), [&](std::size_t box, std::span<double> values) {
      const kernels::Variables<const double> U = means.of(nodes, box);
      const std::size_t cells = grids.cells();
      for (std::size_t cell = 0; cell < cells; ++cell) {
        const GasState gas = gas_of(U, cell, parameters.gamma, parameters.fields);
        values[cell] = gas.rho;
        for (std::size_t axis = 0; axis < 3; ++axis) values[(1 + axis) * cells + cell] = gas.v[axis];
        values[4 * cells + cell] = gas.P;
        for (std::size_t k = 0; k < parameters.fields.species; ++k)
          values[(kernels::variables + k) * cells + cell] = U.of(parameters.fields.first_species() + k)[cell] / gas.rho;
      }
      if (!potentials) return;
      const std::size_t first = (kernels::variables + parameters.fields.species) * cells;
      std::copy_n(potentials->of(nodes, box).of(0), cells, values.begin() + static_cast<std::ptrdiff_t>(first));
    });
  }
  file.add_text("job_info", job_info(parameters));
  file.add_text("parameters.toml", engine::to_comment(context.provenance) + context.parameters);
  return file.commit();
}

}  // namespace tacit::amr
