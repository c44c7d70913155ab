// A step across ranks: messages about atoms in cells that others see, and cells that go to other ranks.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "tacit/exchange/over_ranks.hpp"
#include "tacit/solvers/md/step.hpp"

namespace tacit::md {

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

/// Ranks tell each other how many atoms cells have; then there is room for all of them.
void Step::set_up_cells() {
  run(counts_, {});
  if (shortage_.largest()[0] > 0.0) build();
  atoms_.lay_out(grid_, of_others_, scheduler_);
  if (kind_ == Interaction::Kind::embedded) {
    slopes_.assign(atoms_.seen(), 0.0);
    atom_of_.assign(std::size_t{atoms_.nowhere()} + 1, 0);  // what is nowhere is as good as any atom: it is far away
    for (std::uint32_t record = 0; record < atoms_.nowhere(); ++record) {
      atom_of_[record] = atoms_.origin_of(record).atom;
    }
  }
  if (kind_ != Interaction::Kind::bonds) return;
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

/// Gives cells to other ranks where that pays. Atoms follow when they migrate; cells, and with them the order of
/// neighbours, stay as they are, so that no result depends on it. @pre atoms are inside the box
void Step::look_for_division(const tasks::StepContext& step) {
  const auto weigh = [this] {
    std::vector<std::uint64_t> weights(grid_.division().cells(), 0);
    for (std::size_t i = 0; i < atoms_.count(); ++i) {
      weights[grid_.number_at(box_.cell_fraction(atoms_.position(i)))] += Division::weight_of(1, 0);
    }
    return weights;
  };
  const std::optional<Division> better =
      balance_.better_than(grid_.division(), farthest_.largest()[2], step.step, weigh);
  if (!better) return;
  grid_ = grid_for(*better, atoms_.count());
  match_grid();
}

Ghosts Step::ghosts() const {
  Ghosts result{.of_rank = std::vector<std::uint64_t>(ranks_.size(), 0), .images = atoms_.nowhere() - atoms_.seen()};
  for (const CellPeer& peer : grid_.peers()) result.of_rank[peer.rank] = atoms_.count_of(peer.seen);
  return result;
}

}  // namespace tacit::md
