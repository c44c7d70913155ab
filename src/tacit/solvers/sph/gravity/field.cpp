// Gravity of nodes and cells, for each order of the expansions.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/sph/gravity/field.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>

#include "tacit/base/cpu_features.hpp"
#include "tacit/fmm/direct.hpp"
#include "tacit/fmm/kernels/m2l_loops.hpp"
#include "tacit/fmm/operators.hpp"
#include "tacit/solvers/sph/gravity/copies.hpp"
#include "tacit/solvers/sph/gravity/nodes.hpp"
#include "tacit/solvers/sph/pair_tasks.hpp"

namespace tacit::sph {
namespace {

using base::Vec3;

/// What a worker needs while it looks at a node; its arrays grow to the longest lists.
struct Room {
  fmm::NearBodies<float> near{base::chosen_instruction_set()};
  fmm::NearBodies<double> near_in_doubles{base::chosen_instruction_set()};  ///< where floats do not tell pairs apart
  fmm::CloseBodies close;
  std::vector<std::uint32_t> waiting;                         ///< nodes that are still to be looked at
  std::vector<std::uint32_t> expanded;                        ///< nodes that act by their multipoles
  std::vector<std::uint32_t> summed;                          ///< undivided nodes whose particles act one by one
  std::vector<std::uint32_t> order;                           ///< bodies of the node, the active ones first
  std::vector<double> x, y, z, m;                             ///< in this order
  std::array<std::vector<std::uint32_t>, octants> of_octant;  ///< particles of a cell
  std::vector<double> potential, ax, ay, az;
};

template <int p>
class GravityFieldOf final : public GravityField {
 public:
  GravityFieldOf(const SelfGravity& gravity, const particles::CellTree& cells, std::size_t workers)
      : GravityField(cells),
        G_(gravity.G),
        nodes_(gravity, tree(), cells.leaves()),
        m2l_(fmm::kernels::m2l_loops(base::chosen_instruction_set()).add[p]),
        locals_(tree().nodes().size()),
        opened_(tree().nodes().size()),
        rooms_(workers) {}

  void give_room(std::size_t particles) override;
  void find_multipole(const StepData& data, std::size_t c, const tasks::StepContext& step) override;
  void combine(std::size_t node) override { nodes_.combine(node); }
  void expand(std::size_t node, std::size_t worker) override;
  void attract(const StepData& data, std::size_t c, const tasks::StepContext& step) override;
  fmm::Bodies own_bodies() const override { return {x_, y_, z_, m_}; }
  std::size_t packed_size() const override { return (1 + octants) * Nodes::packed_length; }
  void pack(std::size_t leaf, std::span<double> to) const override;
  void unpack(std::size_t leaf, std::span<const double> from) override;

 private:
  using Nodes = GravityNodes<p>;
  using State = typename Nodes::State;
  using Children = typename Nodes::Children;
  using Operators = fmm::Operators<p>;
  using Local = std::array<double, fmm::terms(p)>;

  void order_bodies(const StepData& data, std::size_t c, const Motion& motion, const Attraction& attraction,
                    Room& room);
  void measure(const StepData& data, std::size_t c, std::size_t node, std::span<const std::uint8_t> bin,
               const Attraction& before);
  void attract_node(const StepData& data, std::size_t c, std::size_t node, const tasks::StepContext& step);
  [[nodiscard]] fmm::Bodies bodies_in(const StepData& data, std::size_t node) const;
  void find_sources(std::size_t node, Room& room);
  [[nodiscard]] Local expansion_of(std::size_t node, const Room& room) const;
  [[nodiscard]] std::size_t put_active_first(const StepData& data, std::size_t c, std::size_t node,
                                             std::span<const std::uint8_t> bin, Room& room) const;
  [[nodiscard]] std::array<std::uint32_t, attracting_types> classes_of_first(std::size_t node, std::size_t active,
                                                                             const Room& room) const;
  [[nodiscard]] double extent_of(std::size_t node, const Room& room) const;
  [[nodiscard]] bool do_floats_serve(const StepData& data, double extent, Room& room) const;
  void add_near(const StepData& data, std::size_t node, std::size_t active, Room& room) const;
  template <class Real>
  void add_near(const StepData& data, const fmm::Frame& frame, std::size_t node, std::size_t active,
                fmm::NearBodies<Real>& near, Room& room) const;

