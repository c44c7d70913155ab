// Ranks as the points of a grid: coordinates, neighbours, and connections to these.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <vector>

#include "tacit/comm/connection.hpp"

namespace tacit::comm {

enum class Boundary : std::uint8_t {
  open,      ///< the first and the last rank have no neighbour there
  periodic,  ///< they are neighbours
};

enum class Side : std::uint8_t { low, high };
[[nodiscard]] constexpr Side opposite(Side side) noexcept { return side == Side::low ? Side::high : Side::low; }

/// Factors of `ranks`, one for each dimension, as equal as can be and the largest first.
[[nodiscard]] std::vector<std::uint32_t> balanced_grid(std::size_t ranks, std::size_t dimensions);

/// A grid of ranks in any number of dimensions; the coordinate of the last dimension changes fastest with the rank.
///
///     const comm::Cartesian grid(world, comm::balanced_grid(world.size(), 3), comm::Boundary::periodic);
///     grid.neighbour(0, comm::Side::high)    // the rank behind us in the first dimension
class Cartesian {
 public:
  /// @param ranks       in each dimension; their product is the communicator's size
  /// @param boundaries  of each dimension
  /// @throws base::Error if product or numbers do not fit
  Cartesian(const Communicator& communicator, std::span<const std::uint32_t> ranks,
            std::span<const Boundary> boundaries);
  Cartesian(const Communicator& communicator, std::span<const std::uint32_t> ranks, Boundary boundary);

  [[nodiscard]] std::size_t dimensions() const noexcept { return ranks_.size(); }
  /// Ranks in each dimension.
  [[nodiscard]] std::span<const std::uint32_t> ranks() const noexcept { return ranks_; }
  /// Where this rank is.
  [[nodiscard]] std::span<const std::uint32_t> own() const noexcept { return own_; }
  /// Where a rank is.
  [[nodiscard]] std::vector<std::uint32_t> coordinates(RankId rank) const;
  /// The rank there; coordinates beyond a periodic boundary wrap around, beyond an open one there is none.
  /// @pre  as many coordinates as dimensions
  [[nodiscard]] std::optional<RankId> rank_at(std::span<const std::int64_t> coordinates) const;
  /// The next rank at one side; this rank itself where it is alone in a periodic dimension.
  [[nodiscard]] std::optional<RankId> neighbour(std::size_t dimension, Side side) const;

 private:
  std::vector<std::uint32_t> ranks_;
  std::vector<Boundary> boundaries_;
  std::vector<std::uint32_t> own_;
};

/// Connections to the neighbours. Each direction along each dimension has a connection of its own, so that a rank
/// that is the neighbour at both sides, or this rank itself, is no special case.
///
///     comm::NeighbourConnections neighbours(world, grid);
///     comm::SendWindow<double> up(*neighbours.to(0, Side::high), 100);        // null: there is no neighbour
///     comm::RecvWindow<double> from_below(*neighbours.from(0, Side::low), 100);
class NeighbourConnections {
 public:
  /// @param first_key  of 2 * dimensions keys (Target::key) that no other connections to these ranks have
  NeighbourConnections(Communicator& communicator, const Cartesian& grid, std::uint32_t first_key = 0);

  /// On which we send to that side; null: there is no neighbour.
  [[nodiscard]] Connection* to(std::size_t dimension, Side side) const { return to_[index(dimension, side)]; }
  /// On which we receive from that side what our neighbour there sends to its opposite side.
  [[nodiscard]] Connection* from(std::size_t dimension, Side side) const { return from_[index(dimension, side)]; }

 private:
  [[nodiscard]] static std::size_t index(std::size_t dimension, Side side) noexcept {
    return 2 * dimension + static_cast<std::size_t>(side);
  }
  std::deque<Connection> connections_;
  std::vector<Connection*> to_;
  std::vector<Connection*> from_;
};

}  // namespace tacit::comm
