// Heat bath, overrelaxation and loops: against Haar's measure, strong coupling, exact densities and each other.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <mutex>
#include <vector>

#include "one_field.hpp"
#include "tacit/solvers/qcd/gauge/ensemble.hpp"
#include "tacit/solvers/qcd/gauge/flow.hpp"
#include "tacit/solvers/qcd/gauge/observables.hpp"
#include "tacit/solvers/qcd/gauge/smearing.hpp"
#include "tacit/solvers/qcd/gauge/staples.hpp"
#include "tacit/solvers/qcd/gauge/updates.hpp"
#include "unit/comm/polling.hpp"
#include "unit/comm/ranks.hpp"

namespace tacit::qcd {
namespace {

using testing::OneField;
using testing::Workers;

constexpr Extents small{{4, 6, 2, 8}};

TEST(QcdUpdates, TheLogarithmIsThatOfTheLibrary) {
  for (std::uint64_t k = 0; k < 2000; ++k) {
    const double x = std::ldexp(1.0 - base::uniform(1, k, 0), -static_cast<int>(k % 60));
    EXPECT_NEAR(natural_log(x), std::log(x), 4e-16 * std::max(0.1, -std::log(x))) << x;
  }
  EXPECT_EQ(natural_log(1.0), 0.0);
}

/// <x0> = I_2(alpha) / I_1(alpha), and 1 - <x0^2> = 3 <x0> / alpha.
TEST(QcdUpdates, DrawsFromTheDensityOfSu2) {
  constexpr int count = 40000;
  for (const double alpha : {0.3, 1.4, 1.6, 5.0, 40.0}) {
    LinkRandom random(3, 0, 1);
    double sum = 0.0;
    double squares = 0.0;
    for (int n = 0; n < count; ++n) {
      const double x0 = draw_su2(alpha, random);
      ASSERT_LE(std::abs(x0), 1.0);
      sum += x0;
      squares += x0 * x0;
    }
    const double mean = std::cyl_bessel_i(2.0, alpha) / std::cyl_bessel_i(1.0, alpha);
    const double second = 1.0 - 3.0 * mean / alpha;
    const double error = std::sqrt((second - mean * mean) / count);
    EXPECT_NEAR(sum / count, mean, 3.0 * error) << alpha;
    EXPECT_NEAR(squares / count, second, 6.0 * error) << alpha;
  }
  LinkRandom random(3, 0, 1);
  double squares = 0.0;
  for (int n = 0; n < count; ++n) {
    const double x0 = draw_su2(0.0, random);
    squares += x0 * x0;
  }
  EXPECT_NEAR(squares / count, 0.25, 3.0 * 0.25 / std::sqrt(count));
}

/// Of Haar's measure <tr U> = 0, <|tr U|^2> = 1, <|tr U|^4> = 2, <(tr U)^3> = 1: how often 3 x ... has the trivial
/// representation in it.
void expect_haar(const GaugeField& field) {
  const auto count = static_cast<double>(field.links.size());
  Complex first = 0.0;
  Complex third = 0.0;
  double second = 0.0;
  double fourth = 0.0;
  for (const Matrix3& link : field.links) {
    EXPECT_LT(distance_from_su3(link), 1e-14);
    const Complex z = trace(link);
    first += z;
    second += std::norm(z);
    third += z * z * z;
    fourth += std::norm(z) * std::norm(z);
  }
  const double error = 1.0 / std::sqrt(count);  // times the square root of each one's variance
  EXPECT_NEAR(first.real() / count, 0.0, 3.0 * std::sqrt(0.5) * error);
  EXPECT_NEAR(first.imag() / count, 0.0, 3.0 * std::sqrt(0.5) * error);
  EXPECT_NEAR(second / count, 1.0, 3.0 * error);
  EXPECT_NEAR(fourth / count, 2.0, 3.0 * std::sqrt(23.0 - 4.0) * error);  // <|tr U|^8> = 23
  EXPECT_NEAR(third.real() / count, 1.0, 3.0 * std::sqrt(6.0) * error);   // <|tr U|^6> = 6
  EXPECT_NEAR(third.imag() / count, 0.0, 3.0 * std::sqrt(6.0) * error);
}

TEST(QcdUpdates, AHotStartAndAHeatBathWithoutActionAreHaars) {
  const Extents extents{{8, 8, 8, 8}};
  expect_haar(hot_gauge_field(extents, 7));
  OneField at{GaugeField(extents)};
  Sweeps sweeps(at.tasks, 0.0, 5);
  for (std::uint64_t n = 1; n <= 6; ++n) sweeps.heat_bath(at.field, n);
  expect_haar(at.field);
}

/// Of each plaquette four links: the sum over links of Re tr U V is four times that over plaquettes.
TEST(QcdUpdates, StaplesAreTheRestOfPlaquettes) {
  OneField at(random_gauge_field(small, 0.7, 3));
  const std::vector<double> sum = at.tasks.sums(1, [&](std::uint32_t site, std::span<double> values) {
    values[0] = 0.0;
    for (std::size_t mu = 0; mu < axes; ++mu) {
      values[0] +=
          trace(at.field.links[site * axes + mu] * staples(at.field.links.data(), at.tasks.sites(), site, mu)).real();
    }
  });
  EXPECT_NEAR(sum[0] / (4.0 * 18.0 * static_cast<double>(small.sites())), plaquette(at.field), 1e-14);
  EXPECT_NEAR(plaquettes(at.tasks, at.field).mean(), plaquette(at.field), 1e-14);
}

TEST(QcdUpdates, OverrelaxationKeepsTheAction) {
  OneField at(hot_gauge_field(small, 3));
  Sweeps sweeps(at.tasks, 5.7, 1);
  for (std::uint64_t n = 1; n < 4; ++n) sweeps.heat_bath(at.field, n);
  const GaugeField before = at.field;
  for (int n = 0; n < 10; ++n) sweeps.overrelax(at.field);
  EXPECT_NEAR(plaquettes(at.tasks, at.field).mean(), plaquettes(at.tasks, before).mean(), 1e-13);
  double moved = 0.0;
  for (std::size_t k = 0; k < before.links.size(); ++k) {
    EXPECT_LT(distance_from_su3(at.field.links[k]), 1e-14);
    moved += 1.0 - trace(times_dagger(at.field.links[k], before.links[k])).real() / 3.0;
  }
  EXPECT_GT(moved / static_cast<double>(before.links.size()), 0.5);
}

/// What does not change where U(x, mu) -> g(x) U(x, mu) g(x + mu)^+.
TEST(QcdUpdates, LoopsAreGaugeInvariantAndAllPeriodsAreTaken) {
  OneField at(random_gauge_field(small, 0.4, 3));
  OneField other(transformed(at.field, random_gauge_transformation(small, 9)));
  EXPECT_NEAR(plaquettes(at.tasks, at.field).spatial, plaquettes(other.tasks, other.field).spatial, 1e-14);
  const Complex polyakov = polyakov_loop(at.tasks, at.field);
  EXPECT_GT(std::abs(polyakov), 1e-3);
  EXPECT_LT(std::abs(polyakov - polyakov_loop(other.tasks, other.field)), 1e-14);
  const std::vector<double> loops = wilson_loops(at.tasks, at.field, 2, 8);
  const std::vector<double> others = wilson_loops(other.tasks, other.field, 2, 8);
  for (std::size_t k = 0; k < loops.size(); ++k) EXPECT_NEAR(loops[k], others[k], 1e-14);
  EXPECT_NEAR(loops[0], plaquettes(at.tasks, at.field).temporal, 1e-14);
  // Links of one phase each way close to 1 in every loop; of an element of the centre at one t, only Polyakov sees it.
  OneField centre{GaugeField(small)};
  const Complex z(-0.5, std::sqrt(0.75));
  for (std::size_t site = 0; site < small.sites(); ++site) {
    if (small.at(site)[3] == 2) centre.field.links[site * axes + 3] = z * Matrix3::one();
  }
  EXPECT_NEAR(plaquettes(centre.tasks, centre.field).mean(), 1.0, 1e-15);
  EXPECT_LT(std::abs(polyakov_loop(centre.tasks, centre.field) - z), 1e-15);
  for (const double loop : wilson_loops(centre.tasks, centre.field, 2, 3)) EXPECT_NEAR(loop, 1.0, 1e-15);
}

Mean plaquette_of_chain(const Extents& extents, double beta, std::uint64_t first, std::uint64_t count,
                        std::uint64_t overrelaxations) {
  OneField at(hot_gauge_field(extents, 11));
  Sweeps sweeps(at.tasks, beta, 2);
  std::vector<double> values;
  for (std::uint64_t n = 1; n <= first + count; ++n) {
    sweeps.heat_bath(at.field, n);
    for (std::uint64_t k = 0; k < overrelaxations; ++k) sweeps.overrelax(at.field);
    if (n > first) values.push_back(plaquettes(at.tasks, at.field).mean());
  }
  return mean_of(values);
}

/// beta / 18 + beta^2 / 216 - 5 beta^4 / 93312. @see Balian, Drouffe & Itzykson (1975), Phys. Rev. D 11, 2104
TEST(QcdUpdates, StrongCouplingIsThatOfTheExpansion) {
  const double beta = 1.2;
  const double expected = beta / 18.0 + beta * beta / 216.0 - 5.0 * std::pow(beta, 4) / 93312.0;
  const Mean found = plaquette_of_chain({{8, 8, 4, 4}}, beta, 4, 30, 0);
  EXPECT_NEAR(found.value, expected, 3.0 * found.error);
  EXPECT_LT(found.error, 1e-3);
}

TEST(QcdEnsemble, AutocorrelationAndErrorsAreThoseOfAKnownProcess) {
  constexpr double rho = 0.8;
  constexpr std::size_t count = 20000;
  std::vector<double> values;
  double x = 0.0;
  const auto noise = [](std::uint64_t k) {  // of variance 1
    double sum = -6.0;
    for (std::uint64_t n = 0; n < 12; ++n) sum += base::uniform(3, k, n);
    return sum;
  };
  for (std::size_t k = 0; k < count; ++k) values.push_back(x = rho * x + std::sqrt(1.0 - rho * rho) * noise(k));
  const Mean mean = mean_of(values);
  constexpr double tau = 0.5 + rho / (1.0 - rho);
  EXPECT_NEAR(mean.tau, tau, 0.5);
  const double error = std::sqrt(2.0 * tau / count);
  EXPECT_NEAR(mean.error, error, 0.25 * error);
  EXPECT_NEAR(mean.value, 0.0, 3.0 * error);
  // Without correlation the jackknife of a mean is its standard error; of a function it is that by its derivative.
  std::vector<double> free;
  for (std::size_t k = 0; k < 400; ++k) free.push_back(3.0 + noise(k));
  const Mean plain = mean_of(free);
  EXPECT_NEAR(plain.error, 1.0 / std::sqrt(400.0), 0.1 / std::sqrt(400.0) * 2.0);
  const Mean squared = mean_of_function({free}, [](std::span<const double> m) { return m[0] * m[0]; });
  EXPECT_NEAR(squared.error, 2.0 * plain.value * plain.error, 0.02 * squared.error);
  EXPECT_TRUE(std::isnan(mean_of(std::vector<double>{1.0}).error));
  EXPECT_EQ(mean_of(std::vector<double>(24, 0.125)).error, 0.0);
}

/// What a chain leaves: links of all sites, smeared and flowed, and what was measured on the way.
struct Chain {
  std::vector<Matrix3> links;
  std::vector<double> loops;
  friend bool operator==(const Chain&, const Chain&) = default;
};

Chain chain_on(std::size_t count, const RanksPerAxis& along, std::size_t workers, const Extents& extents,
               std::uint64_t wrong_rank_seed = 2) {
  Chain result;
  result.links.resize(extents.sites() * axes);
  std::mutex mutex;
  comm::testing::on_ranks(count, [&](comm::Communicator& world) {
    Workers on(workers);
    const comm::testing::Polling polling(on.scheduler, world);
    const Division division(extents, along, world);
    GaugeField field = hot_gauge_field(division.part(), 11);
    LinkTasks tasks(field, division, on.scheduler);
    Sweeps sweeps(tasks, 5.7, number(world.rank()) == 1 ? wrong_rank_seed : 2);
    for (std::uint64_t n = 1; n < 3; ++n) {
      sweeps.heat_bath(field, n);
      sweeps.overrelax(field);
    }
    std::vector<double> loops = wilson_loops(tasks, field, 2, 1);
    const Complex polyakov = polyakov_loop(tasks, field);
    loops.insert(loops.end(), {polyakov.real(), polyakov.imag(), plaquettes(tasks, field).mean()});
    for (const SmearingKind kind : {SmearingKind::ape, SmearingKind::stout}) {
      smear(tasks, field, {.kind = kind, .weight = 0.1, .steps = 1});
    }
    for (const FlowPoint& point : flow(tasks, field, {.end = 0.1, .step = 0.1, .points = 1})) {
      loops.insert(loops.end(), {point.energy, point.plaquette, point.charge});
    }
    {
      const std::lock_guard lock(mutex);
      result.loops = loops;
      for (std::size_t k = 0; k < division.part().own.sites(); ++k) {
        const Coordinates x = division.part().at(k);
        for (std::size_t mu = 0; mu < axes; ++mu) result.links[extents.index(x) * axes + mu] = field.at(x, mu);
      }
    }
    world.synchronise();
  });
  return result;
}

TEST(QcdUpdates, HaveTheSameBitsOnAnyRanksAndThreads) {
  const Extents extents{{4, 4, 4, 8}};
  const Chain one = chain_on(1, {1, 1, 1, 1}, 1, extents);
  EXPECT_TRUE(one == chain_on(1, {1, 1, 1, 1}, 2, extents));
  for (const RanksPerAxis& along : {RanksPerAxis{2, 1, 1, 1}, RanksPerAxis{1, 1, 1, 2}}) {
    EXPECT_TRUE(one == chain_on(2, along, 2, extents)) << along[0];
  }
  EXPECT_TRUE(one == chain_on(3, {1, 1, 1, 3}, 1, extents));
  EXPECT_TRUE(one == chain_on(4, {1, 2, 1, 2}, 1, extents));
  EXPECT_TRUE(one == chain_on(4, {2, 1, 2, 1}, 1, extents));
  EXPECT_FALSE(one == chain_on(2, {1, 1, 1, 2}, 1, extents, 3));  // the comparison sees it where one rank errs
}

}  // namespace
}  // namespace tacit::qcd
