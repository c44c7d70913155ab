// When cells are made again or only sorted, from the particles alone.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/sph/gas_cells.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstring>
#include <limits>
#include <mutex>
#include <type_traits>

#include "tacit/base/clock.hpp"
#include "tacit/base/exact_sum.hpp"
#include "tacit/engine/across_ranks.hpp"
#include "tacit/engine/error.hpp"
#include "tacit/exchange/over_ranks.hpp"
#include "tacit/particles/split.hpp"
#include "tacit/solvers/sph/cell_layout.hpp"
#include "tacit/solvers/sph/fields.hpp"
#include "tacit/solvers/sph/loops.hpp"
#include "tacit/tasks/parallel_for.hpp"

namespace tacit::sph {
namespace {

/// Lists are made again when they have become this much longer-ranged than needed, on average.
constexpr double most_excess_reach = 1.4;

}  // namespace

particles::Domain surroundings(const Gas& gas, int dimension, double margin, comm::Communicator* ranks) {
  const std::array<const std::vector<double>*, 3> positions{&gas.x, &gas.y, &gas.z};
  std::array<double, 6> ends{};  // along each axis: minus the lowest, and the highest
  ends.fill(-std::numeric_limits<double>::infinity());
  for (std::size_t axis = 0; axis < 3; ++axis) {
    for (const double x : *positions[axis]) {
      ends[2 * axis] = std::max(ends[2 * axis], -x);
      ends[2 * axis + 1] = std::max(ends[2 * axis + 1], x);
    }
  }
  if (ranks != nullptr) exchange::take_largest(*ranks, std::span<double>(ends));
  particles::Domain domain;
  domain.periodic = false;
  domain.dimension = dimension;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const double lowest = -ends[2 * axis];
    const double highest = ends[2 * axis + 1];
    const double room = std::max(margin, 0x1p-24 * std::max(std::abs(lowest), std::abs(highest)));  // not lost in sums
    domain.origin[axis] = lowest - room;
    domain.size[axis] = highest - lowest + 2.0 * room;
  }
  return domain;
}

GasCells::GasCells(const Physics& physics, const base::Vec3& box, const StepClock& clock, Gas& gas, LastRecords& last,
                   const engine::Resources& resources)
    : physics_(physics),
      box_(box),
      clock_(clock),
      gas_(gas),
      last_records_(last),
      resources_(resources),
      loops_(pair_loops(physics.kernel, physics.dimension)),
      cost_clock_(engine::cost_clock(resources.ranks, resources.scheduler.workers())),
      scratch_(resources.scheduler.workers()) {
  if (resources.ranks.size() == 1) return;
  copies_.emplace(physics, resources.ranks);
  if (physics.gravity.is_present) gravity_copies_.emplace(resources.ranks);
}

/// Whether all ranks say so.
bool GasCells::do_all(bool mine) const {
  std::array<std::uint64_t, 1> objections{mine ? 0U : 1U};
  exchange::add_over(resources_.ranks, objections);
  return objections[0] == 0;
}

void GasCells::run(tasks::Activation& part, const tasks::StepContext& step) {
  resources_.scheduler.run(graph_->graph, part, step);
}

bool GasCells::visits_pairs_once() const {
  if (!swept_) return false;
  for (std::size_t c = 0; c < tree_->cells(); ++c) {
    if (tree_->range(c).count > 0 && !step_data_->are_all_active(c)) return false;
  }
  return true;
}

particles::Domain GasCells::domain(double H) const {
  if (physics_.boundary == Boundary::open) return surroundings(gas_, physics_.dimension, H, &resources_.ranks);
  return bounded_domain(physics_, box_);
}

void GasCells::count_particles() {
  const auto of_gas = gas_.type.empty() ? gas_.size() : static_cast<std::size_t>(std::ranges::count(gas_.type, 0));
  std::array<std::uint64_t, 2> all{gas_.size(), of_gas};
  exchange::add_over(resources_.ranks, all);
  particles_ = all[0];
  gas_particles_ = all[1];
}

