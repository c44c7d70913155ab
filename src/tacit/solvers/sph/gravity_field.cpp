// Gravity of nodes and cells, for each order of the expansions.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/sph/gravity_field.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>

#include "tacit/base/cpu_features.hpp"
#include "tacit/base/error.hpp"
#include "tacit/base/pack_memory.hpp"
#include "tacit/fmm/acceptance.hpp"
#include "tacit/fmm/direct.hpp"
#include "tacit/fmm/kernels/m2l_loops.hpp"
#include "tacit/fmm/operators.hpp"
#include "tacit/solvers/sph/gravity_copies.hpp"
#include "tacit/solvers/sph/pair_tasks.hpp"

namespace tacit::sph {
namespace {

using base::Vec3;

fmm::Softening softening_of(const SelfGravity& gravity) {
  if (gravity.kind == fmm::SofteningKind::plummer) return fmm::Softening::plummer(gravity.softening);
  return fmm::Softening::wendland_c2(gravity.softening);
}

fmm::Bodies bodies_of(const Motion& motion) { return {motion.x, motion.y, motion.z, motion.m}; }

/// What a worker needs while it looks at a node; its arrays grow to the longest lists.
struct Room {
  fmm::NearBodies<float> near{base::chosen_instruction_set()};
  std::vector<std::uint32_t> waiting;   ///< nodes that are still to be looked at
  std::vector<std::uint32_t> expanded;  ///< nodes that act by their multipoles
  std::vector<std::uint32_t> summed;    ///< leaves whose particles act one by one
  std::vector<std::uint32_t> order;     ///< particles of the cell, the active ones first
  std::vector<double> x, y, z, m;       ///< in this order
  std::vector<double> potential, ax, ay, az;
};

template <int p>
class GravityFieldOf final : public GravityField {
 public:
  GravityFieldOf(const SelfGravity& gravity, const particles::CellTree& cells, std::size_t workers)
      : GravityField(cells),
        gravity_(gravity),
        softening_(softening_of(gravity)),
        m2l_(fmm::kernels::m2l_loops(base::chosen_instruction_set()).add[p]),
        multipoles_(tree().nodes().size()),
        states_(tree().nodes().size()),
        locals_(tree().nodes().size()),
        opened_(tree().nodes().size()),
        rooms_(workers) {}

  void find_multipole(const StepData& data, std::size_t c, const tasks::StepContext& step) override;
  void combine(std::size_t node) override;
  void expand(std::size_t node, std::size_t worker) override;
  void attract(const StepData& data, std::size_t c, const tasks::StepContext& step) override;
  std::size_t packed_size() const override { return length + 3; }
  void pack(std::size_t node, std::span<double> to) const override;
  void unpack(std::size_t node, std::span<const double> from) override;

 private:
  using Operators = fmm::Operators<p>;
  using Local = std::array<double, fmm::terms(p)>;
  static constexpr std::size_t length = fmm::kernels::multipole_length<p>;

  /// What is known of a node beside its multipoles.
  struct State {
    bool is_empty = true;
    bool is_active = false;  ///< has particles that end their steps
    double weakest = 0.0;    ///< smallest acceleration, with G = 1; 0: not known [mass / length^2]
    fmm::Powers<p> powers{};
  };

  [[nodiscard]] bool serves(std::size_t source, std::size_t sink, double R2) const;
  [[nodiscard]] bool accepts(std::size_t node, std::size_t other) const;
  [[nodiscard]] bool is_opened_first(std::size_t node, std::size_t other) const;
  void find_sources(std::size_t node, Room& room);
  [[nodiscard]] Local expansion_of(std::size_t node, const Room& room) const;
  [[nodiscard]] std::size_t put_active_first(const StepData& data, const Motion& motion,
                                             std::span<const std::uint8_t> bin, Room& room) const;
  [[nodiscard]] fmm::Frame frame_around(std::size_t node, const Room& room) const;
  void add_near(const StepData& data, std::size_t node, std::size_t active, Room& room) const;

