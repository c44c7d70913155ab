// Sums correlators over time slices.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/qcd/correlators.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tacit/base/exact_sum.hpp"
#include "tacit/tasks/parallel_for.hpp"

namespace tacit::qcd {
namespace {

/// Overflows for no mass that can be: cosh(m d) over cosh(m e).
double cosh_ratio(double m, double d, double e) {
  const double near = std::abs(d);
  const double far = std::abs(e);
  return std::exp(m * (near - far)) * (1.0 + std::exp(-2.0 * m * near)) / (1.0 + std::exp(-2.0 * m * far));
}

}  // namespace

std::vector<double> pion_correlator(const FieldSpace<double>& space, std::span<const Field<double>> columns) {
  const Extents& extents = space.lattice().extents();
  const std::size_t slice = extents.sites() / extents.n[3];
  std::vector<double> result(extents.n[3]);
  tasks::parallel_for(space.scheduler(), 0, result.size(), [&](std::size_t t) {
    base::BufferedSum sum;
    for (std::size_t site = t * slice; site < (t + 1) * slice; ++site) {
      const Coordinates at = extents.at(site);
      for (const Field<double>& column : columns) {
        double norm = 0.0;
        for (const Complex& value : space.get(column, at)) norm += std::norm(value);
        sum.add(norm);
      }
    }
    result[t] = sum.sum().value();
  });
  return result;
}

std::vector<double> from_source(std::span<const double> correlator, std::size_t source_t) {
  std::vector<double> result(correlator.begin(), correlator.end());
  std::ranges::rotate(result, result.begin() + static_cast<std::ptrdiff_t>(source_t));
  return result;
}

/// By bisection: the ratio grows with m where t is before the middle, and falls beyond it.
std::vector<double> effective_mass(std::span<const double> correlator) {
  const std::size_t n = correlator.size();
  std::vector<double> result(n, std::numeric_limits<double>::quiet_NaN());
  const double middle = 0.5 * static_cast<double>(n);
  for (std::size_t t = 0; t < n; ++t) {
    double ratio = correlator[t] / correlator[(t + 1) % n];
    double d = static_cast<double>(t) - middle;
    double e = d + 1.0;
    if (std::abs(d) < std::abs(e)) {
      ratio = 1.0 / ratio;
      std::swap(d, e);
    }
    double low = 0.0;
    double high = 64.0;
    if (std::abs(d) == std::abs(e) || !(ratio > 1.0) || !(ratio < cosh_ratio(high, d, e))) continue;
    for (int i = 0; i < 100; ++i) {
      const double m = 0.5 * (low + high);
      (cosh_ratio(m, d, e) < ratio ? low : high) = m;
    }
    result[t] = 0.5 * (low + high);
  }
  return result;
}

}  // namespace tacit::qcd
