// Cuts the cells of a rank into blocks and writes those whose temperatures have changed.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/heat/block_log.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "tacit/base/error.hpp"

namespace tacit::heat {
namespace {

/// Along each axis of the grid, so that records have some hundred bytes up to two thousand.
mesh::Point block_size(const mesh::BlockGrid& grid) {
  constexpr std::array<mesh::Index, 3> sides{64, 16, 8};
  mesh::Point size{1, 1, 1, 1};
  for (std::size_t axis = 0; axis < grid.dimensions(); ++axis) size[axis] = sides[grid.dimensions() - 1];
  return size;
}

std::size_t cells_of(const mesh::Point& size) { return static_cast<std::size_t>(size[0] * size[1] * size[2]); }

/// Calls visit with the pieces of a box along an axis, `size` cells each but the last.
template <class Visit>
void for_pieces(const mesh::Box& box, std::size_t axis, mesh::Index size, const Visit& visit) {
  for (mesh::Index begin = box.begin[axis]; begin < box.end[axis]; begin += size) {
    visit(box.with(axis, begin, std::min(begin + size, box.end[axis])));
  }
}

}  // namespace

BlockLog::BlockLog(const engine::Log& log, const mesh::BlockGrid& grid, const Field& T)
    : log_(log), grid_(grid), T_(T), room_(cells_of(block_size(grid))) {
  const mesh::Point size = block_size(grid);
  const std::size_t slowest = grid.dimensions() - 1;
  for_pieces(grid.block(), slowest, size[slowest], [&](const mesh::Box& cells) { add_slab(cells, size); });
  last_.resize(blocks_.size() * room_);
}

void BlockLog::add_slab(const mesh::Box& cells, const mesh::Point& size) {
  Slab slab{.cells = cells, .first = blocks_.size()};
  const auto global = [&](const mesh::Box& box, std::size_t axis) {
    return static_cast<std::uint64_t>(grid_.range(axis).begin + box.begin[axis]);
  };
  const auto points = [&](std::size_t axis) { return static_cast<std::uint64_t>(grid_.points(axis)); };
  for_pieces(cells, 1, size[1], [&](const mesh::Box& row) {
    for_pieces(row, 0, size[0], [&](const mesh::Box& box) {
      const std::uint64_t id = global(box, 0) + points(0) * (global(box, 1) + points(1) * global(box, 2));
      blocks_.push_back({.cells = box, .id = id});
    });
  });
  slab.end = blocks_.size();
  slabs_.push_back(slab);
}

std::uint64_t BlockLog::blocks_of_all(const mesh::BlockGrid& grid) {
  const mesh::Point size = block_size(grid);
  std::uint64_t blocks = 1;
  mesh::Index next = 1;  // ranks from one to the next along the axis
  for (std::size_t axis = 0; axis < grid.dimensions(); ++axis) {
    mesh::Index along = 0;
    for (mesh::Index k = 0; k < grid.ranks(axis); ++k) {
      const auto rank = comm::RankId{static_cast<std::uint32_t>(k * next)};
      along += (grid.range(rank, axis).size() + size[axis] - 1) / size[axis];
    }
    next *= grid.ranks(axis);
    blocks *= static_cast<std::uint64_t>(along);
  }
  return blocks;
}

io::LogSchema BlockLog::schema(const mesh::BlockGrid& grid) {
  using io::Number;
  const auto cells = static_cast<std::uint32_t>(cells_of(block_size(grid)));
  return {{{.name = "first", .type = Number::int32, .count = 3},
           {.name = "cells", .type = Number::int32, .count = 3},
           {.name = "step", .type = Number::uint64},
           {.name = "temperature", .type = Number::float32, .count = cells, .unit = "temperature"}}};
}

/// visit(place in the field, number of cells, place in the block)
template <class Visit>
void BlockLog::for_each_row(const Block& block, const Visit& visit) const {
  std::size_t at = 0;
  mesh::for_rows(grid_.layout(), block.cells, [&](std::size_t first, std::size_t length) {
    visit(first, length, at);
    at += length;
  });
}

double BlockLog::change_of(std::size_t block) {
  double largest = 0.0;
  const std::span<const float> before = last(block);
  for_each_row(blocks_[block], [&](std::size_t first, std::size_t length, std::size_t at) {
    for (std::size_t k = 0; k < length; ++k) {
      const double change = std::abs(T_[first + k] - static_cast<double>(before[at + k]));
      largest = change > largest || std::isnan(change) ? change : largest;
    }
  });
  return largest;
}

void BlockLog::write(std::size_t block, io::LogBatch& batch, double time, std::uint64_t step) {
  Block& of = blocks_[block];
  const std::span<float> values = last(block);
  for_each_row(of, [&](std::size_t first, std::size_t length, std::size_t at) {
    for (std::size_t k = 0; k < length; ++k) values[at + k] = static_cast<float>(T_[first + k]);
  });
  Head head{.step = step};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    head.first[axis] = static_cast<std::int32_t>(grid_.range(axis).begin + of.cells.begin[axis]);
    head.cells[axis] = static_cast<std::int32_t>(of.cells.extent(axis));
  }
  of.offset = batch.write_parts(of.id, of.offset, time, std::as_bytes(std::span(&head, 1)), std::as_bytes(values));
  of.step = step;
}

void BlockLog::write_all(double time, std::uint64_t step) {
  io::LogBatch batch = log_.writer->reserve(blocks_.size());
  for (std::size_t block = 0; block < blocks_.size(); ++block) write(block, batch, time, step);
}

void BlockLog::find_in(const io::LogReader& log) {
  for (std::size_t block = 0; block < blocks_.size(); ++block) {
    const auto record = log.last_record(blocks_[block].id);
    if (!record) throw base::Error("the log has no record of a block of the checkpoint that it belongs to");
    Head head;
    std::memcpy(&head, record->fields, sizeof head);
    std::memcpy(last(block).data(), record->fields + sizeof head, room_ * sizeof(float));
    blocks_[block].offset = record->offset;
    blocks_[block].step = head.step;
  }
}

void BlockLog::write_due(const Slab& slab, double time, std::uint64_t step) {
  const auto is_due = [&](std::size_t block) {
    const auto steps = static_cast<std::uint32_t>(std::min<std::uint64_t>(step - blocks_[block].step, 0xffffffffU));
    if (log_.policy.is_due(steps)) return true;
    return log_.policy.tolerance > 0.0 && scale_ > 0.0 && log_.policy.is_due(steps, change_of(block) / scale_);
  };
  for (std::size_t block = slab.first; block < slab.end; ++block) {
    if (!is_due(block)) continue;
    // Records are long: one at a time costs no more.
    if (io::LogBatch batch = log_.writer->reserve(1)) write(block, batch, time, step);
  }
}

}  // namespace tacit::heat
