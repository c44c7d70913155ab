// Which rank owns which cells, and how particles get to their owners.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

#include "tacit/base/error.hpp"
#include "tacit/exchange/over_ranks.hpp"
#include "tacit/solvers/sph/fields.hpp"
#include "tacit/solvers/sph/gas_cells.hpp"
#include "tacit/solvers/sph/ownership.hpp"
#include "tacit/topology/partition.hpp"

namespace tacit::sph {
namespace {

/// Other owners are taken when the most loaded rank then has less by more than this factor: what tasks take varies.
constexpr double least_gain = 1.02;

/// What copying a particle to another rank takes of either, as a part of what its update takes: packing and storing, or
/// unpacking, some 70 bytes.
constexpr double cost_of_copy = 1.0 / 32.0;

/// Of a particle, where none has been measured.
constexpr std::uint64_t unmeasured_cost = 1000;

}  // namespace

/// Gives each rank its share of the leaves, with their particles. What travels between leaves is not known: they have
/// no lists yet.
void GasCells::share_out() {
  comm::Communicator& ranks = resources_.ranks;
  const bool is_first = rebuilds_ == 0;
  // In the midst of a run there may be fewer cells than at its begin: some ranks then have none.
  if (tree_->leaves() < ranks.size() && is_first) {
    throw base::Error(fmt::format("{} ranks cannot share {} cells\n  Use fewer ranks: cells hold some 100 particles.",
                                  ranks.size(), tree_->leaves()));
  }
  LeafCosts mine{std::vector<std::uint64_t>(tree_->leaves(), 0), std::vector<std::uint64_t>(tree_->leaves(), 0)};
  const auto find = tree_->finder();
  for (std::size_t i = 0; i < gas_.size(); ++i) {
    const std::size_t leaf = find(gas_.x[i], gas_.y[i], gas_.z[i]).leaf;
    ++mine.particles[leaf];
    mine.costs[leaf] += cost_of_particle_ ? static_cast<std::uint64_t>((*cost_of_particle_)[i]) : unmeasured_cost;
  }
  cost_of_particle_.reset();
  const Units units = find_units(ranks, mine, {});
  std::vector<std::uint32_t> previous;
  if (!is_first) previous = present_owners(ranks, units, mine.particles);
  const Shares shares = share_units(ranks, units, {}, previous);
  // Lists may show a better partition than the curve: it stays as long as it suits.
  const bool stays =
      shares.had_room && static_cast<double>(shares.load_before) <= least_gain * static_cast<double>(shares.load_after);
  own_leaves(units.spread(stays ? previous : shares.owner));
  move_to_owners();
}

/// Gives every particle its part of what its cell has cost, before there are other cells.
void GasCells::note_costs() {
  cost_of_particle_.reset();
  if (!copies_ || !graph_ || !are_costs_known()) return;
  cost_of_particle_.emplace(gas_.size());
  for (std::size_t c = 0; c < costs_.size(); ++c) {
    const auto [begin, count] = tree_->range(c);
    const float cost = static_cast<float>(costs_[c].total()) / static_cast<float>(std::max<std::size_t>(count, 1));
    std::fill_n(cost_of_particle_->begin() + static_cast<std::ptrdiff_t>(begin), count, cost);
  }
}

/// Counts from nothing.
void GasCells::begin_costs() {
  for (const CellCost& cost : costs_) ticks_before_ += cost.total();
  costs_.assign(copies_ ? tree_->cells() : 0, CellCost{});
  costs_since_ = clock_.now;
}

std::int64_t GasCells::ticks_in_tasks() const noexcept {
  std::int64_t ticks = ticks_before_;
  for (const CellCost& cost : costs_) ticks += cost.total();
  return ticks;
}

/// Whether every particle has ended a step since counting began, so that none is left out. Alike on all ranks.
bool GasCells::are_costs_known() const {
  std::array<std::uint64_t, 1> longest{0};
  if (clock_.is_common) return !clock_.is_first;
  for (const std::uint8_t bin : gas_.bin) longest[0] = std::max<std::uint64_t>(longest[0], bin);
  exchange::take_largest(resources_.ranks, std::span<std::uint64_t>(longest));
  return clock_.now - costs_since_ >= std::int64_t{1} << longest[0];
}

/// What this rank's cells have cost and hold.
LeafCosts GasCells::costs_of_cells(bool are_known) const {
  LeafCosts mine{std::vector<std::uint64_t>(tree_->leaves(), 0), std::vector<std::uint64_t>(tree_->leaves(), 0)};
  for (std::size_t c = 0; c < tree_->cells(); ++c) {
    const std::uint64_t particles = tree_->range(c).count;
    const auto measured = static_cast<std::uint64_t>(std::max<std::int64_t>(costs_[c].total(), 0));
    mine.particles[tree_->leaf(c)] = particles;
    mine.costs[tree_->leaf(c)] = are_known ? measured : unmeasured_cost * particles;
  }
  return mine;
}

/// What this rank's cells would send to the units around them, if these were of other ranks: in steps in which these
/// have active cells. All ranks call it.
std::vector<topology::Edge> GasCells::find_edges(const Units& units) const {
  // How often particles of each bin are active, beside those of bin 0.
  const auto frequency = [this](std::uint8_t bin) { return clock_.is_common ? 1.0 : std::ldexp(1.0, -int{bin}); };
  std::vector<std::uint64_t> bins(TimeLine::bins, 0);
  for (std::size_t i = 0; i < gas_.size(); ++i) ++bins[clock_.is_common ? 0 : gas_.bin[i]];
  exchange::add_over(resources_.ranks, bins);
  double updates = 0.0;
  for (std::size_t bin = 0; bin < bins.size(); ++bin) {
    updates += frequency(static_cast<std::uint8_t>(bin)) * static_cast<double>(bins[bin]);
  }
  const double cost = std::accumulate(units.costs.begin(), units.costs.end(), 0.0);
  const double cost_of_visit = cost_of_copy * cost / std::max(updates, std::numeric_limits<double>::min());

  std::vector<std::uint32_t> unit_of(tree_->all_cells());
  for (std::size_t c = 0; c < unit_of.size(); ++c) unit_of[c] = units.of_leaf(tree_->leaf(c));
  std::map<std::pair<std::uint32_t, std::uint32_t>, double> sums;
  std::map<std::uint32_t, double> visitors;  // of one cell: how often each unit looks at it
  for (std::size_t c = 0; c < tree_->cells(); ++c) {
    visitors.clear();
    for (const auto& neighbour : tree_->neighbours(c)) {
      const std::uint32_t unit = unit_of[neighbour.cell];
      if (unit == unit_of[c]) continue;
      double& often = visitors[unit];
      often = std::max(often, frequency(reports_[neighbour.cell].lowest_bin));
    }
    // It travels once to each rank, to however many units there: at a border that half of the units are beyond, once.
    const double of_unit =
        cost_of_visit * static_cast<double>(tree_->range(c).count) * 2.0 / (1.0 + static_cast<double>(visitors.size()));
    for (const auto& [unit, often] : visitors) sums[{unit_of[c], unit}] += of_unit * often;
  }
  std::vector<topology::Edge> edges;
  for (const auto& [ends, sum] : sums) {
    edges.push_back({ends.first, ends.second, static_cast<std::uint64_t>(std::min(sum, 0x1p53))});
  }
  return edges;
}

void GasCells::own_leaves(std::vector<std::uint32_t> owner) {
  owner_ = std::move(owner);
  std::vector<std::uint32_t> own;
  for (std::uint32_t leaf = 0; leaf < owner_.size(); ++leaf) {
    if (owner_[leaf] == comm::number(resources_.ranks.rank())) own.push_back(leaf);
  }
  tree_->own(own);
}

/// Gives leaves to other ranks where that pays: cells, lists and the order of particles stay, so that no result depends
/// on it.
///
/// What the most loaded rank has done beyond what it would have done with other owners is added up from one sorting to
/// the next. That much is expected of the time to come, too, and once it is more than the last migration took, leaves
/// migrate. All ranks know the same numbers.
/// @return whether they did
bool GasCells::recut() {
  comm::Communicator& ranks = resources_.ranks;
  const bool is_forced = is_cut_at_every_sort_ || next_cut_;
  const bool are_known = are_costs_known();
  if (!are_known && !is_forced) return false;
  const std::int64_t begin = cost_clock_();
  const Units units = find_units(ranks, costs_of_cells(are_known), owner_);
  begin_costs();
  std::vector<std::uint32_t> previous(units.size());
  for (std::size_t unit = 0; unit < units.size(); ++unit) previous[unit] = owner_[units.begins[unit]];
  const Shares shares = share_units(ranks, units, find_edges(units), previous, method_of_cut());
  next_cut_.reset();
  std::vector<std::uint32_t> owner = shares.owner;
  if (is_cut_at_every_sort_) {
    for (std::uint32_t& rank : owner) rank = static_cast<std::uint32_t>((rank + 1 + cuts_) % ranks.size());
  }
  lost_ += shares.load_before - std::min(shares.load_before, shares.load_after);
  const bool is_better = static_cast<double>(shares.load_before) > least_gain * static_cast<double>(shares.load_after);
  if (owner == previous || !(is_forced || (is_better && lost_ > cost_of_migration_))) return false;
  migrate(units.spread(owner));
  note_migration(begin);
  ++cuts_;
  return true;
}

/// For tests of all ways in turns, whatever is best.
topology::Method GasCells::method_of_cut() const {
  if (next_cut_) return *next_cut_;
  if (!is_cut_at_every_sort_) return topology::Method::best;
  return cuts_ % 2 == 0 ? topology::Method::metis : topology::Method::curve;
}

/// What all workers of the slowest rank have taken since `begin`, most of them idle [ticks]. All ranks call it.
void GasCells::note_migration(std::int64_t begin) {
  const auto passed = static_cast<std::uint64_t>(std::max<std::int64_t>(cost_clock_() - begin, 0));
  std::array<std::uint64_t, 1> ticks{passed * resources_.scheduler.workers()};
  exchange::take_largest(resources_.ranks, std::span<std::uint64_t>(ticks));
  cost_of_migration_ = ticks[0];
  lost_ = 0;
}

void GasCells::migrate(std::vector<std::uint32_t> owner) {
  const auto of_leaves = [this](const std::vector<double>& of_cells) {
    std::vector<double> values(tree_->leaves(), 0.0);
    for (std::size_t c = 0; c < tree_->cells(); ++c) values[tree_->leaf(c)] = of_cells[c];
    exchange::take_largest(resources_.ranks, std::span<double>(values));
    return values;
  };
  const std::vector<double> reach = of_leaves(reach_);
  const std::vector<double> slack = of_leaves(slack_);
  graph_.reset();
  copies_->clear();
  own_leaves(std::move(owner));
  move_to_owners();
  apply_order(tree_->sort(gas_.x, gas_.y, gas_.z, gas_.id, &resources_.scheduler, gas_.type));
  moved_.assign(tree_->cells(), 0.0);
  [[maybe_unused]] const bool is_linked = connect(reach, slack);  // as it was before
  TACIT_EXPECT(is_linked);
}

/// Sends particles to the ranks that own the leaves in which they are.
void GasCells::move_to_owners() {
  comm::Communicator& ranks = resources_.ranks;
  const std::uint32_t own = comm::number(ranks.rank());
  const auto find = tree_->finder();
  std::vector<std::uint32_t> to(gas_.size());
  std::vector<std::uint64_t> leaving(ranks.size(), 0);
  for (std::size_t i = 0; i < to.size(); ++i) {
    to[i] = owner_[find(gas_.x[i], gas_.y[i], gas_.z[i]).leaf];
    ++leaving[to[i]];
  }
  const std::size_t stay = std::exchange(leaving[own], 0);
  if (!do_all(stay == to.size())) move_particles(to, leaving);
}

/// @param to       shape (N): the rank that each particle goes to
/// @param leaving  shape (ranks): how many go to each
void GasCells::move_particles(std::span<const std::uint32_t> to, std::span<const std::uint64_t> leaving) {
  comm::Communicator& ranks = resources_.ranks;
  const std::uint32_t own = comm::number(ranks.rank());
  const Census before = census();
  const std::vector<std::uint64_t> coming = exchange::counts_from_all(ranks, leaving);
  const std::uint64_t left = std::accumulate(leaving.begin(), leaving.end(), std::uint64_t{0});
  const std::uint64_t come = std::accumulate(coming.begin(), coming.end(), std::uint64_t{0});
  const std::size_t size = to.size() - left + come;
  exchange::FieldRounds rounds(ranks, left, coming);
  const auto move = [&]<class T>(std::vector<T>& values) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < to.size(); ++i) {
      if (to[i] == own) {
        values[kept++] = values[i];
      } else {
        rounds.append(to[i], std::span<const T>(&values[i], 1));
      }
    }
    values.resize(kept);
    if (size > values.capacity()) values.reserve(size + size / 32);  // a vector by itself takes twice as much as before
    rounds.add<T>([&values](std::size_t /*rank*/, std::span<const std::byte> bytes) {
      const std::size_t first = values.size();
      values.resize(first + bytes.size() / sizeof(T));
      if (!bytes.empty()) std::memcpy(&values[first], bytes.data(), bytes.size());
    });
  };
  if (last_records_.are_there) last_records_.note_leaving(gas_.id, to, own);
  move(gas_.id);
  for_each_field(gas_, [&](std::string_view /*name*/, auto& array) { move(array); });
  if (last_records_.are_there) last_records_.for_each(move);
  rounds.finish();
  if (last_records_.are_there) last_records_.find_offsets(gas_.id, to.size() - left);

  const Census after = census();
  std::array<std::uint64_t, 2> differences{after.particles - before.particles, after.ids - before.ids};
  exchange::add_over(ranks, differences);
  if (differences[0] != 0 || differences[1] != 0) {
    throw base::Error(fmt::format("rank {}: particles were lost between ranks: it had {} and has {} now", own,
                                  before.particles, after.particles));
  }
}

/// What moving particles among ranks must leave as it is, in sum over ranks.
GasCells::Census GasCells::census() const {
  return {gas_.size(), std::accumulate(gas_.id.begin(), gas_.id.end(), std::uint64_t{0})};
}

}  // namespace tacit::sph
