// Who tells whom what in a step by futures, and in which order sub-grids compute.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/amr/futures/step_by_futures.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "tacit/base/error.hpp"
#include "tacit/exchange/over_ranks.hpp"
#include "tacit/solvers/amr/step.hpp"

namespace tacit::amr {
namespace {

using kernels::Stage;

constexpr std::uint64_t is_of_fluxes = std::uint64_t{1} << 63U;

std::uint64_t key_of_cells(std::size_t leaf) { return leaf; }

std::uint64_t key_of_fluxes(std::size_t leaf, std::size_t axis, std::size_t side) {
  return is_of_fluxes | (6 * leaf + 2 * axis + side);
}

/// Adds a number to a list unless it is there.
void add_once(std::vector<std::size_t>& list, std::size_t number) {
  if (std::ranges::find(list, number) == list.end()) list.push_back(number);
}

}  // namespace

StepByFutures::Signals::Signals(tasks::Scheduler& scheduler, std::size_t count) {
  promises_.reserve(count);
  futures_.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    promises_.emplace_back(scheduler);
    futures_.push_back(promises_.back().future());
  }
}

actions::Table StepByFutures::table() {
  actions::Table table;
  table.add_channel<Cells>("cells of sub-grids");
  table.add<&Doors::open>("open channels");
  MovingSubGrids::add_to(table);
  return table;
}

StepByFutures::StepByFutures(Step& step, const engine::Resources& resources)
    : step_(step),
      scheduler_(resources.scheduler),
      actions_(resources.ranks, resources.scheduler, table()),
      moves_(actions_, resources.ranks),
      doors_(actions_.make<Doors>()),
      doors_of_(exchange::gather_all(resources.ranks, doors_.id)),
      of_sub_grid_{.kind = resources.scheduler.recorder().kind("sub-grid")},
      of_copy_{.kind = resources.scheduler.recorder().kind("copy", trace::Category::communication)} {}

// ---- who has to do with whom ---------------------------------------------------------------------------------------

/// The ranks that will get something make the channels for it, and hand them to those who have it.
void StepByFutures::meet() {
  const mesh::OctreeHalo& halo = step_.grids_.share().halo;
  std::vector<std::vector<Door>> doors(doors_of_.size());
  const auto open_to = [&](comm::RankId rank, std::uint64_t key) {
    channels_.push_back(std::make_unique<actions::Channel<Cells>>(actions_));
    doors[number(rank)].push_back({key, channels_.back()->handle()});
    return channels_.back().get();
  };
  for (std::size_t place = 0; place < halo.receive.size(); ++place) {
    const mesh::SharedCells& part = halo.receive[place];
    Copy& copy = copies_[step_.grids_.place_of_copy(part.leaf)];
    copy.place = place;
    copy.channel = open_to(part.rank, key_of_cells(part.leaf));
  }
  for (std::size_t place = 0; place < step_.to_take_.size(); ++place) {
    const Step::Passed& one = step_.to_take_[place];
    actions::Channel<Cells>* const channel = open_to(one.rank, key_of_fluxes(one.leaf, one.axis, one.side));
    ties_[step_.own_place(one.beyond)].taken.push_back({place, channel});
  }
  for (std::size_t rank = 0; rank < doors.size(); ++rank) {
    if (doors[rank].empty()) continue;
    const comm::RankId to{static_cast<std::uint32_t>(rank)};
    actions_.send<&Doors::open>(actions::Handle<Doors>{to, doors_of_[rank]}, std::move(doors[rank])).wait();
  }
  actions_.quiet();  // all have theirs
  open_.clear();
  for (const Door& door : actions_.local(doors_)->take())
    open_.emplace(std::pair(door.channel.rank, door.key), door.channel);
}

StepByFutures::Setter StepByFutures::setter_to(comm::RankId rank, std::uint64_t key) {
  const auto found = open_.find({rank, key});
  if (found == open_.end())
    throw base::Error("rank " + std::to_string(number(rank)) + " has made no channel for what it sees of this one");
  return Setter(actions_, found->second);
}

