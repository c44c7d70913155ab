// What a site takes of the machine, against a count by hand.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tacit/solvers/qcd/update_cost.hpp"

namespace tacit::qcd::update_cost_test {

TEST(QcdUpdateCost, OfAnApplicationIsThatOfTheOperator) {
  QcdParameters parameters;
  parameters.method = Method::apply;
  const engine::UpdateCost plain = update_cost(parameters);
  EXPECT_EQ(plain.flops, 1320.0 + 48.0);
  EXPECT_EQ(plain.bytes, 8.0 * (4.0 * 18.0 + 24.0 + 24.0));
  parameters.dirac.csw = 1.0;
  const engine::UpdateCost clover = update_cost(parameters);
  EXPECT_EQ(clover.flops, 1320.0 + 552.0);
  EXPECT_EQ(clover.bytes, plain.bytes + 8.0 * 72.0);
}

// Two applications; |D p|^2, x and r with |r|^2, |D^+ r|^2, the next p: eleven spinors pass.
TEST(QcdUpdateCost, OfConjugateGradientsHasItsVectors) {
  QcdParameters parameters;
  parameters.is_even_odd = false;
  const engine::UpdateCost cost = update_cost(parameters);
  EXPECT_EQ(cost.flops, 2.0 * 1368.0 + 48.0 + 144.0 + 48.0 + 96.0);
  EXPECT_EQ(cost.bytes, 8.0 * (2.0 * 120.0 + 11.0 * 24.0));
}

TEST(QcdUpdateCost, OfHalfOfTheSitesReadsLinksTwice) {
  QcdParameters parameters;
  parameters.precision = Precision::mixed;
  const engine::UpdateCost cost = update_cost(parameters);
  EXPECT_EQ(cost.flops, 0.0);
  EXPECT_EQ(cost.single_flops, 2.0 * 1368.0 + 0.5 * 336.0);
  EXPECT_EQ(cost.bytes, 4.0 * (2.0 * (2.0 * 72.0 + 60.0) + 0.5 * 11.0 * 24.0));
}

TEST(QcdUpdateCost, OfEachMethodIsItsOwn) {
  QcdParameters parameters;
  parameters.method = Method::gcr;
  const double gcr = update_cost(parameters).bytes;
  parameters.method = Method::bicgstab;
  const double bicgstab = update_cost(parameters).bytes;
  parameters.method = Method::cgnr;
  EXPECT_GT(bicgstab, update_cost(parameters).bytes);
  EXPECT_GT(gcr, bicgstab);
}

}  // namespace tacit::qcd::update_cost_test
