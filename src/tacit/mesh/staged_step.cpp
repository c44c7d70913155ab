// Builds the task graph of a step of stages.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/mesh/staged_step.hpp"

#include <algorithm>
#include <utility>

#include "tacit/base/error.hpp"
#include "tacit/mesh/halo.hpp"

namespace tacit::mesh {

StagedStep::StagedStep(const BlockGrid& grid, StagedFields system, tasks::Scheduler& scheduler,
                       comm::Communicator& ranks)
    : grid_(grid), system_(std::move(system)), scheduler_(scheduler), exchange_(ranks) {
  const std::size_t fields = system_.fields.size();
  TACIT_EXPECT(fields > 0 && system_.sides.size() == fields && system_.stages.size() > 1 && grid.dimensions() <= 3);
  const std::size_t kept = system_.stages.size() == 2 ? 1 : 3;
  memory_.resize(kept * fields);
  for (Field& field : memory_) field.resize(grid.layout().size());
  states_[0] = system_.fields;
  for (std::size_t i = 0; i < memory_.size(); ++i) {
    (i < 2 * fields ? states_[1 + i / fields] : rates_).push_back(&memory_[i]);
  }
  if (gpu::Slots* const slots = system_.launches.slots) launch_kind_ = slots->kind(system_.launches.name);
  tiles_ = cut_tiles(grid, {.interior_pieces = interior_pieces(), .wraps = wraps_of(system_.sides[0])});
  for (FieldData& data : data_) data = add_field(graph_, tiles_);
  for (std::size_t stage = 0; stage < system_.stages.size(); ++stage) add_stage(stage);
  exchange_.connect();
  exchange_.time_transfers();
  activation_ = graph_.activate_all();
}

/// Enough for all workers, and for slots as many as they have memory for: no bit depends on it.
std::size_t StagedStep::interior_pieces() const {
  constexpr std::size_t cells_of_a_task = std::size_t{1} << 17U;
  constexpr std::size_t cells_of_a_launch = std::size_t{1} << 12U;
  const std::size_t points = grid_.block().points();
  const std::size_t pieces = std::max(scheduler_.workers(), points / cells_of_a_task);
  const gpu::Slots* const slots = system_.launches.slots;
  if (slots == nullptr || slots->size() == 0) return pieces;
  return std::max(pieces, std::min(2 * slots->size(), points / cells_of_a_launch));
}

/// States lie in turn in the two between; the last one replaces the first, where every stage finds it.
void StagedStep::add_stage(std::size_t number) {
  const std::size_t stages = system_.stages.size();
  const auto result_of = [&](std::size_t n) { return n + 1 == stages ? 0 : 1 + n % 2; };
  const std::size_t y = number == 0 ? 0 : result_of(number - 1);
  const std::size_t prev = number < 2 ? 0 : result_of(number - 2);
  const std::size_t out = result_of(number);
  add_halo(y);
  for (std::size_t p = 0; p < tiles_.pieces.size(); ++p) {
    const StageTile tile = tile_of(tiles_.pieces[p]);
    const auto accesses = reads_around(tiles_, data_[y], p) + tasks::reads(data_[0].pieces[p], data_[prev].pieces[p]) +
                          tasks::writes(data_[out].pieces[p]);
    const auto key = static_cast<std::uint32_t>(p);
    auto at = fields_at({y, prev, out}, tile.first);
    if (system_.launches.slots == nullptr) {
      graph_.add("stage", accesses,
                 [this, number, p, tile, out, at = std::move(at)](const tasks::StepContext& step) {
                   system_.advance(tile, system_.stages[number], step.dt, at);
                   fill_sides_of(p, out);
                 },
                 {.key = key});
      continue;
    }
    graph_.add("stage", accesses,
               [this, number, tile, key, at = std::move(at)](tasks::StepContext& step) {
                 launch_or_advance(number, tile, at, step, key);
               },
               {.key = key});
    // The task of the launch ends with it, not by a function.
    graph_.add("sides", tasks::writes(data_[out].pieces[p]),
               [this, p, out](const tasks::StepContext&) { fill_sides_of(p, out); }, {.key = key});
  }
}

/// What `at` refers to is the task's, which lives until the launch has ended.
void StagedStep::launch_or_advance(std::size_t number, const StageTile& tile, std::span<const StageFields> at,
                                   tasks::StepContext& step, std::uint32_t key) {
  gpu::Slots& slots = *system_.launches.slots;
  const Stage& stage = system_.stages[number];
  const gpu::Need need = need_of_stage(tile, at.size(), system_.launches.further);
  const auto advance = [this, &stage, &tile, at, dt = step.dt] { system_.advance(tile, stage, dt, at); };
  if (auto launch = slots.acquire(launch_kind_, need)) {
    const auto record = [this, &stage, &tile, at, dt = step.dt](gpu::Program& program) {
      record_stage(program, system_.launches, tile, stage, dt, at);
    };
    launch.post(step.await(slots, {.key = key}), record, advance);
  } else {
    slots.run_on_cpu(launch_kind_, need.work, advance);
  }
}

void StagedStep::fill_sides_of(std::size_t piece, std::size_t state) const {
  for (std::size_t f = 0; f < system_.fields.size(); ++f)
    mesh::fill_sides(grid_, system_.sides[f], tiles_.pieces[piece].box, *states_[state][f]);
}

std::vector<StageFields> StagedStep::fields_at(std::array<std::size_t, 3> y_prev_out, std::size_t first) {
  const auto [y, prev, out] = y_prev_out;
  std::vector<StageFields> at;
  for (std::size_t f = 0; f < system_.fields.size(); ++f) {
    at.push_back({.y = states_[y][f]->data() + first,
                  .prev = states_[prev][f]->data() + first,
                  .base = states_[0][f]->data() + first,
                  .rate = rates_.empty() ? nullptr : rates_[f]->data() + first,
                  .out = states_[out][f]->data() + first});
  }
  return at;
}

void StagedStep::add_halo(std::size_t state) {
  exchange::Messages messages;
  const std::vector<Field*>& fields = states_[state];
  const Layout layout = grid_.layout();
  add_packed_halo<double>(
      messages, {.neighbours = tiles_.neighbours, .elements_per_point = fields.size()},
      halo_accesses(tiles_, data_[state]),
      [layout, fields](tasks::StepContext&, const Neighbour& to, std::span<double> message) {
        for (const Field* field : fields) message = message.subspan(pack(layout, to.send, *field, message));
      },
      [layout, fields](tasks::StepContext&, const Neighbour& from, std::span<const double> message) {
        for (Field* field : fields)
          message = message.subspan(unpack(layout, from.receive, std::span<double>(*field), message));
      });
  exchange_.add(graph_, "halo", std::move(messages));
}

StageTile StagedStep::tile_of(const Piece& piece) const {
  StageTile tile{.first = grid_.layout().index(piece.box.begin)};
  for (std::size_t axis = 0; axis < grid_.dimensions(); ++axis) {
    tile.n[axis] = static_cast<std::size_t>(piece.box.extent(axis));
    tile.next[axis] = static_cast<std::ptrdiff_t>(grid_.layout().stride(axis));
  }
  return tile;
}

void StagedStep::fill_sides() {
  for (std::size_t f = 0; f < system_.fields.size(); ++f)
    mesh::fill_sides(grid_, system_.sides[f], grid_.block(), *system_.fields[f]);
}

}  // namespace tacit::mesh
