// Boxes and layouts: counting, rows, runs, and copies into messages.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <numeric>
#include <utility>
#include <vector>

#include "tacit/mesh/box.hpp"
#include "unit/mesh/grids.hpp"

namespace tacit::mesh::box_test {

using testing::for_points;
using Runs = std::vector<std::pair<std::size_t, std::size_t>>;

Runs rows_of(const Layout& layout, const Box& box) {
  Runs rows;
  for_rows(layout, box, [&rows](std::size_t first, std::size_t length) { rows.emplace_back(first, length); });
  return rows;
}

Runs runs_of(const Layout& layout, const Box& box) {
  Runs runs;
  for_runs(layout, box, [&runs](std::size_t first, std::size_t length) { runs.emplace_back(first, length); });
  return runs;
}

TEST(MeshBox, CountsItsPoints) {
  constexpr Box box{.begin = {-1, 0, 2, 0}, .end = {3, 5, 4, 1}};
  static_assert(box.points() == 40 && !box.is_empty() && box.extent(1) == 5);
  static_assert(box.contains({-1, 4, 3, 0}) && !box.contains({3, 4, 3, 0}) && !box.contains({0, 0, 1, 0}));
  EXPECT_EQ(box.with(0, 2, 2).points(), 0U);
  EXPECT_TRUE(box.with(0, 4, 2).with(1, 4, 2).is_empty());
  EXPECT_EQ(box.with(0, 4, 2).with(1, 4, 2).points(), 0U);
  EXPECT_EQ(Box{}.points(), 0U);
}

TEST(MeshBox, IntersectionHasThePointsOfBoth) {
  constexpr Box a{.begin = {-1, 0, 2, 0}, .end = {3, 5, 4, 1}};
  constexpr Box b{.begin = {0, -2, 3, 0}, .end = {9, 2, 9, 1}};
  EXPECT_EQ(intersection(a, b), (Box{.begin = {0, 0, 3, 0}, .end = {3, 2, 4, 1}}));
  EXPECT_EQ(intersection(a, b), intersection(b, a));
  EXPECT_TRUE(intersection(a, a.with(1, 5, 9)).is_empty());
  EXPECT_TRUE(intersection(a, a.with(1, 7, 9)).is_empty());
}

TEST(MeshBox, LayoutHasXFastest) {
  const Layout layout(Box{.begin = {-1, -1, -1, 0}, .end = {3, 4, 2, 1}});
  EXPECT_EQ(layout.size(), 60U);
  EXPECT_EQ(layout.stride(0), 1U);
  EXPECT_EQ(layout.stride(1), 4U);
  EXPECT_EQ(layout.stride(2), 20U);
  std::size_t next = 0;
  for_points(layout.memory(), [&](const Point& point) { EXPECT_EQ(layout.index(point), next++); });
}

TEST(MeshBox, RowsAndRunsVisitEachPointInOrder) {
  const Layout layout(Box{.begin = {-1, -2, 0, 5}, .end = {3, 3, 2, 8}});
  std::size_t boxes = 0;
  for_points({.begin = {-1, -2, 0, 5}, .end = {3, 3, 2, 8}}, [&](const Point& begin) {
    for_points({.begin = begin, .end = {5, 5, 4, 10}}, [&](const Point& end) {
      const Box box = intersection({.begin = begin, .end = end}, layout.memory());
      std::vector<std::size_t> expected;
      for_points(box, [&](const Point& point) { expected.push_back(layout.index(point)); });
      for (const Runs& runs : {rows_of(layout, box), runs_of(layout, box)}) {
        std::vector<std::size_t> found;
        for (const auto& [first, length] : runs) {
          for (std::size_t i = 0; i < length; ++i) found.push_back(first + i);
        }
        ASSERT_EQ(found, expected);
      }
      ++boxes;
    });
  });
  EXPECT_GT(boxes, 1000U);
}

TEST(MeshBox, RunsJoinWholeRowsAndPlanes) {
  const Layout layout(Box{.begin = {0, 0, -1, 0}, .end = {4, 5, 7, 1}});
  const Box all = layout.memory();
  EXPECT_EQ(rows_of(layout, all).size(), 40U);
  EXPECT_EQ(runs_of(layout, all), (Runs{{0, 160}}));
  EXPECT_EQ(runs_of(layout, all.with(2, 0, 2)), (Runs{{20, 40}}));
  EXPECT_EQ(runs_of(layout, all.with(2, 0, 2).with(1, 1, 3)), (Runs{{24, 8}, {44, 8}}));
  EXPECT_EQ(runs_of(layout, all.with(2, 0, 1).with(0, 1, 2)), (Runs{{21, 1}, {25, 1}, {29, 1}, {33, 1}, {37, 1}}));
  EXPECT_TRUE(runs_of(layout, all.with(0, 2, 2)).empty());
}

TEST(MeshBox, UnpackPutsBackWhatPackHasTaken) {
  struct Pair {
    int a;
    double b;
  };
  const Layout layout(Box{.begin = {-1, -1, -1, 0}, .end = {4, 3, 5, 1}});
  std::vector<Pair> field(layout.size());
  for (std::size_t i = 0; i < field.size(); ++i)
    field[i] = {.a = static_cast<int>(i), .b = 0.5 * static_cast<double>(i)};
  const Box box{.begin = {0, -1, 1, 0}, .end = {3, 3, 4, 1}};
  std::vector<Pair> message(box.points() + 3, Pair{-1, -1.0});
  EXPECT_EQ(pack<Pair>(layout, box, field, message), box.points());
  std::size_t at = 0;
  for_points(box, [&](const Point& point) {
    EXPECT_EQ(message[at].a, static_cast<int>(layout.index(point)));
    EXPECT_EQ(message[at].b, 0.5 * message[at].a);
    ++at;
  });
  EXPECT_EQ(message[at].a, -1);  // nothing behind its end
  std::vector<Pair> other(layout.size(), Pair{-7, -7.0});
  EXPECT_EQ(unpack<Pair>(layout, box, other, message), box.points());
  for_points(layout.memory(), [&](const Point& point) {
    const std::size_t i = layout.index(point);
    EXPECT_EQ(other[i].a, box.contains(point) ? static_cast<int>(i) : -7);
  });
}

TEST(MeshBox, CopiesRefuseWhatIsTooShort) {
  const Layout layout(Box{.begin = {0, 0, 0, 0}, .end = {4, 3, 1, 1}});
  std::vector<double> field(layout.size());
  std::vector<double> message(11);
  EXPECT_THROW(pack<double>(layout, layout.memory(), field, message), base::PreconditionError);
  EXPECT_THROW(unpack<double>(layout, layout.memory(), field, message), base::PreconditionError);
  message.resize(12);
  EXPECT_EQ(pack<double>(layout, layout.memory(), field, message), 12U);
  field.pop_back();
  EXPECT_THROW(pack<double>(layout, layout.memory(), field, message), base::PreconditionError);
}

}  // namespace tacit::mesh::box_test
