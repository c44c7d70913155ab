// Multigrid: its algebra to rounding, its solutions against conjugate gradients, and the same bits in any division.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tacit/engine/error.hpp"
#include "tacit/solvers/qcd/multigrid/multigrid.hpp"
#include "tacit/solvers/qcd/solve.hpp"
#include "unit/solvers/qcd/on_division.hpp"
#include "unit/solvers/qcd/on_lattice.hpp"

namespace tacit::qcd::multigrid {
namespace {

using testing::folded;
using testing::gather;
using testing::largest_difference;
using testing::on_division;
using testing::OnRank;
using testing::own_links;
using testing::own_part;
using testing::PlainField;
using testing::random_spinors;
using testing::Ranks;
using testing::text;
using testing::unfolded;
using testing::Workers;

/// Operators on a lattice of one rank.
struct Operators {
  Operators(const GaugeField& field, const DiracParameters& parameters, std::size_t workers = 1)
      : on(workers),
        space(field.extents, kernels::loops_for<double>(most_lanes(field.extents)), on.scheduler),
        narrow(field.extents, kernels::loops_for<float>(most_lanes(field.extents)), on.scheduler),
        dirac(space, field, parameters),
        single(narrow, field, parameters) {}
  Workers on;
  FieldSpace<double> space;
  FieldSpace<float> narrow;
  DiracOperator<double> dirac;
  DiracOperator<float> single;
};

CoarseVector random_coarse(std::size_t size, std::uint64_t seed) {
  CoarseVector c(2 * size);
  for (std::size_t k = 0; k < c.size(); ++k) c[k] = static_cast<float>(base::uniform(seed, k, 0) - 0.5);
  return c;
}

double largest_difference(const CoarseVector& a, const CoarseVector& b) {
  double largest = 0.0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    largest = std::max(largest, std::abs(static_cast<double>(a[k]) - static_cast<double>(b[k])));
  }
  return largest;
}

std::complex<double> product(const CoarseVector& a, const CoarseVector& b) {
  std::complex<double> sum;
  for (std::size_t k = 0; k < a.size(); k += 2) {
    sum += std::conj(std::complex<double>(a[k], a[k + 1])) * std::complex<double>(b[k], b[k + 1]);
  }
  return sum;
}

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
    const CoarseVector c = random_coarse(multigrid.coarse().size(), 3);
    std::vector<float> own(2 * multigrid.coarse().own_size());
    multigrid.coarse().take_own(c, own);
    Field<float> fine = at.single.make();
    multigrid.interpolation().prolong(own, fine);
    std::ranges::fill(own, 0.0F);
    multigrid.interpolation().restrict_to(fine, own);
    CoarseVector back;
    multigrid.coarse().gather(own, back);
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
      const CoarseVector c = random_coarse(coarse.size(), 3);
      std::vector<float> own(2 * coarse.own_size());
      coarse.take_own(c, own);
      Field<float> fine = at.single.make();
      Field<float> image = at.single.make();
      multigrid.interpolation().prolong(own, fine);
      at.single.apply(fine, image, Conjugate::no);
      multigrid.interpolation().restrict_to(image, own);
      CoarseVector expected;
      coarse.gather(own, expected);
      CoarseVector found(c.size());
      coarse.apply(c, found);
      // |D| is below 9, of vectors whose numbers are below 1/2: sums of some ten roundings of 6e-8 of that.
      EXPECT_LT(largest_difference(found, expected), 1e-5) << extents.text() << ", csw = " << csw;
      // gamma_5 goes through P: sigma_3 Dc is hermitian.
      const CoarseVector other = random_coarse(coarse.size(), 4);
      CoarseVector second(c.size());
      coarse.apply(other, second);
      const auto turned = [](CoarseVector v) {
        for (std::size_t k = 0; k < v.size(); k += 4) {
          v[k] = -v[k];
          v[k + 1] = -v[k + 1];
        }
        return v;
      };
      const double scale = std::sqrt(product(c, c).real() * product(second, second).real());
      EXPECT_LT(std::abs(product(turned(other), found) - std::conj(product(turned(c), second))), 1e-5 * scale);
    }
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

