// What a field is, and how many elements there are of it.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tacit/base/field.hpp"

namespace tacit::base {
namespace {

TEST(BaseField, AnElementHasTheProductOfTheLengthsOfItsAxes) {
  EXPECT_EQ((FieldInfo{.name = "density"}.components()), 1U);
  EXPECT_EQ((FieldInfo{.name = "velocity", .shape = {3}}.components()), 3U);
  EXPECT_EQ((FieldInfo{.name = "spinor", .shape = {4, 3, 2}}.components()), 24U);
}

TEST(BaseField, ElementsAreCountedOfAllRanksAndOfARow) {
  const FieldPlace grid{.shape = {4, 5, 6}, .first = {2, 0, 3}, .count = {2, 5, 3}, .strides = {56, 8, 1}};
  EXPECT_EQ(grid.elements(), 120U);
  EXPECT_EQ(grid.elements_of_row(), 15U);
  const FieldPlace particles{.element = "particle", .shape = {100}, .first = {20}, .count = {10}, .strides = {1}};
  EXPECT_EQ(particles.elements(), 100U);
  EXPECT_EQ(particles.elements_of_row(), 1U);
  EXPECT_EQ(FieldPlace{}.elements_of_row(), 0U);
}

}  // namespace
}  // namespace tacit::base