/// The radius of a kernel such that half of them are wider [length]. Where there is no gas, what is left around the
/// particles for them to move: top-level cells are then as many as there may be.
double GasCells::typical_support() {
  comm::Communicator& ranks = resources_.ranks;
  if (gas_particles_ == 0) {
    const base::Vec3 size = surroundings(gas_, physics_.dimension, 0.0, &ranks).size;
    const double longest = std::max({size.x, size.y, size.z});
    const double softening = physics_.gravity.least_softening();
    return longest > 0.0 ? std::max(longest / 64.0, 0x1p-40 * softening) : softening;
  }
  if (!gas_.has_types) {
    return physics_.kernel_gamma * exchange::kth_smallest(ranks, gas_.h, particles_ / 2, spare_, &resources_.scheduler);
  }
  std::vector<double> of_gas;
  for (std::size_t i = 0; i < gas_.size(); ++i) {
    if (gas_.is_gas(i)) of_gas.push_back(gas_.h[i]);
  }
  return physics_.kernel_gamma * exchange::kth_smallest(ranks, of_gas, gas_particles_ / 2,
                                                        std::span(spare_).first(of_gas.size()), &resources_.scheduler);
}

/// The radius of each particle's kernel [length], in the spare array.
std::span<const double> GasCells::support_radii() {
  tasks::parallel_for(resources_.scheduler, 0, gas_.size(), [this](std::size_t first, std::size_t end) {
    for (std::size_t i = first; i < end; ++i) spare_[i] = physics_.kernel_gamma * gas_.h[i];
  });
  return spare_;
}

void GasCells::rebuild() {
  comm::Communicator& ranks = resources_.ranks;
  const std::int64_t begin = cost_clock_();
  note_costs();
  graph_.reset();  // first of all: the peak of memory comes while cells and lists are made
  gravity_.reset();
  if (copies_) copies_->clear();
  count_particles();
  spare_.resize(gas_.size());
  const double H = typical_support();
  wrap_positions();
  std::optional<particles::CellTree> former = std::move(tree_);
  tree_.emplace(domain(H), cell_width(physics_.dimension) * H, particles_ / least_per_top_cell(physics_.dimension) + 64,
                per_group);
  if (former) tree_->take_memory(std::move(*former));
  former.reset();
  tree_->refine(gas_.x, gas_.y, gas_.z, support_radii(), most_per_cell, &ranks, &resources_.scheduler);
  if (ranks.size() > 1) share_out();
  begin_costs();
  sort_particles();
  std::vector<double> reach =
      tree_->largest_nearby({gas_.x, gas_.y, gas_.z}, support_radii(), slack_in_cells, &resources_.scheduler);
  exchange::take_largest(ranks, std::span<double>(reach));
  for (double& length : reach) length *= reach_margin;
  std::vector<double> slack(tree_->leaves());
  for (std::size_t leaf = 0; leaf < slack.size(); ++leaf) slack[leaf] = slack_in_cells * tree_->narrowest_of_leaf(leaf);
  std::array<std::uint64_t, 1> fullest{0};
  for (std::size_t c = 0; c < tree_->cells(); ++c) fullest[0] = std::max(fullest[0], tree_->range(c).count);
  exchange::take_largest(ranks, std::span<std::uint64_t>(fullest));
  largest_cell_ = 2 * std::max<std::size_t>(most_per_cell, fullest[0]);
  measure_units();
  if (!connect(reach, slack)) {
    throw engine::NumericsError(
        "some particles' kernels reach over more of the box than lists of neighbours can hold\n"
        "  Are positions or smoothing lengths out of hand? A smaller sph.h_max limits them.");
  }
  if (copies_) note_migration(begin);
  ++rebuilds_;
}

/// Lists and graph for the present cells. @return false where lists would be absurdly long
/// @param reach_of_leaves, slack_of_leaves  shape (leaves) [length]
bool GasCells::connect(std::span<const double> reach_of_leaves, std::span<const double> slack_of_leaves) {
  if (!do_all(tree_->link(reach_of_leaves, slack_of_leaves, &resources_.scheduler))) return false;
  const std::size_t cells = tree_->all_cells();
  reach_.resize(cells);
  slack_.resize(cells);
  for (std::size_t c = 0; c < cells; ++c) {
    reach_[c] = reach_of_leaves[tree_->leaf(c)];
    slack_[c] = slack_of_leaves[tree_->leaf(c)];
  }
  find_extents();
  reports_.assign(cells, CellReport{});
  swept_.reset();
  if (physics_.pairs == Pairs::symmetric && do_suit_sweeps()) {
    swept_.emplace(*tree_, cache_units_, moved_, physics_.scheme, scratch_.size());
  }
  bounds_.assign(cells, CellBounds{});
  make_graph();
  return true;
}

