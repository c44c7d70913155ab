// The order of coefficients, and tables that follow from it.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>

#include "tacit/fmm/kernels/multi_index.hpp"

namespace tacit::fmm::kernels {
namespace {

TEST(FmmMultiIndex, PlacesAreNumberedThrough) {
  static_assert(terms(-1) == 0 && terms(0) == 1 && terms(5) == 56);
  static_assert(place_of({1, 0, 0}) == 1 && place_of({0, 1, 0}) == 2 && place_of({0, 0, 1}) == 3);
  static_assert(place_of({2, 0, 0}) == 4 && place_of({1, 0, 1}) == 6 && place_of({0, 0, 2}) == 9);
  for (std::size_t k = 0; k < terms(6); ++k) {
    EXPECT_EQ(place_of(term_table<6>.index[k]), k);
    EXPECT_EQ(order_of(term_table<6>.index[k]), term_table<6>.order[k]);
    if (k > 0) {
      EXPECT_LE(term_table<6>.order[k - 1], term_table<6>.order[k]);
    }
  }
}

TEST(FmmMultiIndex, MultinomialCoefficientsAddUp) {
  double sums[7] = {};
  for (std::size_t k = 0; k < terms(6); ++k) {
    const int order = term_table<6>.order[k];
    sums[order] += std::tgamma(order + 1.0) / term_table<6>.factorial[k];
  }
  for (int order = 0; order <= 6; ++order) EXPECT_NEAR(sums[order], std::pow(3.0, order), 1e-10);
}

TEST(FmmMultiIndex, PairsAreAllThoseUpToTheOrder) {
  static_assert(PairTable<0>::count == 1 && PairTable<1>::count == 7 && PairTable<5>::count == 462);
  for (const auto& [n, m, sum] : pair_table<5>.pairs) {
    const MultiIndex a = term_table<5>.index[n];
    const MultiIndex b = term_table<5>.index[m];
    EXPECT_EQ(place_of({a.x + b.x, a.y + b.y, a.z + b.z}), sum);
    EXPECT_LE(order_of(a) + order_of(b), 5);
  }
}

}  // namespace
}  // namespace tacit::fmm::kernels
