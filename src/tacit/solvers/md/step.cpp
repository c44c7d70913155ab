// Builds the task graph of a step.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/md/step.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <set>
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
///     drift         v += f dt/2m, x += v dt, and how far that is
///     ghosts        copies of its cells beyond periodic faces       (positions of the brick)
///     [lists]       neighbours within cutoff + skin                 (positions and ghosts around)
///     force, kick   f, v += f dt/2m                                 (positions and ghosts around, lists)
///
/// and where bonds act, in place of the last one
///
///     bonds         what those of its atoms do to their neighbours  (positions and ghosts around, lists)
///     gather, kick  f, v += f dt/2m                                 (bonds around)
///
/// Between the first and the others it is known how far atoms of any rank are from where the lists were made; where one
/// is by half of the skin, atoms go to the ranks of their cells and are sorted anew, each rank tells the others how
/// many atoms the cells have that they see, and the lists are made. Nothing but its own brick is written by a task.
///
/// Atoms of other ranks are in bricks, too, whose positions come in messages, one from each rank; bricks that see none
/// of them need not wait. Where bonds act, those of atoms around a rank's own are found on both ranks, from the same
/// numbers in the same order, and so bitwise alike.
Step::Step(const MdParameters& parameters, Atoms& atoms, const Interaction& interaction,
           const engine::Resources& resources, const Division& division)
    : box_(parameters.initial.atoms.box),
      reach_(interaction.cutoff() + parameters.skin),
      skin_(parameters.skin),
      atoms_(atoms),
      interaction_(interaction),
      loops_(pair_loops()),
      scheduler_(resources.scheduler),
      ranks_(resources.ranks),
      grid_(box_, reach_, division, number(ranks_.rank()),
            interaction.kind() == Interaction::Kind::bonds ? Seen::around_those : Seen::around_own,
            cells_of_brick(atoms.count(), division.cells_of(number(ranks_.rank())).size(), scheduler_.workers())),
      lists_(grid_.listed_bricks()),
      scratch_(scheduler_.workers()),
      moved_(grid_.own_bricks()),
      of_others_(grid_.cells() - grid_.own_cells()),
      rooms_(grid_.peers().size()),
      shortage_(ranks_, {.largest = 1}),
      farthest_(ranks_, {.largest = 2}),
      migration_(ranks_, scheduler_, ranks_of(grid_)),
      exchange_(ranks_) {
  for (const double mass : parameters.masses) inverse_mass_.push_back(1.0 / mass);
  if (interaction.kind() == Interaction::Kind::bonds) bonds_.resize(grid_.listed_bricks());
  build();
}

void Step::build() {
  exchange_.clear();
  graph_ = tasks::Graph();
  bricks_.clear();
  tasks_ = {};
  for (std::size_t b = 0; b < grid_.bricks(); ++b) {
    bricks_.push_back(
        {graph_.add_datum(), graph_.add_datum(), graph_.add_datum(), graph_.add_datum(), graph_.add_datum()});
  }
  // Accesses are ordered as they are added: what is copied of all bricks comes before what reads it.
  for (std::size_t b = 0; b < grid_.own_bricks(); ++b) add_motion(b);
  add_reduction();
  add_messages();
  for (std::size_t b = 0; b < grid_.bricks(); ++b) add_ghosts(b);
  for (std::size_t b = 0; b < grid_.listed_bricks(); ++b) add_forces(b);
  if (!bonds_.empty()) {
    for (std::size_t b = 0; b < grid_.own_bricks(); ++b) add_gathering(b);
  }
  exchange_.connect();
  const auto together = [this](std::initializer_list<const std::vector<tasks::TaskId>*> parts) {
    std::vector<tasks::TaskId> all;
    for (const auto* part : parts) all.insert(all.end(), part->begin(), part->end());
    return graph_.activate(all);
  };
  const Tasks& of = tasks_;
  drifts_ = together({&of.drift});
  counts_ = together({&of.counts});
  forces_ = together({&of.positions, &of.ghosts, &of.forces});
  lists_and_forces_ = together({&of.labels, &of.positions, &of.ghosts, &of.lists, &of.forces});
  lists_alone_ = together({&of.labels, &of.positions, &of.ghosts, &of.lists});
  ghosts_alone_ = together({&of.positions, &of.ghosts});
}