/// The graph for the present lists, and what its tasks see.
void GasCells::make_graph() {
  graph_.reset();
  gravity_.reset();
  if (copies_) {
    copies_->clear();
    copies_->find(*tree_, owner_);
    copies_->fetch(*tree_, gas_);
    copies_->give_room(*tree_, gas_);
  }
  if (physics_.gravity.is_present) gravity_ = GravityField::make(physics_.gravity, *tree_, scratch_.size());
  if (gravity_copies_) {
    gravity_copies_->find(gravity_->tree(), owner_);
    gravity_copies_->fetch(*tree_);
    gravity_copies_->give_room();
    gravity_->copies = &*gravity_copies_;
  }
  cells_.resize(tree_->all_cells());  // all of them are told their data and views below
  if (costs_.size() != (copies_ ? tree_->cells() : 0)) begin_costs();
  step_data_ = std::make_unique<StepData>(
      StepData{physics_, *tree_, loops_, cache_units_, clock_, reach_, extent_, slack_, cells_, reports_, bounds_,
               scratch_, swept_ ? &*swept_ : nullptr, resources_.log, copies_ ? &*copies_ : nullptr, costs_,
               cost_clock_, &check_, gravity_.get()});
  graph_.emplace(build_step(*step_data_,
                            resources_.deterministic ? tasks::Conflicts::ordered : tasks::Conflicts::any_order,
                            &resources_.scheduler));
  if (copies_) copies_->connect();
  bind();
}

void GasCells::find_extents() {
  extent_.resize(tree_->cells());  // copies look at nothing
  tasks::parallel_for(resources_.scheduler, 0, extent_.size(), [this](std::size_t c) {
    double reach = reach_[c];
    for (const auto& neighbour : tree_->neighbours(c)) reach = std::max(reach, reach_[neighbour.cell]);
    const particles::CellBox box = tree_->box(c);
    double size = 0.0;
    for (std::size_t axis = 0; axis < static_cast<std::size_t>(physics_.dimension); ++axis) {
      size = std::max(size, box.upper[axis] - box.lower[axis]);
    }
    extent_[c] = 0.5 * size + slack_[c] + reach;
  });
}

/// Whether a float tells places in a cell apart as well as kernels need: sweeps count from the middle of the cell.
/// Decided by the lists alone, so that a run that goes on from a checkpoint decides alike.
bool GasCells::do_suit_sweeps() const {
  constexpr double widest_in_reaches = 2.0 * particles::widest_in_supports;
  for (std::size_t c = 0; c < tree_->cells(); ++c) {
    if (reach_[c] == 0.0) continue;  // no particle comes here before the next rebuild
    const particles::CellBox box = tree_->box(c);
    for (std::size_t axis = 0; axis < static_cast<std::size_t>(physics_.dimension); ++axis) {
      if (box.upper[axis] - box.lower[axis] > widest_in_reaches * reach_[c]) return false;
    }
  }
  return true;
}

void GasCells::require_finite_positions() const {
  const auto is_finite = [this](std::size_t i) { return std::isfinite(gas_.x[i] + gas_.y[i] + gas_.z[i]); };
  std::atomic<bool> are_all{true};
  tasks::parallel_for(resources_.scheduler, 0, gas_.size(), [&](std::size_t first, std::size_t end) {
    for (std::size_t i = first; i < end; ++i) {
      if (!is_finite(i)) are_all = false;
    }
  });
  std::optional<engine::Flaw> flaw;
  if (!are_all) {
    std::size_t i = 0;
    while (is_finite(i)) ++i;
    flaw = engine::Flaw{.text = fmt::format("the position of particle {} is not finite: ({}, {}, {})\n"
                                            "  Look at the last snapshot; a smaller sph.cfl or time.dt_max may "
                                            "help.",
                                            gas_.id[i], gas_.x[i], gas_.y[i], gas_.z[i]),
                        .field = "position",
                        .element = gas_.id[i]};
  }
  if (const auto first = engine::first_flaw(resources_.ranks, flaw)) throw engine::NumericsError(*first);
}

