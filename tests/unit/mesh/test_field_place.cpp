// The places of a grid's points in memory and in files are those of its layout.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "tacit/mesh/field_place.hpp"

namespace tacit::mesh {
namespace {

TEST(MeshFieldPlace, EveryPointIsWhereTheLayoutHasIt) {
  const GridSpec spec{.points = {5, 7, 4}, .boundaries = {Boundary::periodic, Boundary::wall, Boundary::periodic}};
  std::vector<int> seen(5 * 7 * 4, 0);
  for (std::uint32_t rank = 0; rank < 4; ++rank) {
    const BlockGrid grid(spec, 4, comm::RankId{rank});
    const base::FieldPlace place = field_place(grid);
    EXPECT_EQ(place.shape, (std::vector<std::uint64_t>{4, 7, 5}));
    for (std::uint64_t z = 0; z < place.count[0]; ++z) {
      for (std::uint64_t y = 0; y < place.count[1]; ++y) {
        for (std::uint64_t x = 0; x < place.count[2]; ++x) {
          const Point point{static_cast<Index>(x), static_cast<Index>(y), static_cast<Index>(z), 0};
          EXPECT_EQ(place.origin + z * place.strides[0] + y * place.strides[1] + x * place.strides[2],
                    grid.layout().index(point));
          ++seen[((place.first[0] + z) * 7 + place.first[1] + y) * 5 + place.first[2] + x];
        }
      }
    }
  }
  EXPECT_EQ(seen, std::vector<int>(5 * 7 * 4, 1));
}

TEST(MeshFieldPlace, AxesThatTheGridDoesNotHaveHaveOnePoint) {
  const BlockGrid line({.points = {6}, .boundaries = {Boundary::wall}}, 2, comm::RankId{1});
  const base::FieldPlace place = field_place(line);
  EXPECT_EQ(place.shape, (std::vector<std::uint64_t>{1, 1, 6}));
  EXPECT_EQ(place.first, (std::vector<std::uint64_t>{0, 0, 3}));
  EXPECT_EQ(place.count, (std::vector<std::uint64_t>{1, 1, 3}));
  EXPECT_EQ(field_place(line, 1).shape, std::vector<std::uint64_t>{6});
}

}  // namespace
}  // namespace tacit::mesh