/// Of each other rank that is near: how many atoms its cells have, which these are, and where.
void Step::add_messages() {
  exchange::Messages counts;
  exchange::Messages labels;
  exchange::Messages positions;
  for (std::size_t p = 0; p < rooms_.size(); ++p) {
    const CellPeer& peer = grid_.peers()[p];
    const tasks::Accesses reads = accesses_of(peer.shown, tasks::AccessMode::read);
    const tasks::Accesses writes = accesses_of(peer.seen, tasks::AccessMode::write);
    const auto message = [&peer](std::size_t count, exchange::Length length) {
      return exchange::Message{.peer = comm::RankId{peer.rank}, .count = count, .length = length};
    };
    const exchange::Length varies = exchange::Length::variable;
    counts.send<std::uint32_t>(message(peer.shown.size(), exchange::Length::fixed), reads,
                               [this, &peer](tasks::StepContext&, std::span<std::uint32_t> to) {
                                 for (std::size_t k = 0; k < to.size(); ++k) {
                                   to[k] = static_cast<std::uint32_t>(atoms_.atoms_of(peer.shown[k]).size());
                                 }
                               });
    counts.receive<std::uint32_t>(message(peer.seen.size(), exchange::Length::fixed), writes,
                                  [this, &peer](tasks::StepContext&, std::span<const std::uint32_t> from) {
                                    for (std::size_t k = 0; k < from.size(); ++k) {
                                      of_others_[peer.seen[k] - grid_.own_cells()] = from[k];
                                    }
                                  });
    labels.send<Label>(message(rooms_[p].to, varies), reads, [this, &peer](tasks::StepContext&, std::span<Label> to) {
      return atoms_.pack_labels(peer.shown, to);
    });
    labels.receive<Label>(
        message(rooms_[p].from, varies), writes,
        [this, &peer](tasks::StepContext&, std::span<const Label> from) { atoms_.take_labels(peer.seen, from); });
    positions.send<base::Vec3>(
        message(rooms_[p].to, varies), reads,
        [this, &peer](tasks::StepContext&, std::span<base::Vec3> to) { return atoms_.pack_positions(peer.shown, to); });
    positions.receive<base::Vec3>(message(rooms_[p].from, varies), writes,
                                  [this, &peer](tasks::StepContext&, std::span<const base::Vec3> from) {
                                    atoms_.take_positions(peer.seen, from);
                                  });
  }
  tasks_.counts = exchange_.add(graph_, "counts", std::move(counts)).all();
  tasks::Accesses of_others = tasks::writes(graph_.add_datum());
  for (std::size_t b = grid_.own_bricks(); b < grid_.bricks(); ++b) {
    of_others.emplace_back(bricks_[b].positions, tasks::AccessMode::read);
  }
  const auto look = [this](tasks::StepContext&) { shortage_.largest()[0] = make_room() ? 1.0 : 0.0; };
  const std::vector<tasks::TaskId> decided = shortage_.add(graph_, "room", of_others, look);
  tasks_.counts.insert(tasks_.counts.end(), decided.begin(), decided.end());
  tasks_.labels = exchange_.add(graph_, "labels", std::move(labels)).all();
  tasks_.positions = exchange_.add(graph_, "halo", std::move(positions)).all();
}

/// Touches the positions of the bricks of some cells.
tasks::Accesses Step::accesses_of(std::span<const std::uint32_t> cells, tasks::AccessMode mode) const {
  std::set<std::uint32_t> bricks;
  for (const std::uint32_t cell : cells) bricks.insert(grid_.brick_of(cell));
  tasks::Accesses accesses;
  for (const std::uint32_t brick : bricks) accesses.emplace_back(bricks_[brick].positions, mode);
  return accesses;
}

