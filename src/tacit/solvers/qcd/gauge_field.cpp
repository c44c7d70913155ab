// Random gauge fields, and sums over a gauge field.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/qcd/gauge_field.hpp"

#include "tacit/base/error.hpp"
#include "tacit/base/exact_sum.hpp"
#include "tacit/base/random.hpp"

namespace tacit::qcd {
namespace {

/// exp(i spread H) from eight numbers of (seed, key).
Matrix3 random_link(double spread, std::uint64_t seed, std::uint64_t key) {
  const auto draw = [&](std::uint64_t number) { return spread * (2.0 * base::uniform(seed, key, number) - 1.0); };
  Matrix3 h;
  h(0, 0) = draw(0);
  h(1, 1) = draw(1);
  h(2, 2) = -h(0, 0) - h(1, 1);
  std::uint64_t number = 2;
  for (std::size_t a = 0; a < 3; ++a) {
    for (std::size_t b = a + 1; b < 3; ++b) {
      h(a, b) = Complex(draw(number), draw(number + 1));
      h(b, a) = std::conj(h(a, b));
      number += 2;
    }
  }
  return exponential(h);
}

}  // namespace

GaugeField random_gauge_field(const Extents& extents, double spread, std::uint64_t seed) {
  GaugeField field(extents);
  for (std::size_t key = 0; key < field.links.size(); ++key) field.links[key] = random_link(spread, seed, key);
  return field;
}

std::vector<Matrix3> random_gauge_transformation(const Extents& extents, std::uint64_t seed) {
  std::vector<Matrix3> g(extents.sites());
  for (std::size_t key = 0; key < g.size(); ++key) g[key] = random_link(1.0, seed, key);
  return g;
}

GaugeField transformed(const GaugeField& field, const std::vector<Matrix3>& g) {
  TACIT_EXPECT(g.size() == field.extents.sites());
  GaugeField result = field;
  for (std::size_t site = 0; site < g.size(); ++site) {
    const Coordinates x = field.extents.at(site);
    for (std::size_t mu = 0; mu < axes; ++mu) {
      result.at(x, mu) = g[site] * field.at(x, mu) * dagger(g[field.extents.index(field.extents.next(x, mu))]);
    }
  }
  return result;
}

double plaquette(const GaugeField& field) {
  base::BufferedSum sum;
  for (std::size_t site = 0; site < field.extents.sites(); ++site) {
    const Coordinates x = field.extents.at(site);
    for (std::size_t mu = 0; mu < axes; ++mu) {
      for (std::size_t nu = 0; nu < mu; ++nu) {
        const Matrix3 low = field.at(x, mu) * field.at(field.extents.next(x, mu), nu);
        const Matrix3 high = field.at(x, nu) * field.at(field.extents.next(x, nu), mu);
        sum.add(trace(low * dagger(high)).real());
      }
    }
  }
  return sum.sum().value() / (18.0 * static_cast<double>(field.extents.sites()));
}

double link_trace(const GaugeField& field) {
  base::BufferedSum sum;
  for (const Matrix3& link : field.links) sum.add(trace(link).real());
  return sum.sum().value() / (3.0 * static_cast<double>(field.links.size()));
}

}  // namespace tacit::qcd
