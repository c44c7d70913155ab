// The cells' views of the gas, and the cells in checkpoints.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "tacit/base/error.hpp"
#include "tacit/exchange/over_ranks.hpp"
#include "tacit/solvers/sph/checkpoint_values.hpp"
#include "tacit/solvers/sph/fields.hpp"
#include "tacit/solvers/sph/gas_cells.hpp"
#include "tacit/solvers/sph/integrate.hpp"
#include "tacit/tasks/parallel_for.hpp"

namespace tacit::sph {

/// Points the cells at their particles, which were sorted, and updates what they know of them.
void GasCells::bind() {
  const auto room_of = [this](std::size_t c) { return GroupBoxes::room_for(tree_->groups(c).size() - 1); };
  std::vector<std::size_t> first_box(cells_.size() + 1, 0);
  for (std::size_t c = 0; c < cells_.size(); ++c) first_box[c + 1] = first_box[c] + room_of(c);
  if (first_box.back() > boxes_.capacity()) boxes_ = {};  // for memory, before there are new ones
  boxes_.resize(first_box.back());
  group_h_.resize(tree_->total_groups());
  limits_.resize(gas_.size());
  tasks::parallel_for(resources_.scheduler, 0, cells_.size(), [&](std::size_t c) {
    double* const boxes = boxes_.data() + first_box[c];
    std::fill_n(boxes, room_of(c), 0.0);
    bind_cell(c, boxes);
    look_at(c);
  });
  if (swept_) swept_->bind(*tree_);
  if (gravity_) gravity_->give_room(*tree_);
}

void GasCells::bind_cell(std::size_t c, double* boxes) {
  const auto range = tree_->range(c);
  const bool is_own = c < tree_->cells();
  const std::size_t gas = gas_in_cell(c);
  auto groups = tree_->groups(c);
  groups = groups.first(static_cast<std::size_t>(std::ranges::upper_bound(groups, gas) - groups.begin()));
  const std::size_t count = groups.size() - 1;
  cells_[c].bind(is_own ? gas_ : copies_->gas(), range, groups, {{boxes, GroupBoxes::stride_for(count)}},
                 std::span(group_h_).subspan(tree_->first_group(c), count),
                 is_own ? std::span(limits_).subspan(range.begin, range.count) : std::span<std::uint8_t>{});
  if (is_own && resources_.log != nullptr) cells_[c].logged.bind(&last_records_);
}

/// Others come behind it; of other ranks' cells there is nothing else.
std::size_t GasCells::gas_in_cell(std::size_t c) const {
  const auto [begin, count] = tree_->range(c);
  return c < tree_->cells() ? gas_.gas_in(begin, count) : count;
}

void GasCells::give_own_steps() {
  gas_.has_own_steps = true;
  for_each_field(gas_, [this](std::string_view /*name*/, auto& array) { array.resize(gas_.size()); });
  bind();
}

/// Its particles have just been drifted, all of them.
void GasCells::look_at(std::size_t c) {
  const Motion& motion = cells_[c].motion.between_runs();
  const Integrated& state = cells_[c].integrated.between_runs();
  bounds_[c] = bound_groups(motion, cells_[c].hydro.between_runs(), loops_.kernels().drift.bound);
  reports_[c].drifted_to = clock_.now;
  report_bins(state, gas_in_cell(c), reports_[c]);
  if (c >= tree_->cells()) return;
  const Forces& forces = cells_[c].forces.between_runs();
  report_motion(state, motion, forces, reports_[c]);
  reports_[c].dt = std::numeric_limits<double>::infinity();
  reports_[c].slowest_signal = std::numeric_limits<float>::infinity();
  for (const float v : forces.v_sig) reports_[c].slowest_signal = std::min(reports_[c].slowest_signal, v);
  for (const float dt : forces.dt) reports_[c].dt = std::min(reports_[c].dt, static_cast<double>(dt));
}

namespace {

/// What every rank has of an array over particles, groups or cells in the order of leaves: consecutive leaves together.
std::vector<io::Part> parts_of(std::span<const std::uint64_t> begins, std::span<const std::uint32_t> leaves) {
  std::vector<io::Part> parts;
  for (const std::uint32_t leaf : leaves) {
    io::append_rows(parts, begins[leaf], begins[leaf + 1] - begins[leaf]);
  }
  return parts;
}

}  // namespace

/// Where each leaf begins in an array of all ranks, with `counts` entries of each cell of this one.
std::vector<std::uint64_t> GasCells::begins_of_leaves(std::span<const std::uint64_t> counts) const {
  std::vector<std::uint64_t> begins(tree_->leaves() + 1, 0);
  for (std::size_t c = 0; c < tree_->cells(); ++c) begins[tree_->leaf(c) + 1] = counts[c];
  exchange::add_over(resources_.ranks, begins);
  std::partial_sum(begins.begin(), begins.end(), begins.begin());
  return begins;
}

std::vector<std::uint32_t> GasCells::own_leaf_numbers() const {
  std::vector<std::uint32_t> leaves;
  for (std::size_t c = 0; c < tree_->cells(); ++c) leaves.push_back(static_cast<std::uint32_t>(tree_->leaf(c)));
  return leaves;
}

GasCells::StoredOrder GasCells::stored_order() const {
  std::vector<std::uint64_t> counts;
  for (std::size_t c = 0; c < tree_->cells(); ++c) counts.push_back(tree_->range(c).count);
  const std::vector<std::uint64_t> begins = begins_of_leaves(counts);
  return {begins.back(), parts_of(begins, own_leaf_numbers())};
}

void GasCells::save(io::FileWriter& file) const {
  using checkpoint::store;
  const particles::StoredCells stored = tree_->stored();
  std::vector<std::uint64_t> groups;
  for (std::size_t c = 0; c < tree_->cells(); ++c) groups.push_back(tree_->groups(c).size() - 1);
  const std::vector<std::uint64_t> first_groups = begins_of_leaves(groups);
  const auto leaves = own_leaf_numbers();
  std::vector<std::uint64_t> numbers(tree_->leaves() + 1);
  std::iota(numbers.begin(), numbers.end(), std::uint64_t{0});
  const checkpoint::Parts of_cells{tree_->leaves(), parts_of(numbers, leaves)};
  const checkpoint::Parts of_groups{first_groups.back(), parts_of(first_groups, leaves)};
  store(file, "cell_levels", stored.levels);
  store(file, "cell_counts", stored.counts, of_cells);
  store(file, "group_sizes", stored.group_sizes, of_groups);
  const auto of_own = [this](const std::vector<double>& values) { return std::span(values).first(tree_->cells()); };
  store(file, "reach", of_own(reach_), of_cells);
  store(file, "slack", of_own(slack_), of_cells);
  store(file, "moved", moved_, of_cells);
  const auto of_reports = [this](auto member) {
    std::vector<double> values(tree_->cells());
    for (std::size_t c = 0; c < values.size(); ++c) values[c] = static_cast<double>(reports_[c].*member);
    return values;
  };
  store(file, "cell_v_max", of_reports(&CellReport::v_max), of_cells);
  store(file, "cell_a_max", of_reports(&CellReport::a_max), of_cells);
  const auto& n = stored.shape;
  store(file, "origin of the grid", tree_->domain().origin);
  store(file, "size of the grid", tree_->domain().size);
  store(file, "top-level cells", {static_cast<double>(n[0]), static_cast<double>(n[1]), static_cast<double>(n[2])});
  store(file, "particles per group", {static_cast<double>(stored.per_group)});
  store(file, "fullest cell", {static_cast<double>(largest_cell_)});
  store(file, "scale of masses", {cache_units_.scales.mass});
  store(file, "scale of velocities", {cache_units_.scales.velocity});
  store(file, "mean velocity", cache_units_.velocity);
  if (swept_) swept_->forget_orders();
}

/// With bounds on every number: lists for an absurd reach would fill the memory.
/// @return the rows of particles that this rank has in arrays of the file
std::vector<io::Part> GasCells::load_tree(const io::FileReader& file) {
  using checkpoint::read_counts;
  particles::Domain domain = bounded_domain(physics_, box_);
  domain.origin = checkpoint::read_vector(file, "origin of the grid");
  domain.size = checkpoint::read_vector(file, "size of the grid");
  const std::vector<double> shape = checkpoint::read_scalars(file, "top-level cells", 3);
  const double group_size = checkpoint::read_scalar(file, "particles per group");
  const auto side = [&shape](std::size_t i) { return static_cast<int>(std::clamp(shape[i], 0.0, 1e6)); };
  const std::vector<std::uint64_t> counts = read_counts(file, "cell_counts");
  particles_ = checkpoint::length_of(file, "id");
  tree_ = particles::CellTree::restore(domain,
                                       {{side(0), side(1), side(2)},
                                        static_cast<std::uint64_t>(std::clamp(group_size, 0.0, 1e6)),
                                        read_counts(file, "cell_levels"),
                                        counts,
                                        read_counts(file, "group_sizes")},
                                       particles_);
  if (!tree_) {
    throw base::FormatError(file.path().string(), "the cells do not hold the particles; the file is damaged");
  }
  if (const std::size_t ranks = resources_.ranks.size(); ranks > 1) {
    std::vector<std::uint64_t> memory = counts;
    for (std::uint64_t& size : memory) size += particles_per_leaf;
    own_leaves(
        topology::cut_curve(counts, std::min(ranks, counts.size()), {memory, most_memory_of_rank(memory, ranks)}));
  }
  std::vector<std::uint64_t> begins(counts.size() + 1, 0);
  std::partial_sum(counts.begin(), counts.end(), begins.begin() + 1);
  return parts_of(begins, own_leaf_numbers());
}

std::vector<io::Part> GasCells::begin_load(const io::FileReader& file) {
  largest_cell_ = static_cast<std::size_t>(std::clamp(checkpoint::read_scalar(file, "fullest cell"), 0.0, 1e18));
  cache_units_ = {
      {checkpoint::read_scalar(file, "scale of masses"), checkpoint::read_scalar(file, "scale of velocities")},
      checkpoint::read_vector(file, "mean velocity")};
  if (!(cache_units_.scales.mass > 0.0 && cache_units_.scales.velocity > 0.0)) {
    throw base::FormatError(file.path().string(), "has units that are not positive; the file is damaged");
  }
  return load_tree(file);
}

void GasCells::load(const io::FileReader& file) {
  const std::size_t leaves = tree_->leaves();
  const base::Vec3& size = tree_->domain().size;
  const double most = 2.0 * (size.x + size.y + size.z + box_.x + box_.y + box_.z);
  const auto are_sane = [most](const std::vector<double>& lengths) {
    return std::ranges::all_of(lengths, [most](double length) { return length >= 0.0 && length <= most; });
  };
  const auto of_cells = [&](const char* name) {
    std::vector<double> values;
    const std::vector<double> all = checkpoint::read_numbers(file, name, leaves);
    for (std::size_t c = 0; c < tree_->cells(); ++c) values.push_back(all[tree_->leaf(c)]);
    return values;
  };
  const std::vector<double> reach = checkpoint::read_numbers(file, "reach", leaves);
  const std::vector<double> slack = checkpoint::read_numbers(file, "slack", leaves);
  moved_ = of_cells("moved");
  if (!are_sane(reach) || !are_sane(slack) || !connect(reach, slack)) {
    throw base::FormatError(file.path().string(), "cells reach beyond the domain; the file is damaged");
  }
  count_particles();
  const std::vector<double> v_max = of_cells("cell_v_max");
  const std::vector<double> a_max = of_cells("cell_a_max");
  for (std::size_t c = 0; c < tree_->cells(); ++c) {
    reports_[c].v_max = v_max[c];
    reports_[c].gas_v_max = v_max[c];
    reports_[c].a_max = a_max[c];
  }
}

}  // namespace tacit::sph