void Step::add_motion(std::size_t b) {
  const Brick& own = bricks_[b];
  const tasks::TaskOptions options{.key = static_cast<std::uint32_t>(b)};
  const auto move = [this, b](tasks::StepContext& step) { drift(b, step.dt); };
  tasks_.drift.push_back(graph_.add("drift", tasks::writes(own.positions, own.motion), move, options));
}

/// How far atoms of all ranks are.
void Step::add_reduction() {
  tasks::Accesses accesses = tasks::writes(graph_.add_datum());
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
  const auto list = [this, b](tasks::StepContext& step) { find_neighbours(b, scratch_[step.worker()]); };
  const auto force = [this, b](tasks::StepContext& step) {
    find_forces(b);
    kick(b, step.dt);
  };
  const auto bond = [this, b](tasks::StepContext&) { interaction_.find_bonds(work_of(b), bonds_[b], {}); };
  const tasks::Accesses near = reads_near(b);
  tasks_.lists.push_back(graph_.add("lists", near, tasks::writes(own.lists), list, options));
  tasks_.forces.push_back(
      bonds_.empty() ? graph_.add("force", near, tasks::reads(own.lists) + tasks::writes(own.motion), force, options)
                     : graph_.add("bonds", near, tasks::reads(own.lists) + tasks::writes(own.bonds), bond, options));
}

void Step::add_gathering(std::size_t b) {
  tasks::Accesses near;
  for (const auto bricks : {grid_.bricks_near(b), grid_.images_near(b)}) {
    for (const std::uint32_t other : bricks) near.emplace_back(bricks_[other].bonds, tasks::AccessMode::read);
  }
  const auto gather = [this, b](tasks::StepContext& step) {
    gather_forces(b);
    kick(b, step.dt);
  };
  tasks_.forces.push_back(
      graph_.add("gather", near, tasks::writes(bricks_[b].motion), gather, {.key = static_cast<std::uint32_t>(b)}));
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
  sort_anew();
  run(lists_and_forces_, {});
}

void Step::go_on() {
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
  set_up_cells();
  run(lists_alone_, {});
  swap_positions();
  run(ghosts_alone_, {});
}

void Step::sort_anew() {
  atoms_.sort(box_, grid_, scheduler_);
  set_up_cells();
  for (std::size_t i = 0; i < atoms_.count(); ++i) {
    for (std::size_t axis = 0; axis < 3; ++axis) atoms_.start[axis][i] = atoms_.records[4 * i + axis];
  }
  ++rebuilds_;
}

/// Ranks tell each other how many atoms cells have; then there is room for all of them.
void Step::set_up_cells() {
  run(counts_, {});
  if (shortage_.largest()[0] > 0.0) build();
  atoms_.lay_out(grid_, of_others_, scheduler_);
  if (bonds_.empty()) return;
  brick_of_.resize(atoms_.seen());
  for (std::size_t b = 0; b < grid_.listed_bricks(); ++b) {
    const Range own = atoms_of(b);
    std::fill(brick_of_.begin() + own.begin, brick_of_.begin() + own.end, static_cast<std::uint32_t>(b));
  }
}

/// Messages for more atoms than there have been need a new graph on all ranks. @return whether this rank has such
bool Step::make_room() {
  const auto with_spare = [](std::size_t atoms) { return atoms + atoms / 4 + 64; };
  bool is_short = false;
  for (std::size_t p = 0; p < rooms_.size(); ++p) {
    const CellPeer& peer = grid_.peers()[p];
    const std::size_t to = atoms_.count_of(peer.shown);
    std::size_t from = 0;
    for (const std::uint32_t cell : peer.seen) from += of_others_[cell - grid_.own_cells()];
    is_short |= to > rooms_[p].to || from > rooms_[p].from;
    // Both ends know these numbers, and so agree.
    if (to > rooms_[p].to) rooms_[p].to = with_spare(to);
    if (from > rooms_[p].from) rooms_[p].from = with_spare(from);
  }
  return is_short;
}

