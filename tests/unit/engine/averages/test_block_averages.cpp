// Means and errors of series whose correlations are known, and of the columns of statistics.csv.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "support/test_folder.hpp"
#include "tacit/base/error.hpp"
#include "tacit/engine/averages/block_averages.hpp"
#include "tacit/engine/averages/column_averages.hpp"

namespace tacit::engine::averages_test {
namespace {

/// x_{t+1} = phi x_t + sqrt(1 - phi^2) xi: of variance 1, with the correlation phi^t.
std::vector<double> remembering(double phi, std::size_t count, std::uint64_t seed) {
  std::mt19937_64 engine(seed);
  std::normal_distribution<double> normal;
  std::vector<double> values{normal(engine)};
  while (values.size() < count) values.push_back(phi * values.back() + std::sqrt(1.0 - phi * phi) * normal(engine));
  return values;
}

/// Of the mean of so many of these: 1/n (1 + 2 sum_{k=1}^{n-1} (1 - k/n) phi^k)
double variance_of_mean(double phi, std::size_t count) {
  const auto n = static_cast<double>(count);
  double sum = 1.0;
  double power = phi;
  for (std::size_t k = 1; k < count && power > 1e-18; ++k, power *= phi) {
    sum += 2.0 * (1.0 - static_cast<double>(k) / n) * power;
  }
  return sum / n;
}

BlockAverages averages_of(std::span<const double> values) {
  BlockAverages averages(1);
  for (const double& value : values) averages.add(std::span(&value, 1));
  return averages;
}

/// A file for the running test alone.
std::filesystem::path written(const std::string& text) {
  auto path =
      test::test_folder() / (::testing::UnitTest::GetInstance()->current_test_info()->name() + std::string(".csv"));
  std::ofstream(path) << text;
  return path;
}

}  // namespace

TEST(BlockAverages, ErrorsAreThoseOfSeriesWithAKnownMemory) {
  for (const double phi : {0.0, 0.5, 0.9}) {
    constexpr std::size_t count = 20000;  // no power of two
    constexpr std::uint64_t series = 64;
    double variance = 0.0;
    double error_of_mean2 = 0.0;
    for (std::uint64_t seed = 0; seed < series; ++seed) {
      const BlockEstimate one = averages_of(remembering(phi, count, seed)).estimate(0);
      EXPECT_TRUE(one.is_reliable);
      variance += one.error * one.error / static_cast<double>(series);
      error_of_mean2 += one.mean * one.mean / static_cast<double>(series);
      EXPECT_GT(one.inefficiency, phi > 0.8 ? 8.0 : 0.5) << "of 19 at phi = 0.9";
    }
    const double exact = variance_of_mean(phi, count);
    // 64 estimates from some 40 or more blocks each scatter by sqrt(2/40/64), 3 %; what is left of the memory between
    // blocks of 256 or 512 takes up to 4 % away. Without blocks it would be 1/19 of it at phi = 0.9.
    EXPECT_NEAR(variance / exact, 1.0, 0.13) << phi;
    EXPECT_NEAR(error_of_mean2 / exact, 1.0, 0.6) << phi;  // the means do scatter as much: 3 sqrt(2/64)
  }
}

TEST(BlockAverages, OfAnyLengthTheMeanIsThatOfAllAndAStateGoesOnWithTheSameBits) {
  const std::vector<double> values = remembering(0.7, 1000, 5);
  for (const std::size_t count : {1U, 2U, 3U, 255U, 256U, 1000U}) {
    const auto some = std::span(values).first(count);
    double sum = 0.0;
    for (const double value : some) sum += value;
    EXPECT_NEAR(averages_of(some).mean(0), sum / static_cast<double>(count), 1e-14);
    BlockAverages begun = averages_of(some.first(count / 2));
    BlockAverages goes_on(1, begun.state());
    for (const double& value : some.subspan(count / 2)) goes_on.add(std::span(&value, 1));
    EXPECT_EQ(goes_on.state(), averages_of(some).state());
  }
  EXPECT_TRUE(std::isnan(BlockAverages(1).mean(0)));
  EXPECT_TRUE(std::isnan(averages_of(std::span(values).first(1)).estimate(0).error));
  EXPECT_THROW(BlockAverages(1, std::array{2.5}), base::Error);
  EXPECT_THROW(BlockAverages(1, std::array{2.0, 1.0}), base::Error);
}

TEST(BlockAverages, SaysWhereASeriesIsTooShort) {
  EXPECT_FALSE(averages_of(remembering(0.99, 200, 1)).estimate(0).is_reliable);
  const BlockEstimate constant = averages_of(std::vector<double>(100, 3.25)).estimate(0);
  EXPECT_EQ(constant.mean, 3.25);
  EXPECT_EQ(constant.error, 0.0);
}

TEST(ColumnAverages, AreOfTheLinesOfStatisticsFromATimeOn) {
  std::string text = "step,time,dt,energy,wall_s,pressure,gap\n";
  const std::vector<double> pressure = remembering(0.5, 4000, 9);
  for (std::size_t k = 0; k < pressure.size(); ++k) {
    text += std::to_string(k) + "," + std::to_string(0.25 * static_cast<double>(k)) + ",0.25,1.5,0.01," +
            std::to_string(k < 400 ? 1e6 : pressure[k]) + (k % 7 == 0 ? ",\n" : ",2\n");
  }
  const auto path = written(text + "4000,1000.0,0.25,1.");  // a line that was cut off
  const ColumnAverages found = column_averages(path, "time", 100.0);
  EXPECT_EQ(found.lines, 3600U);
  ASSERT_EQ(found.columns.size(), 2U);
  EXPECT_EQ(found.columns[0].name, "energy");
  EXPECT_EQ(found.columns[0].estimate.mean, 1.5);
  EXPECT_EQ(found.columns[0].estimate.error, 0.0);
  EXPECT_EQ(found.columns[1].name, "pressure");
  const BlockEstimate expected = averages_of(std::span(pressure).subspan(400)).estimate(0);
  EXPECT_NEAR(found.columns[1].estimate.mean, expected.mean, 1e-6);  // of the digits of to_string
  EXPECT_NEAR(found.columns[1].estimate.error, expected.error, 1e-6);
  const std::string said = to_text(found, "t = 100");
  EXPECT_EQ(said.substr(0, said.find('\n')),
            "averages of 3600 line(s) from t = 100 on, with standard errors by blocking:");
  EXPECT_NE(said.find("\n  pressure "), std::string::npos);
  EXPECT_EQ(to_text(column_averages(path, "time", 2000.0), "t = 2000"),
            "averages: statistics.csv has no line from t = 2000 on");
  EXPECT_THROW(static_cast<void>(column_averages(path.parent_path() / "none.csv", "time", 0.0)), base::SystemError);
}

}  // namespace tacit::engine::averages_test
