// Multigrid of more than two levels: the algebra of each, iterations beside two, and the same bits in any division.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "tacit/engine/error.hpp"
#include "unit/solvers/qcd/multigrid/on_multigrid.hpp"

namespace tacit::qcd::multigrid {
namespace {

using qcd::testing::folded;
using qcd::testing::text;
using testing::largest_difference;
using testing::Operators;
using testing::product;
using testing::random_coarse;
using testing::random_spinors;
using testing::Ranks;
using testing::run_cycle;
using testing::run_solve;
using testing::solve_on;

/// Lattices whose coarse ones are chessboards or not, of one, two, three or four sites along an axis, down to one site.
struct Levels {
  Extents extents;
  std::size_t levels;
  Coordinates coarse_block;
  std::vector<std::size_t> sites;  // of the third level and those below
};
const std::vector<Levels> level_shapes{
    {{{8, 4, 4, 8}}, 4, {}, {4, 1}}, {{{6, 4, 4, 8}}, 3, {}, {6}}, {{{6, 4, 4, 8}}, 3, {3, 2, 1, 2}, {4}}};

TEST(QcdMultigridLevels, OfEachTheOperatorIsTheProjectionOfTheFinerOne) {
  for (const auto& [extents, levels, block, sites] : level_shapes) {
    Operators at(random_gauge_field(extents, 0.4, 5), {.mass = 0.1, .csw = 1.0});
    Multigrid multigrid(
        at.space, at.single,
        {.block = {2, 2, 2, 2}, .levels = levels, .coarse_block = block, .vectors = 4, .setup_iterations = 1});
    CoarseOperator* finer = &multigrid.coarse();
    std::vector<std::size_t> found_sites;
    for (CoarserLevel* level = multigrid.coarser(); level != nullptr; level = level->next()) {
      CoarseOperator& coarse = level->coarse();
      found_sites.push_back(coarse.aggregates().coarse().sites());
      const CoarseVector c = random_coarse(coarse, 3);
      CoarseVector fine = finer->make();
      level->interpolation().prolong(c, fine);
      CoarseVector back = coarse.make();
      level->interpolation().restrict_to(fine, back);
      EXPECT_LT(largest_difference(back, c), 2e-6);  // some roundings of 6e-8
      CoarseVector image = finer->make();
      finer->apply(fine, image);
      CoarseVector expected = coarse.make();
      level->interpolation().restrict_to(image, expected);
      CoarseVector found = coarse.make();
      coarse.apply(c, found);
      // |D| is below 9, of vectors whose numbers are below 1/2: sums of some ten roundings of 6e-8 of that.
      EXPECT_LT(largest_difference(found, expected), 1e-5) << extents.text() << ", level " << coarse.level() + 1;
      EXPECT_GT(std::sqrt(product(coarse, found, found).real() / product(coarse, c, c).real()), 0.1);
      finer = &coarse;
    }
    EXPECT_EQ(found_sites, sites);
  }
}

/// In this field two levels need twice as many coarse iterations at the smaller mass.
TEST(QcdMultigridLevels, ThreeNeedHardlyMoreIterationsThanTwo) {
  const Extents extents{{8, 4, 4, 8}};
  const GaugeField field = random_gauge_field(extents, 0.4, 5);
  for (const double mass : {0.1, -0.6}) {
    Operators at(field, {.mass = mass, .csw = 1.0});
    const Field<double> b = folded(at.space, random_spinors(extents, 1));
    std::vector<std::uint64_t> iterations;
    for (const std::size_t levels : {2U, 3U}) {
      Multigrid multigrid(at.space, at.single, {.block = {2, 2, 2, 2}, .levels = levels, .vectors = 8});
      const auto one = make_solve(Method::multigrid, at.dirac, nullptr, {.tolerance = 1e-10}, &multigrid.cycle());
      run_solve(*one, b);
      ASSERT_EQ(one->status(), Solve::Status::converged) << one->failure();
      EXPECT_LE(one->true_residual(), 1e-10);
      iterations.push_back(one->iterations());
      EXPECT_EQ(multigrid.coarser() != nullptr && multigrid.coarser()->iterations() > 0, levels == 3);
    }
    EXPECT_LE(iterations[1], iterations[0] + 2) << "m0 = " << mass;
  }
}

TEST(QcdMultigridLevels, HaveTheSameBitsOnAnyRanksAndThreads) {
  const Settings settings{.block = {2, 2, 2, 2},
                          .levels = 3,
                          .coarse_block = {1, 2, 2, 2},
                          .vectors = 4,
                          .setup_iterations = 1,
                          .setup_smoothing = 2};
  const testing::Solved alone = solve_on({}, 1, settings);
  EXPECT_GT(alone.history.size(), 3U);
  EXPECT_TRUE(solve_on({}, 2, settings) == alone);
  for (const Ranks& ranks : {Ranks{2, {1, 1, 1, 2}}, Ranks{4, {2, 1, 1, 2}}}) {
    EXPECT_TRUE(solve_on(ranks, ranks.count == 2 ? 2 : 1, settings) == alone) << text(ranks);
  }
  // A coupling of the coarsest lattice, on one of the ranks.
  EXPECT_FALSE(solve_on({2, {1, 1, 1, 2}}, 1, settings, nullptr, [](Multigrid& multigrid, std::size_t rank) {
                 if (rank == 1) multigrid.coarser()->coarse().matrix(0, 3)[5] *= 1.01F;
               }) == alone);
}

TEST(QcdMultigridLevels, ASolveThatStagnatesNamesItsLevel) {
  const Levels& shape = level_shapes[1];
  Operators at(random_gauge_field(shape.extents, 0.4, 5), {.mass = 0.1});
  Multigrid multigrid(at.space, at.single, {.block = {2, 2, 2, 2}, .levels = 3, .vectors = 2, .setup_iterations = 0});
  CoarseOperator& coarsest = multigrid.coarser()->coarse();
  ASSERT_EQ(coarsest.aggregates().groups(), 1U);
  for (std::size_t k = 0; k < coarsest.aggregates().count(); ++k) {
    for (std::size_t d = 0; d <= CoarseOperator::itself; ++d) std::ranges::fill(coarsest.matrix(k, d), 0.0F);
  }
  Field<float> x = at.single.make();
  run_cycle(multigrid, folded(at.narrow, random_spinors(shape.extents, 1)), x);
  EXPECT_NE(
      multigrid.cycle().failure(0).find("on level 3, of 24 unknowns, |r| / |b| is 1 after 1 iterations (history: 1)"),
      std::string::npos)
      << multigrid.cycle().failure(0);
}

/// Vectors of a coarse lattice, one of which is twice another.
TEST(QcdMultigridLevels, CombinationsAreRefusedWithTheirLevel) {
  Operators at(random_gauge_field(level_shapes[0].extents, 0.4, 5), {.mass = 0.1});
  Multigrid multigrid(at.space, at.single, {.block = {2, 2, 2, 2}, .levels = 3, .vectors = 3, .setup_iterations = 0});
  std::vector<CoarseVector> vectors;
  for (const std::uint64_t seed : {1U, 2U, 1U}) vectors.push_back(random_coarse(multigrid.coarse(), seed));
  for (float& value : vectors.back()) value *= 2.0F;
  try {
    multigrid.coarser()->interpolation().take(vectors);
    FAIL() << "no error";
  } catch (const engine::NumericsError& error) {
    EXPECT_NE(std::string(error.what()).find("on level 2 test vector 3 of 3"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace tacit::qcd::multigrid
