// The ranks of a job in groups of a node's size: in a row, or as cells of its grid that keep most bytes on a node.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/placement/network/detail/slots.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>

namespace tacit::placement::network::detail {
namespace {

using Size = std::array<std::uint32_t, 3>;

/// The job's grid of ranks, and what leaves a cell of it for each of its ranks.
struct Grid {
  Size ranks{1, 1, 1};
  std::array<double, 3> bytes{0, 0, 0};  // of one face, or to each other rank of the row and the column
  enum class Kind : std::uint8_t { faces, all_to_all } kind = Kind::faces;

  [[nodiscard]] double bytes_out(const Size& cell) const {
    double out = 0.0;
    for (std::size_t d = 0; d < 3; ++d) {
      if (kind == Kind::all_to_all) {
        out += bytes[d] * (ranks[d] - cell[d]);
      } else if (cell[d] < ranks[d]) {
        out += 2.0 * bytes[d] / cell[d];
      }
    }
    return out;
  }
};

struct GridOf {
  std::optional<Grid> operator()(const Transposes& job) const {
    return Grid{{job.row_ranks, job.column_ranks, 1}, {job.row_bytes, job.column_bytes, 0}, Grid::Kind::all_to_all};
  }
  std::optional<Grid> operator()(const Halos& job) const { return Grid{job.ranks, job.bytes, Grid::Kind::faces}; }
  std::optional<Grid> operator()(const Messages&) const { return std::nullopt; }
};

/// The cell of `ranks` ranks that divides the grid and lets the fewest bytes out; of several, the longest in x.
std::optional<Size> best_cell(const Grid& grid, std::uint32_t ranks) {
  std::optional<Size> best;
  for (std::uint32_t x = ranks; x > 0; --x) {
    if (ranks % x != 0 || grid.ranks[0] % x != 0) continue;
    for (std::uint32_t y = ranks / x; y > 0; --y) {
      if (ranks / x % y != 0 || grid.ranks[1] % y != 0) continue;
      const Size cell{x, y, ranks / x / y};
      if (grid.ranks[2] % cell[2] != 0) continue;
      if (!best || grid.bytes_out(cell) < grid.bytes_out(*best)) best = cell;
    }
  }
  return best;
}

}  // namespace

Slots listed_slots(const Job& job) {
  Slots slots{nodes_needed(job), std::vector<std::uint32_t>(rank_count(job)), {}};
  for (std::size_t rank = 0; rank < slots.of_rank.size(); ++rank) {
    slots.of_rank[rank] = static_cast<std::uint32_t>(rank / job.ranks_per_node);
  }
  return slots;
}

Slots cell_slots(const Job& job) {
  Slots slots = listed_slots(job);
  const std::optional<Grid> grid = std::visit(GridOf{}, job.pattern);
  const std::optional<Size> cell = grid ? best_cell(*grid, job.ranks_per_node) : std::nullopt;
  if (!cell) return slots;
  const Size cells{grid->ranks[0] / (*cell)[0], grid->ranks[1] / (*cell)[1], grid->ranks[2] / (*cell)[2]};
  slots.cells.resize(slots.count);
  for (std::size_t rank = 0; rank < slots.of_rank.size(); ++rank) {
    const std::size_t rest = rank / grid->ranks[0];
    const Size at{static_cast<std::uint32_t>(rank % grid->ranks[0]) / (*cell)[0],
                  static_cast<std::uint32_t>(rest % grid->ranks[1]) / (*cell)[1],
                  static_cast<std::uint32_t>(rest / grid->ranks[1]) / (*cell)[2]};
    slots.of_rank[rank] = at[0] + cells[0] * (at[1] + cells[1] * at[2]);
    slots.cells[slots.of_rank[rank]] = at;
  }
  return slots;
}

/// From the highest bit down, each octant's points are turned so that the curve inside it begins and ends where its
/// neighbours' do; the octants' numbers along the curve are a Gray code of the coordinates' bits.
///
/// @see Skilling (2004), AIP Conf. Proc. 707, 381
std::uint64_t hilbert(std::array<std::uint32_t, 3> point, unsigned bits) {
  for (unsigned bit = bits; bit-- > 1;) {
    const std::uint32_t octant = 1U << bit;
    const std::uint32_t below = octant - 1;
    for (std::uint32_t& x : point) {
      if ((x & octant) != 0) {
        point[0] ^= below;
      } else {
        const std::uint32_t turn = (point[0] ^ x) & below;
        point[0] ^= turn;
        x ^= turn;
      }
    }
  }
  // Gray code to number, over all three coordinates.
  point[1] ^= point[0];
  point[2] ^= point[1];
  std::uint32_t flips = 0;
  for (unsigned bit = bits; bit-- > 1;) {
    if ((point[2] & (1U << bit)) != 0) flips ^= (1U << bit) - 1;
  }
  std::uint64_t place = 0;
  for (unsigned bit = bits; bit-- > 0;) {
    for (const std::uint32_t x : point) place = 2 * place + (((x ^ flips) >> bit) & 1U);
  }
  return place;
}

std::vector<std::uint32_t> hilbert_order(std::span<const std::array<std::uint32_t, 3>> points) {
  unsigned bits = 1;
  for (const auto& point : points) {
    while (*std::max_element(point.begin(), point.end()) >> bits != 0) ++bits;
  }
  std::vector<std::uint64_t> places;
  places.reserve(points.size());
  for (const auto& point : points) places.push_back(hilbert(point, bits));
  std::vector<std::uint32_t> order(points.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(),
                   [&places](std::uint32_t a, std::uint32_t b) { return places[a] < places[b]; });
  return order;
}

}  // namespace tacit::placement::network::detail
