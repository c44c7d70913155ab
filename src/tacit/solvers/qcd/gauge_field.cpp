// Random gauge fields, and sums over a gauge field.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/qcd/gauge_field.hpp"

#include "tacit/base/error.hpp"
#include "tacit/base/exact_sum.hpp"
#include "tacit/base/random.hpp"
#include "tacit/exchange/reductions.hpp"

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

/// The sum of all ranks, rounded once.
double total(base::ExactSum sum, comm::Communicator* ranks) {
  if (ranks != nullptr) exchange::RankReductions(*ranks).add(std::span(&sum, 1));
  return sum.value();
}

}  // namespace

GaugeBox::GaugeBox(const LatticePart& part) : extents(part.whole), first(part.begin), size(part.own) {
  for (std::size_t axis = 0; axis < axes; ++axis) {
    if (!part.is_divided[axis]) continue;
    first[axis] = (first[axis] + extents.n[axis] - 1) % extents.n[axis];
    size.n[axis] += 2;
    TACIT_EXPECT(size.n[axis] <= extents.n[axis]);  // other ranks have two at least
  }
}

Coordinates GaugeBox::site(std::size_t number) const noexcept {
  Coordinates x = size.at(number);
  for (std::size_t axis = 0; axis < axes; ++axis) x[axis] = (first[axis] + x[axis]) % extents.n[axis];
  return x;
}

GaugeField random_gauge_field(const LatticePart& lattice, double spread, std::uint64_t seed) {
  GaugeField field(lattice);
  for (std::size_t number = 0; number < field.box.size.sites(); ++number) {
    const std::size_t key = field.extents.index(field.box.site(number)) * axes;
    for (std::size_t mu = 0; mu < axes; ++mu) field.links[number * axes + mu] = random_link(spread, seed, key + mu);
  }
  return field;
}

std::vector<Matrix3> random_gauge_transformation(const Extents& extents, std::uint64_t seed) {
  std::vector<Matrix3> g(extents.sites());
  for (std::size_t key = 0; key < g.size(); ++key) g[key] = random_link(1.0, seed, key);
  return g;
}

GaugeField transformed(const GaugeField& field, const std::vector<Matrix3>& g) {
  TACIT_EXPECT(g.size() == field.extents.sites() && field.is_whole());
  GaugeField result = field;
  for (std::size_t site = 0; site < g.size(); ++site) {
    const Coordinates x = field.extents.at(site);
    for (std::size_t mu = 0; mu < axes; ++mu) {
      result.at(x, mu) = g[site] * field.at(x, mu) * dagger(g[field.extents.index(field.extents.next(x, mu))]);
    }
  }
  return result;
}

double plaquette(const GaugeField& field, comm::Communicator* ranks) {
  base::BufferedSum sum;
  for (std::size_t site = 0; site < field.part.own.sites(); ++site) {
    const Coordinates x = field.part.at(site);
    for (std::size_t mu = 0; mu < axes; ++mu) {
      for (std::size_t nu = 0; nu < mu; ++nu) {
        const Matrix3 low = field.at(x, mu) * field.at(field.extents.next(x, mu), nu);
        const Matrix3 high = field.at(x, nu) * field.at(field.extents.next(x, nu), mu);
        sum.add(trace(low * dagger(high)).real());
      }
    }
  }
  return total(sum.sum(), ranks) / (18.0 * static_cast<double>(field.extents.sites()));
}

double link_trace(const GaugeField& field, comm::Communicator* ranks) {
  base::BufferedSum sum;
  for (std::size_t site = 0; site < field.part.own.sites(); ++site) {
    for (std::size_t mu = 0; mu < axes; ++mu) sum.add(trace(field.at(field.part.at(site), mu)).real());
  }
  return total(sum.sum(), ranks) / (3.0 * static_cast<double>(field.extents.sites() * axes));
}

}  // namespace tacit::qcd
