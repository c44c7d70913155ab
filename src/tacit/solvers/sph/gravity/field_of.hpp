// The field of gravity for one order of the expansions: what its parts in several files share.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <vector>

#include "tacit/base/cpu_features.hpp"
#include "tacit/fmm/direct.hpp"
#include "tacit/fmm/images.hpp"
#include "tacit/fmm/kernels/m2l_loops.hpp"
#include "tacit/fmm/operators.hpp"
#include "tacit/solvers/sph/gravity/copies.hpp"
#include "tacit/solvers/sph/gravity/field.hpp"
#include "tacit/solvers/sph/gravity/nodes.hpp"
#include "tacit/solvers/sph/pair_tasks.hpp"

namespace tacit::sph {

/// A node as another sees it: where it is, or one of its periodic images.
struct SeenNode {
  std::uint32_t node = 0;
  std::uint32_t image = 0;  ///< of fmm::Images::near(); 0: the node itself
};

/// A node that others act on, and one of these.
struct SeenPair {
  std::uint32_t sink = 0;
  SeenNode source;
};

/// What a worker needs while it looks at a node; its arrays grow to the longest lists.
struct GravityRoom {
  fmm::NearBodies<float> near{base::chosen_instruction_set()};
  fmm::NearBodies<double> near_in_doubles{base::chosen_instruction_set()};  ///< where floats do not tell pairs apart
  fmm::CloseBodies close;
  std::vector<SeenNode> waiting;                              ///< nodes that are still to be looked at
  std::vector<SeenPair> pairs;                                ///< likewise, as another rank will
  std::vector<std::uint32_t> expanded;                        ///< nodes that act by their multipoles
  std::vector<SeenNode> expanded_images;                      ///< the same of images, one after the other
  std::vector<SeenNode> summed;                               ///< undivided nodes whose particles act one by one
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
        nodes_(gravity, tree(), cells.leaves(), longest_side(cells.domain())),
        m2l_(fmm::kernels::m2l_loops(base::chosen_instruction_set()).add[p]),
        locals_(std::make_unique_for_overwrite<Local[]>(tree().nodes().size())),
        opened_(tree().nodes().size()),
        rooms_(workers) {
    const particles::Domain& domain = cells.domain();
    if (domain.periodic) images_.emplace(domain.origin, domain.size);
  }

  void give_room(const particles::CellTree& cells) override;
  void find_multipole(const StepData& data, std::size_t c, const tasks::StepContext& step) override;
  void combine(std::size_t node) override {
    nodes_.combine(node);
    if (node == 0) know_all();
  }
  void expand(std::size_t node, std::size_t worker) override;
  void attract(const StepData& data, std::size_t c, const tasks::StepContext& step) override;
  void find_near(std::uint32_t rank, const StepData& data, const tasks::StepContext& step,
                 std::span<std::uint8_t> is_near) override;
  fmm::Bodies own_bodies() const override { return {x_, y_, z_, m_}; }
  std::size_t packed_size(std::size_t leaf) const override;
  std::size_t most_packed(std::size_t leaves, std::size_t particles) const override;
  void pack(std::size_t leaf, std::span<double> to) const override;
  void unpack(std::size_t leaf, std::span<const double> from) override;

 private:
  [[nodiscard]] static double longest_side(const particles::Domain& domain) {
    return std::max({domain.size.x, domain.size.y, domain.size.z});
  }

  using Room = GravityRoom;
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
  /// Those of one class of softening.
  [[nodiscard]] fmm::Bodies bodies_in(const StepData& data, std::size_t node, std::size_t softening) const;
  [[nodiscard]] base::Vec3 shift_of(const SeenNode& seen) const {
    return seen.image == 0 ? base::Vec3{} : images_->near()[seen.image];
  }
  /// What follows from the root, whose multipoles are the last. @pre it is known
  void know_all() {
    if (images_ && !nodes_.state(0).is_empty) nodes_.set_least_acceleration();
  }
  void find_far_images();
  void find_sources(std::size_t node, Room& room);
  [[nodiscard]] Local expansion_of(std::size_t node, Room& room) const;
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
  std::unique_ptr<Local[]> locals_;            // about the centres of the multipoles; of other ranks' never touched
  std::vector<std::vector<SeenNode>> opened_;  // for each node, those with which its children go on
  std::optional<fmm::Images> images_;          // of a periodic box
  fmm::Images::Expansion far_{};               // what the far ones do; known when the root is expanded
  std::vector<double> x_, y_, z_, m_;          // bodies of this rank's cells, one after the other, by octants
  std::vector<std::uint32_t> order_;           // for each of these, which particle of its cell it is
  std::vector<Room> rooms_;
};

/// The bodies of a cell or octant, of this rank or another. Those of other cells of this rank are not declared: they
/// are written with the multipoles, for all of which that of the root waits. Defined here, for two files need it.
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

template <int p>
fmm::Bodies GravityFieldOf<p>::bodies_in(const StepData& data, std::size_t node, std::size_t softening) const {
  const auto& of_class = nodes_.state(node).of_class;
  const auto end_before = of_class.begin() + static_cast<std::ptrdiff_t>(softening);
  const std::size_t begin = std::accumulate(of_class.begin(), end_before, std::size_t{0});
  const fmm::Bodies all = bodies_in(data, node);
  const auto part = [&](std::span<const double> values) { return values.subspan(begin, of_class[softening]); };
  return {part(all.x), part(all.y), part(all.z), part(all.m)};
}

}  // namespace tacit::sph
