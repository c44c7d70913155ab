// The matrix product C = A B in uneven tiles, and three ways to share the tiles among ranks.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tacit/comm/communicator.hpp"

namespace product {

/// Rows [row, row + rows) and columns [column, column + columns) of C.
struct Tile {
  std::size_t row = 0;
  std::size_t rows = 0;
  std::size_t column = 0;
  std::size_t columns = 0;
  [[nodiscard]] std::size_t size() const noexcept { return rows * columns; }
};

/// C = A B for matrices of n by n doubles, row by row. Rank 0 has A and wants C; every rank has B.
///
/// Rows and columns are cut at the same uneven places, so that tiles differ by a factor of 100 and more. The elements
/// are whole numbers from -4 to 4: then C is exact, whoever sums it in whatever order, up to n = 10^7.
struct Problem {
  explicit Problem(std::size_t order);

  std::size_t n;
  std::vector<Tile> tiles;  ///< the highest rows first, and in them the widest columns: what takes long begins early
  std::size_t most_rows = 0;
  std::size_t most_elements = 0;  ///< of a tile

  /// Element (i, j).
  [[nodiscard]] static double a(std::size_t i, std::size_t j) noexcept;
  [[nodiscard]] static double b(std::size_t i, std::size_t j) noexcept;
  void fill_a(std::span<double> to) const;
  void fill_b(std::span<double> to) const;
  /// Whether C x = A (B x) for a vector x of whole numbers: exact, and a wrong C passes once in 9 times at most; four
  /// vectors are tried.
  [[nodiscard]] bool is_product(std::span<const double> c) const;
};

/// One tile of C.
/// @param panel    rows of A: tile.rows by n
/// @param b        n by n
/// @param c        where the tile begins; `stride` elements from row to row
void multiply(const Problem& problem, const Tile& tile, const double* panel, const double* b, double* c,
              std::size_t stride);

/// The same for every c: depends on every bit.
[[nodiscard]] std::uint64_t checksum(std::span<const double> c);

/// How a rank spent a run.
struct Timing {
  double seconds = 0.0;  ///< from the start of all to the end of all
  double busy_s = 0.0;   ///< computing tiles, summed over the workers of this rank; the rest is idle or moves data
  std::size_t tiles = 0;
};

/// A way to compute C, set up once. All ranks make it and run it together.
class Method {
 public:
  Method() = default;
  Method(const Method&) = delete;
  Method& operator=(const Method&) = delete;
  virtual ~Method() = default;
  virtual Timing run() = 0;
  /// On rank 0, after a run.
  [[nodiscard]] virtual std::span<const double> c() const = 0;
};

}  // namespace product
