// Sums waves over atoms.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/md/analysis/waves.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include "tacit/tasks/parallel_for.hpp"

namespace tacit::md {
namespace {

/// Sums are of multiples of 2^-40: as long as they stay below 2^12, doubles hold them exactly.
constexpr double unit = 0x1p-40;
constexpr double rounding = 0x1.8p12;  // its last digit is a unit
constexpr std::size_t block = 64;      // atoms whose waves are made together

/// The nearest multiple of the unit. @pre |x| < 2^11
double rounded(double x) noexcept { return (x + rounding) - rounding; }

/// Rows of the reciprocal edges: b_i . a_j = 2 pi if i = j, else 0.
std::array<base::Vec3, 3> reciprocal_edges(const Box& box) {
  std::array<base::Vec3, 3> result;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    result[axis] =
        (2.0 * std::numbers::pi / box.volume()) * base::cross(box.edge((axis + 1) % 3), box.edge((axis + 2) % 3));
  }
  return result;
}

double length_of(const std::array<std::int32_t, 3>& n, const std::array<base::Vec3, 3>& b) {
  base::Vec3 k{};
  for (std::size_t axis = 0; axis < 3; ++axis) k = k + static_cast<double>(n[axis]) * b[axis];
  return base::norm(k);
}

/// exp(-2 pi i n s) of a block of atoms, for all n from 0 to the highest: real parts, then imaginary ones.
struct Powers {
  std::vector<std::array<double, block>> re, im;
  explicit Powers(std::size_t highest) : re(highest + 1), im(highest + 1) {}
  void fill(std::span<const base::Vec3> fractions, std::size_t axis) {
    for (std::size_t i = 0; i < fractions.size(); ++i) {
      const double angle = -2.0 * std::numbers::pi * fractions[i][axis];
      const double c = std::cos(angle);
      const double s = std::sin(angle);
      re[0][i] = 1.0;
      im[0][i] = 0.0;
      for (std::size_t n = 1; n < re.size(); ++n) {
        re[n][i] = re[n - 1][i] * c - im[n - 1][i] * s;
        im[n][i] = re[n - 1][i] * s + im[n - 1][i] * c;
      }
    }
  }
};

}  // namespace

StructureFactor::StructureFactor(const WaveSampling& sampling, std::size_t types, const Box& box,
                                 const engine::Resources& resources)
    : types_(types),
      kinds_(types * (types + 1) / 2),
      scheduler_(resources.scheduler),
      reductions_(resources.ranks),
      averages_(1) {
  const std::array<base::Vec3, 3> b = reciprocal_edges(box);
  double lowest = std::numeric_limits<double>::infinity();
  std::array<std::int32_t, 3> reach{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    // k . a = 2 pi n, so |n| <= k |a| / 2 pi.
    reach[axis] =
        static_cast<std::int32_t>(std::floor(sampling.highest * base::norm(box.edge(axis)) / (2.0 * std::numbers::pi)));
    lowest = std::min(lowest, base::norm(b[axis]));
  }
  const auto for_waves = [&](const auto& visit) {
    Wave n{};
    for (n[0] = 0; n[0] <= reach[0]; ++n[0]) {
      for (n[1] = n[0] == 0 ? 0 : -reach[1]; n[1] <= reach[1]; ++n[1]) {
        for (n[2] = n[0] == 0 && n[1] == 0 ? 1 : -reach[2]; n[2] <= reach[2]; ++n[2]) {
          const double k = length_of(n, b);
          if (k <= sampling.highest) visit(static_cast<std::size_t>(std::lround(k / lowest)), n);
        }
      }
    }
  };
  // In two passes, as there may be many more waves than are taken.
  std::vector<std::size_t> all(static_cast<std::size_t>(std::lround(sampling.highest / lowest)) + 1, 0);
  for_waves([&](std::size_t shell, const Wave&) { ++all[shell]; });
  std::vector<std::vector<Wave>> taken(all.size());
  std::vector<std::size_t> seen(all.size(), 0);
  for_waves([&](std::size_t shell, const Wave& n) {
    const std::size_t count = std::min<std::size_t>(all[shell], sampling.waves_of_shell);
    // The first of each of `count` equal parts.
    if (seen[shell] * count / all[shell] == taken[shell].size()) taken[shell].push_back(n);
    ++seen[shell];
  });
  for (const std::vector<Wave>& shell : taken) {
    if (shell.empty()) continue;
    waves_of_.push_back(shell.size());
    for (const Wave& wave : shell) {
      waves_.push_back(wave);
      for (std::size_t axis = 0; axis < 3; ++axis) {
        highest_[axis] = std::max(highest_[axis], static_cast<std::size_t>(std::abs(wave[axis])));
      }
    }
  }
  averages_ = engine::BlockAverages((1 + kinds_) * waves_of_.size());
}

std::size_t StructureFactor::kind_of(std::size_t a, std::size_t b) const noexcept {
  const auto [low, high] = std::minmax(a, b);
  return low * types_ - low * (low + 1) / 2 + high;
}

