// Builds the task graph of a step.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/md/step.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <utility>

#include "tacit/engine/across_ranks.hpp"
#include "tacit/engine/error.hpp"
#include "tacit/tasks/parallel_for.hpp"

namespace tacit::md {
namespace {

/// So that a task takes some tens of microseconds, and there are several for each worker.
double cells_of_brick(std::size_t atoms, std::size_t cells, std::size_t workers) {
  const auto count = static_cast<double>(std::max<std::size_t>(atoms, 1));
  const double atoms_of_brick = std::clamp(count / (8.0 * static_cast<double>(workers)), 64.0, 1024.0);
  return atoms_of_brick * static_cast<double>(cells) / count;
}

std::vector<comm::RankId> ranks_of(const CellGrid& grid) {
  std::vector<comm::RankId> result;
  for (const CellPeer& peer : grid.peers()) result.push_back(comm::RankId{peer.rank});
  return result;
}

}  // namespace

/// A step of velocity Verlet. Each brick of cells has these tasks; those in one run are one graph with edges between
/// bricks that see each other:
///
///     drift    v += f dt/2m, x += v dt, and how far that is
///     ghosts   copies of its cells beyond periodic faces       (positions of the brick)
///     [lists]  neighbours within cutoff + skin                 (positions and ghosts around)
///     force    f                                               (positions and ghosts around, lists)
///     kick     v += f dt/2m                                    (forces of the brick, the decision on lists)
///
/// and where bonds act, in place of the force
///
///     bonds    what those of its atoms do to their neighbours  (positions and ghosts around, lists)
///     gather   f                                               (bonds around)
///
/// and where atoms are embedded
///
///     embed    F'(rho) of its atoms                            (positions and ghosts around, lists)
///     force    f                                               (likewise, and F'(rho) around)
///
/// Behind the drift it is decided over all ranks whether the lists hold. Where an atom is by half of the skin from
/// where they were made, cells may go to other ranks, atoms go to the ranks of their cells and are sorted, each rank
/// tells the others how many atoms the cells have that they see, and lists and forces are made. Where atoms of several
/// ranks are not yet so far that this is to be expected, forces are found while ranks decide; kicks wait for that, and
/// where it was wrong they leave velocities as they are. Nothing but its own brick is written by a task.
///
/// Atoms of other ranks are in bricks, too, whose positions come in messages, one from each rank; bricks that see none
/// of them need not wait. Where bonds act, those of atoms around a rank's own are found on both ranks, from the same
/// numbers in the same order, and so bitwise alike; F'(rho), too.
Step::Step(const MdParameters& parameters, Atoms& atoms, const Interaction& interaction,
           const engine::Resources& resources, const Division& division, const Box& box)
    : box_(box),
      list_box_(box),
      reach_(interaction.cutoff() + parameters.skin),
      skin_(parameters.skin),
      kind_(interaction.kind()),
      seen_(kind_ == Interaction::Kind::pairs ? Seen::around_own : Seen::around_those),
      groups_(parameters.groups),
      atoms_(atoms),
      interaction_(interaction),
      scheduler_(resources.scheduler),
      ranks_(resources.ranks),
      grid_(grid_for(division, atoms.count())),
      balance_(ranks_, parameters.rebalance, Division::weight_of(atoms.count(), grid_.own_cells())),
      lists_(atoms, grid_, pair_loops(), reach_, scheduler_.workers()),
      shortage_(ranks_, {.largest = 1}),
      farthest_(ranks_, {.largest = 3}),
      migration_(ranks_, scheduler_),
      exchange_(ranks_) {
  for (const double mass : parameters.masses) inverse_mass_.push_back(1.0 / mass);
  match_grid();
}

/// @param atoms  that its cells have, about
CellGrid Step::grid_for(const Division& division, std::size_t atoms) const {
  const std::uint32_t rank = number(ranks_.rank());
  return {box_, reach_, division,
          rank, seen_,  cells_of_brick(atoms, division.cells_of(rank).size(), scheduler_.workers())};
}

/// What depends on the cells that this rank sees, and the graph.
void Step::match_grid() {
  lists_.match_grid();
  moved_.assign(grid_.own_bricks(), {});
  of_others_.assign(grid_.cells() - grid_.own_cells(), 0);
  rooms_.assign(grid_.peers().size(), {});
  if (kind_ == Interaction::Kind::bonds) bonds_.resize(grid_.listed_bricks());
  migration_.set_neighbours(ranks_of(grid_));
  build();
}

void Step::build() {
  exchange_.clear();
  graph_ = tasks::Graph();
  bricks_.clear();
  tasks_ = {};
  for (std::size_t b = 0; b < grid_.bricks(); ++b) {
    bricks_.push_back({graph_.add_datum(), graph_.add_datum(), graph_.add_datum(), graph_.add_datum(),
                       graph_.add_datum(), graph_.add_datum()});
  }
  // Accesses are ordered as they are added: what is copied of all bricks comes before what reads it.
  for (std::size_t b = 0; b < grid_.own_bricks(); ++b) add_motion(b);
  add_reduction();
  add_messages();
  for (std::size_t b = 0; b < grid_.bricks(); ++b) add_ghosts(b);
  for (std::size_t b = 0; b < grid_.listed_bricks(); ++b) add_forces(b);
  for (std::size_t b = 0; b < grid_.own_bricks(); ++b) {
    if (kind_ == Interaction::Kind::bonds) add_gathering(b);
    if (kind_ == Interaction::Kind::embedded) add_embedded_forces(b);
  }
  for (std::size_t b = 0; b < grid_.own_bricks(); ++b) add_kick(b);
  exchange_.connect();
  const auto together = [this](std::initializer_list<const std::vector<tasks::TaskId>*> parts) {
    std::vector<tasks::TaskId> all;
    for (const auto* part : parts) all.insert(all.end(), part->begin(), part->end());
    return graph_.activate(all);
  };
  const Tasks& of = tasks_;
  drifts_ = together({&of.drift});
  counts_ = together({&of.counts});
  forces_ = together({&of.positions, &of.ghosts, &of.embedding, &of.forces, &of.kicks});
  drifts_and_forces_ = together({&of.drift, &of.positions, &of.ghosts, &of.embedding, &of.forces, &of.kicks});
  lists_and_forces_ =
      together({&of.labels, &of.positions, &of.ghosts, &of.lists, &of.embedding, &of.forces, &of.kicks});
  lists_alone_ = together({&of.labels, &of.positions, &of.ghosts, &of.lists});
  ghosts_alone_ = together({&of.positions, &of.ghosts, &of.embedding});
}

void Step::add_motion(std::size_t b) {
  const Brick& own = bricks_[b];
  const tasks::TaskOptions options{.key = static_cast<std::uint32_t>(b)};
  const auto move = [this, b](tasks::StepContext& step) { drift(b, step.dt); };
  tasks_.drift.push_back(
      graph_.add("drift", tasks::reads(own.forces) + tasks::writes(own.positions, own.motion), move, options));
}

/// How far atoms of all ranks are, and how many the rank with most to do has.
void Step::add_reduction() {
  decision_ = graph_.add_datum();
  tasks::Accesses accesses = tasks::writes(decision_);
  for (std::size_t b = 0; b < grid_.own_bricks(); ++b) {
    accesses.emplace_back(bricks_[b].motion, tasks::AccessMode::read);
  }
  const auto fill = [this](tasks::StepContext&) {
    Moved all;
    for (const Moved& one : moved_) {
      all.from_lists2 = std::max(all.from_lists2, one.from_lists2);
      all.in_step2 = exchange::larger(all.in_step2, one.in_step2);
    }
    farthest_.largest()[0] = all.from_lists2;
    farthest_.largest()[1] = all.in_step2;
    farthest_.largest()[2] = static_cast<double>(Division::weight_of(atoms_.count(), grid_.own_cells()));
  };
  const std::vector<tasks::TaskId> found = farthest_.add(graph_, "motion", accesses, fill);
  tasks_.drift.insert(tasks_.drift.end(), found.begin(), found.end());
}

void Step::add_ghosts(std::size_t b) {
  if (grid_.ghosts_of(b).size() == 0) return;
  const Brick& own = bricks_[b];
  const auto copy = [this, b](tasks::StepContext&) { atoms_.copy_to_ghosts(box_, grid_, b); };
  tasks_.ghosts.push_back(graph_.add("ghosts", tasks::reads(own.positions), tasks::writes(own.ghosts), copy,
                                     {.key = static_cast<std::uint32_t>(b)}));
}

void Step::add_forces(std::size_t b) {
  const Brick& own = bricks_[b];
  const tasks::TaskOptions options{.cost = 10.0, .key = static_cast<std::uint32_t>(b)};
  const auto list = [this, b](tasks::StepContext& step) { lists_.find(b, step.worker()); };
  const tasks::Accesses near = reads_near(b);
  tasks_.lists.push_back(graph_.add("lists", near, tasks::writes(own.lists), list, options));
  if (kind_ == Interaction::Kind::pairs) {
    const auto force = [this, b](tasks::StepContext&) { find_forces(b); };
    const tasks::Accesses accesses = tasks::reads(own.lists) + tasks::writes(own.forces);
    tasks_.forces.push_back(graph_.add("force", near, accesses, force, options));
    return;
  }
  const tasks::Accesses accesses = tasks::reads(own.lists) + tasks::writes(own.bonds);
  if (kind_ == Interaction::Kind::bonds) {
    const auto bond = [this, b](tasks::StepContext&) {
      const kernels::PairWork work = lists_.work_of(b);
      interaction_.find_bonds(work, bonds_[b], b < grid_.own_bricks() ? live_sums(work.first) : kernels::PairSums{});
    };
    tasks_.forces.push_back(graph_.add("bonds", near, accesses, bond, options));
  } else {
    const auto density = [this, b](tasks::StepContext&) { embed(b); };
    tasks_.embedding.push_back(graph_.add("embed", near, accesses, density, options));
  }
}

void Step::add_gathering(std::size_t b) {
  const auto gather = [this, b](tasks::StepContext&) { gather_forces(b); };
  tasks::Accesses near = reads_bonds_near(b);
  if (interaction_.has_pairs_beside()) {
    const tasks::Accesses positions = reads_near(b) + tasks::reads(bricks_[b].lists);
    near.insert(near.end(), positions.begin(), positions.end());
  }
  tasks_.forces.push_back(
      graph_.add("gather", near, tasks::writes(bricks_[b].forces), gather, {.key = static_cast<std::uint32_t>(b)}));
}

void Step::add_embedded_forces(std::size_t b) {
  const Brick& own = bricks_[b];
  tasks::Accesses near = reads_near(b);
  const tasks::Accesses slopes = reads_bonds_near(b);
  near.insert(near.end(), slopes.begin(), slopes.end());
  const auto force = [this, b](tasks::StepContext&) { find_embedded_forces(b); };
  tasks_.forces.push_back(graph_.add("force", near, tasks::reads(own.lists) + tasks::writes(own.forces), force,
                                     {.cost = 20.0, .key = static_cast<std::uint32_t>(b)}));
}

tasks::Accesses Step::reads_bonds_near(std::size_t brick) const {
  tasks::Accesses accesses;
  for (const auto bricks : {grid_.bricks_near(brick), grid_.images_near(brick)}) {
    for (const std::uint32_t other : bricks) accesses.emplace_back(bricks_[other].bonds, tasks::AccessMode::read);
  }
  return accesses;
}

void Step::add_kick(std::size_t b) {
  const Brick& own = bricks_[b];
  const auto end = [this, b](tasks::StepContext& step) {
    if (!is_decision_open_ || are_lists_valid()) kick(b, step.dt);
  };
  tasks_.kicks.push_back(graph_.add("kick", tasks::reads(own.forces, decision_), tasks::writes(own.motion), end,
                                    {.key = static_cast<std::uint32_t>(b)}));
}

tasks::Accesses Step::reads_near(std::size_t brick) const {
  tasks::Accesses accesses;
  for (const std::uint32_t near : grid_.bricks_near(brick)) {
    accesses.emplace_back(bricks_[near].positions, tasks::AccessMode::read);
  }
  for (const std::uint32_t near : grid_.images_near(brick)) {
    accesses.emplace_back(bricks_[near].ghosts, tasks::AccessMode::read);
  }
  return accesses;
}

void Step::begin() {
  sort_for_lists();
  run(lists_and_forces_, {});
  is_live_ = has_live_;
}

void Step::go_on(const Box& box) {
  const auto swap_positions = [&] {
    for (std::size_t i = 0; i < atoms_.count(); ++i) {
      const base::Vec3 start{atoms_.start[0][i], atoms_.start[1][i], atoms_.start[2][i]};
      const base::Vec3 x = atoms_.position(i);
      atoms_.set_position(i, start);
      for (std::size_t axis = 0; axis < 3; ++axis) atoms_.start[axis][i] = x[axis];
    }
  };
  swap_positions();  // sorted along with the others
  atoms_.sort(box_, grid_, scheduler_);
  make_room_for_live();
  set_up_cells();
  run(lists_alone_, {});
  swap_positions();
  box_ = box;
  run(ghosts_alone_, {});
}

void Step::sort_for_lists() {
  atoms_.sort(box_, grid_, scheduler_);
  set_up_cells();
  for (std::size_t i = 0; i < atoms_.count(); ++i) {
    for (std::size_t axis = 0; axis < 3; ++axis) atoms_.start[axis][i] = atoms_.records[4 * i + axis];
  }
  list_box_ = box_;
  ++rebuilds_;
  make_room_for_live();
}

void Step::stretch(const base::Vec3& half) {
  const base::Vec3 by{half.x * half.x, half.y * half.y, half.z * half.z};
  drift_factor_ = half;
  for (std::size_t axis = 0; axis < 3; ++axis) box_.size[axis] *= by[axis];
  box_.xy *= by.x;
  box_.xz *= by.x;
  box_.yz *= by.y;
  tasks::parallel_for(scheduler_, 0, atoms_.count(), [&](std::size_t i) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      double& x = atoms_.records[4 * i + axis];
      x = box_.origin[axis] + by[axis] * (x - box_.origin[axis]);
    }
  });
}

