// The walk through the nodes, periodic images among them, and the local expansions.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "tacit/solvers/sph/gravity/field_of.hpp"

namespace tacit::sph {

using base::Vec3;

/// Goes on with the pairs that the parent was opened for.
template <int p>
void GravityFieldOf<p>::find_sources(std::size_t node, Room& room) {
  if (images_ && nodes_.parent_of(node) == GravityNode::none) find_far_images();
  const bool is_last = nodes_.is_undivided(node);
  room.waiting.clear();
  room.expanded.clear();
  room.expanded_images.clear();
  room.summed.clear();
  if (!is_last) opened_[node].clear();
  const auto look_at = [&](const SeenNode& other) {
    if (nodes_.state(other.node).is_empty) return;
    const bool is_own = other.node == node;  // itself, or an image of it
    const bool is_self = is_own && other.image == 0;
    if (!is_self && nodes_.accepts(node, other.node, shift_of(other))) {
      if (other.image == 0) {
        room.expanded.push_back(other.node);
      } else {
        room.expanded_images.push_back(other);
      }
    } else if (is_last && nodes_.is_undivided(other.node)) {
      if (!is_self) room.summed.push_back(other);
    } else if (is_own || nodes_.is_opened_first(node, other.node)) {
      opened_[node].push_back(other);
    } else {
      const Children children = nodes_.children_of(other.node);
      for (std::uint32_t k = children.count; k-- > 0;) {  // from the end
        room.waiting.push_back({children.first + k, other.image});
      }
    }
  };
  const auto look_at_all = [&](const SeenNode& first) {
    room.waiting.push_back(first);
    while (!room.waiting.empty()) {
      const SeenNode next = room.waiting.back();
      room.waiting.pop_back();
      look_at(next);
    }
  };
  const std::uint32_t parent = nodes_.parent_of(node);
  if (parent == GravityNode::none) {
    const std::size_t images = images_ ? images_->near().size() : 1;
    for (std::uint32_t image = 0; image < images; ++image) look_at_all({static_cast<std::uint32_t>(node), image});
    return;
  }
  for (const SeenNode& other : opened_[parent]) {
    if (other.node != parent) {
      look_at_all(other);
      continue;
    }
    // A pair of a node with itself or its image is opened on both sides at once.
    const Children siblings = nodes_.children_of(parent);
    for (std::uint32_t k = 0; k < siblings.count; ++k) look_at_all({siblings.first + k, other.image});
  }
}

template <int p>
auto GravityFieldOf<p>::expansion_of(std::size_t node, Room& room) const -> Local {
  Local local{};
  const std::uint32_t parent = nodes_.parent_of(node);
  const Vec3 centre = nodes_.centre(node);
  if (parent != GravityNode::none) {
    Operators::l2l(fmm::ConstTerms<p>(locals_[parent]), centre - nodes_.centre(parent), fmm::Terms<p>(local));
  }
  const auto add = [&](const Vec3& at) {
    m2l_({.multipoles = nodes_.data(),
          .sources = room.expanded.data(),
          .count = room.expanded.size(),
          .x = at.x,
          .y = at.y,
          .z = at.z,
          .softening2 = nodes_.softenings().epsilon2(),
          .L = local.data()});
  };
  add(centre);
  if (!images_) return local;
  // Sources that are shifted alike are seen from where the sink is, shifted back.
  std::ranges::stable_sort(room.expanded_images, {}, &SeenNode::image);
  for (auto first = room.expanded_images.begin(); first != room.expanded_images.end();) {
    const std::uint32_t image = first->image;
    room.expanded.clear();
    for (; first != room.expanded_images.end() && first->image == image; ++first) room.expanded.push_back(first->node);
    add(centre - images_->near()[image]);
  }
  if (nodes_.acts_far(node)) images_->template add_to<p>(far_, centre, fmm::Terms<p>(local));
  return local;
}

/// What the far images of all particles do.
template <int p>
void GravityFieldOf<p>::find_far_images() {
  fmm::Images::Expansion all{};
  std::vector<std::uint32_t> waiting{0};
  while (!waiting.empty()) {
    const std::uint32_t node = waiting.back();
    waiting.pop_back();
    if (nodes_.state(node).is_empty) continue;
    if (nodes_.acts_far(node)) {
      images_->template add_source<p>(fmm::terms_of(nodes_[node]), nodes_.centre(node), all);
      continue;
    }
    const Children children = nodes_.children_of(node);
    for (std::uint32_t k = 0; k < children.count; ++k) waiting.push_back(children.first + k);
  }
  far_ = images_->act(all);
}

template <int p>
void GravityFieldOf<p>::expand(std::size_t node, std::size_t worker) {
  if (!nodes_.state(node).is_active) return;
  find_sources(node, rooms_[worker]);
  locals_[node] = expansion_of(node, rooms_[worker]);
}

template void GravityFieldOf<0>::expand(std::size_t, std::size_t);
template void GravityFieldOf<0>::find_sources(std::size_t, GravityRoom&);
template GravityFieldOf<0>::Local GravityFieldOf<0>::expansion_of(std::size_t, GravityRoom&) const;
template void GravityFieldOf<1>::expand(std::size_t, std::size_t);
template void GravityFieldOf<1>::find_sources(std::size_t, GravityRoom&);
template GravityFieldOf<1>::Local GravityFieldOf<1>::expansion_of(std::size_t, GravityRoom&) const;
template void GravityFieldOf<2>::expand(std::size_t, std::size_t);
template void GravityFieldOf<2>::find_sources(std::size_t, GravityRoom&);
template GravityFieldOf<2>::Local GravityFieldOf<2>::expansion_of(std::size_t, GravityRoom&) const;
template void GravityFieldOf<3>::expand(std::size_t, std::size_t);
template void GravityFieldOf<3>::find_sources(std::size_t, GravityRoom&);
template GravityFieldOf<3>::Local GravityFieldOf<3>::expansion_of(std::size_t, GravityRoom&) const;
template void GravityFieldOf<4>::expand(std::size_t, std::size_t);
template void GravityFieldOf<4>::find_sources(std::size_t, GravityRoom&);
template GravityFieldOf<4>::Local GravityFieldOf<4>::expansion_of(std::size_t, GravityRoom&) const;
template void GravityFieldOf<5>::expand(std::size_t, std::size_t);
template void GravityFieldOf<5>::find_sources(std::size_t, GravityRoom&);
template GravityFieldOf<5>::Local GravityFieldOf<5>::expansion_of(std::size_t, GravityRoom&) const;

}  // namespace tacit::sph