void StepByFutures::rebuild() {
  const mesh::LeafRange& own = step_.grids_.own();
  ties_.clear();  // whose setters refer to channels
  copies_.clear();
  channels_.clear();
  ties_.resize(own.size());
  copies_.resize(step_.grids_.copied().size());
  meet();
  for (std::size_t leaf = own.begin; leaf < own.end; ++leaf) tie(leaf);
  const mesh::OctreeHalo& halo = step_.grids_.share().halo;
  for (std::size_t place = 0; place < halo.send.size(); ++place) {
    const mesh::SharedCells& part = halo.send[place];
    ties_[step_.own_place(part.leaf)].shown.push_back({place, setter_to(part.rank, key_of_cells(part.leaf))});
  }
  for (std::size_t place = 0; place < step_.to_pass_.size(); ++place) {
    const Step::Passed& one = step_.to_pass_[place];
    const std::uint64_t key = key_of_fluxes(one.leaf, one.axis, one.side);
    ties_[step_.own_place(one.leaf)].passed.push_back({place, setter_to(one.rank, key)});
  }
  open_.clear();
  for (Ties& one : ties_) {
    std::erase_if(one.readers,
                  [&](std::size_t reader) { return std::ranges::find(one.seen, reader) != one.seen.end(); });
  }
}

void StepByFutures::tie(std::size_t leaf) {
  const mesh::LeafRange& own = step_.grids_.own();
  Ties& ties = ties_[step_.own_place(leaf)];
  ties.seen = step_.seen_by(leaf);
  for (const std::size_t other : ties.seen) {
    if (own.contains(other)) {
      add_once(ties_[step_.own_place(other)].readers, leaf);
    } else {
      add_once(copies_[step_.grids_.place_of_copy(other)].readers, leaf);
    }
  }
  if (step_.parameters_.border_fluxes == BorderFluxes::of_each) return;
  for (std::size_t axis = 0; axis < step_.shapes_.size(); ++axis) {
    for (const mesh::Beside& beside : step_.beside_[step_.own_place(leaf)][axis]) {
      if (beside.relation != mesh::Beside::Relation::finer) continue;
      ties.is_corrected = true;
      for (std::size_t part = 0; part < beside.count; ++part) {
        if (own.contains(beside.leaves[part])) add_once(ties.finer, beside.leaves[part]);
      }
    }
  }
}

// ---- a step --------------------------------------------------------------------------------------------------------

void StepByFutures::run(std::span<const Stage> stages, double dt) {
  Run run{.stages = {}, .dt = dt};
  for (const Stage stage : stages) {
    run.stages.push_back({.stage = stage,
                          .advanced = Signals(scheduler_, ties_.size()),
                          .complete = Signals(scheduler_, ties_.size()),
                          .arrived = Signals(scheduler_, copies_.size())});
  }
  std::vector<tasks::Future<void>> ends;
  ends.reserve(copies_.size() + ties_.size());
  for (std::size_t copy = 0; copy < copies_.size(); ++copy) {
    tasks::JobOptions options = of_copy_;
    options.key = static_cast<std::uint32_t>(step_.grids_.copied()[copy]);
    ends.push_back(tasks::spawn(scheduler_, receive(copy, run), options));
  }
  const mesh::LeafRange& own = step_.grids_.own();
  for (std::size_t leaf = own.begin; leaf < own.end; ++leaf) {
    tasks::JobOptions options = of_sub_grid_;
    options.key = static_cast<std::uint32_t>(leaf);
    ends.push_back(tasks::spawn(scheduler_, advance(leaf, run), options));
  }
  for (const tasks::Future<void>& end : ends) end.wait();
  actions_.flush();  // others may wait for what this rank has done with
  for (const tasks::Future<void>& end : ends) end.get();
}

/// An error is passed on to all who wait for this sub-grid, so that none waits for ever.
tasks::Task<> StepByFutures::advance(std::size_t leaf, Run& run) {
  const std::size_t own = step_.own_place(leaf);
  std::exception_ptr error;
  for (std::size_t at = 0; at < run.stages.size(); ++at) {
    bool has_advanced = false;
    if (!error) {
      try {
        co_await this->stage(leaf, run, at);
        run.stages[at].advanced.set(own);
        has_advanced = true;
        co_await correct(leaf, run, at);
        run.stages[at].complete.set(own);
        continue;
      } catch (...) {
        error = std::current_exception();
      }
    }
    if (!has_advanced) run.stages[at].advanced.fail(own, error);
    run.stages[at].complete.fail(own, error);
  }
  if (error) std::rethrow_exception(error);
}

