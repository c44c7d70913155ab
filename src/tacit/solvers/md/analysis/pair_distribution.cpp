// Counts pairs by distance.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/md/analysis/pair_distribution.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "tacit/base/error.hpp"
#include "tacit/solvers/md/analysis/surroundings.hpp"
#include "tacit/tasks/parallel_for.hpp"

namespace tacit::md {

PairDistribution::PairDistribution(const PairSampling& sampling, std::size_t types, const engine::Resources& resources)
    : reach_(sampling.reach),
      width_(sampling.reach / static_cast<double>(sampling.bins)),
      bins_(sampling.bins),
      types_(types),
      kinds_(types * (types + 1) / 2),
      scheduler_(resources.scheduler),
      ranks_(resources.ranks),
      reductions_(resources.ranks),
      averages_(2 * kinds_ * bins_),
      atoms_of_(types, 0) {}

std::size_t PairDistribution::kind_of(std::size_t a, std::size_t b) const noexcept {
  const auto [low, high] = std::minmax(a, b);
  return low * types_ - low * (low + 1) / 2 + high;
}

/// Ordered pairs with an atom of this rank first, by kind and bin.
std::vector<std::uint64_t> PairDistribution::count(const Atoms& atoms, const Box& box) const {
  const Surroundings surroundings(atoms, box, reach_, ranks_);
  const double per_width = 1.0 / width_;
  const auto of_some = [&](std::size_t first, std::size_t end) {
    std::vector<std::uint64_t> counts(kinds_ * bins_, 0);
    for (std::size_t i = first; i < end; ++i) {
      surroundings.around(i, [&](const Surroundings::Seen& other, const base::Vec3&, double d2) {
        const auto bin = static_cast<std::size_t>(std::sqrt(d2) * per_width);
        if (bin < bins_) ++counts[kind_of(atoms.type[i], other.type) * bins_ + bin];
      });
    }
    return counts;
  };
  const auto together = [](std::vector<std::uint64_t> all, const std::vector<std::uint64_t>& more) {
    for (std::size_t k = 0; k < all.size(); ++k) all[k] += more[k];
    return all;
  };
  constexpr std::size_t chunk = 256;
  return tasks::parallel_reduce(scheduler_, 0, atoms.count(), chunk, std::vector<std::uint64_t>(kinds_ * bins_, 0),
                                of_some, together);
}

void PairDistribution::sample(const Atoms& atoms, const Box& box) {
  exchange::Reduction& of_all = reductions_.of({.counts = kinds_ * bins_ + types_});
  const auto counts = of_all.counts();
  std::ranges::copy(count(atoms, box), counts.begin());
  const auto types = counts.last(types_);
  std::ranges::fill(types, 0);
  for (const std::uint32_t type : atoms.type) ++types[type];
  of_all.run();
  atoms_of_.assign(types.begin(), types.end());
  std::vector<double> values(2 * kinds_ * bins_, 0.0);
  for (std::size_t a = 0; a < types_; ++a) {
    for (std::size_t b = a; b < types_; ++b) {
      const auto n_a = static_cast<double>(types[a]);
      const auto n_b = static_cast<double>(types[b]);
      // Of unlike atoms each pair was counted from both sides.
      const double pairs = a == b ? n_a * (n_a - 1.0) : 2.0 * n_a * n_b;
      if (!(pairs > 0.0)) continue;
      std::uint64_t within = 0;
      for (std::size_t bin = 0; bin < bins_; ++bin) {
        const std::size_t at = kind_of(a, b) * bins_ + bin;
        const double inner = width_ * static_cast<double>(bin);
        const double outer = width_ * static_cast<double>(bin + 1);
        const double shell = 4.0 / 3.0 * std::numbers::pi * (outer * outer * outer - inner * inner * inner);
        within += counts[at];
        values[at] = box.volume() * static_cast<double>(counts[at]) / (pairs * shell);
        values[kinds_ * bins_ + at] = static_cast<double>(within) / (a == b ? n_a : 2.0 * n_a);
      }
    }
  }
  averages_.add(values);
}

engine::BlockEstimate PairDistribution::g(std::size_t a, std::size_t b, std::size_t bin) const {
  return averages_.estimate(kind_of(a, b) * bins_ + bin);
}

engine::BlockEstimate PairDistribution::neighbours(std::size_t a, std::size_t b, std::size_t bin) const {
  engine::BlockEstimate result = averages_.estimate((kinds_ + kind_of(a, b)) * bins_ + bin);
  if (a <= b || atoms_of_[a] == 0) return result;
  const double ratio = static_cast<double>(atoms_of_[b]) / static_cast<double>(atoms_of_[a]);
  result.mean *= ratio;
  result.error *= ratio;
  return result;
}

/// How many atoms there are of each type, then the averages.
std::vector<double> PairDistribution::state() const {
  std::vector<double> result(atoms_of_.begin(), atoms_of_.end());
  const std::vector<double> more = averages_.state();
  result.insert(result.end(), more.begin(), more.end());
  return result;
}

void PairDistribution::restore(std::span<const double> state) {
  if (state.size() < types_) throw base::Error("there are not as many numbers as types of atoms");
  for (std::size_t type = 0; type < types_; ++type) atoms_of_[type] = static_cast<std::uint64_t>(state[type]);
  averages_ = engine::BlockAverages(2 * kinds_ * bins_, state.subspan(types_));
}

}  // namespace tacit::md
