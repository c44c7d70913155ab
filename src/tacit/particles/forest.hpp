// A grid of cells that may be split into halves along each axis, again and again: places, boxes and searches in it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "tacit/base/vec3.hpp"
#include "tacit/particles/domain.hpp"

namespace tacit::particles {

/// Coordinates of N particles along each axis [length].
using Positions = std::array<std::span<const double>, 3>;

/// How many domains away along each axis an image lies.
using Image = std::array<std::int8_t, 3>;

/// A node's box in units of the roots' size, in which its numbers are exact; it means nothing along unused axes.
struct Cube {
  std::array<double, 3> lower{};
  double width = 1.0;
};

/// Any box in these units.
struct Bounds {
  std::array<double, 3> lower{};
  std::array<double, 3> upper{};
};

[[nodiscard]] inline Bounds bounds(const Cube& cube) noexcept {
  const auto& [lower, width] = cube;
  return {lower, {lower[0] + width, lower[1] + width, lower[2] + width}};
}

/// Which root of a row of them holds a coordinate, and where in it. Rounding at the faces, and positions outside, end
/// in the roots at the rim.
class Ruler {
 public:
  struct Place {
    std::size_t root;
    double fraction;  ///< of the root's width, in [0, 1)
  };
  Ruler(double origin, double width, int roots) noexcept : origin_(origin), width_(width), last_(roots - 1) {}

  [[nodiscard]] Place operator()(double value) const noexcept {
    const double in_roots = std::min(std::max(0.0, (value - origin_) / width_), last_ + 1.0);
    const int root = std::min(static_cast<int>(in_roots), last_);
    return {static_cast<std::size_t>(root), std::min(in_roots - root, 1.0 - 0x1p-53)};
  }

 private:
  double origin_, width_;
  int last_;
};

/// Trees of boxes over a domain: a uniform grid of roots, one thick along axes that the domain does not use. A node is
/// a leaf or has 2^dimension children, each half as wide. Leaves are numbered by (root along Hilbert's curve, Morton
/// order), so that leaves of consecutive numbers are near each other.
class Forest {
 public:
  static constexpr int deepest = 20;     ///< level of the narrowest leaves; roots have level 0
  static constexpr int most_images = 8;  ///< searches go no further than this many domains along an axis

  /// Roots alone: `shape` of them along each axis.
  Forest(const Domain& domain, const std::array<int, 3>& shape);

  /// Splits roots so that the leaves have these levels, in order.
  /// @return false if there are no such trees; those of before are lost then
  [[nodiscard]] bool plant(std::span<const std::uint64_t> levels);

  [[nodiscard]] const Domain& domain() const noexcept { return domain_; }
  [[nodiscard]] const std::array<int, 3>& shape() const noexcept { return shape_; }
  [[nodiscard]] const base::Vec3& root_size() const noexcept { return root_size_; }
  [[nodiscard]] std::size_t roots() const noexcept { return roots_; }
  [[nodiscard]] std::size_t leaves() const noexcept { return cubes_.size(); }
  [[nodiscard]] const Cube& cube(std::size_t leaf) const { return cubes_[leaf]; }
  /// Axes in use.
  [[nodiscard]] std::size_t axes() const noexcept { return static_cast<std::size_t>(domain_.dimension); }
  [[nodiscard]] bool is_endless() const noexcept { return domain_.periodic || domain_.mirrored; }
  /// The narrowest side of a root along the axes in use [length].
  [[nodiscard]] double narrowest_root() const noexcept;

  // The nodes: roots have the numbers of roots, others those that their parents say.

  /// The root at that place of the grid.
  [[nodiscard]] std::size_t root_at(const std::array<int, 3>& index) const noexcept;
  [[nodiscard]] bool is_leaf(std::size_t node) const { return nodes_[node].first_child == 0; }
  /// The number of a leaf among leaves. @pre is_leaf(node)
  [[nodiscard]] std::size_t leaf_of(std::size_t node) const { return nodes_[node].leaf; }
  /// The children of a node have this number and those that follow, in Morton's order. @pre not is_leaf(node)
  [[nodiscard]] std::size_t first_child(std::size_t node) const { return nodes_[node].first_child; }
  /// Of any node that is no leaf: 2^dimension.
  [[nodiscard]] std::size_t children() const noexcept { return std::size_t{1} << axes(); }

  /// Where a position lies: in which leaf, and where in it as fractions of its width.
  struct Place {
    std::size_t leaf;
    std::array<double, 3> fraction;
  };
  /// Finds places; it must not outlive the forest.
  class Finder {
   public:
    explicit Finder(const Forest& forest) noexcept;
    [[nodiscard]] Place operator()(double x, double y, double z) const noexcept;

   private:
    Ruler along_x_, along_y_, along_z_;
    std::size_t n1_, n2_;
    std::size_t axes_;
    const Forest& forest_;
  };

  /// Squared distance [length^2] between two boxes, the second as seen through an image.
  [[nodiscard]] double gap2(const Bounds& a, const Cube& b, const Image& image) const noexcept;

  /// For each node the largest value of the leaves below it; to be handed to `search`.
  [[nodiscard]] std::vector<double> largest_below(std::span<const double> of_leaves) const;

  /// Visits leaves as seen through all images, in no particular order.
  ///
  /// @param from      looks for leaves near this box
  /// @param distance  nothing further than this is wanted [length]; along each axis of a periodic or mirrored domain at
  /// most
  ///                  most_images times its size
  /// @param is_near   is_near(node, gap2): whether leaves below a node may be wanted whose box is so near
  /// @param visit     visit(leaf, image, gap2): a leaf that is near, and its squared distance [length^2]; the distance
  ///                  of two leaves is the same number seen from either
  template <class IsNear, class Visit>
  void search(const Bounds& from, double distance, const IsNear& is_near, const Visit& visit) const;