void Step::run(const tasks::StepContext& step) {
  run(drifts_, step);
  if (!needs_lists(step)) return run(forces_, step);
  atoms_.wrap(box_, scheduler_);
  if (ranks_.size() > 1) atoms_.migrate(box_, grid_, number(ranks_.rank()), migration_);
  sort_anew();
  run(lists_and_forces_, step);
}

/// @throws engine::NumericsError
bool Step::needs_lists(const tasks::StepContext& step) {
  if (!(farthest_.largest()[1] <= reach_ * reach_)) {
    throw engine::NumericsError(engine::first_flaw(ranks_, find_flaw(step)).value());
  }
  return farthest_.largest()[0] > 0.25 * skin_ * skin_;
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
  for (std::size_t i = own.begin; i < own.end; ++i) {
    double from_lists2 = 0.0;
    double in_step2 = 0.0;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const double change = dt * atoms_.v[axis][i];
      double& x = atoms_.records[4 * i + axis];
      x += change;
      const double away = x - atoms_.start[axis][i];
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
}

/// The candidates of all atoms of a cell are the same: they are copied side by side once.
void Step::find_neighbours(std::size_t brick, Scratch& scratch) {
  Lists& lists = lists_[brick];
  lists.begin.assign(1, 0);
  std::size_t used = 0;
  const Range cells = grid_.cells_of(brick);
  for (std::size_t cell = cells.begin; cell < cells.end; ++cell) {
    const std::size_t own = atoms_.atoms_of(cell).size();
    if (own == 0) continue;
    const CellCandidates found = copy_candidates(cell, scratch);
    const std::size_t room = found.candidates.count + kernels::PairLoops::widest;
    // What floats have lost must not cost a neighbour.
    const double reach = reach_ * (1.0 + 1e-6) + 1e-6 * found.extent;
    for (std::size_t k = 0; k < own; ++k) {
      if (lists.atoms.size() < used + room) lists.atoms.resize(std::max(used + room, 3 * lists.atoms.size() / 2));
      used += loops_.find(found.self + k, found.candidates, static_cast<float>(reach * reach), atoms_.nowhere(),
                          lists.atoms.data() + used);
      lists.begin.push_back(static_cast<std::uint32_t>(used));
    }
  }
}

/// All atoms of the cells around, relative to the first one of the cell.
Step::CellCandidates Step::copy_candidates(std::size_t cell, Scratch& scratch) const {
  CellCandidates result;
  scratch.atom.clear();
  grid_.for_neighbours(cell, [&](std::uint32_t other) {
    if (other == cell) result.self = scratch.atom.size();
    const Range theirs = atoms_.atoms_of(other);
    for (std::uint32_t j = theirs.begin; j < theirs.end; ++j) scratch.atom.push_back(j);
  });
  const std::size_t count = scratch.atom.size();
  const std::size_t room = count + kernels::PairLoops::widest;
  for (auto* values : {&scratch.x, &scratch.y, &scratch.z}) values->resize(std::max(values->size(), room));
  scratch.atom.resize(room, atoms_.nowhere());
  const base::Vec3 centre = atoms_.position(atoms_.atoms_of(cell).begin);
  float extent = 0.0F;
  for (std::size_t k = 0; k < count; ++k) {
    const double* record = atoms_.records.data() + 4 * std::size_t{scratch.atom[k]};
    scratch.x[k] = static_cast<float>(record[0] - centre.x);
    scratch.y[k] = static_cast<float>(record[1] - centre.y);
    scratch.z[k] = static_cast<float>(record[2] - centre.z);
    extent = std::max({extent, std::abs(scratch.x[k]), std::abs(scratch.y[k]), std::abs(scratch.z[k])});
  }
  result.extent = static_cast<double>(extent);
  result.candidates = {scratch.x.data(), scratch.y.data(), scratch.z.data(), scratch.atom.data(), count};
  return result;
}

kernels::PairWork Step::work_of(std::size_t brick) const {
  const Range own = atoms_of(brick);
  return {.records = atoms_.records.data(),
          .first = own.begin,
          .count = own.size(),
          .begin = lists_[brick].begin.data(),
          .lists = lists_[brick].atoms.data()};
}

void Step::find_forces(std::size_t brick) {
  const kernels::PairWork work = work_of(brick);
  interaction_.sum(work, {.fx = atoms_.f[0].data() + work.first,
                          .fy = atoms_.f[1].data() + work.first,
                          .fz = atoms_.f[2].data() + work.first});
}

/// Each atom is pushed by its own bonds, against what they do to its neighbours, and by those of its neighbours: for
/// each slot, so that the order follows from its list.
void Step::gather_forces(std::size_t brick) {
  const Range own = atoms_of(brick);
  const kernels::Bonds& bonds = bonds_[brick];
  for (std::uint32_t i = own.begin; i < own.end; ++i) {
    base::Vec3 sum;
    for (std::uint32_t slot = bonds.begin[i - own.begin]; slot < bonds.begin[i - own.begin + 1]; ++slot) {
      sum = sum + (force_back(i, bonds.atom[slot]) - bonds.force[slot]);
    }
    for (std::size_t axis = 0; axis < 3; ++axis) atoms_.f[axis][i] = sum[axis];
  }
}

/// The atom behind a copy sees the centre as often in the other direction. Where rounding has put the pair beyond the
/// cutoff for one of the two there is no slot, and no force either: it ends at 0 there.
base::Vec3 Step::force_back(std::uint32_t centre, std::uint32_t slot_atom) const {
  const Atoms::Origin other = atoms_.origin_of(slot_atom);
  const Atoms::Origin wanted{centre, {-other.image[0], -other.image[1], -other.image[2]}};
  const std::uint32_t brick = brick_of_[other.atom];
  const kernels::Bonds& bonds = bonds_[brick];
  const std::size_t at = other.atom - atoms_of(brick).begin;
  for (std::uint32_t slot = bonds.begin[at]; slot < bonds.begin[at + 1]; ++slot) {
    if (atoms_.origin_of(bonds.atom[slot]) == wanted) return bonds.force[slot];
  }
  return {};
}

void Step::measure(PerAtom& to) {
  to.energy.resize(atoms_.count());
  for (auto& component : to.virial) component.resize(atoms_.count());
  const auto one = [&](std::size_t brick) { measure_brick(brick, to); };
  tasks::parallel_for(scheduler_, 0, grid_.own_bricks(), one, {.chunk = 1});
}

/// Forces are those that the atoms have already: they are summed again, and go nowhere.
void Step::measure_brick(std::size_t brick, PerAtom& to) const {
  const kernels::PairWork work = work_of(brick);
  kernels::PairSums sums{.energy = to.energy.data() + work.first};
  for (std::size_t k = 0; k < 6; ++k) sums.virial[k] = to.virial[k].data() + work.first;
  if (interaction_.kind() == Interaction::Kind::bonds) {
    kernels::Bonds bonds;
    interaction_.find_bonds(work, bonds, sums);
    return;
  }
  std::vector<double> forces(3 * work.count);
  sums.fx = forces.data();
  sums.fy = forces.data() + work.count;
  sums.fz = forces.data() + 2 * work.count;
  interaction_.sum(work, sums);
}

Step::Pair Step::nearest() const {
  Pair result{.distance2 = std::numeric_limits<double>::infinity()};
  for (std::size_t b = 0; b < grid_.own_bricks(); ++b) {
    const Range own = atoms_of(b);
    for (std::size_t i = own.begin; i < own.end; ++i) {
      const std::size_t at = i - own.begin;
      for (std::uint32_t k = lists_[b].begin[at]; k < lists_[b].begin[at + 1]; ++k) {
        const std::uint32_t j = lists_[b].atoms[k];
        const base::Vec3 d = atoms_.position(j) - atoms_.position(i);
        const double distance2 = base::dot(d, d);
        if (j == atoms_.nowhere() || distance2 > result.distance2) continue;
        const std::uint64_t other = atoms_.id_of(atoms_.origin_of(j).atom);
        result = std::min(result, {distance2, std::min(atoms_.id[i], other), std::max(atoms_.id[i], other)});
      }
    }
  }
  return result;
}

}  // namespace tacit::md
