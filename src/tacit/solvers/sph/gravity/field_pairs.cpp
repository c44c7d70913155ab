// P2P of nodes near each other, periodic images among them, and what particles get in the end.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>

#include "tacit/solvers/sph/gravity/field_of.hpp"

namespace tacit::sph {

using base::Vec3;

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
  for (const SeenNode& other : room.summed) {
    const Vec3 away = nodes_.centre(other.node) + shift_of(other) - nodes_.centre(node);
    extent = std::max(extent, norm(away) + nodes_[other.node].radius);
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
  return std::ranges::none_of(room.summed, [&](const SeenNode& other) {
    return room.close.any_within(bodies_in(data, other.node), least, shift_of(other));
  });
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

/// Class by class of softening: the bodies of one stand side by side in a node. Those of many nodes are summed at once:
/// a loop that begins and ends for a few bodies costs as much as its pairs.
template <int p>
template <class Real>
void GravityFieldOf<p>::add_near(const StepData& data, const fmm::Frame& frame, std::size_t node, std::size_t active,
                                 fmm::NearBodies<Real>& near, Room& room) const {
  constexpr std::size_t at_once = 512;  // which the nearest cache holds
  using Counts = std::array<std::uint32_t, attracting_types>;
  const SofteningClasses& classes = nodes_.softenings();
  near.restart(frame);
  const fmm::Group own = near.add({room.x, room.y, room.z, room.m});
  const fmm::Group sinks{own.begin, active};
  Counts of_sinks{static_cast<std::uint32_t>(active)};
  if (classes.count() > 1) of_sinks = classes_of_first(node, active, room);
  const auto add = [&](const fmm::Group& sources, std::size_t b) {
    std::size_t sink = sinks.begin;
    for (std::size_t a = 0; a < classes.count(); sink += of_sinks[a++]) {
      if (of_sinks[a] > 0) near.add_forces({sink, of_sinks[a]}, sources, classes.between(a, b));
    }
  };
  if (classes.count() == 1) {
    add(own, 0);
  } else {
    Counts of_idle = nodes_.state(node).of_class;
    for (std::size_t k = 0; k < of_idle.size(); ++k) of_idle[k] -= of_sinks[k];
    std::size_t source = own.begin;
    for (const Counts& counts : {of_sinks, of_idle}) {
      for (std::size_t b = 0; b < classes.count(); source += counts[b++]) {
        if (counts[b] > 0) add({source, counts[b]}, b);
      }
    }
  }
  for (std::size_t b = 0; b < classes.count(); ++b) {
    fmm::Group waiting{own.end(), 0};
    for (const SeenNode& other : room.summed) {
      const fmm::Group more = near.add(bodies_in(data, other.node, b), shift_of(other));
      waiting = waiting.count == 0 ? more : fmm::Group{waiting.begin, waiting.count + more.count};
      if (waiting.count < at_once) continue;
      add(waiting, b);
      waiting.count = 0;
    }
    if (waiting.count > 0) add(waiting, b);
  }
  near.add_to(sinks, {room.potential, room.ax, room.ay, room.az});
}

template <int p>
void GravityFieldOf<p>::attract(const StepData& data, std::size_t c, const tasks::StepContext& step) {
  const std::size_t leaf = data.grid.leaf(c);
  const std::size_t node = tree().node_of_leaf(leaf);
  if (!nodes_.state(node).is_active) return;
  if (!nodes_.is_divided(leaf)) return attract_node(data, c, node, step);
  expand(node, step.worker());
  for (std::size_t k = 0; k < octants; ++k) {
    if (nodes_.state(nodes_.first_octant(leaf) + k).is_active)
      attract_node(data, c, nodes_.first_octant(leaf) + k, step);
  }
}

namespace {

/// Goes on with the integral of the potential over the scale factor, by the mean of the last one and this.
void note_potential(const Attraction& attraction, std::size_t i, float phi, const StepClock& clock) {
  const double last = attraction.phi[i];
  const double da = clock.is_first ? 0.0 : clock.a - attraction.phi_at[i];
  attraction.phi_da[i] += 0.5 * (last + static_cast<double>(phi)) * da;
  attraction.phi_at[i] = clock.a;
}

}  // namespace

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
  const bool expands = !attraction.phi_da.empty();
  for (std::size_t k = 0; k < active; ++k) {
    const std::size_t i = order_[room.order[k]];
    if (expands) note_potential(attraction, i, static_cast<float>(G_ * room.potential[k]), data.clock);
    attraction.gx[i] = static_cast<float>(G_ * room.ax[k]);
    attraction.gy[i] = static_cast<float>(G_ * room.ay[k]);
    attraction.gz[i] = static_cast<float>(G_ * room.az[k]);
    attraction.phi[i] = static_cast<float>(G_ * room.potential[k]);
  }
}

template void GravityFieldOf<0>::attract(const StepData&, std::size_t, const tasks::StepContext&);
template void GravityFieldOf<1>::attract(const StepData&, std::size_t, const tasks::StepContext&);
template void GravityFieldOf<2>::attract(const StepData&, std::size_t, const tasks::StepContext&);
template void GravityFieldOf<3>::attract(const StepData&, std::size_t, const tasks::StepContext&);
template void GravityFieldOf<4>::attract(const StepData&, std::size_t, const tasks::StepContext&);
template void GravityFieldOf<5>::attract(const StepData&, std::size_t, const tasks::StepContext&);

}  // namespace tacit::sph
