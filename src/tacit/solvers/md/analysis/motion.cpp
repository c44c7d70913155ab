// Compares samples with those before them.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/md/analysis/motion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "tacit/base/error.hpp"
#include "tacit/exchange/over_ranks.hpp"
#include "tacit/tasks/parallel_for.hpp"

namespace tacit::md {
namespace {

constexpr std::size_t sums_of_type = 4;  // squares along x, y, z; products of velocities

}  // namespace

Motion::Motion(const MotionSampling& sampling, std::size_t types, const FileOrder& order,
               const engine::Resources& resources)
    : interval_(sampling.interval),
      types_(types),
      order_(order),
      scheduler_(resources.scheduler),
      ranks_(resources.ranks),
      reductions_(resources.ranks),
      rows_(0) {
  const auto rank = static_cast<std::size_t>(number(ranks_.rank()));
  const std::uint64_t end = rank + 1 == ranks_.size() ? order.atoms() : order.first_row(rank + 1);
  rows_ = end - order.first_row(rank);
  for (std::size_t level = 0; level < sampling.levels; ++level) {
    histories_.emplace_back(slots * rows_);
    of_lags_.emplace_back(lags_of(level), engine::BlockAverages(types * quantities));
    of_slopes_.emplace_back(types);
  }
}

double Motion::interval_of(std::size_t level) const noexcept { return std::ldexp(interval_, static_cast<int>(level)); }

std::span<const Motion::Sample> Motion::history(std::size_t level, std::size_t slot) const noexcept {
  return std::span(histories_[level]).subspan(slot * rows_, rows_);
}

void Motion::sample(const Atoms& atoms, const Box& box, std::uint64_t number) {
  const FileRows rows(atoms, order_, ranks_);
  if (atoms_of_.empty()) {
    type_ = rows.of([&](std::size_t i) { return atoms.type[i]; });
    std::vector<std::uint64_t> counts(types_, 0);
    for (const std::uint32_t type : type_) ++counts[type];
    exchange::add_over(ranks_, counts);
    atoms_of_.assign(counts.begin(), counts.end());
  }
  const std::vector<Sample> now = rows.of([&](std::size_t i) {
    const base::Vec3 x = atoms.position(i) + box.shift(atoms.image[i]);
    const base::Vec3 v = atoms.velocity(i);
    return Sample{{x.x, x.y, x.z}, {v.x, v.y, v.z}};
  });
  for (std::size_t level = 0; level < histories_.size(); ++level) {
    if (number % (std::uint64_t{1} << level) != 0) break;
    const std::uint64_t here = number >> level;
    compare(level, here, now);
    std::ranges::copy(now, histories_[level].begin() + static_cast<std::ptrdiff_t>(here % slots * rows_));
  }
}

/// @param number  of the sample among those of the level
void Motion::compare(std::size_t level, std::uint64_t number, std::span<const Sample> now) {
  const std::size_t first = first_lag(level);
  const std::size_t last = std::min<std::size_t>(slots, number);
  if (last < first) return;
  const std::size_t of_lag = types_ * sums_of_type;
  exchange::Reduction& of_all = reductions_.of({.sums = lags_of(level) * of_lag});
  std::ranges::fill(of_all.sums(), base::ExactSum());
  for (std::size_t lag = first; lag <= last; ++lag) {
    const auto before = lag == 0 ? now : history(level, (number - lag) % slots);
    std::ranges::copy(sums_of(now, before), of_all.sums().subspan((lag - first) * of_lag).begin());
  }
  of_all.run();
  std::vector<double> values(types_ * quantities);
  std::vector<double> slopes(types_, 0.0);
  const std::size_t near = slots / 2 + 1;
  const double time = static_cast<double>(slots - near) * interval_of(level);
  for (std::size_t lag = first; lag <= last; ++lag) {
    for (std::size_t type = 0; type < types_; ++type) {
      const auto sums = of_all.sums().subspan((lag - first) * of_lag + type * sums_of_type, sums_of_type);
      double* value = values.data() + type * quantities;
      const double share = atoms_of_[type] > 0.0 ? 1.0 / atoms_of_[type] : 0.0;
      for (std::size_t axis = 0; axis < 3; ++axis) value[1 + axis] = sums[axis].value() * share;
      value[0] = value[1] + value[2] + value[3];
      value[4] = sums[3].value() * share;
      if (lag == near) slopes[type] -= value[0] / (6.0 * time);
      if (lag == slots) slopes[type] += value[0] / (6.0 * time);
    }
    of_lags_[level][lag - first].add(values);
  }
  if (last == slots) of_slopes_[level].add(slopes);
}

/// By type, of the rows of this rank.
std::vector<base::ExactSum> Motion::sums_of(std::span<const Sample> now, std::span<const Sample> before) const {
  const auto of_some = [&](std::size_t first, std::size_t end) {
    std::vector<base::BufferedSum> sums(types_ * sums_of_type);
    for (std::size_t row = first; row < end; ++row) {
      base::BufferedSum* of_type = sums.data() + type_[row] * sums_of_type;
      double product = 0.0;
      for (std::size_t axis = 0; axis < 3; ++axis) {
        const double away = now[row].x[axis] - before[row].x[axis];
        of_type[axis].add(away * away);
        product += now[row].v[axis] * before[row].v[axis];
      }
      of_type[3].add(product);
    }
    std::vector<base::ExactSum> result;
    for (base::BufferedSum& sum : sums) result.push_back(sum.sum());
    return result;
  };
  const auto together = [](std::vector<base::ExactSum> all, const std::vector<base::ExactSum>& more) {
    for (std::size_t k = 0; k < all.size(); ++k) all[k].merge(more[k]);
    return all;
  };
  constexpr std::size_t chunk = 4096;
  return tasks::parallel_reduce(scheduler_, 0, rows_, chunk, std::vector<base::ExactSum>(types_ * sums_of_type),
                                of_some, together);
}

std::vector<Motion::Lag> Motion::lags(std::size_t type) const {
  std::vector<Lag> result;
  for (std::size_t level = 0; level < of_lags_.size(); ++level) {
    for (std::size_t k = 0; k < of_lags_[level].size(); ++k) {
      const engine::BlockAverages& of_lag = of_lags_[level][k];
      if (of_lag.count() == 0) continue;
      const std::size_t at = type * quantities;
      result.push_back({.time = static_cast<double>(first_lag(level) + k) * interval_of(level),
                        .samples = of_lag.count(),
                        .msd = of_lag.estimate(at),
                        .along = {of_lag.estimate(at + 1), of_lag.estimate(at + 2), of_lag.estimate(at + 3)},
                        .vacf = of_lag.estimate(at + 4)});
    }
  }
  return result;
}

std::vector<Motion::Slope> Motion::slopes(std::size_t type) const {
  std::vector<Slope> result;
  for (std::size_t level = 0; level < of_slopes_.size(); ++level) {
    if (of_slopes_[level].count() == 0) continue;
    result.push_back({.from = static_cast<double>(slots / 2 + 1) * interval_of(level),
                      .to = static_cast<double>(slots) * interval_of(level),
                      .diffusion = of_slopes_[level].estimate(type)});
  }
  return result;
}

/// The averages of all lags and slopes are one array: the length of each, then its numbers.
void Motion::save(io::FileWriter& file, const std::string& group) const {
  std::vector<double> all;
  const auto append = [&all](const engine::BlockAverages& averages) {
    const std::vector<double> state = averages.state();
    all.push_back(static_cast<double>(state.size()));
    all.insert(all.end(), state.begin(), state.end());
  };
  for (const auto& level : of_lags_) std::ranges::for_each(level, append);
  std::ranges::for_each(of_slopes_, append);
  file.array(group + "/motion", all, std::array<std::uint64_t, 1>{all.size()});
  const std::uint64_t first = order_.first_row(static_cast<std::size_t>(number(ranks_.rank())));
  for (std::size_t level = 0; level < histories_.size(); ++level) {
    const std::vector<Sample>& history = histories_[level];
    const double* numbers = history.empty() ? nullptr : history.data()->x.data();
    file.part(fmt::format("{}/history {}", group, level), std::array<std::uint64_t, 3>{slots, order_.atoms(), 6},
              io::Number::float64, {.first = {0, first, 0}, .count = {slots, rows_, 6}},
              std::span<const double>(numbers, 6 * history.size()));
  }
}

void Motion::load(const io::FileReader& file, const std::string& group) {
  const auto refuse = [&](const std::string& what) {
    throw base::FormatError(file.path().string(), fmt::format("{}: {}; the file is damaged", group, what));
  };
  const std::string name = group + "/motion";
  const auto shape = file.info(name).shape;
  if (shape.size() != 1) refuse("averages of motion have another shape");
  std::vector<double> all(shape[0]);
  file.read(name, all);
  std::span<const double> left(all);
  const auto take = [&](engine::BlockAverages& averages) {
    if (left.empty() || !(left[0] >= 0.0 && left[0] < static_cast<double>(left.size()))) refuse("averages are cut off");
    const auto length = static_cast<std::size_t>(left[0]);
    try {
      averages = engine::BlockAverages(averages.quantities(), left.subspan(1, length));
    } catch (const base::Error& error) {
      refuse(error.what());
    }
    left = left.subspan(1 + length);
  };
  for (auto& level : of_lags_) std::ranges::for_each(level, take);
  std::ranges::for_each(of_slopes_, take);
  const std::uint64_t first = order_.first_row(static_cast<std::size_t>(number(ranks_.rank())));
  for (std::size_t level = 0; level < histories_.size(); ++level) {
    const std::string history = fmt::format("{}/history {}", group, level);
    if (file.info(history).shape != std::vector<std::uint64_t>{slots, order_.atoms(), 6}) {
      refuse("a history is of other atoms");
    }
    if (rows_ == 0) continue;
    file.read_part(history, {.first = {0, first, 0}, .count = {slots, rows_, 6}},
                   std::span<double>(histories_[level].data()->x.data(), 6 * histories_[level].size()));
  }
}

}  // namespace tacit::md