tasks::Task<> StepByFutures::stage(std::size_t leaf, Run& run, std::size_t at) {
  const Stage stage = run.stages[at].stage;
  Ties& ties = ties_[step_.own_place(leaf)];
  for (Shown& shown : ties.shown) co_await shown.channel.set(cells_of(stage, shown.place));
  for (const std::size_t other : ties.seen) {
    if (!step_.grids_.own().contains(other)) {
      co_await run.stages[at].arrived[step_.grids_.place_of_copy(other)];
    } else if (at > 0) {
      co_await run.stages[at - 1].complete[step_.own_place(other)];
    }
  }
  // This stage may write where the last one was read.
  for (std::size_t i = 0; at > 0 && i < ties.readers.size(); ++i)
    co_await run.stages[at - 1].advanced[step_.own_place(ties.readers[i])];
  co_await compute(leaf, stage, run.dt);
  for (Shown& passed : ties.passed) co_await passed.channel.set(step_.fluxes_of(step_.to_pass_[passed.place]));
}

void StepByFutures::PostLaunch::operator()(base::Token token) const {
  step->post_launch(std::move(*launch), stage, leaf, dt, token);
}

/// On a device where there are launch slots and one is free, else here.
tasks::Task<> StepByFutures::compute(std::size_t leaf, Stage stage, double dt) {
  if (!step_.launches_) {
    step_.compute(stage, leaf, dt);
    co_return;
  }
  gpu::Slots& slots = *step_.launch_slots_.slots();
  if (auto launch = slots.acquire(step_.launch_kind_, step_.launches_->need())) {
    co_await tasks::completion(slots, PostLaunch{&step_, &launch, stage, leaf, dt});
  } else {
    step_.compute_without_slot(stage, leaf, dt);
  }
  step_.end_stage(stage, leaf, dt);
}

tasks::Task<> StepByFutures::correct(std::size_t leaf, Run& run, std::size_t at) {
  Ties& ties = ties_[step_.own_place(leaf)];
  if (!ties.is_corrected) co_return;
  for (const std::size_t fine : ties.finer) co_await run.stages[at].advanced[step_.own_place(fine)];
  for (Taken& taken : ties.taken) {
    const Cells values = co_await taken.channel->get();
    step_.take_fluxes(step_.to_take_[taken.place], values);
  }
  step_.costs_.count(step_.own_place(leaf), [&] { step_.correct(run.stages[at].stage, leaf, run.dt); });
}

/// Of a copy there is one state at a time.
tasks::Task<> StepByFutures::receive(std::size_t copy, Run& run) {
  Copy& from = copies_[copy];
  std::exception_ptr error;
  for (std::size_t at = 0; at < run.stages.size(); ++at) {
    if (!error) {
      try {
        if (from.channel != nullptr) {
          const Cells cells = co_await from.channel->get();
          for (std::size_t i = 0; at > 0 && i < from.readers.size(); ++i)
            co_await run.stages[at - 1].advanced[step_.own_place(from.readers[i])];
          step_.unpack_cells(step_.grids_.share().halo.receive[from.place], cells);
        }
        run.stages[at].arrived.set(copy);
        continue;
      } catch (...) {
        error = std::current_exception();
      }
    }
    run.stages[at].arrived.fail(copy, error);
  }
  if (error) std::rethrow_exception(error);
}

StepByFutures::Cells StepByFutures::cells_of(Stage stage, std::size_t place) const {
  const mesh::SharedCells& part = step_.grids_.share().halo.send[place];
  Cells cells(step_.count_of_cells(part));
  step_.pack_cells(stage, part, cells);
  return cells;
}

void StepByFutures::refresh() {
  for (Ties& ties : ties_) {
    for (Shown& shown : ties.shown) shown.channel.set(cells_of(Stage::first, shown.place)).wait();
  }
  for (Copy& copy : copies_) {
    if (copy.channel == nullptr) continue;
    const Cells cells = copy.channel->get().take();
    step_.unpack_cells(step_.grids_.share().halo.receive[copy.place], cells);
  }
  actions_.flush();
}

}  // namespace tacit::amr
