// Several right-hand sides at once: every solution bitwise that of a solve by itself, in any division.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "tacit/solvers/qcd/at_once/solves_at_once.hpp"
#include "unit/solvers/qcd/multigrid/on_multigrid.hpp"

namespace tacit::qcd::multigrid {
namespace {

using qcd::testing::folded;
using qcd::testing::text;
using testing::extents_of_ranks;
using testing::gather;
using testing::on_division;
using testing::OnRank;
using testing::Operators;
using testing::own_links;
using testing::own_part;
using testing::PlainField;
using testing::random_spinors;
using testing::Ranks;
using testing::run_solve;
using testing::Solved;

constexpr std::size_t sources = 3;
constexpr double tolerance = 1e-6;

/// The first one is made of modes to which the smoother sees: it needs fewer iterations than others.
Field<double> source(const DiracOperator<double>& D, std::size_t which) {
  Field<double> b = own_part(D.space(), random_spinors(extents_of_ranks, which + 1));
  for (std::size_t n = 0; which == 0 && n < 20; ++n) {
    const Field<double> before = b;
    D.apply(before, b, Conjugate::no);
  }
  return b;
}

using Spoil = std::function<void(Multigrid&, std::size_t rank)>;

/// @param solve  of a rank: what to do with operator, multigrid and sources   @return all solutions
std::vector<Solved> on_ranks(
    const Ranks& ranks, std::size_t workers, const Settings& settings,
    const std::function<void(const DiracOperator<double>&, Multigrid&, std::span<const Field<double>>,
                             const std::function<void(std::size_t which, const Solve&)>& keep)>& solve,
    const Spoil& spoil = {}) {
  std::vector<Solved> result(sources, {PlainField(extents_of_ranks.sites()), {}});
  const GaugeField gauge = random_gauge_field(extents_of_ranks, 0.4, 5);
  on_division(
      ranks, workers,
      [&](OnRank& rank, const Division& division) {
        const std::size_t most = most_lanes(division.part());
        FieldSpace<double> space(division, kernels::loops_for<double>(most), rank.on.scheduler);
        FieldSpace<float> narrow(division, kernels::loops_for<float>(most), rank.on.scheduler);
        const GaugeField links = own_links(gauge, division.part());
        const DiracOperator<double> dirac(space, links, {.mass = 0.1, .csw = 1.0});
        const DiracOperator<float> single(narrow, links, dirac.parameters());
        Multigrid multigrid(space, single, settings);
        if (spoil) spoil(multigrid, number(rank.world.rank()));
        std::vector<Field<double>> b;
        for (std::size_t which = 0; which < sources; ++which) b.push_back(source(dirac, which));
        solve(dirac, multigrid, b, [&](std::size_t which, const Solve& one) {
          EXPECT_EQ(one.status(), Solve::Status::converged) << one.failure();
          gather(space, one.x(), result[which].x);
          if (number(rank.world.rank()) == 0) result[which].history = one.history();
        });
      },
      extents_of_ranks);
  return result;
}

std::vector<Solved> one_after_the_other(const Settings& settings) {
  return on_ranks({}, 1, settings, [](const auto& dirac, Multigrid& multigrid, auto b, const auto& keep) {
    const auto one = make_solve(Method::multigrid, dirac, nullptr, {.tolerance = tolerance}, &multigrid.cycle());
    for (std::size_t which = 0; which < sources; ++which) {
      run_solve(*one, b[which]);
      keep(which, *one);
    }
  });
}

std::vector<Solved> at_once(const Ranks& ranks, std::size_t workers, const Settings& settings,
                            const Spoil& spoil = {}) {
  return on_ranks(
      ranks, workers, settings,
      [](const auto& dirac, Multigrid& multigrid, auto b, const auto& keep) {
        SolvesAtOnce solves(dirac, multigrid.cycle_of(sources), sources, {.tolerance = tolerance});
        solves.begin(b);
        std::size_t iterations = 0;
        while (solves.is_running()) {
          solves.iterate();
          ++iterations;
        }
        std::size_t cycles = 0;
        for (std::size_t which = 0; which < sources; ++which) {
          keep(which, solves[which]);
          cycles += solves[which].iterations();
        }
        // Those that have converged drop out.
        EXPECT_LT(cycles, sources * iterations);
        EXPECT_EQ(multigrid.cycle_of(sources).cycles(), cycles);
      },
      spoil);
}

const Settings two{.block = {2, 2, 2, 2}, .vectors = 5, .setup_iterations = 1, .setup_smoothing = 2};
const Settings three{.block = {2, 2, 2, 2},
                     .levels = 3,
                     .coarse_block = {1, 2, 2, 2},
                     .vectors = 4,
                     .setup_iterations = 1,
                     .setup_smoothing = 2};

TEST(QcdAtOnce, SolutionsAreBitwiseThoseOfSolvesByThemselves) {
  for (const Settings& settings : {two, three}) {
    const std::vector<Solved> alone = one_after_the_other(settings);
    EXPECT_NE(alone[0].history.size(), alone[1].history.size());
    EXPECT_TRUE(at_once({}, settings.levels == 2 ? 1 : 2, settings) == alone) << settings.levels;
    for (const Ranks& ranks : {Ranks{2, {1, 1, 1, 2}}, Ranks{4, {2, 1, 1, 2}}}) {
      EXPECT_TRUE(at_once(ranks, ranks.count == 2 ? 2 : 1, settings) == alone)
          << settings.levels << ", " << text(ranks);
    }
  }
}

/// A coupling on one of the ranks; and coarse equations of one of the vectors, which the others must not see.
TEST(QcdAtOnce, MutationsAreFound) {
  const std::vector<Solved> alone = one_after_the_other(two);
  EXPECT_FALSE(at_once({2, {1, 1, 1, 2}}, 1, two, [](Multigrid& multigrid, std::size_t rank) {
                 if (rank == 1) multigrid.coarse().matrix(0, 3)[5] *= 1.01F;
               }) == alone);
}

/// One sum of a coarse iteration, and messages of an application of D, are those of one field.
TEST(QcdAtOnce, ShareSumsOfCoarseIterations) {
  Operators at(random_gauge_field(extents_of_ranks, 0.4, 5), {.mass = 0.1, .csw = 1.0});
  Multigrid multigrid(at.space, at.single, two);
  std::vector<Field<float>> b;
  std::vector<Field<float>> x(sources, at.single.make());
  std::vector<const Field<float>*> from;
  std::vector<Field<float>*> to;
  for (std::size_t which = 0; which < sources; ++which) {
    b.push_back(folded(at.narrow, random_spinors(extents_of_ranks, which + 1)));
    to.push_back(&x[which]);
  }
  for (const Field<float>& one : b) from.push_back(&one);
  std::uint64_t most = 0;
  std::uint64_t iterations = 0;
  for (std::size_t which = 0; which < sources; ++which) {
    Field<float> alone = at.single.make();
    const std::uint64_t before = multigrid.cycle().coarse_solve().sums().runs();
    testing::run_cycle(multigrid, b[which], alone);
    most = std::max(most, multigrid.cycle().coarse_solve().sums().runs() - before);
    if (which == 1) x[1] = alone;
  }
  iterations = multigrid.cycle().coarse_iterations();
  const Field<float> expected = x[1];
  Cycle& many = multigrid.cycle_of(sources);
  many.run(from, to);
  EXPECT_EQ(many.coarse_solve().sums().runs(), most);
  EXPECT_EQ(many.coarse_iterations(), iterations);
  EXPECT_TRUE(x[1] == expected);
  // Some of them, in other places.
  many.run(std::span(from).subspan(1, 1), std::span(to).subspan(1, 1));
  EXPECT_TRUE(x[1] == expected);
}

TEST(QcdAtOnce, TheSourcesOfAPointFitOnTheWidestCoarseLattice) {
  EXPECT_GE(CoarseOperator::most_at_once(CoarseOperator::most_columns), 12U);
}

/// A coarse site that hardly couples to others is nearly an eigenvector: its A v is projected twice, and that of an
/// equation beside it once.
TEST(QcdAtOnce, ACoarseEquationThatIsProjectedTwiceLeavesOthersAsTheyAre) {
  for (const Extents& extents : {Extents{{4, 4, 4, 4}}, Extents{{4, 4, 4, 6}}}) {
    Operators at(random_gauge_field(extents, 0.4, 5), {.mass = 0.1, .csw = 1.0});
    Multigrid multigrid(at.space, at.single, {.block = {2, 2, 2, 2}, .vectors = 6, .setup_iterations = 1});
    CoarseOperator& coarse = multigrid.coarse();
    const std::size_t site = coarse.aggregates().count() - 1;
    for (std::size_t axis = 0; axis < axes; ++axis) {
      const std::uint32_t before = coarse.aggregates().neighbours(site)[2 * axis + 1];
      for (const std::size_t from : {site, static_cast<std::size_t>(before)}) {
        for (float& number : coarse.matrix(from, axis)) number *= 0.01F;
      }
    }
    if (coarse.aggregates().groups() == 1) {  // its own matrix is then not taken out
      const CoarseShape& shape = coarse.shape();
      const std::span<float> own = coarse.matrix(site, CoarseOperator::itself);
      std::ranges::fill(own, 0.0F);
      for (std::size_t row = 0; row < shape.width; ++row) own[2 * shape.rows * row + row] = 1.0F;
    }
    const CoarseOptions options{.tolerance = 0.01};
    std::vector<CoarseVector> b{testing::random_coarse(coarse, 3), coarse.make()};
    std::copy_n(b[0].begin(), coarse.numbers(), b[1].begin() + static_cast<std::ptrdiff_t>(site * coarse.numbers()));
    CoarseOperator all(coarse, at.narrow.division(), b.size());
    CoarseVector together = all.make();
    const auto part = [&](CoarseVector& of, std::size_t k, std::size_t which) {
      return std::span(of).subspan(k * all.numbers() + which * coarse.numbers(), coarse.numbers());
    };
    const auto part_alone = [&](CoarseVector& of, std::size_t k) {
      return std::span(of).subspan(k * coarse.numbers(), coarse.numbers());
    };
    for (std::size_t which = 0; which < b.size(); ++which) {
      for (std::size_t k = 0; k < coarse.aggregates().count(); ++k) {
        std::ranges::copy(part_alone(b[which], k), part(together, k, which).begin());
      }
    }
    CoarseSolve solve(all, options);
    CoarseVector found = all.make();
    static_cast<void>(solve.run(together, found));
    for (std::size_t which = 0; which < b.size(); ++which) {
      CoarseSolve alone(coarse, options);
      CoarseVector x = coarse.make();
      const std::size_t iterations = alone.run(b[which], x);
      EXPECT_EQ(alone.sums().runs() > iterations, which == 1) << extents.text() << ", " << which;
      EXPECT_EQ(solve.history(which), alone.history()) << extents.text() << ", " << which;
      for (std::size_t k = 0; k < coarse.aggregates().count(); ++k) {
        EXPECT_TRUE(std::ranges::equal(part(found, k, which), part_alone(x, k))) << extents.text() << ", " << which;
      }
    }
  }
}

}  // namespace
}  // namespace tacit::qcd::multigrid