/// How far an atom may be from where it was for the lists, beside the stretch of the box since then: which brings what
/// was beyond their reach nearer.
double Step::slack() const noexcept {
  double least = 1.0;
  for (std::size_t axis = 0; axis < 3; ++axis) least = std::min(least, box_.size[axis] / list_box_.size[axis]);
  return least < 1.0 ? 0.5 * (skin_ - (1.0 - least) * reach_) : 0.5 * skin_;
}

/// Cells stay, as they are numbers in the box; but which of them are within reach may change with it.
/// @throws engine::NumericsError on all ranks where that is too many
void Step::match_box() {
  if (box_.size == list_box_.size) return;
  if (!CellGrid::fits(box_, reach_)) {
    throw engine::NumericsError(engine::Flaw{
        .text = fmt::format(
            "the box has shrunk to {:.6g} x {:.6g} x {:.6g}, and the cutoff reaches over more than {} of it",
            box_.size.x, box_.size.y, box_.size.z, CellGrid::most_layers),
        .field = "box",
        .element = 0});
  }
  if (grid_.is_like_that_of(box_, reach_)) return;
  grid_ = grid_for(Division(grid_.division()), atoms_.count());
  match_grid();
}

void Step::run(const tasks::StepContext& step) {
  is_live_ = has_live_;
  is_decision_open_ = ranks_.size() > 1 && !expects_lists();
  run(is_decision_open_ ? drifts_and_forces_ : drifts_, step);
  const bool has_forces = std::exchange(is_decision_open_, false);
  const bool is_due = needs_lists(step);
  last_ = {.from_lists2 = is_due ? 0.0 : farthest_.largest()[0], .in_step2 = farthest_.largest()[1]};
  if (!is_due) {
    if (!has_forces) run(forces_, step);
    return;
  }
  atoms_.wrap(box_, scheduler_);
  match_box();
  look_for_division(step);
  if (ranks_.size() > 1) atoms_.migrate(box_, grid_, number(ranks_.rank()), migration_);
  sort_for_lists();
  run(lists_and_forces_, step);
}