 private:
  struct Node {
    std::uint32_t first_child = 0;  // 0: a leaf, for node 0 is a root
    std::uint32_t leaf = 0;
  };
  struct Row {
    int first, last;
  };
  template <class IsNear, class Visit>
  void descend(std::size_t node, const Cube& cube, const Image& image, const Bounds& from, const IsNear& is_near,
               const Visit& visit) const;
  bool grow(std::size_t node, const Cube& cube, std::size_t level, std::span<const std::uint64_t>& levels);
  [[nodiscard]] Cube child(const Cube& cube, std::size_t number) const noexcept;
  [[nodiscard]] Row roots_near(const Bounds& from, double distance, std::size_t axis) const noexcept;

  Domain domain_;
  std::array<int, 3> shape_;
  base::Vec3 root_size_;
  std::size_t roots_ = 1;
  std::vector<std::uint32_t> box_of_root_;  // shape (roots): its number in the grid, the last axis first
  std::vector<std::uint32_t> root_of_box_;  // the other way round
  std::vector<Node> nodes_;                 // the roots first; children stand together, and behind their parent
  std::vector<Cube> cubes_;                 // shape (leaves)
};

inline Forest::Finder::Finder(const Forest& forest) noexcept
    : along_x_(forest.domain_.origin.x, forest.root_size_.x, forest.shape_[0]),
      along_y_(forest.domain_.origin.y, forest.root_size_.y, forest.shape_[1]),
      along_z_(forest.domain_.origin.z, forest.root_size_.z, forest.shape_[2]),
      n1_(static_cast<std::size_t>(forest.shape_[1])),
      n2_(static_cast<std::size_t>(forest.shape_[2])),
      axes_(forest.axes()),
      forest_(forest) {}

inline Forest::Place Forest::Finder::operator()(double x, double y, double z) const noexcept {
  const Ruler::Place in_x = along_x_(x);
  const Ruler::Place in_y = along_y_(y);
  const Ruler::Place in_z = along_z_(z);
  std::array<double, 3> fraction{in_x.fraction, in_y.fraction, in_z.fraction};
  const Node* node = &forest_.nodes_[forest_.root_of_box_[(in_x.root * n1_ + in_y.root) * n2_ + in_z.root]];
  while (node->first_child != 0) {
    std::size_t number = 0;
    for (std::size_t axis = 0; axis < axes_; ++axis) {
      const bool is_upper = fraction[axis] >= 0.5;
      number = 2 * number + (is_upper ? 1 : 0);
      fraction[axis] = 2.0 * fraction[axis] - (is_upper ? 1.0 : 0.0);  // exact
    }
    node = &forest_.nodes_[node->first_child + number];
  }
  return {node->leaf, fraction};
}

/// The lower or upper half along each axis; the bits of `number` say which, the first axis in the highest.
inline Cube Forest::child(const Cube& cube, std::size_t number) const noexcept {
  Cube half{cube.lower, 0.5 * cube.width};
  for (std::size_t axis = 0; axis < axes(); ++axis) {
    if ((number >> (axes() - 1 - axis) & 1U) != 0) half.lower[axis] += half.width;
  }
  return half;
}

namespace detail {

[[nodiscard]] inline bool is_odd(int image) noexcept { return image % 2 != 0; }

/// Splits an index that may lie outside [0, n) into the index inside and the number of the image.
[[nodiscard]] inline std::pair<int, int> split_image(int index, int n) noexcept {
  const int image = index >= 0 ? index / n : -((n - 1 - index) / n);
  return {index - image * n, image};
}

}  // namespace detail

template <class IsNear, class Visit>
void Forest::search(const Bounds& from, double distance, const IsNear& is_near, const Visit& visit) const {
  std::array<Row, 3> rows{};
  for (std::size_t axis = 0; axis < axes(); ++axis) rows[axis] = roots_near(from, distance, axis);
  std::array<int, 3> inside{};
  Image image{};
  const auto enter = [&](std::size_t axis, int index) {
    const int n = shape_[axis];
    const auto [rest, times] = detail::split_image(index, n);
    inside[axis] = domain_.mirrored && detail::is_odd(times) ? n - 1 - rest : rest;
    image[axis] = static_cast<std::int8_t>(times);
  };
  for (int i = rows[0].first; i <= rows[0].last; ++i) {
    enter(0, i);
    for (int j = rows[1].first; j <= rows[1].last; ++j) {
      enter(1, j);
      for (int k = rows[2].first; k <= rows[2].last; ++k) {
        enter(2, k);
        const Cube root{{1.0 * inside[0], 1.0 * inside[1], 1.0 * inside[2]}, 1.0};
        descend(root_at(inside), root, image, from, is_near, visit);
      }
    }
  }
}

template <class IsNear, class Visit>
void Forest::descend(std::size_t node, const Cube& cube, const Image& image, const Bounds& from, const IsNear& is_near,
                     const Visit& visit) const {
  const double distance2 = gap2(from, cube, image);
  if (!is_near(node, distance2)) return;
  const Node& here = nodes_[node];
  if (here.first_child == 0) {
    visit(std::size_t{here.leaf}, image, distance2);
    return;
  }
  for (std::size_t c = 0; c < children(); ++c) {
    descend(here.first_child + c, child(cube, c), image, from, is_near, visit);
  }
}

}  // namespace tacit::particles
