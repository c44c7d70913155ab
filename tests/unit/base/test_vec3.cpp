// The algebra of three components.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>

#include "tacit/base/vec3.hpp"

namespace vec3_test {
namespace {

using namespace tacit::base;

constexpr Vec3 a{1.0, 2.0, 3.0};
constexpr Vec3 b{-4.0, 5.0, 0.5};

TEST(Vec3, ComponentsByAxis) {
  static_assert(a[0] == 1.0 && a[1] == 2.0 && a[2] == 3.0);
  Vec3 c;
  for (std::size_t axis = 0; axis < 3; ++axis) c[axis] = a[axis];
  EXPECT_EQ(c, a);
  EXPECT_EQ(Vec3{}, (Vec3{0.0, 0.0, 0.0}));
}

TEST(Vec3, SumDifferenceAndScale) {
  EXPECT_EQ(a + b, (Vec3{-3.0, 7.0, 3.5}));
  EXPECT_EQ(a - b, (Vec3{5.0, -3.0, 2.5}));
  EXPECT_EQ(2.0 * a, (Vec3{2.0, 4.0, 6.0}));
}

TEST(Vec3, Products) {
  EXPECT_EQ(dot(a, b), 7.5);
  EXPECT_EQ(cross({1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}), (Vec3{0.0, 0.0, 1.0}));
  EXPECT_EQ(cross(a, b), (Vec3{-14.0, -12.5, 13.0}));
  EXPECT_EQ(dot(cross(a, b), a), 0.0);  // small numbers: exact
  EXPECT_EQ(norm({2.0, 3.0, 6.0}), 7.0);
}

}  // namespace
}  // namespace vec3_test
