// Boxes of points of a block, where their points lie in memory, and copies of them into messages.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>

#include "tacit/base/error.hpp"

namespace tacit::mesh {

/// Axes are x, y, z, t: 0 to 3. x is the fastest in memory, the last axis of a grid the slowest.
inline constexpr std::size_t max_dimensions = 4;
/// A coordinate of a point, or a number of points. Signed: ghost points at the low side have negative coordinates.
using Index = std::int64_t;
/// Coordinates of a point. 0 along axes that the grid does not have.
using Point = std::array<Index, max_dimensions>;

/// The points with begin <= coordinate < end along each axis; [0, 1) along axes that the grid does not have.
///
/// In local coordinates of a block: its own points are 0 <= x < n along an axis, ghost points -ghosts <= x < 0 and
/// n <= x < n + ghosts.
struct Box {
  Point begin{};
  Point end{};

  /// Number of points along an axis.
  [[nodiscard]] constexpr Index extent(std::size_t axis) const noexcept { return end[axis] - begin[axis]; }
  [[nodiscard]] constexpr bool is_empty() const noexcept {
    for (std::size_t a = 0; a < max_dimensions; ++a) {
      if (extent(a) <= 0) return true;
    }
    return false;
  }
  /// Number of points.
  [[nodiscard]] constexpr std::size_t points() const noexcept {
    if (is_empty()) return 0;
    Index product = 1;
    for (std::size_t a = 0; a < max_dimensions; ++a) product *= extent(a);
    return static_cast<std::size_t>(product);
  }
  [[nodiscard]] constexpr bool contains(const Point& point) const noexcept {
    for (std::size_t a = 0; a < max_dimensions; ++a) {
      if (point[a] < begin[a] || point[a] >= end[a]) return false;
    }
    return true;
  }
  /// The same box with another range along one axis.
  [[nodiscard]] constexpr Box with(std::size_t axis, Index from, Index to) const noexcept {
    Box changed = *this;
    changed.begin[axis] = from;
    changed.end[axis] = to;
    return changed;
  }
  friend constexpr bool operator==(const Box&, const Box&) = default;
};

/// The points that are in both; empty where there are none.
[[nodiscard]] constexpr Box intersection(const Box& a, const Box& b) noexcept {
  Box both;
  for (std::size_t axis = 0; axis < max_dimensions; ++axis) {
    both.begin[axis] = std::max(a.begin[axis], b.begin[axis]);
    both.end[axis] = std::max(both.begin[axis], std::min(a.end[axis], b.end[axis]));
  }
  return both;
}

/// Where the points of a box lie in an array of all of them: x fastest, without gaps.
class Layout {
 public:
  /// @param memory  all points that the array has
  explicit constexpr Layout(const Box& memory) noexcept : memory_(memory) {
    std::size_t stride = 1;
    for (std::size_t a = 0; a < max_dimensions; ++a) {
      strides_[a] = stride;
      stride *= static_cast<std::size_t>(memory.extent(a));
    }
  }
  [[nodiscard]] constexpr const Box& memory() const noexcept { return memory_; }
  /// Elements of the array.
  [[nodiscard]] constexpr std::size_t size() const noexcept { return memory_.points(); }
  /// Elements from a point to the next one along an axis.
  [[nodiscard]] constexpr std::size_t stride(std::size_t axis) const noexcept { return strides_[axis]; }
  /// Which element of the array a point is. @pre it is in `memory()`; not checked
  [[nodiscard]] constexpr std::size_t index(const Point& point) const noexcept {
    std::size_t index = 0;
    for (std::size_t a = 0; a < max_dimensions; ++a) {
      index += static_cast<std::size_t>(point[a] - memory_.begin[a]) * strides_[a];
    }
    return index;
  }

 private:
  Box memory_;
  std::array<std::size_t, max_dimensions> strides_{};
};

/// Calls f(first, length) for each row of `box` along x, in the order of memory: the index of its first point, and how
/// many points lie there behind each other.
///
///     for_rows(grid.layout(), piece.box, [&](std::size_t first, std::size_t length) { kernel(u + first, length); });
template <class Function>
void for_rows(const Layout& layout, const Box& box, Function&& f) {
  if (box.is_empty()) return;
  const auto length = static_cast<std::size_t>(box.extent(0));
  for (Index t = box.begin[3]; t < box.end[3]; ++t) {
    for (Index z = box.begin[2]; z < box.end[2]; ++z) {
      for (Index y = box.begin[1]; y < box.end[1]; ++y) f(layout.index({box.begin[0], y, z, t}), length);
    }
  }
}

/// The same with rows and planes joined where no other points lie between them: the fewest copies.
template <class Function>
void for_runs(const Layout& layout, const Box& box, Function&& f) {
  if (box.is_empty()) return;
  Box firsts = box;
  std::size_t length = 1;
  for (std::size_t a = 0; a < max_dimensions; ++a) {
    firsts.end[a] = firsts.begin[a] + 1;
    length *= static_cast<std::size_t>(box.extent(a));
    if (box.extent(a) != layout.memory().extent(a)) break;
  }
  for_rows(layout, firsts, [&f, length](std::size_t first, std::size_t) { f(first, length); });
}

/// Copies the points of `box` to the front of `to`, in the order of memory.
/// @param field  shape layout.size()
/// @param to     at least box.points() elements; may be more
/// @return       box.points(): where the next field of the same message begins
template <class T>
  requires std::is_trivially_copyable_v<T>
std::size_t pack(const Layout& layout, const Box& box, std::type_identity_t<std::span<const T>> field,
                 std::span<T> to) {
  TACIT_EXPECT(field.size() >= layout.size() && to.size() >= box.points());
  std::size_t done = 0;
  for_runs(layout, box, [&](std::size_t first, std::size_t length) {
    std::memcpy(to.data() + done, field.data() + first, length * sizeof(T));
    done += length;
  });
  return done;
}

/// Copies what `pack` has written to the points of `box`; the box of the other end has the same extents.
/// @return box.points()
template <class T>
  requires std::is_trivially_copyable_v<T>
std::size_t unpack(const Layout& layout, const Box& box, std::span<T> field,
                   std::type_identity_t<std::span<const T>> from) {
  TACIT_EXPECT(field.size() >= layout.size() && from.size() >= box.points());
  std::size_t done = 0;
  for_runs(layout, box, [&](std::size_t first, std::size_t length) {
    std::memcpy(field.data() + first, from.data() + done, length * sizeof(T));
    done += length;
  });
  return done;
}

}  // namespace tacit::mesh
