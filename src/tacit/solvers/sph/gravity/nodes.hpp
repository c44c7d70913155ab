// The nodes of gravity: multipoles of cells, their octants and the nodes above, and when they will do.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "tacit/base/error.hpp"
#include "tacit/base/pack_memory.hpp"
#include "tacit/fmm/acceptance.hpp"
#include "tacit/fmm/direct.hpp"
#include "tacit/fmm/operators.hpp"
#include "tacit/solvers/sph/gravity/tree.hpp"
#include "tacit/solvers/sph/parameters.hpp"

namespace tacit::sph {

/// Cells of more particles are divided into octants, whose pairs need fewer sums. Measured on Plummer's sphere of
/// 32768.
inline constexpr std::size_t most_undivided = 64;
inline constexpr std::size_t octants = 8;

/// The softenings of a run: types of the same length are one class. Classes ascend by length.
class SofteningClasses {
 public:
  explicit SofteningClasses(const SelfGravity& gravity) {
    for (std::size_t type = 0; type < attracting_types; ++type) lengths_.push_back(gravity.softening_of(type));
    std::ranges::sort(lengths_);
    lengths_.erase(std::unique(lengths_.begin(), lengths_.end()), lengths_.end());
    for (std::size_t type = 0; type < attracting_types; ++type) {
      const auto found = std::ranges::find(lengths_, gravity.softening_of(type));
      of_type_[type] = static_cast<std::uint8_t>(found - lengths_.begin());
    }
    for (const double length : lengths_) {
      softenings_.push_back(gravity.kind == fmm::SofteningKind::plummer ? fmm::Softening::plummer(length)
                                                                        : fmm::Softening::wendland_c2(length));
    }
  }
  [[nodiscard]] std::size_t count() const noexcept { return lengths_.size(); }
  [[nodiscard]] std::uint8_t of_type(std::size_t type) const { return of_type_[type]; }
  /// Of two bodies of these classes: the longer one.
  [[nodiscard]] const fmm::Softening& between(std::size_t a, std::size_t b) const {
    return softenings_[std::max(a, b)];
  }
  /// Of expansions: that of Plummer has one length for all, and others end at a node's reach.
  [[nodiscard]] double epsilon2() const { return softenings_.front().epsilon2(); }
  [[nodiscard]] double shortest() const { return softenings_.front().length; }

 private:
  std::vector<double> lengths_;  // of Plummer's epsilon [length]
  std::vector<fmm::Softening> softenings_;
  std::array<std::uint8_t, attracting_types> of_type_{};
};

/// What is known of every node, for expansions of order p. Behind the nodes of the tree stand the octants of those
/// leaves of the forest that are divided.
template <int p>
class GravityNodes {
 public:
  /// @param longest_side  of the box [length]; for set_least_acceleration
  GravityNodes(const SelfGravity& gravity, const GravityTree& tree, std::size_t leaves, double longest_side)
      : gravity_(gravity),
        softenings_(gravity),
        tree_(tree),
        multipoles_(tree.nodes().size()),
        states_(multipoles_.size()),
        first_octant_(leaves, GravityNode::none),
        longest_side_(longest_side) {}

  /// Divides the leaves that hold many particles, and these alone. @param counts  shape (leaves): particles
  void divide(std::span<const std::uint64_t> counts);

  /// What is known of a node beside its multipoles.
  struct State {
    bool is_empty = true;
    bool is_active = false;              ///< has particles that end their steps
    std::uint32_t first = 0, count = 0;  ///< of a cell or octant: its bodies among those of the cell; else how many
    double weakest = 0.0;                ///< smallest acceleration, with G = 1; 0: not known [mass / length^2]
    double reach = 0.0;                  ///< of the longest softening of its bodies [length]
    /// Of a cell or octant: how many of its bodies are of each class of softening, one class after the other.
    std::array<std::uint32_t, attracting_types> of_class{};
    fmm::Powers<p> powers{};
  };

  /// Children of a node have consecutive numbers.
  struct Children {
    std::uint32_t first = 0, count = 0;
  };
  [[nodiscard]] bool is_octant(std::size_t node) const { return node >= tree_.nodes().size(); }
  /// Whether the octants of a leaf are nodes, too.
  [[nodiscard]] bool is_divided(std::size_t leaf) const { return first_octant_[leaf] != GravityNode::none; }
  /// @pre is_divided(leaf)
  [[nodiscard]] std::size_t first_octant(std::size_t leaf) const { return first_octant_[leaf]; }
  [[nodiscard]] std::size_t leaf_of(std::size_t node) const {
    return is_octant(node) ? divided_[(node - tree_.nodes().size()) / octants] : tree_.nodes()[node].leaf;
  }
  [[nodiscard]] std::uint32_t parent_of(std::size_t node) const {
    return is_octant(node) ? static_cast<std::uint32_t>(tree_.node_of_leaf(leaf_of(node))) : tree_.nodes()[node].parent;
  }
  [[nodiscard]] Children children_of(std::size_t node) const;
  [[nodiscard]] bool is_undivided(std::size_t node) const { return children_of(node).count == 0; }