/// @param sums  shape (waves, 2): real and imaginary part, in units
void StructureFactor::add_block(std::span<const base::Vec3> fractions, std::span<std::int64_t> sums) const {
  thread_local std::array<Powers, 3> powers{Powers(0), Powers(0), Powers(0)};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (powers[axis].re.size() != highest_[axis] + 1) powers[axis] = Powers(highest_[axis]);
    powers[axis].fill(fractions, axis);
  }
  const std::size_t count = fractions.size();
  for (std::size_t w = 0; w < waves_.size(); ++w) {
    const Wave& n = waves_[w];
    std::array<const double*, 3> re{};
    std::array<const double*, 3> im{};
    std::array<double, 3> sign{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const auto row = static_cast<std::size_t>(std::abs(n[axis]));
      re[axis] = powers[axis].re[row].data();
      im[axis] = powers[axis].im[row].data();
      sign[axis] = n[axis] < 0 ? -1.0 : 1.0;  // the conjugate
    }
    double sum_re = 0.0;
    double sum_im = 0.0;
    for (std::size_t i = 0; i < count; ++i) {
      const double a = re[0][i] * re[1][i] - im[0][i] * sign[1] * im[1][i];
      const double b = re[0][i] * sign[1] * im[1][i] + im[0][i] * re[1][i];
      sum_re += rounded(a * re[2][i] - b * sign[2] * im[2][i]);
      sum_im += rounded(a * sign[2] * im[2][i] + b * re[2][i]);
    }
    sums[2 * w] += static_cast<std::int64_t>(sum_re / unit);
    sums[2 * w + 1] += static_cast<std::int64_t>(sum_im / unit);
  }
}

/// Of this rank's atoms: shape (types, waves, 2), in units, modulo 2^64.
std::vector<std::uint64_t> StructureFactor::sums_of(const Atoms& atoms, const Box& box) const {
  const std::size_t of_type = 2 * waves_.size();
  std::vector<std::vector<base::Vec3>> fractions(types_);
  for (std::size_t i = 0; i < atoms.count(); ++i) {
    fractions[atoms.type[i]].push_back(box.fraction(atoms.position(i)));
  }
  std::vector<std::uint64_t> result(types_ * of_type, 0);
  const auto together = [](std::vector<std::int64_t> all, const std::vector<std::int64_t>& more) {
    for (std::size_t k = 0; k < all.size(); ++k) all[k] += more[k];
    return all;
  };
  for (std::size_t type = 0; type < types_; ++type) {
    const std::span<const base::Vec3> all(fractions[type]);
    const auto of_some = [&](std::size_t first, std::size_t end) {
      std::vector<std::int64_t> sums(of_type, 0);
      for (std::size_t at = first; at < end; at += block) {
        add_block(all.subspan(at, std::min(block, end - at)), sums);
      }
      return sums;
    };
    constexpr std::size_t chunk = 8 * block;
    const std::vector<std::int64_t> sums = tasks::parallel_reduce(
        scheduler_, 0, all.size(), chunk, std::vector<std::int64_t>(of_type, 0), of_some, together);
    std::ranges::transform(sums, result.begin() + static_cast<std::ptrdiff_t>(type * of_type),
                           [](std::int64_t sum) { return static_cast<std::uint64_t>(sum); });
  }
  return result;
}

void StructureFactor::sample(const Atoms& atoms, const Box& box) {
  const std::size_t of_type = 2 * waves_.size();
  exchange::Reduction& of_all = reductions_.of({.counts = types_ * of_type + types_});
  const auto counts = of_all.counts();
  std::ranges::copy(sums_of(atoms, box), counts.begin());
  const auto atoms_of = counts.last(types_);
  std::ranges::fill(atoms_of, 0);
  for (const std::uint32_t type : atoms.type) ++atoms_of[type];
  of_all.run();
  const auto part = [&](std::size_t type, std::size_t wave, std::size_t which) {
    return unit * static_cast<double>(static_cast<std::int64_t>(counts[type * of_type + 2 * wave + which]));
  };
  const std::array<base::Vec3, 3> b = reciprocal_edges(box);
  std::vector<double> values(averages_.quantities(), 0.0);
  std::size_t wave = 0;
  for (std::size_t shell = 0; shell < shells(); ++shell) {
    const double share = 1.0 / static_cast<double>(waves_of_[shell]);
    for (const std::size_t end = wave + waves_of_[shell]; wave < end; ++wave) {
      values[shell] += share * length_of(waves_[wave], b);
      for (std::size_t p = 0; p < types_; ++p) {
        for (std::size_t q = p; q < types_; ++q) {
          const double atoms2 = static_cast<double>(atoms_of[p]) * static_cast<double>(atoms_of[q]);
          if (!(atoms2 > 0.0)) continue;
          values[(1 + kind_of(p, q)) * shells() + shell] +=
              share * (part(p, wave, 0) * part(q, wave, 0) + part(p, wave, 1) * part(q, wave, 1)) / std::sqrt(atoms2);
        }
      }
    }
  }
  averages_.add(values);
}

engine::BlockEstimate StructureFactor::s(std::size_t a, std::size_t b, std::size_t shell) const {
  return averages_.estimate((1 + kind_of(a, b)) * shells() + shell);
}

void StructureFactor::restore(std::span<const double> state) {
  averages_ = engine::BlockAverages((1 + kinds_) * waves_of_.size(), state);
}

}  // namespace tacit::md