  double G_;
  Nodes nodes_;
  void (*m2l_)(const fmm::kernels::M2LWork&);
  std::vector<Local> locals_;                       // about the centres of the multipoles
  std::vector<std::vector<std::uint32_t>> opened_;  // for each node, those with which its children go on
  std::vector<double> x_, y_, z_, m_;               // bodies of this rank's cells, one after the other, by octants
  std::vector<std::uint32_t> order_;                // for each of these, which particle of its cell it is
  std::vector<Room> rooms_;
};

template <int p>
void GravityFieldOf<p>::give_room(std::size_t particles) {
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
  const bool is_divided = motion.size() > most_undivided;
  nodes_.state(tree().node_of_leaf(leaf)).is_divided = is_divided;
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
  for (std::size_t k = 0; k < octants; ++k) {
    if (classes.count() > 1) std::ranges::stable_sort(room.of_octant[k], {}, class_of);
    State& octant = nodes_.state(nodes_.first_octant(leaf) + k);
    octant.first = static_cast<std::uint32_t>(at);
    octant.count = static_cast<std::uint32_t>(room.of_octant[k].size());
    octant.of_class.fill(0);
    for (const std::uint32_t i : room.of_octant[k]) ++octant.of_class[class_of(i)];
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
  state.is_divided = false;
  state.first = 0;
  state.count = static_cast<std::uint32_t>(motion.size());
  if (state.is_empty) return;
  order_bodies(data, c, motion, before, rooms_[step.worker()]);
  if (!state.is_divided) state.of_class = nodes_.state(nodes_.first_octant(leaf)).of_class;
  measure(data, c, node, bin, before);
  const fmm::Bodies all = bodies_in(data, node);
  if (!state.is_divided) return nodes_.set(node, Operators::multipole_of(all));
  for (std::size_t octant = nodes_.first_octant(leaf); octant < nodes_.first_octant(leaf) + octants; ++octant) {
    measure(data, c, octant, bin, before);
    if (!nodes_.state(octant).is_empty) nodes_.set(octant, Operators::multipole_of(bodies_in(data, octant)));
  }
  nodes_.combine(node);
  nodes_.tighten(node, all);
}

template <int p>
void GravityFieldOf<p>::pack(std::size_t leaf, std::span<double> to) const {
  const auto part = [&](std::size_t k) { return to.subspan(k * Nodes::packed_length, Nodes::packed_length); };
  nodes_.pack(tree().node_of_leaf(leaf), part(0));
  for (std::size_t k = 0; k < octants; ++k) nodes_.pack(nodes_.first_octant(leaf) + k, part(1 + k));
}

template <int p>
void GravityFieldOf<p>::unpack(std::size_t leaf, std::span<const double> from) {
  const auto part = [&](std::size_t k) { return from.subspan(k * Nodes::packed_length, Nodes::packed_length); };
  nodes_.unpack(tree().node_of_leaf(leaf), part(0));
  for (std::size_t k = 0; k < octants; ++k) nodes_.unpack(nodes_.first_octant(leaf) + k, part(1 + k));
}

/// Goes on with the pairs that the parent was opened for.
template <int p>
void GravityFieldOf<p>::find_sources(std::size_t node, Room& room) {
  const bool is_last = nodes_.is_undivided(node);
  room.waiting.clear();
  room.expanded.clear();
  room.summed.clear();
  if (!is_last) opened_[node].clear();
  const auto look_at = [&](std::uint32_t other) {
    if (nodes_.state(other).is_empty) return;
    const bool is_self = other == node;
    if (!is_self && nodes_.accepts(node, other)) {
      room.expanded.push_back(other);
    } else if (is_last && nodes_.is_undivided(other)) {
      if (!is_self) room.summed.push_back(other);
    } else if (is_self || nodes_.is_opened_first(node, other)) {
      opened_[node].push_back(other);
    } else {
      const Children children = nodes_.children_of(other);
      for (std::uint32_t k = children.count; k-- > 0;) room.waiting.push_back(children.first + k);  // from the end
    }
  };
  const auto look_at_all = [&](std::uint32_t first) {
    room.waiting.push_back(first);
    while (!room.waiting.empty()) {
      const std::uint32_t next = room.waiting.back();
      room.waiting.pop_back();
      look_at(next);
    }
  };
  const std::uint32_t parent = nodes_.parent_of(node);
  if (parent == GravityNode::none) return look_at_all(static_cast<std::uint32_t>(node));
  for (const std::uint32_t other : opened_[parent]) {
    if (other != parent) {
      look_at_all(other);
      continue;
    }
    const Children siblings = nodes_.children_of(parent);
    for (std::uint32_t k = 0; k < siblings.count; ++k) look_at_all(siblings.first + k);
  }
}

template <int p>
auto GravityFieldOf<p>::expansion_of(std::size_t node, const Room& room) const -> Local {
  Local local{};
  const std::uint32_t parent = nodes_.parent_of(node);
  const Vec3 centre = nodes_.centre(node);
  if (parent != GravityNode::none) {
    Operators::l2l(fmm::ConstTerms<p>(locals_[parent]), centre - nodes_.centre(parent), fmm::Terms<p>(local));
  }
  m2l_({.multipoles = nodes_.data(),
        .sources = room.expanded.data(),
        .count = room.expanded.size(),
        .x = centre.x,
        .y = centre.y,
        .z = centre.z,
        .softening2 = nodes_.softenings().epsilon2(),
        .L = local.data()});
  return local;
}

template <int p>
void GravityFieldOf<p>::expand(std::size_t node, std::size_t worker) {
  if (!nodes_.state(node).is_active) return;
  find_sources(node, rooms_[worker]);
  locals_[node] = expansion_of(node, rooms_[worker]);
}

/// Orders the node's bodies so that those that end their steps come first. @return how many they are
template <int p>
std::size_t GravityFieldOf<p>::put_active_first(const StepData& data, std::size_t c, std::size_t node,
                                                std::span<const std::uint8_t> bin, Room& room) const {
  const std::size_t begin = data.grid.range(c).begin + nodes_.state(node).first;
  const std::size_t end = begin + nodes_.state(node).count;
  const auto is_active = [&](std::size_t k) { return data.clock.is_active(bin[order_[k]]); };
  room.order.clear();
  for (std::size_t k = begin; k < end; ++k) {
    if (is_active(k)) room.order.push_back(static_cast<std::uint32_t>(k));
  }
  const std::size_t active = room.order.size();
  for (std::size_t k = begin; k < end; ++k) {
    if (!is_active(k)) room.order.push_back(static_cast<std::uint32_t>(k));
  }
  const auto gather = [&](const std::vector<double>& from, std::vector<double>& to) {
    to.resize(room.order.size());
    for (std::size_t k = 0; k < to.size(); ++k) to[k] = from[room.order[k]];
  };
  gather(x_, room.x);
  gather(y_, room.y);
  gather(z_, room.z);
  gather(m_, room.m);
  return active;
}

/// How far from the centre of the node its bodies are, and all that act on them one by one [length].
template <int p>
double GravityFieldOf<p>::extent_of(std::size_t node, const Room& room) const {
  double extent = nodes_[node].radius;
  for (const std::uint32_t other : room.summed) {
    extent = std::max(extent, norm(nodes_.centre(other) - nodes_.centre(node)) + nodes_[other].radius);
  }
  return extent;
}

/// Whether floats relative to the centre of the node tell its bodies apart from each other and from those near them.
template <int p>
bool GravityFieldOf<p>::do_floats_serve(const StepData& data, double extent, Room& room) const {
  const double least = fmm::least_separation_in_floats(extent);
  if (nodes_.softenings().shortest() >= least) return true;
  const fmm::Bodies own{room.x, room.y, room.z, room.m};
  room.close.restart(own);
  if (room.close.any_within(own, least)) return false;
  return std::ranges::none_of(
      room.summed, [&](std::uint32_t other) { return room.close.any_within(bodies_in(data, other), least); });
}

/// The bodies of a cell or octant, of this rank or another. Those of other cells of this rank are not declared: they
/// are written with the multipoles, for all of which that of the root waits.
template <int p>
fmm::Bodies GravityFieldOf<p>::bodies_in(const StepData& data, std::size_t node) const {
  const State& state = nodes_.state(node);
  const std::size_t leaf = nodes_.leaf_of(node);
  const bool is_foreign = copies != nullptr && copies->has(leaf);
  const fmm::Bodies all = is_foreign ? copies->bodies(leaf) : own_bodies();
  const std::size_t begin = (is_foreign ? 0 : data.grid.range(data.grid.cell_of_leaf(leaf)).begin) + state.first;
  const auto part = [&](std::span<const double> values) { return values.subspan(begin, state.count); };
  return {part(all.x), part(all.y), part(all.z), part(all.m)};
}

/// Of the active bodies of a node, which come first in the room: how many are of each class of softening.
template <int p>
std::array<std::uint32_t, attracting_types> GravityFieldOf<p>::classes_of_first(std::size_t node, std::size_t active,
                                                                                const Room& room) const {
  const State& state = nodes_.state(node);
  std::array<std::uint32_t, attracting_types> counts{};
  std::array<std::uint32_t, attracting_types> ends{};  // among the bodies of the node
  std::partial_sum(state.of_class.begin(), state.of_class.end(), ends.begin());
  const std::uint32_t first = room.order.empty() ? 0 : *std::ranges::min_element(room.order);
  for (const std::uint32_t k : std::span(room.order).first(active)) {
    ++counts[static_cast<std::size_t>(std::ranges::upper_bound(ends, k - first) - ends.begin())];
  }
  return counts;
}

/// P2P: adds to what the active bodies of the room have.
template <int p>
void GravityFieldOf<p>::add_near(const StepData& data, std::size_t node, std::size_t active, Room& room) const {
  const double extent = extent_of(node, room);
  const fmm::Frame frame =
      fmm::Frame::around(nodes_.centre(node), extent, nodes_[node].M[0] / static_cast<double>(room.m.size()));
  if (do_floats_serve(data, extent, room)) {
    add_near(data, frame, node, active, room.near, room);
  } else {
    add_near(data, frame, node, active, room.near_in_doubles, room);
  }
}

/// Where there are several classes of softening, class by class: the bodies of one stand side by side.
template <int p>
template <class Real>
void GravityFieldOf<p>::add_near(const StepData& data, const fmm::Frame& frame, std::size_t node, std::size_t active,
                                 fmm::NearBodies<Real>& near, Room& room) const {
  using Counts = std::array<std::uint32_t, attracting_types>;
  const SofteningClasses& classes = nodes_.softenings();
  near.restart(frame);
  const fmm::Group own = near.add({room.x, room.y, room.z, room.m});
  const fmm::Group sinks{own.begin, active};
  Counts of_sinks{};
  if (classes.count() > 1) of_sinks = classes_of_first(node, active, room);
  const auto add = [&](std::size_t first, const Counts& of_sources) {
    std::size_t sink = sinks.begin;
    for (std::size_t a = 0; a < classes.count(); sink += of_sinks[a++]) {
      std::size_t source = first;
      for (std::size_t b = 0; b < classes.count(); source += of_sources[b++]) {
        if (of_sinks[a] == 0 || of_sources[b] == 0) continue;
        near.add_forces({sink, of_sinks[a]}, {source, of_sources[b]}, classes.between(a, b));
      }
    }
  };
  if (classes.count() == 1) {
    near.add_forces(sinks, own, classes.between(0, 0));
  } else {
    Counts of_idle = nodes_.state(node).of_class;
    for (std::size_t k = 0; k < of_idle.size(); ++k) of_idle[k] -= of_sinks[k];
    add(own.begin, of_sinks);
    add(own.begin + active, of_idle);
  }
  for (const std::uint32_t other : room.summed) {
    const fmm::Group sources = near.add(bodies_in(data, other));
    if (classes.count() == 1) {
      near.add_forces(sinks, sources, classes.between(0, 0));
    } else {
      add(sources.begin, nodes_.state(other).of_class);
    }
  }
  near.add_to(sinks, {room.potential, room.ax, room.ay, room.az});
}

template <int p>
void GravityFieldOf<p>::attract(const StepData& data, std::size_t c, const tasks::StepContext& step) {
  const std::size_t leaf = data.grid.leaf(c);
  const std::size_t node = tree().node_of_leaf(leaf);
  if (!nodes_.state(node).is_active) return;
  if (!nodes_.state(node).is_divided) return attract_node(data, c, node, step);
  expand(node, step.worker());
  for (std::size_t k = 0; k < octants; ++k) {
    if (nodes_.state(nodes_.first_octant(leaf) + k).is_active)
      attract_node(data, c, nodes_.first_octant(leaf) + k, step);
  }
}

/// Of a node that is not divided further.
template <int p>
void GravityFieldOf<p>::attract_node(const StepData& data, std::size_t c, std::size_t node,
                                     const tasks::StepContext& step) {
  const Attraction& attraction = step.write(data.cells[c].attraction);
  Room& room = rooms_[step.worker()];
  find_sources(node, room);
  const Local local = expansion_of(node, room);
  const std::size_t active = put_active_first(data, c, node, step.read(data.cells[c].integrated).bin, room);
  for (auto* values : {&room.potential, &room.ax, &room.ay, &room.az}) values->resize(active);
  const Vec3 centre = nodes_.centre(node);
  for (std::size_t k = 0; k < active; ++k) {
    const fmm::Field far = Operators::l2p(fmm::ConstTerms<p>(local), Vec3{room.x[k], room.y[k], room.z[k]} - centre);
    room.potential[k] = far.potential;
    room.ax[k] = far.acceleration.x;
    room.ay[k] = far.acceleration.y;
    room.az[k] = far.acceleration.z;
  }
  add_near(data, node, active, room);
  for (std::size_t k = 0; k < active; ++k) {
    const std::size_t i = order_[room.order[k]];
    attraction.gx[i] = static_cast<float>(G_ * room.ax[k]);
    attraction.gy[i] = static_cast<float>(G_ * room.ay[k]);
    attraction.gz[i] = static_cast<float>(G_ * room.az[k]);
    attraction.phi[i] = static_cast<float>(G_ * room.potential[k]);
  }
}

}  // namespace

std::unique_ptr<GravityField> GravityField::make(const SelfGravity& gravity, const particles::CellTree& cells,
                                                 std::size_t workers) {
  return fmm::with_order(gravity.order, [&](auto p) -> std::unique_ptr<GravityField> {
    return std::make_unique<GravityFieldOf<p>>(gravity, cells, workers);
  });
}

}  // namespace tacit::sph