/// Whether an atom that goes on as the fastest one did may get too far. Alike on all ranks.
bool Step::expects_lists() const {
  constexpr double faster = 1.25;
  return std::sqrt(last_.from_lists2) + faster * std::sqrt(last_.in_step2) > slack();
}

/// Once it is known how far atoms of all ranks are.
bool Step::are_lists_valid() noexcept {
  const double most = slack();
  return farthest_.largest()[1] <= reach_ * reach_ && most >= 0.0 && farthest_.largest()[0] <= most * most;
}

/// @throws engine::NumericsError
bool Step::needs_lists(const tasks::StepContext& step) {
  if (!(farthest_.largest()[1] <= reach_ * reach_)) {
    throw engine::NumericsError(engine::first_flaw(ranks_, find_flaw(step)).value());
  }
  return !are_lists_valid();
}

/// Of the first brick with an atom that moved too far.
std::optional<engine::Flaw> Step::find_flaw(const tasks::StepContext& step) const {
  const auto is_bad = [this](const Moved& moved) { return !(moved.in_step2 <= reach_ * reach_); };
  const auto brick = std::ranges::find_if(moved_, is_bad);
  if (brick == moved_.end()) return std::nullopt;
  const Range own = atoms_of(static_cast<std::size_t>(brick - moved_.begin()));
  std::size_t worst = own.begin;
  double farthest = -1.0;
  for (std::size_t i = own.begin; i < own.end; ++i) {
    const double speed2 = base::dot(atoms_.velocity(i), atoms_.velocity(i));
    if (speed2 <= farthest) continue;
    worst = i;
    if (!std::isfinite(speed2)) break;
    farthest = speed2;
  }
  const base::Vec3 v = atoms_.velocity(worst);
  const base::Vec3 last = atoms_.position(worst) - step.dt * v;
  return engine::Flaw{
      .text = fmt::format(
          "atom {} moves by {:.4g} in step {}, further than the cutoff and the skin, {:.4g}: it was last "
          "at ({:.6g}, {:.6g}, {:.6g}), with the velocity ({:.4g}, {:.4g}, {:.4g})\n"
          "  Atoms may have begun too close to each other, or md.dt is too long.",
          atoms_.id[worst], step.dt * base::norm(v), step.step, reach_, last.x, last.y, last.z, v.x, v.y, v.z),
      .field = "position",
      .element = atoms_.id[worst]};
}

