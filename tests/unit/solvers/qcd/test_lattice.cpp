// Places and neighbours on folded lattices, and the matrices of SU(3).
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <vector>

#include "tacit/solvers/qcd/gauge_field.hpp"
#include "tacit/solvers/qcd/lattice.hpp"

namespace tacit::qcd {
namespace {

const std::vector<Extents> some_extents{{{2, 2, 2, 2}}, {{4, 2, 6, 8}}, {{4, 4, 4, 4}}, {{8, 4, 12, 6}}};

TEST(QcdLattice, EverySiteHasAPlaceOfItsOwnAndItsNeighbours) {
  for (const Extents& extents : some_extents) {
    for (std::size_t lanes = 1; lanes <= most_lanes(extents); lanes *= 2) {
      const Lattice lattice(extents, lanes);
      std::set<std::size_t> places;
      for (std::size_t site = 0; site < extents.sites(); ++site) {
        const Coordinates x = extents.at(site);
        ASSERT_EQ(extents.index(x), site);
        const Place place = lattice.place(x);
        ASSERT_LT(place.site, lattice.sites());
        ASSERT_LT(place.lane, lanes);
        ASSERT_EQ(lattice.site_at(place), x);
        places.insert(place.site * lanes + place.lane);
        EXPECT_EQ((x[0] + x[1] + x[2] + x[3]) % 2, place.site >= lattice.sites() / 2 ? 1U : 0U);
        for (std::size_t axis = 0; axis < axes; ++axis) {
          for (const std::size_t side : {0U, 1U}) {
            const std::uint32_t entry = lattice.neighbours()[place.site * 8 + 2 * axis + side];
            const std::size_t lane =
                (entry & Neighbour::crossing) != 0 ? place.lane ^ lattice.strides()[axis] : place.lane;
            const Coordinates other = side == 0 ? extents.next(x, axis) : extents.before(x, axis);
            ASSERT_EQ(lattice.site_at({entry & ~Neighbour::crossing, lane}), other)
                << extents.text() << " lanes " << lanes << " axis " << axis << " side " << side;
          }
        }
      }
      EXPECT_EQ(places.size(), extents.sites());
    }
  }
}

TEST(QcdLattice, HalfBlocksHaveTheSameSitesInEveryFolding) {
  const Extents extents{{8, 4, 4, 12}};
  const auto blocks_of = [&](std::size_t lanes) {
    const Lattice lattice(extents, lanes);
    std::set<std::vector<Coordinates>> blocks;
    for (std::size_t block = 0; block < lattice.half_blocks(); ++block) {
      for (std::size_t lane = 0; lane < lanes; ++lane) {
        std::vector<Coordinates> sites;
        for (std::size_t k = 0; k < 8; ++k) sites.push_back(lattice.site_at({8 * block + k, lane}));
        blocks.insert(sites);  // in their order, which sums follow
      }
    }
    return blocks;
  };
  const auto expected = blocks_of(1);
  EXPECT_EQ(expected.size(), extents.sites() / 8);
  for (const std::size_t lanes : {2U, 4U, 8U, 16U}) EXPECT_EQ(blocks_of(lanes), expected) << lanes;
}

TEST(QcdLattice, OnlyAxesOfMultiplesOfFourAreFolded) {
  EXPECT_EQ(most_lanes({{2, 2, 2, 2}}), 1U);
  EXPECT_EQ(most_lanes({{6, 6, 6, 8}}), 2U);
  EXPECT_EQ(most_lanes({{4, 8, 12, 16}}), 16U);
}

TEST(QcdSu3, RandomLinksAreInTheGroupAndDifferFromEachOther) {
  for (const double spread : {0.0, 0.25, 1.0, 30.0}) {
    const GaugeField field = random_gauge_field({{4, 2, 2, 2}}, spread, 7);
    for (std::size_t i = 0; i < field.links.size(); ++i) {
      ASSERT_LT(distance_from_su3(field.links[i]), 1e-14) << spread;  // some roundings of 1
      if (i > 0) {
        EXPECT_EQ(field.links[i] == field.links[i - 1], spread == 0.0);
      }
    }
  }
  EXPECT_EQ(random_gauge_field({{2, 2, 2, 2}}, 0.25, 7).links, random_gauge_field({{2, 2, 2, 2}}, 0.25, 7).links);
  EXPECT_NE(random_gauge_field({{2, 2, 2, 2}}, 0.25, 7).links, random_gauge_field({{2, 2, 2, 2}}, 0.25, 8).links);
}

TEST(QcdSu3, TheExponentialOfADiagonalIsKnown) {
  for (const double size : {1e-3, 1.0, 20.0}) {
    Matrix3 h;
    h(0, 0) = size;
    h(1, 1) = -0.25 * size;
    h(2, 2) = -0.75 * size;
    const Matrix3 u = exponential(h);
    for (std::size_t i = 0; i < 3; ++i) {
      // Each squaring doubles the relative error of rounding; there are seven for 20.
      EXPECT_LT(std::abs(u(i, i) - std::polar(1.0, h(i, i).real())), 2e-14 * (1.0 + size)) << size;
    }
  }
}

TEST(QcdSu3, ElementsThatAreNotOfTheGroupAreFarFromIt) {
  EXPECT_EQ(distance_from_su3(Matrix3::one()), 0.0);
  Matrix3 stretched = Matrix3::one();
  stretched(1, 1) = 1.001;
  EXPECT_NEAR(distance_from_su3(stretched), 0.002, 1e-5);
  EXPECT_NEAR(distance_from_su3(Complex(-1.0) * Matrix3::one()), 2.0, 1e-15);  // unitary, but its determinant is -1
  stretched(0, 0) = std::nan("");
  EXPECT_FALSE(distance_from_su3(stretched) < 1.0);
}

TEST(QcdGauge, ThePlaquetteIsInvariantAndThatOfUnityIsOne) {
  const Extents extents{{4, 2, 2, 6}};
  EXPECT_EQ(plaquette(GaugeField(extents)), 1.0);
  EXPECT_EQ(link_trace(GaugeField(extents)), 1.0);
  const GaugeField field = random_gauge_field(extents, 0.4, 3);
  const GaugeField other = transformed(field, random_gauge_transformation(extents, 4));
  EXPECT_LT(plaquette(field), 0.9);
  EXPECT_NEAR(plaquette(other), plaquette(field), 1e-14);
  EXPECT_GT(std::abs(link_trace(other) - link_trace(field)), 0.1);
}

}  // namespace
}  // namespace tacit::qcd
