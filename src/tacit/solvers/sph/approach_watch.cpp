// From cells to crowds, and from all crowds to those that may meet.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/sph/approach_watch.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <tuple>

#include "tacit/exchange/over_ranks.hpp"
#include "tacit/tasks/parallel_for.hpp"

namespace tacit::sph {
namespace {

Intervals intervals_of(const kernels::Box& box) {
  return {Interval{box.low.x, box.high.x}, Interval{box.low.y, box.high.y}, Interval{box.low.z, box.high.z}};
}

void add_velocity(Crowd& crowd, const Integrated& state, std::size_t i) {
  crowd.velocity[0].add(state.vx[i]);
  crowd.velocity[1].add(state.vy[i]);
  crowd.velocity[2].add(state.vz[i]);
}

}  // namespace

/// Of two that are overrun, both take steps of more than w H / c, and at most 2 cfl H_i / v_sig,i.
bool ApproachWatch::is_quiet(double fastest, double slowest_signal) const noexcept {
  return 2.0 * fastest * (2.0 * physics_.cfl) <= most_overlap(physics_.cfl) * slowest_signal;
}

double ApproachWatch::longest_common_step(GasCells& cells, double dt) {
  dt_ = dt;
  look_at_all(cells);
  double longest = dt;
  if (find_risky_bins(0)) {
    gather_crowds(cells);
    for (const Member& member : mine_) longest = std::min(longest, tree_.longest_step_of(member.crowd, rule(cells)));
    longest = reductions_.least(longest);
  }
  return longest;
}

std::span<const TooLong> ApproachWatch::find_too_long(GasCells& cells) {
  too_long_.clear();
  look_at_changed(cells);
  if (!find_risky_bins(clock_.active)) return {};
  gather_crowds(cells);
  const ApproachRule how = rule(cells);
  for (std::size_t c = 0; c < members_.size(); ++c) {
    for (const Member& member : members_[c]) {
      if (member.bin > clock_.active || !is_at_risk(member)) continue;
      const Crowd crowd = present(member);
      const double longest = tree_.longest_step_of(crowd, how);
      if (longest < crowd.rest) {
        too_long_.push_back({static_cast<std::uint32_t>(c), static_cast<std::uint8_t>(member.bin), longest});
      }
    }
  }
  return too_long_;
}

void ApproachWatch::look_at_all(GasCells& cells) {
  members_.resize(cells.tree().cells());
  domain_ = cells.tree().domain();
  looked_at_.clear();
  tasks::parallel_for(cells.workers(), 0, members_.size(), [&](std::size_t c) { look_at_whole(cells, c, dt_); });
}

/// Of a common step, at present.
void ApproachWatch::look_at_whole(const GasCells& cells, std::size_t c, double dt) {
  std::vector<Member>& members = members_[c];
  members.clear();
  const CellData& cell = cells.cells()[c];
  const Integrated& state = cell.integrated.between_runs();
  const std::size_t gas = cell.motion.between_runs().gas();
  if (gas == 0) return;
  Member all{.crowd = {}, .leaf = static_cast<std::uint32_t>(cells.tree().leaf(c))};
  all.crowd.place = intervals_of(cells.data().bounds[c].box);
  for (std::size_t i = 0; i < gas; ++i) add_velocity(all.crowd, state, i);
  const auto [least, most] = std::ranges::minmax(cell.hydro.between_runs().h.first(gas));
  all.crowd.shortest = physics_.kernel_gamma * least;
  all.crowd.longest = physics_.kernel_gamma * most;
  all.crowd.rest = dt;
  members.push_back(all);
}

/// Those whose particles have new steps since, or all after particles were sorted.
void ApproachWatch::look_at_changed(GasCells& cells) {
  const std::size_t count = cells.tree().cells();
  const std::uint64_t sorts = cells.sorts() + cells.rebuilds() + cells.cuts();
  if (looked_at_.size() != count || sorts_ != sorts) {
    members_.resize(count);
    looked_at_.assign(count, -1);
    sorts_ = sorts;
    domain_ = cells.tree().domain();
  }
  tasks::parallel_for(cells.workers(), 0, count, [&](std::size_t first, std::size_t end) {
    for (std::size_t c = first; c < end; ++c) {
      const CellReport& report = cells.data().reports[c];
      const std::int64_t before = looked_at_[c];
      if (before >= 0 && report.active_at <= before && report.woken_at < before) continue;
      look_at(cells, c);
      looked_at_[c] = clock_.now;
    }
  });
}

/// With steps of their own: what tells whether anything is at risk. All of a bin began their steps together.
void ApproachWatch::look_at(const GasCells& cells, std::size_t c) {
  std::vector<Member>& members = members_[c];
  members.clear();
  const Integrated& state = cells.cells()[c].integrated.between_runs();
  const std::size_t gas = cells.cells()[c].motion.between_runs().gas();
  std::size_t at = 0;
  for (std::size_t i = 0; i < gas; ++i) {
    if (at == members.size() || members[at].bin != state.bin[i]) {
      const auto of_bin = std::ranges::find(members, std::uint32_t{state.bin[i]}, &Member::bin);
      at = static_cast<std::size_t>(of_bin - members.begin());
      if (at == members.size()) {
        members.push_back({.crowd = {}, .leaf = static_cast<std::uint32_t>(cells.tree().leaf(c)), .bin = state.bin[i]});
      }
    }
    Crowd& crowd = members[at].crowd;
    add_velocity(crowd, state, i);
    const double H = physics_.kernel_gamma * state.h_before[i];
    crowd.shortest = std::min(crowd.shortest, H);
    crowd.longest = std::max(crowd.longest, H);
  }
  std::ranges::sort(members, {}, &Member::bin);
}

/// Where those that are at risk drift from. Of most gases nothing is: their places are not needed.
void ApproachWatch::find_places(const GasCells& cells, std::size_t c) {
  const Integrated& state = cells.cells()[c].integrated.between_runs();
  const std::size_t gas = cells.cells()[c].motion.between_runs().gas();
  for (Member& member : members_[c]) {
    Intervals& place = member.crowd.place;
    if (place[0].low <= place[0].high || !is_at_risk(member)) continue;
    for (std::size_t i = 0; i < gas; ++i) {
      if (state.bin[i] != member.bin) continue;
      place[0].add(state.x_before[i]);
      place[1].add(state.y_before[i]);
      place[2].add(state.z_before[i]);
    }
  }
}

Crowd ApproachWatch::present(const Member& member) const {
  Crowd crowd = member.crowd;
  if (clock_.is_common) return crowd;
  const auto bin = static_cast<std::uint8_t>(member.bin);
  crowd.rest = clock_.between(clock_.now, TimeLine::next_end(clock_.now, bin));
  const double since = clock_.since_next_begin(bin);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    crowd.place[axis].low += crowd.velocity[axis].low * since;
    crowd.place[axis].high += crowd.velocity[axis].high * since;
  }
  return crowd;
}