  SelfGravity gravity_;
  fmm::Softening softening_;
  void (*m2l_)(const fmm::kernels::M2LWork&);
  base::PackVector<fmm::Multipole<p>> multipoles_;
  std::vector<State> states_;
  std::vector<Local> locals_;                       // about the centres of the multipoles
  std::vector<std::vector<std::uint32_t>> opened_;  // for each node, those with which its children go on
  std::vector<Room> rooms_;
};

template <int p>
void GravityFieldOf<p>::find_multipole(const StepData& data, std::size_t c, const tasks::StepContext& step) {
  const Motion& motion = step.read(data.cells[c].motion);
  const Attraction& before = step.read(data.cells[c].attraction);
  const std::size_t node = tree().node_of_leaf(data.grid.leaf(c));
  State& state = states_[node];
  state.is_empty = motion.size() == 0;
  state.is_active = !state.is_empty && data.is_active(c);
  if (state.is_empty) return;
  multipoles_[node] = Operators::multipole_of(bodies_of(motion));
  state.powers = fmm::powers_of<p>(fmm::terms_of(multipoles_[node]));
  double least2 = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < motion.size(); ++i) {
    const Vec3 g{before.gx[i], before.gy[i], before.gz[i]};
    least2 = std::min(least2, dot(g, g));
  }
  state.weakest = std::sqrt(least2) / gravity_.G;
}

template <int p>
void GravityFieldOf<p>::pack(std::size_t node, std::span<double> to) const {
  TACIT_EXPECT(to.size() == packed_size());
  const State& state = states_[node];
  std::copy_n(&multipoles_[node].x, length, to.begin());
  double* const more = to.data() + length;
  more[0] = state.is_empty ? 1.0 : 0.0;
  more[1] = state.is_active ? 1.0 : 0.0;
  more[2] = state.weakest;
}

template <int p>
void GravityFieldOf<p>::unpack(std::size_t node, std::span<const double> from) {
  TACIT_EXPECT(from.size() == packed_size());
  State& state = states_[node];
  std::copy_n(from.begin(), length, &multipoles_[node].x);
  const double* const more = from.data() + length;
  state.is_empty = more[0] != 0.0;
  state.is_active = more[1] != 0.0;
  state.weakest = more[2];
  state.powers = fmm::powers_of<p>(fmm::terms_of(multipoles_[node]));
}

template <int p>
void GravityFieldOf<p>::combine(std::size_t node) {
  std::array<fmm::Multipole<p>, 8> parts;
  std::size_t count = 0;
  State& state = states_[node];
  state.is_active = false;
  state.weakest = std::numeric_limits<double>::infinity();
  const GravityNode& here = tree().nodes()[node];
  for (std::size_t child = here.first_child; child < here.first_child + here.children; ++child) {
    if (states_[child].is_empty) continue;
    parts[count++] = multipoles_[child];
    state.is_active = state.is_active || states_[child].is_active;
    state.weakest = std::min(state.weakest, states_[child].weakest);
  }
  state.is_empty = count == 0;
  if (state.is_empty) return;
  multipoles_[node] = Operators::multipole_of(std::span<const fmm::Multipole<p>>(parts).first(count));
  state.powers = fmm::powers_of<p>(fmm::terms_of(multipoles_[node]));
}

/// Whether the multipoles of one serve the particles of the other.
template <int p>
bool GravityFieldOf<p>::serves(std::size_t source, std::size_t sink, double R2) const {
  const double rho_source = multipoles_[source].radius;
  const double rho_sink = multipoles_[sink].radius;
  const double weakest = states_[sink].weakest;
  const double reach = softening_.reach();
  if (gravity_.opening == Opening::angle || weakest == 0.0) {
    return fmm::is_small(rho_sink, rho_source, reach, R2, gravity_.angle);
  }
  return fmm::is_accurate<p>(states_[source].powers, rho_source, rho_sink, reach, R2, gravity_.tolerance, weakest);
}

/// @pre the node has active particles
template <int p>
bool GravityFieldOf<p>::accepts(std::size_t node, std::size_t other) const {
  const Vec3 R = fmm::centre_of(multipoles_[node]) - fmm::centre_of(multipoles_[other]);
  const double R2 = dot(R, R);
  return serves(other, node, R2) && (!states_[other].is_active || serves(node, other, R2));
}

/// Of two nodes that are not both cells; seen from the other side the answer is the other one.
template <int p>
bool GravityFieldOf<p>::is_opened_first(std::size_t node, std::size_t other) const {
  if (tree().nodes()[node].is_cell()) return false;
  if (tree().nodes()[other].is_cell()) return true;
  const double mine = multipoles_[node].radius;
  const double its = multipoles_[other].radius;
  return mine > its || (mine == its && node < other);
}

/// Goes on with the pairs that the parent was opened for.
template <int p>
void GravityFieldOf<p>::find_sources(std::size_t node, Room& room) {
  const auto nodes = tree().nodes();
  const GravityNode& here = nodes[node];
  room.waiting.clear();
  room.expanded.clear();
  room.summed.clear();
  opened_[node].clear();
  const auto wait_for_children = [&](const GravityNode& of) {
    for (std::uint32_t k = of.children; k-- > 0;) room.waiting.push_back(of.first_child + k);  // taken from the end
  };
  const auto look_at = [&](std::uint32_t other) {
    if (states_[other].is_empty) return;
    const bool is_self = other == node;
    if (!is_self && accepts(node, other)) {
      room.expanded.push_back(other);
    } else if (here.is_cell() && nodes[other].is_cell()) {
      if (!is_self) room.summed.push_back(nodes[other].leaf);
    } else if (is_self || is_opened_first(node, other)) {
      opened_[node].push_back(other);
    } else {
      wait_for_children(nodes[other]);
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
  if (here.parent == GravityNode::none) return look_at_all(static_cast<std::uint32_t>(node));
  for (const std::uint32_t other : opened_[here.parent]) {
    if (other != here.parent) {
      look_at_all(other);
      continue;
    }
    const GravityNode& parent = nodes[here.parent];
    for (std::uint32_t k = 0; k < parent.children; ++k) look_at_all(parent.first_child + k);
  }
}

template <int p>
auto GravityFieldOf<p>::expansion_of(std::size_t node, const Room& room) const -> Local {
  Local local{};
  const std::uint32_t parent = tree().nodes()[node].parent;
  const Vec3 centre = fmm::centre_of(multipoles_[node]);
  if (parent != GravityNode::none) {
    Operators::l2l(fmm::ConstTerms<p>(locals_[parent]), centre - fmm::centre_of(multipoles_[parent]),
                   fmm::Terms<p>(local));
  }
  m2l_({.multipoles = &multipoles_[0].x,
        .sources = room.expanded.data(),
        .count = room.expanded.size(),
        .x = centre.x,
        .y = centre.y,
        .z = centre.z,
        .softening2 = softening_.epsilon2(),
        .L = local.data()});
  return local;
}

template <int p>
void GravityFieldOf<p>::expand(std::size_t node, std::size_t worker) {
  if (!states_[node].is_active) return;
  find_sources(node, rooms_[worker]);
  locals_[node] = expansion_of(node, rooms_[worker]);
}

/// Orders the cell's particles so that those that end their steps come first. @return how many they are
template <int p>
std::size_t GravityFieldOf<p>::put_active_first(const StepData& data, const Motion& motion,
                                                std::span<const std::uint8_t> bin, Room& room) const {
  const std::size_t n = motion.size();
  room.order.clear();
  for_each_active(data.clock, bin, [&](std::size_t i) { room.order.push_back(static_cast<std::uint32_t>(i)); });
  const std::size_t active = room.order.size();
  for (std::size_t i = 0; i < n; ++i) {
    if (!data.clock.is_active(bin[i])) room.order.push_back(static_cast<std::uint32_t>(i));
  }
  const auto gather = [&](std::span<const double> from, std::vector<double>& to) {
    to.resize(n);
    for (std::size_t k = 0; k < n; ++k) to[k] = from[room.order[k]];
  };
  gather(motion.x, room.x);
  gather(motion.y, room.y);
  gather(motion.z, room.z);
  gather(motion.m, room.m);
  return active;
}

/// For the cell's particles and all that act on them one by one.
template <int p>
fmm::Frame GravityFieldOf<p>::frame_around(std::size_t node, const Room& room) const {
  const fmm::Multipole<p>& own = multipoles_[node];
  const Vec3 centre = fmm::centre_of(own);
  double extent = own.radius;
  for (const std::uint32_t other : room.summed) {
    const fmm::Multipole<p>& of_other = multipoles_[tree().node_of_leaf(other)];
    extent = std::max(extent, norm(fmm::centre_of(of_other) - centre) + of_other.radius);
  }
  return fmm::Frame::around(centre, extent, own.M[0] / static_cast<double>(room.m.size()));
}

/// The particles of a leaf. Of this rank's cells they are not declared: they were written by drifts, which the
/// multipole of the root waited for.
fmm::Bodies bodies_in(const StepData& data, std::size_t leaf) {
  if (const GravityCopies* copies = data.gravity->copies; copies != nullptr && copies->has(leaf)) {
    return copies->bodies(leaf);
  }
  return bodies_of(data.cells[data.grid.cell_of_leaf(leaf)].motion.between_runs());
}

/// P2P: adds to what the active particles of the room have.
template <int p>
void GravityFieldOf<p>::add_near(const StepData& data, std::size_t node, std::size_t active, Room& room) const {
  room.near.restart(frame_around(node, room));
  const fmm::Group own = room.near.add({room.x, room.y, room.z, room.m});
  const fmm::Group sinks{own.begin, active};
  room.near.add_forces(sinks, own, softening_);
  for (const std::uint32_t other : room.summed) {
    const fmm::Group sources = room.near.add(bodies_in(data, other));
    room.near.add_forces(sinks, sources, softening_);
  }
  room.near.add_to(sinks, {room.potential, room.ax, room.ay, room.az});
}

template <int p>
void GravityFieldOf<p>::attract(const StepData& data, std::size_t c, const tasks::StepContext& step) {
  const std::size_t node = tree().node_of_leaf(data.grid.leaf(c));
  if (!states_[node].is_active) return;
  const Motion& motion = step.read(data.cells[c].motion);
  const Attraction& attraction = step.write(data.cells[c].attraction);
  Room& room = rooms_[step.worker()];
  find_sources(node, room);
  const Local local = expansion_of(node, room);
  const std::size_t active = put_active_first(data, motion, step.read(data.cells[c].integrated).bin, room);
  for (auto* values : {&room.potential, &room.ax, &room.ay, &room.az}) values->resize(active);
  const Vec3 centre = fmm::centre_of(multipoles_[node]);
  for (std::size_t k = 0; k < active; ++k) {
    const fmm::Field far = Operators::l2p(fmm::ConstTerms<p>(local), Vec3{room.x[k], room.y[k], room.z[k]} - centre);
    room.potential[k] = far.potential;
    room.ax[k] = far.acceleration.x;
    room.ay[k] = far.acceleration.y;
    room.az[k] = far.acceleration.z;
  }
  add_near(data, node, active, room);
  for (std::size_t k = 0; k < active; ++k) {
    const std::size_t i = room.order[k];
    attraction.gx[i] = static_cast<float>(gravity_.G * room.ax[k]);
    attraction.gy[i] = static_cast<float>(gravity_.G * room.ay[k]);
    attraction.gz[i] = static_cast<float>(gravity_.G * room.az[k]);
    attraction.phi[i] = static_cast<float>(gravity_.G * room.potential[k]);
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