void GasCells::wrap_positions() {
  if (physics_.boundary != Boundary::periodic) return;
  tasks::parallel_for(resources_.scheduler, 0, gas_.size(), [this](std::size_t first, std::size_t end) {
    const auto wrap_all = [=, this](std::vector<double>& values, std::vector<double>& before, double length) {
      for (std::size_t i = first; i < end; ++i) {
        const double wrapped = particles::wrap(values[i], 0.0, length);
        if (gas_.has_own_steps) before[i] += wrapped - values[i];
        values[i] = wrapped;
      }
    };
    wrap_all(gas_.x, gas_.x_before, box_.x);
    wrap_all(gas_.y, gas_.y_before, box_.y);
    wrap_all(gas_.z, gas_.z_before, box_.z);
  });
}

void GasCells::sort_particles() {
  apply_order(tree_->sort(gas_.x, gas_.y, gas_.z, gas_.id, &resources_.scheduler, gas_.type));
  moved_.assign(tree_->cells(), 0.0);
  ++sorts_;
}

/// Through one spare array that stays: others, freed after each sorting, leave gaps that the next graph does not fit.
void GasCells::apply_order(std::span<const std::uint32_t> order) {
  spare_.resize(order.size());
  const auto permute = [&]<class T>(std::vector<T>& values) {
    static_assert(sizeof(T) <= sizeof(double));
    const auto sorted = std::as_writable_bytes(std::span(spare_));
    tasks::parallel_for(resources_.scheduler, 0, order.size(), [&](std::size_t first, std::size_t end) {
      for (std::size_t i = first; i < end; ++i) {
        std::memcpy(sorted.data() + i * sizeof(T), &values[order[i]], sizeof(T));
      }
    });
    if constexpr (std::is_same_v<T, double>) {
      values.swap(spare_);
    } else {
      tasks::parallel_for(resources_.scheduler, 0, order.size(), [&](std::size_t first, std::size_t end) {
        std::memcpy(values.data() + first, sorted.data() + first * sizeof(T), (end - first) * sizeof(T));
      });
    }
  };
  permute(gas_.id);
  for_each_field(gas_, [&](std::string_view /*name*/, auto& array) { permute(array); });
  if (!last_records_.steps.empty()) last_records_.for_each(permute);
}

/// The longest kernel in the cell [length]; nothing where the cell, as it is, does not suit its particles.
std::optional<double> GasCells::longest_support(std::size_t c) const {
  // Cells are made finer than this; it is some way from there to where floats fail.
  constexpr double widest = 4.0 * particles::widest_in_supports;
  const auto [begin, count] = tree_->range(c);
  if (count == 0) return 0.0;
  if (count > largest_cell_) return std::nullopt;
  const std::size_t of_gas = gas_in_cell(c);
  if (of_gas == 0) return 0.0;
  const auto [least, most] = std::ranges::minmax(std::span(gas_.h).subspan(begin, of_gas));
  const double longest = physics_.kernel_gamma * most;
  if (longest > reach_[c]) return std::nullopt;
  if (tree_->is_divisible(c) && tree_->narrowest(c) > widest * physics_.kernel_gamma * least) return std::nullopt;
  return longest;
}

/// Whether lists made for `reach_` and cells as they are still suit the particles, which were just sorted.
bool GasCells::do_suit() const {
  std::vector<double> longest(tree_->leaves(), 0.0);
  std::atomic<bool> are_suitable{true};
  tasks::parallel_for(resources_.scheduler, 0, tree_->cells(), [&](std::size_t c) {
    if (const auto support = longest_support(c)) {
      longest[tree_->leaf(c)] = *support;
    } else {
      are_suitable = false;
    }
  });
  if (!do_all(are_suitable)) return false;
  exchange::take_largest(resources_.ranks, std::span<double>(longest));
  // Exact, so that the means do not depend on how cells are divided among ranks.
  std::array<base::ExactSum, 2> sums;
  sums[0].add(std::span(reach_).first(tree_->cells()));
  sums[1].add(tree_->spread_maximum(longest, &resources_.scheduler));
  reductions_.add(sums);
  const auto mean = [this](const base::ExactSum& sum) { return sum.value() / static_cast<double>(tree_->leaves()); };
  return mean(sums[0]) <= most_excess_reach * reach_margin * mean(sums[1]);
}

