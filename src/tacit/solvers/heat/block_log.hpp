// What the continuous log says of a temperature: blocks of cells, which of them are due, and their records.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tacit/engine/solver.hpp"
#include "tacit/mesh/block_grid.hpp"
#include "tacit/solvers/heat/fields.hpp"

namespace tacit::heat {

/// The blocks of a rank, at most 64 cells in one dimension, 16 x 16 in two, 8 x 8 x 8 in three. Their ids are the
/// numbers of their first cells, x + nx (y + ny z): no two ranks have the same. How tasks divide the cells plays no
/// part.
class BlockLog {
 public:
  /// @param log   of the rank   @param grid, T  outlive this
  BlockLog(const engine::Log& log, const mesh::BlockGrid& grid, const Field& T);

  /// A record: first cell and cells along each axis, the number of the step, and the temperature of the cells, x
  /// fastest; where there are fewer cells than in other blocks, 0 behind them.
  [[nodiscard]] static io::LogSchema schema(const mesh::BlockGrid& grid);

  [[nodiscard]] std::size_t blocks() const noexcept { return blocks_.size(); }
  /// Those of all ranks together.
  [[nodiscard]] static std::uint64_t blocks_of_all(const mesh::BlockGrid& grid);
  /// Blocks side by side, which one task writes: their cells, and their numbers.
  struct Slab {
    mesh::Box cells;
    std::size_t first = 0;
    std::size_t end = 0;
  };
  [[nodiscard]] std::span<const Slab> slabs() const noexcept { return slabs_; }

  /// @param scale    of temperatures: tolerances are parts of it [temperature]
  void set_scale(double scale) noexcept { scale_ = scale; }
  [[nodiscard]] double scale() const noexcept { return scale_; }
  /// Writes a record of each block. @param step  taken so far
  void write_all(double time, std::uint64_t step);
  /// Takes what was written last from the log. @throws base::Error if it lacks a block
  void find_in(const io::LogReader& log);
  /// Writes the blocks of a slab that are due after a step. Slabs may be written at once.
  void write_due(const Slab& slab, double time, std::uint64_t step);

 private:
  struct Block {
    mesh::Box cells;  // local
    std::uint64_t id = 0;
    std::uint64_t offset = 0;  // of the last record
    std::uint64_t step = 0;    // likewise
  };
  /// What is written before the temperatures.
  struct Head {
    std::array<std::int32_t, 3> first{};
    std::array<std::int32_t, 3> cells{};
    std::uint64_t step = 0;
  };
  void add_slab(const mesh::Box& cells, const mesh::Point& size);
  [[nodiscard]] std::span<float> last(std::size_t block) { return std::span(last_).subspan(block * room_, room_); }
  [[nodiscard]] double change_of(std::size_t block);
  void write(std::size_t block, io::LogBatch& batch, double time, std::uint64_t step);
  template <class Visit>
  void for_each_row(const Block& block, const Visit& visit) const;

  const engine::Log& log_;
  const mesh::BlockGrid& grid_;
  const Field& T_;
  std::size_t room_;  // cells of a whole block
  std::vector<Block> blocks_;
  std::vector<Slab> slabs_;
  std::vector<float> last_;  // shape (blocks, room): temperatures as recorded last
  double scale_ = 0.0;
};

}  // namespace tacit::heat
