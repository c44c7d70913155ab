// Builds the task graph of a step.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/heat/step.hpp"

#include <algorithm>

#include "tacit/base/cpu_features.hpp"
#include "tacit/mesh/halo.hpp"

namespace tacit::heat {

/// Every stage of the scheme computes the temperature after it from y, the one before, piece by piece:
///
///     halo pack, post .. arrive, unpack --> stage of the rim ------> halo pack of the next stage
///                   (y of the pieces around) --> stage of the interior
///
/// A piece also sets the ghost cells that mirror its own: at walls, and beyond the other side of an axis that is
/// periodic and that no rank divides. So it waits for the pieces around it, and beside other ranks for messages.
Step::Step(const HeatParameters& parameters, const mesh::BlockGrid& grid, FieldSet& fields,
           const engine::Resources& resources)
    : parameters_(parameters),
      grid_(grid),
      fields_(fields),
      loops_(base::with_instruction_set(base::chosen_instruction_set(),
                                        []<class Isa>(Isa) { return kernels::loops_of<Isa>(); })),
      scheduler_(resources.scheduler),
      exchange_(resources.ranks) {
  add_tiles();
  for (std::size_t stage = 0; stage < parameters.stages.size(); ++stage) add_stage(stage);
  exchange_.connect();
  exchange_.time_transfers();
  activation_ = graph_.activate_all();
}

/// Temperatures lie in turn in the two fields between; the last one replaces T, where every stage finds the first.
void Step::add_stage(std::size_t number) {
  const std::vector<kernels::Stage>& stages = parameters_.stages;
  const auto result_of = [&](std::size_t n) { return n + 1 == stages.size() ? 0 : 1 + n % 2; };
  const std::size_t y = number == 0 ? 0 : result_of(number - 1);
  const std::size_t prev = number < 2 ? 0 : result_of(number - 2);
  const std::size_t out = result_of(number);
  add_halo(y);
  for (std::size_t p = 0; p < tiles_.size(); ++p) {
    const std::size_t first = tiles_[p].first;
    const auto accesses = reads_around(p, y) + tasks::reads(data_[0].pieces[p], data_[prev].pieces[p]) +
                          tasks::writes(data_[out].pieces[p]);
    const kernels::Fields at{.y = field(y).data() + first,
                             .prev = field(prev).data() + first,
                             .base = fields_.T.data() + first,
                             .rate = fields_.rate.empty() ? nullptr : fields_.rate.data() + first,
                             .out = field(out).data() + first};
    const auto advance = [this, number, p, at](tasks::StepContext& step) {
      loops_.advance(tiles_[p].cells, tiles_[p].diffusion, parameters_.stages[number], step.dt, at);
    };
    graph_.add("stage", accesses, advance, {.key = static_cast<std::uint32_t>(p)});
  }
}

void Step::add_halo(std::size_t number) {
  exchange::Messages messages;
  mesh::add_halo<double>(messages, grid_, {.neighbours = pieces_.neighbours},
                         mesh::halo_accesses(pieces_, data_[number]),
                         [&of = field(number)](tasks::StepContext&) { return std::span<double>(of); });
  exchange_.add(graph_, "halo", std::move(messages));
}

void Step::add_tiles() {
  constexpr std::size_t cells_of_a_task = std::size_t{1} << 17U;
  const std::size_t pieces = std::max(scheduler_.workers(), grid_.block().points() / cells_of_a_task);
  pieces_ = mesh::cut_tiles(grid_, {.interior_pieces = pieces});
  for (const mesh::Piece& piece : pieces_.pieces) tiles_.push_back(tile_of(piece));
  for (mesh::FieldData& data : data_) data = mesh::add_field(graph_, pieces_);
}

Step::Tile Step::tile_of(const mesh::Piece& piece) const {
  const std::size_t first = grid_.layout().index(piece.box.begin);
  Tile tile{.diffusion = diffusion_of(parameters_, fields_), .first = first};
  if (tile.diffusion.source != nullptr) {
    tile.diffusion.source += first;
    for (const double*& face : tile.diffusion.face) face += first;
  }
  for (std::size_t axis = 0; axis < grid_.dimensions(); ++axis) {
    tile.cells.n[axis] = static_cast<std::size_t>(piece.box.extent(axis));
    tile.cells.next[axis] = static_cast<std::ptrdiff_t>(grid_.layout().stride(axis));
    if (piece.box.begin[axis] == 0) tile.cells.low[axis] = mirror_at(axis, mesh::Side::low);
    if (piece.box.end[axis] == grid_.block().end[axis]) tile.cells.high[axis] = mirror_at(axis, mesh::Side::high);
  }
  return tile;
}

/// What the stencil needs of a field: beside the pieces around, those at the other side that set its ghost cells.
tasks::Accesses Step::reads_around(std::size_t piece, std::size_t field) const {
  tasks::Accesses accesses = mesh::reads_around(pieces_, data_[field], piece);
  const mesh::Box& box = pieces_.pieces[piece].box;
  for (std::size_t axis = 0; axis < grid_.dimensions(); ++axis) {
    const mesh::Index end = grid_.block().end[axis];
    if (parameters_.domain.walls[axis] != Wall::periodic || grid_.ranks(axis) > 1) continue;
    for (std::size_t other = 0; other < pieces_.pieces.size(); ++other) {
      const mesh::Box& theirs = pieces_.pieces[other].box;
      const bool is_below = box.begin[axis] == 0 && !intersection(theirs, box.with(axis, end - 1, end)).is_empty();
      const bool is_above = box.end[axis] == end && !intersection(theirs, box.with(axis, 0, 1)).is_empty();
      if (is_below || is_above) accesses.emplace_back(data_[field].pieces[other], tasks::AccessMode::read);
    }
  }
  return accesses;
}

/// What is at a side of the block: a wall, its own other side, or another rank.
kernels::Mirror Step::mirror_at(std::size_t axis, mesh::Side side) const {
  if (!grid_.is_at_wall(axis, side)) return {};
  const bool is_low = side == mesh::Side::low;
  const auto next = static_cast<std::ptrdiff_t>(grid_.layout().stride(axis)) * (is_low ? -1 : 1);
  const Domain& domain = parameters_.domain;
  switch (domain.walls[axis]) {
    case Wall::periodic:
      return {.sign = 1.0, .to = -next * grid_.block().extent(axis)};
    case Wall::fixed:
      return {.sign = -1.0, .shift = 2.0 * (is_low ? domain.low : domain.high)[axis], .to = next};
    case Wall::insulating:
      break;
  }
  return {.sign = 1.0, .to = next};
}

void Step::mirror() {
  for (const Tile& tile : tiles_) loops_.mirror(tile.cells, fields_.T.data() + tile.first);
}

}  // namespace tacit::heat