/// Which bins have steps so long that of their particles, and those of bins above, any may overrun another.
/// @param highest_active  bins above it hold no particle that has just chosen its step
bool ApproachWatch::find_risky_bins(std::size_t highest_active) {
  bins_.fill({});
  for (const std::vector<Member>& members : members_) {
    for (const Member& member : members) {
      Bin& bin = bins_[member.bin];
      for (std::size_t axis = 0; axis < 3; ++axis) bin.velocity[axis].add(member.crowd.velocity[axis]);
      bin.shortest = std::min(bin.shortest, member.crowd.shortest);
    }
  }
  if (ranks_.size() > 1) {
    std::array<double, TimeLine::bins * 7> numbers{};
    for (std::size_t b = 0; b < bins_.size(); ++b) {
      for (std::size_t axis = 0; axis < 3; ++axis) {
        numbers[7 * b + 2 * axis] = -bins_[b].velocity[axis].low;
        numbers[7 * b + 2 * axis + 1] = bins_[b].velocity[axis].high;
      }
      numbers[7 * b + 6] = -bins_[b].shortest;
    }
    exchange::take_largest(ranks_, std::span<double>(numbers));
    for (std::size_t b = 0; b < bins_.size(); ++b) {
      for (std::size_t axis = 0; axis < 3; ++axis) {
        bins_[b].velocity[axis] = {-numbers[7 * b + 2 * axis], numbers[7 * b + 2 * axis + 1]};
      }
      bins_[b].shortest = -numbers[7 * b + 6];
    }
  }
  const double overlap = most_overlap(physics_.cfl);
  bool is_any = false;
  for (std::size_t b = bins_.size(); b-- > 0;) {
    Bin& bin = bins_[b];
    if (b + 1 < bins_.size()) {
      for (std::size_t axis = 0; axis < 3; ++axis) bin.velocity[axis].add(bins_[b + 1].velocity[axis]);
      bin.shortest = std::min(bin.shortest, bins_[b + 1].shortest);
    }
    if (b > highest_active || std::isinf(bin.shortest)) continue;
    const double speed = largest_closing_speed(bin.velocity, bin.velocity, domain_);
    bin.is_risky = speed > 0.0 && speed * span(b) > overlap * bin.shortest;
    is_any |= bin.is_risky;
  }
  return is_any;
}

/// Whether the crowd may overrun another, or be overrun.
bool ApproachWatch::is_at_risk(const Member& member) const {
  const double overlap = most_overlap(physics_.cfl);
  for (std::size_t b = 0; b <= member.bin; ++b) {
    const Bin& bin = bins_[b];
    if (!bin.is_risky) continue;
    const double speed = largest_closing_speed(member.crowd.velocity, bin.velocity, domain_);
    if (speed > 0.0 && speed * span(b) > overlap * std::max(member.crowd.shortest, bin.shortest)) return true;
  }
  return false;
}

/// All those at risk, of all ranks, in the order of leaves: that follows a curve through space.
void ApproachWatch::gather_crowds(GasCells& cells) {
  if (!clock_.is_common) {
    tasks::parallel_for(cells.workers(), 0, members_.size(), [&](std::size_t c) { find_places(cells, c); });
  }
  mine_.clear();
  for (const std::vector<Member>& members : members_) {
    std::ranges::copy_if(members, std::back_inserter(mine_), [this](const Member& one) { return is_at_risk(one); });
  }
  all_ = mine_;
  if (ranks_.size() > 1) {
    const auto bytes = std::as_bytes(std::span(mine_));
    const std::vector<std::vector<std::byte>> blocks(ranks_.size(), {bytes.begin(), bytes.end()});
    const exchange::Blocks come = exchange::send_blocks(ranks_, blocks);
    all_.resize(come.bytes.size() / sizeof(Member));
    if (!all_.empty()) std::memcpy(all_.data(), come.bytes.data(), come.bytes.size());
    std::ranges::sort(all_, {}, [](const Member& one) { return std::tuple(one.leaf, one.bin); });
  }
  crowds_.clear();
  for (const Member& member : all_) crowds_.push_back(present(member));
  tree_.build(crowds_);
}

}  // namespace tacit::sph
