// Multigrid: its algebra to rounding, its solutions against conjugate gradients, and the same bits in any division.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "tacit/engine/error.hpp"
#include "tacit/solvers/qcd/multigrid/multigrid.hpp"
#include "tacit/solvers/qcd/solve.hpp"
#include "unit/solvers/qcd/multigrid/on_multigrid.hpp"

namespace tacit::qcd::multigrid {
namespace {

using qcd::testing::folded;
using qcd::testing::text;
using testing::extents_of_ranks;
using testing::largest_difference;
using testing::Operators;
using testing::product;
using testing::random_coarse;
using testing::random_spinors;
using testing::Ranks;
using testing::run_cycle;
using testing::run_solve;
using testing::solve_on;
using testing::Solved;

/// Lattices whose aggregates are one, two, three or four along an axis, lie in one lane or across two, and are of more
/// than one block.
struct Shape {
  Extents extents;
  Coordinates block;
};
const std::vector<Shape> shapes{
    {{{4, 4, 4, 4}}, {2, 2, 2, 2}}, {{{8, 4, 2, 6}}, {2, 4, 2, 2}}, {{{4, 8, 4, 6}}, {4, 4, 2, 6}}};

TEST(QcdMultigrid, RestrictionOfAProlongedVectorIsTheVector) {
  for (const auto& [extents, block] : shapes) {
    Operators at(random_gauge_field(extents, 0.4, 5), {.mass = 0.1, .csw = 1.0});
    Multigrid multigrid(at.space, at.single, {.block = block, .vectors = 6, .setup_iterations = 1});
    const CoarseVector c = random_coarse(multigrid.coarse(), 3);
    Field<float> fine = at.single.make();
    multigrid.interpolation().prolong(c, fine);
    CoarseVector back = multigrid.coarse().make();
    multigrid.interpolation().restrict_to(fine, back);
    // Columns are orthonormal to some roundings of 6e-8.
    EXPECT_LT(largest_difference(back, c), 2e-6) << extents.text();
  }
}

/// Also of aggregates that are their own neighbours, or have one neighbour at both sides.
TEST(QcdMultigrid, TheCoarseOperatorIsTheProjectionOfD) {
  for (const auto& [extents, block] : shapes) {
    for (const double csw : {0.0, 1.0}) {
      Operators at(random_gauge_field(extents, 0.4, 5), {.mass = 0.1, .csw = csw});
      Multigrid multigrid(at.space, at.single, {.block = block, .vectors = 6, .setup_iterations = 1});
      CoarseOperator& coarse = multigrid.coarse();
      const CoarseVector c = random_coarse(coarse, 3);
      Field<float> fine = at.single.make();
      Field<float> image = at.single.make();
      multigrid.interpolation().prolong(c, fine);
      at.single.apply(fine, image, Conjugate::no);
      CoarseVector expected = coarse.make();
      multigrid.interpolation().restrict_to(image, expected);
      CoarseVector found = coarse.make();
      coarse.apply(c, found);
      // |D| is below 9, of vectors whose numbers are below 1/2: sums of some ten roundings of 6e-8 of that.
      EXPECT_LT(largest_difference(found, expected), 1e-5) << extents.text() << ", csw = " << csw;
      // gamma_5 goes through P: sigma_3 Dc is hermitian.
      const CoarseVector other = random_coarse(coarse, 4);
      CoarseVector second = coarse.make();
      coarse.apply(other, second);
      const auto turned = [](CoarseVector v) {
        for (std::size_t k = 1; k < v.size(); k += 2) v[k] = -v[k];
        return v;
      };
      const double scale = std::sqrt(product(coarse, c, c).real() * product(coarse, second, second).real());
      const auto difference = product(coarse, turned(other), found) - std::conj(product(coarse, turned(c), second));
      EXPECT_LT(std::abs(difference), 1e-5 * scale);
    }
  }
}

/// Of odd sites where the coarse lattice is a chessboard, of all where it is not.
TEST(QcdMultigrid, CoarseSolvesSolveTheEquationsOfAllSites) {
  std::vector<std::size_t> groups;
  for (const auto& [extents, block] : shapes) {
    Operators at(random_gauge_field(extents, 0.4, 5), {.mass = 0.1, .csw = 1.0});
    Multigrid multigrid(at.space, at.single, {.block = block, .vectors = 6, .setup_iterations = 1});
    CoarseOperator& coarse = multigrid.coarse();
    groups.push_back(coarse.aggregates().groups());
    // Restarted often, with directions that are nearly combinations of others, and projected twice then.
    for (const std::size_t restart : {4U, 30U}) {
      CoarseSolve solve(coarse, {.tolerance = 2e-5, .restart = restart, .iterations = 500});
      const CoarseVector b = random_coarse(coarse, 3);
      CoarseVector x = coarse.make();
      const std::size_t iterations = solve.run(b, x);
      CoarseVector rest = coarse.make();
      coarse.apply(x, rest);
      for (std::size_t k = 0; k < rest.size(); ++k) rest[k] = b[k] - rest[k];
      const double found = std::sqrt(product(coarse, rest, rest).real() / product(coarse, b, b).real());
      EXPECT_LT(iterations, 500U) << extents.text();
      EXPECT_NEAR(found, solve.history().back(), 1e-5) << extents.text();
      EXPECT_LT(found, 3e-5) << extents.text();
      EXPECT_LE(solve.sums().runs(), iterations + iterations / 2) << extents.text();
    }
    // To the tolerance of a preconditioner no sum is made twice.
    CoarseSolve solve(coarse, {});
    CoarseVector x = coarse.make();
    const std::size_t iterations = solve.run(random_coarse(coarse, 3), x);
    EXPECT_EQ(solve.sums().runs(), iterations) << extents.text();
    EXPECT_EQ(solve.run(coarse.make(), x), 0U);
    EXPECT_EQ(product(coarse, x, x).real(), 0.0);
  }
  EXPECT_EQ(groups, (std::vector<std::size_t>{2, 1, 2}));
}

/// Also of one that is over at once, and of some that need more iterations than others, directions again, and restarts.
TEST(QcdMultigrid, CoarseSolvesAtOnceHaveTheBitsOfEachAlone) {
  for (const auto& [extents, block] : {shapes[0], shapes[1]}) {
    Operators at(random_gauge_field(extents, 0.4, 5), {.mass = 0.1, .csw = 1.0});
    Multigrid multigrid(at.space, at.single, {.block = block, .vectors = 6, .setup_iterations = 1});
    CoarseOperator& coarse = multigrid.coarse();
    CoarseOperator all(coarse, at.narrow.division(), 4);
    const CoarseOptions options{.tolerance = 2e-5, .restart = 4, .iterations = 500};
    std::vector<CoarseVector> b(4, coarse.make());  // the second one is 0
    b[0] = random_coarse(coarse, 3);
    b[2] = random_coarse(coarse, 4);
    std::copy_n(b[0].begin(), coarse.numbers(), b[3].begin());  // of one site
    CoarseVector together = all.make();
    const auto part = [&](CoarseVector& of, std::size_t k, std::size_t which) {
      return std::span(of).subspan(k * all.numbers() + which * coarse.numbers(), coarse.numbers());
    };
    for (std::size_t which = 0; which < b.size(); ++which) {
      for (std::size_t k = 0; k < coarse.aggregates().count(); ++k) {
        std::ranges::copy(std::span(b[which]).subspan(k * coarse.numbers(), coarse.numbers()),
                          part(together, k, which).begin());
      }
    }
    CoarseSolve at_once(all, options);
    CoarseVector found = all.make();
    const std::size_t iterations = at_once.run(together, found);
    std::size_t iterations_alone = 0;
    std::size_t most = 0;
    for (std::size_t which = 0; which < b.size(); ++which) {
      CoarseSolve alone(coarse, options);
      CoarseVector x = coarse.make();
      iterations_alone += alone.run(b[which], x);
      most = std::max<std::size_t>(most, alone.sums().runs());
      EXPECT_EQ(at_once.history(which), alone.history()) << which;
      bool is_same = true;
      for (std::size_t k = 0; k < coarse.aggregates().count(); ++k) {
        is_same = is_same && std::ranges::equal(part(found, k, which),
                                                std::span(x).subspan(k * coarse.numbers(), coarse.numbers()));
      }
      EXPECT_TRUE(is_same) << extents.text() << ", " << which;
    }
    EXPECT_EQ(iterations, iterations_alone);
    EXPECT_LT(at_once.sums().runs(), 2 * most);  // they share them
  }
}

TEST(QcdMultigrid, CoarseLoopsHaveTheSameBitsInEachInstructionSet) {
  for (const std::size_t width : {2U, 16U, 34U, 192U}) {
    const CoarseShape shape{.width = width, .rows = padded(width)};
    std::vector<float> random(shape.matrix() + shape.vector());
    for (std::size_t i = 0; i < random.size(); ++i) {
      if (i % shape.rows < width) random[i] = static_cast<float>(base::uniform(1, i, 0) - 0.5);
    }
    const base::PackVector<float> a(random.begin(), random.begin() + static_cast<std::ptrdiff_t>(shape.matrix()));
    const base::PackVector<float> x(random.end() - static_cast<std::ptrdiff_t>(shape.vector()), random.end());
    const auto all = [&](const CoarseLoops& loops) {
      std::vector<base::PackVector<float>> results(2, base::PackVector<float>(shape.vector()));
      loops.multiply(shape, a.data(), x.data(), results[0].data());
      loops.multiply_back(shape, a.data(), x.data(), results[1].data());
      const std::vector<const float*> v{x.data(), results[0].data(), results[1].data()};
      for (const auto product : {loops.multiply_all, loops.multiply_back_all}) {  // of any number, with the same bits
        std::vector<base::PackVector<float>> found(7, base::PackVector<float>(shape.vector()));
        std::vector<const float*> from;
        std::vector<float*> to;
        for (auto& one : found) {
          from.push_back(v[to.size() % 3]);
          to.push_back(one.data());
        }
        product(shape, a.data(), from.data(), to.data(), found.size());
        EXPECT_TRUE(found[0] == results[product == loops.multiply_all ? 0 : 1]);
        for (std::size_t k = 3; k < found.size(); ++k) EXPECT_TRUE(found[k] == found[k - 3]) << k;
      }
      results.emplace_back(6);
      loops.dots(shape, v.data(), 3, a.data(), results.back().data());
      base::PackVector<float> sum = x;
      loops.add(shape, v.data() + 1, results.back().data(), 2, sum.data());
      results.push_back(sum);
      return results;
    };
    const auto plain = all(coarse_loops(1));
    // Against the formula, in double.
    for (std::size_t row = 0; row < width; ++row) {
      std::complex<double> forward;
      std::complex<double> back;
      for (std::size_t i = 0; i < width; ++i) {
        const std::complex<double> of(x[i], x[shape.rows + i]);
        const std::size_t at = 2 * shape.rows * i + row;
        const std::size_t across = 2 * shape.rows * row + i;
        forward += std::complex<double>(a[at], a[at + shape.rows]) * of;
        back += (row + i) % 2 == 0 ? std::conj(std::complex<double>(a[across], a[across + shape.rows])) * of
                                   : -std::conj(std::complex<double>(a[across], a[across + shape.rows])) * of;
      }
      // Some hundred terms below 1/2, each rounded to 6e-8.
      EXPECT_LT(std::abs(forward - std::complex<double>(plain[0][row], plain[0][shape.rows + row])), 1e-5);
      EXPECT_LT(std::abs(back - std::complex<double>(plain[1][row], plain[1][shape.rows + row])), 1e-5);
    }
    for (std::size_t lanes = 2; lanes <= coarse_lanes; lanes *= 2) EXPECT_TRUE(all(coarse_loops(lanes)) == plain);
  }
}

TEST(QcdMultigrid, CoarseSumsAreExactInAnyOrderAndRefuseWhatIsNoNumber) {
  std::vector<double> terms;
  for (std::size_t i = 0; i < 100; ++i)
    terms.push_back(std::ldexp(base::uniform(1, i, 0) - 0.5, static_cast<int>(i) % 50 - 30));
  const auto sum_of = [](const std::vector<double>& of, std::size_t parts) {
    CoarseSums sums(nullptr);
    sums.begin(2);
    for (std::size_t part = 0; part < parts; ++part) {
      CoarseSums::Terms mine(sums);
      for (std::size_t i = part; i < of.size(); i += parts) mine.add(1, of[i]);
      sums.merge(mine);
    }
    sums.run();
    return sums.value(0) + sums.value(1);  // one term that is refused spoils all of them
  };
  double expected = 0.0;
  for (const double term : terms) expected += term;
  const double found = sum_of(terms, 1);
  EXPECT_NEAR(found, expected, 1e-9);  // of terms up to 2^18 in double
  std::ranges::reverse(terms);
  EXPECT_EQ(sum_of(terms, 7), found);
  for (const double other : {std::numeric_limits<double>::quiet_NaN(), 1e300}) {
    terms.back() = other;
    EXPECT_TRUE(std::isnan(sum_of(terms, 3)));
  }
}

/// On lattices of an odd number of blocks along an axis, too, where two of a colour are neighbours.
TEST(QcdMultigrid, SmoothingKeepsTheTrueResidual) {
  for (const auto& [extents, block] : shapes) {
    Operators at(random_gauge_field(extents, 0.4, 5), {.mass = 0.2, .csw = 1.0});
    const Aggregates aggregates(at.narrow.lattice(), block);
    Schwarz schwarz(at.single, aggregates, block_loops_for(at.narrow.lattice().lanes()), 4);
    const Field<float> b = folded(at.narrow, random_spinors(extents, 1));
    Field<float> x = at.single.make();
    Field<float> r = b;
    Field<float> rest = at.single.make();
    const double before = at.narrow.norm(b);
    for (int step = 0; step < 3; ++step) schwarz.smooth(x, r, Schwarz::Residual::kept);
    EXPECT_LT(at.narrow.norm(r), 0.2 * before) << extents.text();
    at.single.apply(x, rest, Conjugate::no);
    at.narrow.xpay(b, -1.0, rest);
    at.narrow.axpy(-1.0, r, rest);
    EXPECT_LT(at.narrow.norm(rest), 3e-6 * before);  // roundings of 6e-8 in six updates
  }
}

/// In this field BiCGstab needs some twenty times as many iterations at the smaller mass.
TEST(QcdMultigrid, FindsTheSolutionInFewIterationsDownToSmallMasses) {
  const Extents extents{{4, 4, 4, 8}};
  const GaugeField field = random_gauge_field(extents, 0.4, 5);
  std::vector<double> iterations;
  std::vector<double> of_bicgstab;
  for (const double mass : {0.1, -0.6}) {
    Operators at(field, {.mass = mass, .csw = 1.0});
    const Field<double> b = folded(at.space, random_spinors(extents, 1));
    Multigrid multigrid(at.space, at.single, {.vectors = 16});
    const auto one = make_solve(Method::multigrid, at.dirac, nullptr, {.tolerance = 1e-10}, &multigrid.cycle());
    run_solve(*one, b);
    ASSERT_EQ(one->status(), Solve::Status::converged) << one->failure();
    const auto other = make_solve(Method::bicgstab, at.dirac, nullptr, {.tolerance = 1e-10});
    run_solve(*other, b);
    ASSERT_EQ(other->status(), Solve::Status::converged) << other->failure();
    EXPECT_LE(one->true_residual(), 1e-10);
    Field<double> rest = one->x();
    at.space.axpy(-1.0, other->x(), rest);
    EXPECT_LT(at.space.norm(rest), 1e-7 * at.space.norm(one->x()));  // |D^-1| is below 500
    iterations.push_back(static_cast<double>(one->iterations()));
    of_bicgstab.push_back(static_cast<double>(other->iterations()));
    EXPECT_GT(multigrid.cycle().coarse_iterations(), multigrid.cycle().cycles());
    EXPECT_EQ(multigrid.cycle().cycles(), one->iterations());
  }
  EXPECT_LT(iterations[1], 2.2 * iterations[0]) << iterations[0];
  EXPECT_GT(of_bicgstab[1], 8.0 * of_bicgstab[0]) << of_bicgstab[0];
}

const Settings of_ranks{.block = {2, 2, 2, 2}, .vectors = 5, .setup_iterations = 1, .setup_smoothing = 2};

TEST(QcdMultigrid, HasTheSameBitsOnAnyRanksThreadsAndFoldings) {
  const Solved alone = solve_on({}, 1, of_ranks);
  EXPECT_GT(alone.history.size(), 3U);
  EXPECT_TRUE(solve_on({}, 2, of_ranks) == alone);
  for (const auto& loops : qcd::testing::all_loops<float>(extents_of_ranks)) {
    EXPECT_TRUE(solve_on({}, 1, of_ranks, &loops) == alone) << loops.lanes << " lanes";
  }
  for (const Ranks& ranks : {Ranks{2, {1, 1, 1, 2}}, Ranks{4, {2, 1, 1, 2}}}) {
    EXPECT_TRUE(solve_on(ranks, ranks.count == 2 ? 2 : 1, of_ranks) == alone) << text(ranks);
  }
  // Test vectors are improved all at once, or so many.
  for (const std::size_t at_once : {1U, 3U}) {
    Settings other = of_ranks;
    other.setup_at_once = at_once;
    EXPECT_TRUE(solve_on(at_once == 1 ? Ranks{} : Ranks{2, {1, 1, 1, 2}}, 1, other) == alone) << at_once << " at once";
  }
  // A coupling of one coarse site to another, on one of the ranks.
  EXPECT_FALSE(solve_on({2, {1, 1, 1, 2}}, 1, of_ranks, nullptr, [](Multigrid& multigrid, std::size_t rank) {
                 if (rank == 1) multigrid.coarse().matrix(0, 3)[5] *= 1.01F;
               }) == alone);
}

TEST(QcdMultigrid, TestVectorsThatAreCombinationsOfOthersAreRefused) {
  const Extents extents{{4, 4, 2, 2}};
  Operators at(GaugeField(extents), {.mass = 0.1});
  Multigrid multigrid(at.space, at.single, {.block = {2, 2, 2, 2}, .vectors = 2, .setup_iterations = 0});
  std::vector<Field<float>> vectors(2, at.single.make());
  for (Field<float>& vector : vectors) {
    for (std::size_t site = 0; site < extents.sites(); ++site) {
      Spinor value{};
      value[0] = value[6] = 1.0;  // of both chiralities; its length on a block is 4, so that all is exact
      at.narrow.set(vector, extents.at(site), value);
    }
  }
  try {
    multigrid.interpolation().take(vectors);
    FAIL() << "no error";
  } catch (const engine::NumericsError& error) {
    EXPECT_NE(std::string(error.what()).find("test vector 2 of 2"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("multigrid.vectors"), std::string::npos) << error.what();
  }
}

TEST(QcdMultigrid, CoarseSolvesThatStagnateAreNamedByLevelWithTheirHistory) {
  for (const auto& [extents, block] : {shapes[0], shapes[1]}) {
    Operators at(random_gauge_field(extents, 0.4, 5), {.mass = 0.1});
    Multigrid multigrid(at.space, at.single, {.block = block, .vectors = 2, .setup_iterations = 0});
    CoarseOperator& coarse = multigrid.coarse();
    for (std::size_t k = 0; k < coarse.aggregates().count(); ++k) {
      for (std::size_t d = 0; d <= CoarseOperator::itself; ++d) std::ranges::fill(coarse.matrix(k, d), 0.0F);
    }
    if (coarse.aggregates().groups() == 2) {
      try {
        coarse.complete();
        FAIL() << "no error";
      } catch (const engine::NumericsError& error) {
        EXPECT_NE(std::string(error.what()).find("on level 2"), std::string::npos) << error.what();
      }
      continue;
    }
    Field<float> x = at.single.make();
    run_cycle(multigrid, folded(at.narrow, random_spinors(extents, 1)), x);
    EXPECT_NE(
        multigrid.cycle().failure(0).find("on level 2, of 48 unknowns, |r| / |b| is 1 after 1 iterations (history: 1)"),
        std::string::npos)
        << multigrid.cycle().failure(0);
  }
}

}  // namespace
}  // namespace tacit::qcd::multigrid
