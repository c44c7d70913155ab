// Sums correlators over time slices.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/qcd/correlators.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tacit/base/error.hpp"
#include "tacit/base/exact_sum.hpp"
#include "tacit/solvers/qcd/gamma.hpp"
#include "tacit/tasks/parallel_for.hpp"

namespace tacit::qcd {
namespace {

/// Overflows for no mass that can be: cosh(m d) over cosh(m e).
double cosh_ratio(double m, double d, double e) {
  const double near = std::abs(d);
  const double far = std::abs(e);
  return std::exp(m * (near - far)) * (1.0 + std::exp(-2.0 * m * near)) / (1.0 + std::exp(-2.0 * m * far));
}

/// S(x, source): twelve columns.
using PointPropagator = std::array<Spinor, 12>;

/// Sums value(S) over the sites of each t, on all ranks, exactly.
template <class Value>
std::vector<double> sum_slices(const FieldSpace<double>& space, std::span<const Field<double>> columns,
                               const Value& value) {
  TACIT_EXPECT(columns.size() == 12);
  const LatticePart& part = space.lattice().part();
  const std::size_t slice = part.own.sites() / part.own.n[3];
  std::vector<base::ExactSum> sums(part.whole.n[3]);
  tasks::parallel_for(space.scheduler(), 0, part.own.n[3], [&](std::size_t t) {
    base::BufferedSum sum;
    for (std::size_t site = t * slice; site < (t + 1) * slice; ++site) {
      PointPropagator S;
      for (std::size_t column = 0; column < S.size(); ++column) S[column] = space.get(columns[column], part.at(site));
      sum.add(value(S));
    }
    sums[part.begin[3] + t] = sum.sum();
  });
  space.add_over_ranks(sums);
  std::vector<double> result;
  for (const base::ExactSum& sum : sums) result.push_back(sum.value());
  return result;
}

}  // namespace

std::vector<double> pion_correlator(const FieldSpace<double>& space, std::span<const Field<double>> columns) {
  return sum_slices(space, columns, [](const PointPropagator& S) {
    double sum = 0.0;
    for (const Spinor& column : S) {
      for (const Complex& value : column) sum += std::norm(value);
    }
    return sum;
  });
}

/// Element (s, r) of gamma_i S gamma_i is that of S in other rows and columns, times two numbers.
std::vector<double> rho_correlator(const FieldSpace<double>& space, std::span<const Field<double>> columns) {
  const auto gammas = gamma_rows();
  return sum_slices(space, columns, [&](const PointPropagator& S) {
    double sum = 0.0;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const GammaRows& g = gammas[axis];
      for (std::size_t s = 0; s < 4; ++s) {
        for (std::size_t r = 0; r < 4; ++r) {
          Complex overlap = 0.0;
          for (std::size_t a = 0; a < 3; ++a) {
            for (std::size_t b = 0; b < 3; ++b) {
              overlap += product(S[3 * g.column[r] + b][3 * g.column[s] + a], std::conj(S[3 * r + b][3 * s + a]));
            }
          }
          sum += gamma5[s] * gamma5[r] * product(product(g.value[s], std::conj(g.value[r])), overlap).real();
        }
      }
    }
    return sum / 3.0;
  });
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