  [[nodiscard]] State& state(std::size_t node) { return states_[node]; }
  [[nodiscard]] const State& state(std::size_t node) const { return states_[node]; }
  [[nodiscard]] const fmm::Multipole<p>& operator[](std::size_t node) const { return multipoles_[node]; }
  [[nodiscard]] base::Vec3 centre(std::size_t node) const { return fmm::centre_of(multipoles_[node]); }
  /// As the loops of M2L read them.
  [[nodiscard]] const double* data() const noexcept { return &multipoles_[0].x; }
  [[nodiscard]] const SofteningClasses& softenings() const noexcept { return softenings_; }

  void set(std::size_t node, const fmm::Multipole<p>& multipole) {
    multipoles_[node] = multipole;
    states_[node].powers = fmm::powers_of<p>(fmm::terms_of(multipole));
  }
  /// A tighter radius than the one around the spheres of the octants. @param all  the bodies of the node
  void tighten(std::size_t node, const fmm::Bodies& all);
  /// M2M of the children that are not empty, with what is known of them. @return whether there are any
  bool combine(std::size_t node);

  /// Whether expansions will do for what a node and another do to each other. @pre the node has active particles
  /// @param shift  of the other one, to where it is seen: a periodic image [length]
  [[nodiscard]] bool accepts(std::size_t node, std::size_t other, const base::Vec3& shift = {}) const;
  /// Of two nodes that are not both undivided; seen from the other side the answer is the other one.
  [[nodiscard]] bool is_opened_first(std::size_t node, std::size_t other) const;

  // Of periodic boxes.

  /// Of the nodes above a particle, the one that far images act on, and that acts by its far images: deep enough for
  /// its size not to count beside their distance.
  [[nodiscard]] bool acts_far(std::size_t node) const;
  /// Sets the acceleration below which forces need not be known more precisely, where all of them cancel as on
  /// lattices: that of two neighbours. @pre the root is known
  void set_least_acceleration();

  // In messages to other ranks: numbers of a node.
  static constexpr std::size_t packed_length = fmm::kernels::multipole_length<p> + 6 + attracting_types;
  void pack(std::size_t node, std::span<double> to) const;
  void unpack(std::size_t node, std::span<const double> from);

 private:
  static constexpr std::size_t length = fmm::kernels::multipole_length<p>;
  [[nodiscard]] bool serves(std::size_t source, std::size_t sink, double R2) const;
  /// 0: the root.
  [[nodiscard]] int depth_of(std::size_t node) const;