void Step::drift(std::size_t brick, double dt) {
  kick(brick, dt);
  Moved moved;
  const Range own = atoms_of(brick);
  const bool is_stretched = !(box_.size == list_box_.size);
  base::Vec3 stretched{1.0, 1.0, 1.0};  // since the lists were made
  for (std::size_t axis = 0; axis < 3; ++axis) stretched[axis] = box_.size[axis] / list_box_.size[axis];
  for (std::size_t i = own.begin; i < own.end; ++i) {
    double from_lists2 = 0.0;
    double in_step2 = 0.0;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const double change = dt * drift_factor_[axis] * atoms_.v[axis][i];
      double& x = atoms_.records[4 * i + axis];
      x += change;
      const double start = atoms_.start[axis][i];
      const double away =
          x - (is_stretched ? box_.origin[axis] + stretched[axis] * (start - box_.origin[axis]) : start);
      from_lists2 += away * away;
      in_step2 += change * change;
    }
    moved.from_lists2 = std::max(moved.from_lists2, from_lists2);
    // What is no number stays.
    moved.in_step2 = moved.in_step2 >= in_step2 || moved.in_step2 != moved.in_step2 ? moved.in_step2 : in_step2;
  }
  moved_[brick] = moved;
}

void Step::kick(std::size_t brick, double dt) {
  const Range own = atoms_of(brick);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    double* v = atoms_.v[axis].data();
    const double* f = atoms_.f[axis].data();
    for (std::size_t i = own.begin; i < own.end; ++i) v[i] += 0.5 * dt * (f[i] * inverse_mass_[atoms_.type[i]]);
  }
  if (groups_.act()) kick_groups(groups_, inverse_mass_, atoms_, own, 0.5 * dt);
}

}  // namespace tacit::md
