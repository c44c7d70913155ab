// A regular grid of points in one to four dimensions, divided into one block per rank.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "tacit/comm/communicator.hpp"
#include "tacit/comm/rank.hpp"
#include "tacit/mesh/box.hpp"

namespace tacit::mesh {

/// What is behind the ends of an axis.
enum class Boundary : std::uint8_t {
  wall,      ///< nothing: the solver fills the ghost points there itself
  periodic,  ///< its other end
};

enum class Side : std::uint8_t { low, high };

/// What a BlockGrid is made from. The same on all ranks.
struct GridSpec {
  std::vector<Index> points;         ///< of the whole grid, per axis: x first; 1 to 4 axes
  std::vector<Boundary> boundaries;  ///< per axis
  Index ghosts = 1;                  ///< points beyond each side of a block along each axis, those at walls included
  /// Ranks per axis. 0: chosen so that the least is exchanged. Empty: all chosen.
  std::vector<std::uint32_t> ranks = {};
  /// Blocks begin at multiples of it along each axis: for grids whose points belong together in pairs, say.
  Index granularity = 1;
};

/// Which blocks around one exchange points with it.
enum class Neighbours : std::uint8_t {
  faces,            ///< moved along one axis: for stencils that reach along the axes; ghosts at edges stay as they are
  faces_and_edges,  ///< along one or two axes
  all,              ///< along any number: faces, edges and corners
};

/// -1, 0 or 1 per axis: where a neighbour is. 0 along axes that the grid does not have.
using Offset = std::array<std::int8_t, max_dimensions>;

/// One number per direction in which points travel: less than `directions`, the same at both ends.
inline constexpr std::uint32_t directions = 81;
/// sum_a (offset_a + 1) 3^a
[[nodiscard]] std::uint32_t direction_key(const Offset& offset) noexcept;

/// A block beside this one. Where few ranks are in a periodic axis the same rank, or this one itself, is a neighbour in
/// several directions; keys tell these apart.
struct Neighbour {
  Offset offset{};
  comm::RankId rank{};
  Box send;                       ///< own points that are ghost points there, in local coordinates
  Box receive;                    ///< ghost points that are its own; as many along each axis as its `send` to here has
  std::uint32_t send_key = 0;     ///< of what travels to `offset`: direction_key(offset)
  std::uint32_t receive_key = 0;  ///< of what travels from there to here: direction_key(-offset)
};

/// Points of one axis in global coordinates: begin <= x < end.
struct Range {
  Index begin = 0;
  Index end = 0;
  [[nodiscard]] constexpr Index size() const noexcept { return end - begin; }
  friend constexpr bool operator==(const Range&, const Range&) = default;
};

/// A regular grid of points in blocks, one for each rank, and the place of this rank in it.
///
/// Along each axis the ranks have ranges of points whose sizes differ by one granule at most. Axis 0, x, is the
/// fastest, in memory and among the ranks: rank = x + ranks(0) (y + ranks(1) (z + ...)). A field is one array of the
/// block's points and its ghost points, see `layout`.
///
///     const mesh::BlockGrid grid({.points = {64, 64, 64}, .boundaries = {wall, periodic, periodic}}, world);
///     std::vector<double> u(grid.layout().size());
///     mesh::for_rows(grid.layout(), grid.block(), [&](std::size_t first, std::size_t length) { ... u[first] ... });
class BlockGrid {
 public:
  /// @throws base::Error if the numbers do not fit: in particular, too many ranks for so few points. Where an axis is
  ///         cut each rank needs as many points as ghosts, and at least one.
  BlockGrid(const GridSpec& spec, const comm::Communicator& world);
  /// The grid as one of so many ranks sees it, without a communicator. @pre own < ranks
  BlockGrid(const GridSpec& spec, std::size_t ranks, comm::RankId own);

  [[nodiscard]] std::size_t dimensions() const noexcept { return dimensions_; }
  /// Width of the ghost points at each side [points].
  [[nodiscard]] Index ghosts() const noexcept { return ghosts_; }
  /// Of the whole grid along an axis.
  [[nodiscard]] Index points(std::size_t axis) const noexcept { return points_[axis]; }
  /// Of the whole grid.
  [[nodiscard]] std::size_t points() const noexcept;
  [[nodiscard]] Boundary boundary(std::size_t axis) const noexcept { return boundaries_[axis]; }

  /// Number of ranks along an axis.
  [[nodiscard]] Index ranks(std::size_t axis) const noexcept { return ranks_[axis]; }
  [[nodiscard]] comm::RankId own() const noexcept { return own_; }
  /// Where this rank is in the grid of ranks.
  [[nodiscard]] const Point& coordinates() const noexcept { return coordinates_; }
  /// Where a rank is. @pre the rank exists
  [[nodiscard]] Point coordinates(comm::RankId rank) const;
  /// The rank there. Beyond the end of a periodic axis the coordinates wrap around; beyond a wall there is none.
  [[nodiscard]] std::optional<comm::RankId> rank_at(const Point& coordinates) const;

  /// The points of this rank along an axis, in global coordinates: local coordinate = global - range(axis).begin.
  [[nodiscard]] Range range(std::size_t axis) const { return range(own_, axis); }
  /// Those of any rank.
  [[nodiscard]] Range range(comm::RankId rank, std::size_t axis) const;
  /// The rank that owns a point of the whole grid. @pre 0 <= point < points(axis) along each axis
  [[nodiscard]] comm::RankId owner(const Point& point) const;

  /// Own points: [0, n) along each axis.
  [[nodiscard]] const Box& block() const noexcept { return block_; }
  /// Own and ghost points: [-ghosts, n + ghosts).
  [[nodiscard]] const Box& block_with_ghosts() const noexcept { return layout_.memory(); }
  /// Where points lie in a field, which has layout().size() elements.
  [[nodiscard]] const Layout& layout() const noexcept { return layout_; }

  /// Whether this side of the block is the end of an axis with walls.
  [[nodiscard]] bool is_at_wall(std::size_t axis, Side side) const noexcept;
  /// The ghost points beside the own ones at one side.
  [[nodiscard]] Box ghosts_at(std::size_t axis, Side side) const noexcept;

  /// The neighbours, in the order of their send keys; none beyond walls.
  /// @param width  of the regions [points]: 0 <= width <= ghosts(); the points nearest to the face
  [[nodiscard]] std::vector<Neighbour> neighbours(Neighbours which, Index width) const;
  [[nodiscard]] std::vector<Neighbour> neighbours(Neighbours which) const { return neighbours(which, ghosts_); }

 private:
  [[nodiscard]] std::optional<Neighbour> neighbour(const Offset& offset, Index width) const;

  std::size_t dimensions_;
  Index ghosts_;
  Point points_;  // 1 along axes that there are not, as ranks_
  Index granularity_;
  std::array<Boundary, max_dimensions> boundaries_{};
  Point ranks_;
  comm::RankId own_;
  Point coordinates_;
  Box block_;
  Layout layout_;
};

}  // namespace tacit::mesh
