// What ranks send in a step of a flow, of few ranks and of very many.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tacit/base/error.hpp"
#include "tacit/solvers/dns/traffic.hpp"

namespace tacit::dns {
namespace traffic_test {
namespace {

FlowParameters cube(std::size_t points, fft::Truncation truncation) {
  FlowParameters parameters;
  parameters.points = {points, points, points};
  parameters.truncation = truncation;
  return parameters;
}

TEST(Traffic, OfTwoSlabsIsCountedByHand) {
  FlowParameters parameters = cube(8, fft::Truncation::none);
  parameters.form = Form::divergence;
  parameters.scheme = Scheme::rk2;
  const engine::StepTraffic step = count_traffic(parameters, 2);
  // Two substages: 3 fields to points and 4 back, 5 kx, and 4 ky and 4 z between the ranks, in 8 messages each way.
  EXPECT_EQ(step.ranks, 2U);
  EXPECT_EQ(step.most_bytes, 2U * 16U * (3U + 4U) * 5U * 4U * 4U);
  EXPECT_EQ(step.bytes, 2 * step.most_bytes);
  EXPECT_EQ(step.row_bytes, 0U);
  EXPECT_EQ(step.row_ranks, 1U);
  EXPECT_EQ(step.most_messages, 2U * 16U);
  EXPECT_EQ(step.messages, 2U * 2U * 16U);
  EXPECT_EQ(step.largest_share, 0.5);
  parameters.scheme = Scheme::rk4;
  EXPECT_EQ(count_traffic(parameters, 2).bytes, 2 * step.bytes);
}

TEST(Traffic, EndsWhereThereAreMoreRanksThanPencils) {
  const auto counted = count_traffic(cube(4, fft::Truncation::none));
  ASSERT_FALSE(counted.empty());
  EXPECT_EQ(counted.front().ranks, 2U);
  EXPECT_EQ(counted.back().ranks, 8U) << "4 planes, 3 kx: 4 x 2 ranks, or 8 x 1 have none left over";
  EXPECT_THROW(static_cast<void>(count_traffic(cube(4, fft::Truncation::none), 1024)), base::Error);
}

TEST(Traffic, OfAHugeGridIsArithmetic) {
  const FlowParameters parameters = cube(12288, fft::Truncation::two_thirds);
  const engine::StepTraffic step = count_traffic(parameters, 12288);
  EXPECT_GT(step.row_bytes, 0U);
  // Of 8192 kept ky some of the 6144 ranks of a column have two, others one: at most 1.5 times the mean.
  EXPECT_EQ(step.row_ranks, 2U);
  const double mean = static_cast<double>(step.bytes) / 12288.0;
  EXPECT_GT(static_cast<double>(step.most_bytes), mean);
  EXPECT_LT(static_cast<double>(step.most_bytes), 1.5 * mean);
  EXPECT_NEAR(step.largest_share * 12288.0, 1.0, 0.01);
}

TEST(Traffic, WorkOfAPointGrowsWithTheLogarithmOfTheSides) {
  EXPECT_DOUBLE_EQ(work_of_point(cube(4096, fft::Truncation::none)),
                   2 * work_of_point(cube(64, fft::Truncation::none)));
}

}  // namespace
}  // namespace traffic_test
}  // namespace tacit::dns
