// Builds the task graph of a step.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/heat/step.hpp"

#include <algorithm>

#include "tacit/base/cpu_features.hpp"

namespace tacit::heat {
namespace {

constexpr std::size_t low = 0;
constexpr std::size_t high = 1;

/// Where the tiles begin along an axis, and its end. Between ranks the outer ones are thin, so that messages leave
/// early and all others need no ghost cells.
std::vector<std::size_t> cuts(std::size_t cells, std::size_t pieces, bool is_divided) {
  const std::size_t rim = is_divided ? std::min<std::size_t>(2, cells / 2) : 0;
  pieces = std::clamp<std::size_t>(pieces, 1, std::max<std::size_t>(cells - 2 * rim, 1));
  std::vector<std::size_t> result{0};
  for (std::size_t i = 0; i <= pieces; ++i) result.push_back(rim + (cells - 2 * rim) * i / pieces);
  result.push_back(cells);
  result.erase(std::ranges::unique(result).begin(), result.end());
  return result;
}

/// What is at one side of a block: a wall, its own other side, or (sign 0) another rank.
kernels::Mirror mirror_of(const Domain& domain, const Block& block, std::size_t axis, std::size_t side) {
  if (axis >= domain.dimensions || block.neighbours[axis][side]) return {};
  const std::ptrdiff_t out = side == low ? -block.next[axis] : block.next[axis];
  switch (domain.walls[axis]) {
    case Wall::periodic:
      return {.sign = 1.0, .to = -out * static_cast<std::ptrdiff_t>(block.cells[axis])};
    case Wall::fixed:
      return {.sign = -1.0, .shift = 2.0 * (side == low ? domain.low : domain.high)[axis], .to = out};
    case Wall::insulating:
      break;
  }
  return {.sign = 1.0, .to = out};
}

}  // namespace

/// Each stage of the scheme computes the temperature `out` from y, the one before it, tile by tile:
///
///     halo pack, post ... arrive, unpack --> stage of the tiles beside other ranks --> halo pack of the next stage
///                              (y of the tiles around) --> stage of all others
///
/// A tile also sets the ghost cells that mirror its own: those at walls, and those of an axis that is periodic and not
/// divided among ranks. So a stage of a tile waits for the tiles around it, and for messages only beside other ranks.
Step::Step(const HeatParameters& parameters, const Block& block, FieldSet& fields, const engine::Resources& resources)
    : stages_(parameters.stages),
      domain_(parameters.domain),
      block_(block),
      fields_(fields),
      diffusion_(diffusion_of(parameters, block, fields)),
      loops_(base::with_instruction_set(base::chosen_instruction_set(),
                                        []<class Isa>(Isa) { return kernels::loops_of<Isa>(); })),
      scheduler_(resources.scheduler),
      exchange_(resources.ranks) {
  cut();
  for (std::size_t stage = 0; stage < stages_.size(); ++stage) add_stage(stage);
  exchange_.connect();
  exchange_.time_transfers();
  activation_ = graph_.activate_all();
}

void Step::cut() {
  constexpr std::size_t cells_of_a_task = std::size_t{1} << 17U;
  const std::size_t cells = block_.cells[0] * block_.cells[1] * block_.cells[2];
  std::array<std::vector<std::size_t>, 3> at;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const bool is_last = axis + 1 == domain_.dimensions;
    const bool is_divided = block_.neighbours[axis][low] || block_.neighbours[axis][high];
    at[axis] = cuts(block_.cells[axis], is_last ? std::max(2 * scheduler_.workers(), cells / cells_of_a_task) : 1,
                    is_divided);
    counts_[axis] = at[axis].size() - 1;
  }
  for (std::size_t i = 0; i < counts_[0] * counts_[1] * counts_[2]; ++i) {
    Tile tile{.index = {i % counts_[0], i / counts_[0] % counts_[1], i / (counts_[0] * counts_[1])}};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const std::size_t begin = at[axis][tile.index[axis]];
      const std::size_t end = at[axis][tile.index[axis] + 1];
      tile.cells.n[axis] = end - begin;
      tile.cells.next[axis] = block_.next[axis];
      tile.offset += static_cast<std::ptrdiff_t>(begin) * block_.next[axis];
      if (begin == 0) tile.cells.low[axis] = mirror_of(domain_, block_, axis, low);
      if (end == block_.cells[axis]) tile.cells.high[axis] = mirror_of(domain_, block_, axis, high);
    }
    for (tasks::DatumId& datum : tile.data) datum = graph_.add_datum();
    tiles_.push_back(tile);
  }
}

double* Step::field(std::size_t number) const {
  return (number == 0 ? fields_.T : fields_.between[number - 1]).data() + block_.origin;
}

void Step::mirror() {
  for (const Tile& tile : tiles_) loops_.mirror(tile.cells, field(0) + tile.offset);
}

/// Temperatures lie in turn in the two fields between; the last one replaces T, where every stage may find the first.
void Step::add_stage(std::size_t number) {
  const kernels::Stage& stage = stages_[number];
  const auto result_of = [&](std::size_t n) { return n + 1 == stages_.size() ? 0 : 1 + n % 2; };
  const std::size_t y = number == 0 ? 0 : result_of(number - 1);
  const std::size_t prev = number < 2 ? 0 : result_of(number - 2);
  const std::size_t out = result_of(number);
  for (std::size_t i = 0; i < tiles_.size(); ++i) {
    const Tile& tile = tiles_[i];
    tasks::Accesses accesses = reads_around(tile, y);
    for (const std::size_t alone : {std::size_t{0}, prev}) accesses.emplace_back(tile.data[alone], tasks::AccessMode::read);
    accesses.emplace_back(tile.data[out], tasks::AccessMode::write);
    const kernels::Fields at{.y = field(y) + tile.offset,
                             .prev = field(prev) + tile.offset,
                             .base = field(0) + tile.offset,
                             .rate = fields_.rate.empty() ? nullptr : fields_.rate.data() + block_.origin + tile.offset,
                             .out = field(out) + tile.offset};
    kernels::Diffusion by = diffusion_;
    for (const double*& face : by.face) face += face == nullptr ? 0 : tile.offset;
    by.source += by.source == nullptr ? 0 : tile.offset;
    graph_.add("stage", accesses,
               [this, &tile, &stage, at, by](tasks::StepContext& step) { loops_.advance(tile.cells, by, stage, step.dt, at); },
               {.key = static_cast<std::uint32_t>(i)});
  }
}

/// The cells of a tile and of those beside it.
tasks::Accesses Step::reads_around(const Tile& tile, std::size_t field) const {
  tasks::Accesses accesses{{tile.data[field], tasks::AccessMode::read}};
  for (std::size_t axis = 0; axis < domain_.dimensions; ++axis) {
    for (const std::size_t side : {low, high}) {
      std::array<std::size_t, 3> at = tile.index;
      const bool is_end = at[axis] == (side == low ? 0 : counts_[axis] - 1);
      if (is_end && (block_.neighbours[axis][side] || domain_.walls[axis] != Wall::periodic)) continue;
      at[axis] = (at[axis] + counts_[axis] + (side == low ? counts_[axis] - 1 : 1)) % counts_[axis];
      const Tile& beside = tiles_[(at[2] * counts_[1] + at[1]) * counts_[0] + at[0]];
      accesses.emplace_back(beside.data[field], tasks::AccessMode::read);
    }
  }
  return accesses;
}

}  // namespace tacit::heat