void GasCells::sort_or_rebuild() {
  require_finite_positions();
  if (physics_.boundary != Boundary::open || do_all(tree_->holds(gas_.x, gas_.y, gas_.z))) {
    wrap_positions();
    if (copies_) move_to_owners();
    sort_particles();
    if (do_suit()) {
      if (copies_ && recut()) return;
      if (gravity_copies_) gravity_copies_->fetch(*tree_);
      if (copies_ && !do_all(copies_->have_room(*tree_, gas_) && (!gravity_copies_ || gravity_copies_->have_room()))) {
        make_graph();  // with longer messages; cells and lists stay, as they do on one rank
      } else {
        if (copies_) copies_->fetch(*tree_, gas_);
        bind();
      }
      return;
    }
  }
  rebuild();
}

/// No particle moves further in a time t than (v + a t / 2) t: with a common step it is still to be kicked, for half of
/// the step.
double GasCells::time_within_slack() const {
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t c = 0; c < moved_.size(); ++c) {
    const double rest = slack_[c] - moved_[c];
    if (rest < 0.0) return -1.0;
    const double v = reports_[c].v_max;
    const double a = clock_.is_common ? reports_[c].a_max : 0.0;
    const double speed = v + (a > 0.0 ? std::hypot(v, std::sqrt(2.0 * a * rest)) : v);
    if (speed != 0.0) least = exchange::smaller(least, 2.0 * rest / speed);
  }
  return least;
}

void GasCells::move(double dt) {
  for (std::size_t c = 0; c < moved_.size(); ++c) {
    const double a = clock_.is_common ? reports_[c].a_max : 0.0;
    moved_[c] += (reports_[c].v_max + 0.5 * a * dt) * dt;
  }
}

/// Exact sums of f(i), an array of numbers, over the particles of this rank.
template <std::size_t N, class F>
std::array<base::ExactSum, N> GasCells::sums_over_particles(const F& f) const {
  std::array<base::ExactSum, N> sums;
  std::mutex mutex;
  tasks::parallel_for(resources_.scheduler, 0, gas_.size(), [&](std::size_t first, std::size_t end) {
    std::array<base::BufferedSum, N> parts;
    for (std::size_t i = first; i < end; ++i) {
      const std::array<double, N> values = f(i);
      for (std::size_t k = 0; k < N; ++k) parts[k].add(values[k]);
    }
    const std::lock_guard guard(mutex);
    for (std::size_t k = 0; k < N; ++k) sums[k].merge(parts[k].sum());
  });
  return sums;
}

void GasCells::measure_units() {
  if (gas_particles_ == 0) return;  // nobody measures in them
  std::array<base::ExactSum, 4> sums = sums_over_particles<4>([this](std::size_t i) {
    if (!gas_.is_gas(i)) return std::array{0.0, 0.0, 0.0, 0.0};
    return std::array{gas_.m[i], gas_.m[i] * gas_.vx[i], gas_.m[i] * gas_.vy[i], gas_.m[i] * gas_.vz[i]};
  });
  reductions_.add(sums);
  const double mass = sums[0].value();
  const base::Vec3 momentum{sums[1].value(), sums[2].value(), sums[3].value()};
  const bool is_mirrored = physics_.boundary == Boundary::reflecting;  // there velocities turn round at walls
  cache_units_.velocity = is_mirrored ? base::Vec3{} : (1.0 / mass) * momentum;
  std::array<base::ExactSum, 1> squares = sums_over_particles<1>([this](std::size_t i) {
    if (!gas_.is_gas(i)) return std::array{0.0};
    const base::Vec3 v = base::Vec3{gas_.vx[i], gas_.vy[i], gas_.vz[i]} - cache_units_.velocity;
    // Not what a drift may or may not have predicted since.
    const double cs = gas_.has_own_steps ? gas_.cs_before[i] : gas_.cs[i];
    return std::array{gas_.m[i] * (dot(v, v) + cs * cs)};
  });
  reductions_.add(squares);
  const double typical = std::sqrt(squares[0].value() / mass);
  cache_units_.scales = {mass / static_cast<double>(gas_particles_), typical > 0.0 ? typical : 1.0};
}

}  // namespace tacit::sph
