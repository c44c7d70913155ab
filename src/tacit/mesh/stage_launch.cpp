// Copies of tiles to devices and back.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/mesh/stage_launch.hpp"

#include <array>
#include <vector>

#include "tacit/base/error.hpp"

namespace tacit::mesh {
namespace {

constexpr std::size_t arrays_of_field = 5;  // y, prev, base, rate, out

/// Some cells of the tile, as (from the first cell of the tile, extents).
struct Part {
  std::array<std::ptrdiff_t, 3> begin{};
  std::array<std::size_t, 3> n{};
};

std::ptrdiff_t place_of(const StageTile& tile, const std::array<std::ptrdiff_t, 3>& cell) {
  return cell[0] * tile.next[0] + cell[1] * tile.next[1] + cell[2] * tile.next[2];
}

std::size_t stride_bytes(const StageTile& tile, std::size_t axis) {
  return sizeof(double) * static_cast<std::size_t>(tile.next[axis]);
}

/// The copy of a part between two arrays that begin with the first cell of the tile.
gpu::Copy copy_of(const Part& part, const StageTile& from_tile, const double* from, const StageTile& to_tile,
                  double* to) {
  return {.from = gpu::Program::as_bytes(from + place_of(from_tile, part.begin)),
          .to = gpu::Program::as_bytes(to + place_of(to_tile, part.begin)),
          .row_bytes = sizeof(double) * part.n[0],
          .rows = part.n[1],
          .planes = part.n[2],
          .from_row = stride_bytes(from_tile, 1),
          .from_plane = stride_bytes(from_tile, 2),
          .to_row = stride_bytes(to_tile, 1),
          .to_plane = stride_bytes(to_tile, 2)};
}

Part own_part(const StageTile& tile) { return {.begin = {}, .n = {tile.n[0], tile.n[1], tile.n[2]}}; }

/// The own cells with those beside them along x, and layers beside them along y and z. What lies at edges and corners
/// no stencil reads, and other tasks may write.
std::vector<Part> parts_with_beside(const StageTile& tile) {
  const Part own = own_part(tile);
  std::vector<Part> parts{own};
  parts[0].begin[0] = -1;
  parts[0].n[0] += 2;
  for (std::size_t axis = 1; axis < 3; ++axis) {
    if (tile.next[axis] == 0) continue;
    for (const std::ptrdiff_t at : {std::ptrdiff_t{-1}, static_cast<std::ptrdiff_t>(tile.n[axis])}) {
      Part layer = own;
      layer.begin[axis] = at;
      layer.n[axis] = 1;
      parts.push_back(layer);
    }
  }
  return parts;
}

bool reads_base(Form form) { return form == Form::average || form == Form::chebyshev; }

}  // namespace

StageTile tile_on_device(const StageTile& tile) {
  StageTile result = tile;
  std::ptrdiff_t next = 1;
  result.first = 0;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (tile.next[axis] == 0) continue;
    result.next[axis] = next;
    result.first += static_cast<std::size_t>(next);
    next *= static_cast<std::ptrdiff_t>(tile.n[axis]) + 2;
  }
  return result;
}

std::size_t numbers_on_device(const StageTile& tile) {
  std::size_t numbers = 1;
  for (std::size_t axis = 0; axis < 3; ++axis) numbers *= tile.next[axis] == 0 ? 1 : tile.n[axis] + 2;
  return numbers;
}

double* copy_to_device(gpu::Program& program, const StageTile& tile, const double* field, TileCells cells) {
  const StageTile there = tile_on_device(tile);
  double* const array = program.memory<double>(numbers_on_device(tile)) + there.first;
  const auto parts = cells == TileCells::own ? std::vector<Part>{own_part(tile)} : parts_with_beside(tile);
  for (const Part& part : parts) program.copy_in(copy_of(part, tile, field, there, array));
  return array;
}

gpu::Need need_of_stage(const StageTile& tile, std::size_t fields, std::size_t further) {
  const std::size_t array = gpu::aligned_bytes(sizeof(double) * numbers_on_device(tile));
  return {.memory_bytes = (arrays_of_field * fields + further) * array,
          .work = static_cast<double>(fields * tile.n[0] * tile.n[1] * tile.n[2])};
}

void record_stage(gpu::Program& program, const StageLaunches& launches, const StageTile& tile, const Stage& stage,
                  double dt, std::span<const StageFields> at) {
  const StageTile there = tile_on_device(tile);
  const auto new_array = [&] { return program.memory<double>(numbers_on_device(tile)) + there.first; };
  std::vector<StageFields> on_device;
  for (const StageFields& field : at) {
    StageFields& device = on_device.emplace_back();
    device.y = copy_to_device(program, tile, field.y, TileCells::with_beside);
    if (reads_base(stage.form)) device.base = copy_to_device(program, tile, field.base, TileCells::own);
    if (stage.form == Form::chebyshev) {
      device.prev = copy_to_device(program, tile, field.prev, TileCells::own);
      device.rate = copy_to_device(program, tile, field.rate, TileCells::own);
    }
    if (stage.form == Form::begin) device.rate = new_array();
    device.out = new_array();
  }
  launches.run(program, {.host = tile, .device = there, .stage = stage, .dt = dt, .at = on_device});
  for (std::size_t f = 0; f < at.size(); ++f) {
    const auto copy_back = [&](const double* from, double* to) {
      program.copy_out(copy_of(own_part(tile), there, from, tile, to));
    };
    copy_back(on_device[f].out, at[f].out);
    if (stage.form == Form::begin) copy_back(on_device[f].rate, at[f].rate);
  }
}

}  // namespace tacit::mesh
