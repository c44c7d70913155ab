// Makes the splines of embedded atoms.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/md/potentials/eam.hpp"

#include <algorithm>

#include "tacit/base/error.hpp"

namespace tacit::md::kernels {

std::vector<double> eam_spline(std::span<const double> f) {
  const std::size_t n = f.size();
  TACIT_EXPECT(n >= 5);
  std::vector<double> slope(n);
  slope[0] = f[1] - f[0];
  slope[1] = 0.5 * (f[2] - f[0]);
  for (std::size_t m = 2; m + 2 < n; ++m) slope[m] = ((f[m - 2] - f[m + 2]) + 8.0 * (f[m + 1] - f[m - 1])) / 12.0;
  slope[n - 2] = 0.5 * (f[n - 1] - f[n - 3]);
  slope[n - 1] = f[n - 1] - f[n - 2];
  std::vector<double> result;
  for (std::size_t m = 0; m + 1 < n; ++m) {
    const double rise = f[m + 1] - f[m];
    result.insert(result.end(),
                  {slope[m] + slope[m + 1] - 2.0 * rise, 3.0 * rise - 2.0 * slope[m] - slope[m + 1], slope[m], f[m]});
  }
  return result;
}

EmbeddedAtoms::EmbeddedAtoms(const EamTables& tables)
    : inverse_dr_(1.0 / tables.dr),
      inverse_drho_(1.0 / tables.drho),
      cutoff_(tables.cutoff),
      highest_density_(tables.highest_density),
      last_(static_cast<std::uint32_t>(tables.pair.at(0).size() - 2)) {
  const std::size_t types = tables.embedding.size();
  TACIT_EXPECT(tables.density.size() == types * types && tables.pair.size() == types * types);
  for (const std::vector<double>& values : tables.embedding) embedding_.push_back(eam_spline(values));
  const auto add = [this](const std::vector<std::vector<double>>& functions, std::vector<std::uint32_t>& firsts) {
    for (std::size_t k = 0; k < functions.size(); ++k) {
      TACIT_EXPECT(functions[k].size() == last_ + 2);
      // Tables that are alike are one, so that less memory is touched.
      const auto same = std::find(functions.begin(), functions.begin() + static_cast<std::ptrdiff_t>(k), functions[k]);
      if (same != functions.begin() + static_cast<std::ptrdiff_t>(k)) {
        firsts.push_back(firsts[static_cast<std::size_t>(same - functions.begin())]);
        continue;
      }
      firsts.push_back(static_cast<std::uint32_t>(intervals_.size() / 4));
      const std::vector<double> spline = eam_spline(functions[k]);
      intervals_.insert(intervals_.end(), spline.begin(), spline.end());
    }
  };
  add(tables.density, density_);
  add(tables.pair, pair_);
}

WithSlope EmbeddedAtoms::embed(std::size_t type, double rho) const noexcept {
  const std::vector<double>& spline = embedding_[type];
  const double in_intervals = rho * inverse_drho_;
  const auto last = static_cast<double>(spline.size() / 4 - 1);
  // What is no number is so afterwards, too.
  const double interval = in_intervals < 1.0 ? 0.0 : in_intervals < last ? std::floor(in_intervals) : last;
  const double t = in_intervals - interval > 1.0 ? 1.0 : in_intervals - interval;
  const double* of = spline.data() + 4 * static_cast<std::size_t>(interval);
  const double slope = ((3.0 * of[0] * t + 2.0 * of[1]) * t + of[2]) * inverse_drho_;
  double value = ((of[0] * t + of[1]) * t + of[2]) * t + of[3];
  if (rho > highest_density_) value += slope * (rho - highest_density_);
  return {value, slope};
}

EamFunctions EmbeddedAtoms::functions() const noexcept {
  return {.intervals = intervals_.data(),
          .inverse_dr = inverse_dr_,
          .last = last_,
          .cutoff2 = cutoff_ * cutoff_,
          .density = density_.data(),
          .pair = pair_.data()};
}

}  // namespace tacit::md::kernels