void run_solve(Solve& one, const Field<double>& b) {
  one.begin(b);
  while (one.status() == Solve::Status::running) one.iterate();
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
    const auto one = make_solve(Method::multigrid, at.dirac, nullptr, {.tolerance = 1e-10}, &multigrid);
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
    EXPECT_GT(multigrid.coarse_iterations(), multigrid.cycles());
    EXPECT_EQ(multigrid.cycles(), one->iterations());
  }
  EXPECT_LT(iterations[1], 2.2 * iterations[0]) << iterations[0];
  EXPECT_GT(of_bicgstab[1], 8.0 * of_bicgstab[0]) << of_bicgstab[0];
}

/// A solve with its history.
struct Solved {
  PlainField x;
  std::vector<double> history;
  friend bool operator==(const Solved&, const Solved&) = default;
};

const Extents extents_of_ranks{{4, 4, 4, 8}};

Solved solve_on(const Ranks& ranks, std::size_t workers, const kernels::Loops<float>* loops = nullptr,
                const std::function<void(Multigrid&, std::size_t rank)>& spoil = {}) {
  Solved result{PlainField(extents_of_ranks.sites()), {}};
  const GaugeField gauge = random_gauge_field(extents_of_ranks, 0.4, 5);
  const PlainField b = random_spinors(extents_of_ranks, 1);
  on_division(
      ranks, workers,
      [&](OnRank& rank, const Division& division) {
        const std::size_t most = most_lanes(division.part());
        FieldSpace<double> space(division, kernels::loops_for<double>(most), rank.on.scheduler);
        FieldSpace<float> narrow(division, loops != nullptr ? *loops : kernels::loops_for<float>(most),
                                 rank.on.scheduler);
        const GaugeField links = own_links(gauge, division.part());
        const DiracOperator<double> dirac(space, links, {.mass = 0.1, .csw = 1.0});
        const DiracOperator<float> single(narrow, links, dirac.parameters());
        Multigrid multigrid(space, single,
                            {.block = {2, 2, 2, 2}, .vectors = 4, .setup_iterations = 1, .setup_smoothing = 2});
        if (spoil) spoil(multigrid, number(rank.world.rank()));
        const auto one = make_solve(Method::multigrid, dirac, nullptr, {.tolerance = 1e-5}, &multigrid);
        run_solve(*one, own_part(space, b));
        EXPECT_EQ(one->status(), Solve::Status::converged) << one->failure();
        gather(space, one->x(), result.x);
        if (number(rank.world.rank()) == 0) result.history = one->history();
      },
      extents_of_ranks);
  return result;
}

TEST(QcdMultigrid, HasTheSameBitsOnAnyRanksThreadsAndFoldings) {
  const Solved alone = solve_on({}, 1);
  EXPECT_GT(alone.history.size(), 3U);
  EXPECT_TRUE(solve_on({}, 2) == alone);
  for (const auto& loops : testing::all_loops<float>(extents_of_ranks)) {
    EXPECT_TRUE(solve_on({}, 1, &loops) == alone) << loops.lanes << " lanes";
  }
  for (const Ranks& ranks : {Ranks{2, {1, 1, 1, 2}}, Ranks{4, {2, 1, 1, 2}}}) {
    EXPECT_TRUE(solve_on(ranks, ranks.count == 2 ? 2 : 1) == alone) << text(ranks);
  }
  // A coupling of one coarse site to another, on one of the ranks.
  EXPECT_FALSE(solve_on({2, {1, 1, 1, 2}}, 1, nullptr, [](Multigrid& multigrid, std::size_t rank) {
                 if (rank == 1) multigrid.coarse().matrix(0, 3)[5] *= 1.01F;
               }) == alone);
}

TEST(QcdMultigrid, TooManyTestVectorsForABlockAreRefused) {
  // Free quarks at rest: the smoother leaves twelve constant spinors, six of each chirality.
  const Extents extents{{4, 4, 2, 2}};
  Operators at(GaugeField(extents), {.mass = 0.0, .boundary = BoundaryT::periodic});
  const Settings settings{.block = {2, 2, 2, 2}, .vectors = 8, .setup_smoothing = 400};
  try {
    Multigrid(at.space, at.single, settings);
    FAIL() << "no error";
  } catch (const engine::NumericsError& error) {
    EXPECT_NE(std::string(error.what()).find("multigrid.vectors"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace tacit::qcd::multigrid
