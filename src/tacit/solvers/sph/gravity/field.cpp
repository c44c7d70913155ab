// Gravity of nodes and cells, for each order of the expansions: bodies, multipoles and messages.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/sph/gravity/field.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tacit/solvers/sph/gravity/field_of.hpp"

namespace tacit::sph {

using base::Vec3;

template <int p>
void GravityFieldOf<p>::give_room(const particles::CellTree& cells) {
  std::vector<std::uint64_t> counts(cells.leaves(), 0);
  std::size_t particles = 0;
  for (std::size_t c = 0; c < cells.cells(); ++c) {
    counts[cells.leaf(c)] = cells.range(c).count;
    particles += cells.range(c).count;
  }
  nodes_.divide(copies != nullptr ? copies->counts() : std::span<const std::uint64_t>(counts));
  for (auto* values : {&x_, &y_, &z_, &m_}) values->resize(particles);
  order_.resize(particles);
}

/// Copies the particles of a cell, those of each octant around the middle of all together, and within it those of one
/// class of softening after the other.
template <int p>
void GravityFieldOf<p>::order_bodies(const StepData& data, std::size_t c, const Motion& motion,
                                     const Attraction& attraction, Room& room) {
  const std::size_t leaf = data.grid.leaf(c);
  const std::size_t begin = data.grid.range(c).begin;
  const bool is_divided = nodes_.is_divided(leaf);
  for (auto& list : room.of_octant) list.clear();
  const auto middle = [](std::span<const double> values) {
    const auto [least, most] = std::ranges::minmax(values);
    return 0.5 * (least + most);
  };
  const Vec3 centre{middle(motion.x), middle(motion.y), middle(motion.z)};
  for (std::uint32_t i = 0; i < motion.size(); ++i) {
    const std::size_t octant =
        (motion.x[i] >= centre.x ? 4U : 0U) + (motion.y[i] >= centre.y ? 2U : 0U) + (motion.z[i] >= centre.z ? 1U : 0U);
    room.of_octant[is_divided ? octant : 0].push_back(i);
  }
  const SofteningClasses& classes = nodes_.softenings();
  const auto class_of = [&](std::uint32_t i) { return classes.of_type(attraction.type_of(i)); };
  std::size_t at = 0;
  const std::size_t first = is_divided ? nodes_.first_octant(leaf) : tree().node_of_leaf(leaf);
  for (std::size_t k = 0; k < (is_divided ? octants : 1); ++k) {
    if (classes.count() > 1) std::ranges::stable_sort(room.of_octant[k], {}, class_of);
    State& part = nodes_.state(first + k);
    part.first = static_cast<std::uint32_t>(at);
    part.count = static_cast<std::uint32_t>(room.of_octant[k].size());
    part.of_class.fill(0);
    for (const std::uint32_t i : room.of_octant[k]) ++part.of_class[class_of(i)];
    for (const std::uint32_t i : room.of_octant[k]) {
      x_[begin + at] = motion.x[i];
      y_[begin + at] = motion.y[i];
      z_[begin + at] = motion.z[i];
      m_[begin + at] = motion.m[i];
      order_[begin + at] = i;
      ++at;
    }
  }
}

/// Sets what is known of a node with bodies of its own, but for its multipoles.
template <int p>
void GravityFieldOf<p>::measure(const StepData& data, std::size_t c, std::size_t node,
                                std::span<const std::uint8_t> bin, const Attraction& before) {
  State& state = nodes_.state(node);
  const std::size_t begin = data.grid.range(c).begin + state.first;
  state.is_empty = state.count == 0;
  state.is_active = false;
  double least2 = std::numeric_limits<double>::infinity();
  for (std::size_t k = begin; k < begin + state.count; ++k) {
    const std::uint32_t i = order_[k];
    const Vec3 g{before.gx[i], before.gy[i], before.gz[i]};
    least2 = std::min(least2, dot(g, g));
    state.is_active = state.is_active || data.clock.is_active(bin[i]);
  }
  state.weakest = std::sqrt(least2) / G_;
  state.reach = 0.0;
  for (std::size_t k = 0; k < nodes_.softenings().count(); ++k) {
    if (state.of_class[k] > 0) state.reach = nodes_.softenings().between(k, k).reach();
  }
}

template <int p>
void GravityFieldOf<p>::find_multipole(const StepData& data, std::size_t c, const tasks::StepContext& step) {
  const Motion& motion = step.read(data.cells[c].motion);
  const Attraction& before = step.read(data.cells[c].attraction);
  const std::span<const std::uint8_t> bin = step.read(data.cells[c].integrated).bin;
  const std::size_t leaf = data.grid.leaf(c);
  const std::size_t node = tree().node_of_leaf(leaf);
  State& state = nodes_.state(node);
  state.is_empty = motion.size() == 0;
  state.is_active = false;
  state.first = 0;
  state.count = static_cast<std::uint32_t>(motion.size());
  if (state.is_empty) return;
  order_bodies(data, c, motion, before, rooms_[step.worker()]);
  measure(data, c, node, bin, before);
  const fmm::Bodies all = bodies_in(data, node);
  if (!nodes_.is_divided(leaf)) {
    nodes_.set(node, Operators::multipole_of(all));
    if (node == 0) know_all();
    return;
  }
  for (std::size_t octant = nodes_.first_octant(leaf); octant < nodes_.first_octant(leaf) + octants; ++octant) {
    measure(data, c, octant, bin, before);
    if (!nodes_.state(octant).is_empty) nodes_.set(octant, Operators::multipole_of(bodies_in(data, octant)));
  }
  nodes_.combine(node);
  nodes_.tighten(node, all);
  if (node == 0) know_all();
}

template <int p>
std::size_t GravityFieldOf<p>::packed_size(std::size_t leaf) const {
  return (nodes_.is_divided(leaf) ? 1 + octants : 1) * Nodes::packed_length;
}

template <int p>
std::size_t GravityFieldOf<p>::most_packed(std::size_t leaves, std::size_t particles) const {
  return (leaves + octants * std::min(leaves, particles / (most_undivided + 1))) * Nodes::packed_length;
}

template <int p>
void GravityFieldOf<p>::pack(std::size_t leaf, std::span<double> to) const {
  const auto part = [&](std::size_t k) { return to.subspan(k * Nodes::packed_length, Nodes::packed_length); };
  nodes_.pack(tree().node_of_leaf(leaf), part(0));
  if (!nodes_.is_divided(leaf)) return;
  for (std::size_t k = 0; k < octants; ++k) nodes_.pack(nodes_.first_octant(leaf) + k, part(1 + k));
}

template <int p>
void GravityFieldOf<p>::unpack(std::size_t leaf, std::span<const double> from) {
  const auto part = [&](std::size_t k) { return from.subspan(k * Nodes::packed_length, Nodes::packed_length); };
  nodes_.unpack(tree().node_of_leaf(leaf), part(0));
  if (!nodes_.is_divided(leaf)) return;
  for (std::size_t k = 0; k < octants; ++k) nodes_.unpack(nodes_.first_octant(leaf) + k, part(1 + k));
}

std::unique_ptr<GravityField> GravityField::make(const SelfGravity& gravity, const particles::CellTree& cells,
                                                 std::size_t workers) {
  return fmm::with_order(gravity.order, [&](auto p) -> std::unique_ptr<GravityField> {
    return std::make_unique<GravityFieldOf<p>>(gravity, cells, workers);
  });
}

}  // namespace tacit::sph
