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
/// A piece also sets the ghost cells that follow from its own: at walls, and beyond the other side of an axis that is
/// periodic and that no rank divides. So it waits for the pieces around it, and beside other ranks for messages.
Step::Step(const HeatParameters& parameters, const mesh::BlockGrid& grid, FieldSet& fields,
           const engine::Resources& resources)
    : parameters_(parameters),
      grid_(grid),
      fields_(fields),
      loops_(base::with_instruction_set(base::chosen_instruction_set(),
                                        []<class Isa>(Isa) { return kernels::loops_of<Isa>(); })),
      sides_(sides_of(parameters.domain, grid)),
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
    const auto accesses = mesh::reads_around(pieces_, data_[y], p) +
                          tasks::reads(data_[0].pieces[p], data_[prev].pieces[p]) + tasks::writes(data_[out].pieces[p]);
    const kernels::Fields at{.y = field(y).data() + first,
                             .prev = field(prev).data() + first,
                             .base = fields_.T.data() + first,
                             .rate = fields_.rate.empty() ? nullptr : fields_.rate.data() + first,
                             .out = field(out).data() + first};
    const auto advance = [this, number, p, at, &result = field(out)](tasks::StepContext& step) {
      loops_.advance(tiles_[p].cells, tiles_[p].diffusion, parameters_.stages[number], step.dt, at);
      mesh::fill_sides(grid_, sides_, pieces_.pieces[p].box, result);
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
  pieces_ = mesh::cut_tiles(grid_, {.interior_pieces = pieces, .wraps = mesh::wraps_of(sides_)});
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
  }
  return tile;
}

void Step::mirror() { mesh::fill_sides(grid_, sides_, grid_.block(), fields_.T); }

}  // namespace tacit::heat
