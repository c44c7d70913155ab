// Hilbert's curve goes through every box once, from each to one beside it, and its pieces are compact.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <vector>

#include "tacit/particles/hilbert.hpp"

namespace tacit::particles::hilbert_test {
namespace {

std::array<int, 3> index_of(std::uint32_t box, const std::array<int, 3>& shape) {
  const auto n = static_cast<int>(box);
  return {n / (shape[1] * shape[2]), n / shape[2] % shape[1], n % shape[2]};
}

/// Faces of boxes through which pieces of `length` boxes touch what is not in them.
int surface(const std::vector<std::uint32_t>& order, const std::array<int, 3>& shape, std::size_t length) {
  std::vector<std::size_t> piece(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) piece[order[i]] = i / length;
  int faces = 0;
  for (std::uint32_t box = 0; box < order.size(); ++box) {
    const auto at = index_of(box, shape);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      auto next = at;
      if (++next[axis] == shape[axis]) continue;
      const int number = (next[0] * shape[1] + next[1]) * shape[2] + next[2];
      faces += piece[box] != piece[static_cast<std::size_t>(number)] ? 1 : 0;
    }
  }
  return faces;
}

}  // namespace

TEST(Hilbert, VisitsEachBoxOnceAndGoesToOneBesideIt) {
  for (const std::array<int, 3>& shape : {std::array{16, 16, 1}, std::array{8, 8, 8}, std::array{2, 2, 2}}) {
    const auto order = hilbert_order(shape, shape[2] == 1 ? 2 : 3);
    std::vector<std::uint32_t> sorted = order;
    std::ranges::sort(sorted);
    std::vector<std::uint32_t> all(order.size());
    std::iota(all.begin(), all.end(), 0U);
    EXPECT_EQ(sorted, all);
    for (std::size_t i = 1; i < order.size(); ++i) {
      const auto a = index_of(order[i - 1], shape);
      const auto b = index_of(order[i], shape);
      EXPECT_EQ(std::abs(a[0] - b[0]) + std::abs(a[1] - b[1]) + std::abs(a[2] - b[2]), 1) << i;
    }
  }
}

TEST(Hilbert, TakesAnyShape) {
  for (const std::array<int, 3>& shape : {std::array{1, 1, 1}, std::array{5, 3, 1}, std::array{3, 7, 12}}) {
    auto order = hilbert_order(shape, shape[2] == 1 ? 2 : 3);
    std::ranges::sort(order);
    std::vector<std::uint32_t> all(static_cast<std::size_t>(shape[0] * shape[1] * shape[2]));
    std::iota(all.begin(), all.end(), 0U);
    EXPECT_EQ(order, all);
  }
  EXPECT_EQ(hilbert_order({4, 1, 1}, 1), (std::vector<std::uint32_t>{0, 1, 2, 3}));
}

TEST(Hilbert, PiecesHaveLessSurfaceThanSlabs) {
  const std::array shape{16, 16, 16};
  std::vector<std::uint32_t> in_turn(16 * 16 * 16);
  std::iota(in_turn.begin(), in_turn.end(), 0U);
  EXPECT_EQ(surface(hilbert_order(shape, 3), shape, 64), 3 * 3 * 16 * 16);  // cubes of 4
  EXPECT_EQ(surface(in_turn, shape, 64), 15 * 256 + 3 * 256);               // rows of 16 x 4
}

}  // namespace tacit::particles::hilbert_test