  SelfGravity gravity_;
  SofteningClasses softenings_;
  const GravityTree& tree_;
  base::PackVector<fmm::Multipole<p>> multipoles_;
  std::vector<State> states_;
  std::vector<std::uint32_t> first_octant_;  // shape (leaves); none: it is not divided
  std::vector<std::uint32_t> divided_;       // the leaves that are, ascending
  double longest_side_;
  double least_acceleration_ = 0.0;  // with G = 1 [mass / length^2]
};

template <int p>
void GravityNodes<p>::divide(std::span<const std::uint64_t> counts) {
  TACIT_EXPECT(counts.size() == first_octant_.size());
  divided_.clear();
  for (std::uint32_t leaf = 0; leaf < counts.size(); ++leaf) {
    first_octant_[leaf] = GravityNode::none;
    if (counts[leaf] <= most_undivided) continue;
    first_octant_[leaf] = static_cast<std::uint32_t>(tree_.nodes().size() + octants * divided_.size());
    divided_.push_back(leaf);
  }
  multipoles_.resize(tree_.nodes().size() + octants * divided_.size());
  states_.resize(multipoles_.size());
}

template <int p>
int GravityNodes<p>::depth_of(std::size_t node) const {
  int depth = 0;
  for (std::uint32_t above = parent_of(node); above != GravityNode::none; above = parent_of(above)) ++depth;
  return depth;
}

template <int p>
bool GravityNodes<p>::acts_far(std::size_t node) const {
  constexpr int deep_enough = 2;
  const int depth = depth_of(node);
  return depth == deep_enough || (depth < deep_enough && is_undivided(node));
}

template <int p>
void GravityNodes<p>::set_least_acceleration() {
  const double particles = std::max(1.0, static_cast<double>(states_[0].count));
  least_acceleration_ = multipoles_[0].M[0] / (longest_side_ * longest_side_ * std::cbrt(particles));
}

template <int p>
auto GravityNodes<p>::children_of(std::size_t node) const -> Children {
  if (is_octant(node)) return {};
  const GravityNode& here = tree_.nodes()[node];
  if (!here.is_cell()) return {here.first_child, here.children};
  if (!is_divided(here.leaf)) return {};
  return {static_cast<std::uint32_t>(first_octant(here.leaf)), octants};
}

template <int p>
void GravityNodes<p>::tighten(std::size_t node, const fmm::Bodies& all) {
  double radius2 = 0.0;
  for (std::size_t b = 0; b < all.size(); ++b) {
    const base::Vec3 away = all.at(b) - centre(node);
    radius2 = std::max(radius2, dot(away, away));
  }
  multipoles_[node].radius = std::sqrt(radius2);
}

template <int p>
bool GravityNodes<p>::combine(std::size_t node) {
  std::array<fmm::Multipole<p>, octants> parts;
  std::size_t count = 0;
  State& state = states_[node];
  state.is_active = false;
  state.weakest = std::numeric_limits<double>::infinity();
  state.reach = 0.0;
  state.count = 0;
  const Children children = children_of(node);
  for (std::size_t child = children.first; child < children.first + children.count; ++child) {
    if (states_[child].is_empty) continue;
    parts[count++] = multipoles_[child];
    state.count += states_[child].count;
    state.is_active = state.is_active || states_[child].is_active;
    state.weakest = std::min(state.weakest, states_[child].weakest);
    state.reach = std::max(state.reach, states_[child].reach);
  }
  state.is_empty = count == 0;
  if (!state.is_empty) {
    set(node, fmm::Operators<p>::multipole_of(std::span<const fmm::Multipole<p>>(parts).first(count)));
  }
  return !state.is_empty;
}

template <int p>
void GravityNodes<p>::pack(std::size_t node, std::span<double> to) const {
  TACIT_EXPECT(to.size() == packed_length);
  const State& state = states_[node];
  std::copy_n(&multipoles_[node].x, length, to.begin());
  const std::array<double, packed_length - length - attracting_types> more{
      state.is_empty ? 1.0 : 0.0,       state.is_active ? 1.0 : 0.0,      state.weakest,
      static_cast<double>(state.first), static_cast<double>(state.count), state.reach};
  const auto end = std::ranges::copy(more, to.begin() + static_cast<std::ptrdiff_t>(length)).out;
  std::ranges::copy(state.of_class, end);
}

template <int p>
void GravityNodes<p>::unpack(std::size_t node, std::span<const double> from) {
  TACIT_EXPECT(from.size() == packed_length);
  fmm::Multipole<p> multipole;
  std::copy_n(from.begin(), length, &multipole.x);
  set(node, multipole);
  State& state = states_[node];
  const std::span<const double> more = from.subspan(length);
  state.is_empty = more[0] != 0.0;
  state.is_active = more[1] != 0.0;
  state.weakest = more[2];
  state.first = static_cast<std::uint32_t>(more[3]);
  state.count = static_cast<std::uint32_t>(more[4]);
  state.reach = more[5];
  for (std::size_t k = 0; k < attracting_types; ++k) state.of_class[k] = static_cast<std::uint32_t>(more[6 + k]);
}

/// Whether the multipoles of one serve the particles of the other.
template <int p>
bool GravityNodes<p>::serves(std::size_t source, std::size_t sink, double R2) const {
  const double rho_source = multipoles_[source].radius;
  const double rho_sink = multipoles_[sink].radius;
  const double weakest = states_[sink].weakest > 0.0 ? std::max(states_[sink].weakest, least_acceleration_) : 0.0;
  const double reach = std::max(states_[source].reach, states_[sink].reach);
  if (gravity_.opening == Opening::angle || weakest == 0.0) {
    return fmm::is_small(rho_sink, rho_source, reach, R2, gravity_.angle);
  }
  return fmm::is_accurate<p>(states_[source].powers, rho_source, rho_sink, reach, R2, gravity_.tolerance, weakest);
}

template <int p>
bool GravityNodes<p>::accepts(std::size_t node, std::size_t other, const base::Vec3& shift) const {
  // Of the centres first: seen from the other side, where the shift is the opposite one, R is then -R to the bit.
  const base::Vec3 R = (fmm::centre_of(multipoles_[node]) - fmm::centre_of(multipoles_[other])) - shift;
  const double R2 = dot(R, R);
  return serves(other, node, R2) && (!states_[other].is_active || serves(node, other, R2));
}

template <int p>
bool GravityNodes<p>::is_opened_first(std::size_t node, std::size_t other) const {
  if (is_undivided(node)) return false;
  if (is_undivided(other)) return true;
  const double mine = multipoles_[node].radius;
  const double its = multipoles_[other].radius;
  return mine > its || (mine == its && node < other);
}

}  // namespace tacit::sph
