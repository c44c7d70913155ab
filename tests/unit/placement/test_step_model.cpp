// The model of steps: hand-counted times, powers that are known, and files that are something else.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <string>

#include "tacit/base/error.hpp"
#include "tacit/placement/step_model.hpp"

namespace tacit::placement {
namespace step_model_test {
namespace {

/// 1000 elements of 2 ms on two threads. Ranks are cubes: of 64 each sends 100 bytes, of 8, with twice the side, 400.
MeasuredSteps cubes() {
  return {
      .solver = "sph",
      .elements = 1000.0,
      .threads = 2.0,
      .update_s = 2e-3,
      .counted = {
          {.ranks = 2, .messages = 4, .bytes = 800, .most_messages = 2, .most_bytes = 500, .largest_share = 0.6},
          {.ranks = 8, .messages = 80, .bytes = 3200, .most_messages = 12, .most_bytes = 480, .largest_share = 0.15},
          {.ranks = 64,
           .messages = 1280,
           .bytes = 6400,
           .most_messages = 26,
           .most_bytes = 120,
           .largest_share = 0.02}}};
}
constexpr double latency = 1e-3;
const RankNetwork slow{.name = "slow", .latency = latency, .bandwidth = 1000.0};

TEST(StepModel, ComputesTheLargestShareAndSendsTheMostBytes) {
  const auto steps = predict_same(cubes(), slow);
  ASSERT_EQ(steps.size(), 3U);
  EXPECT_DOUBLE_EQ(steps[0].compute_s, 1000 * 0.6 * 2e-3 / 2);
  EXPECT_DOUBLE_EQ(steps[0].network_s, 2 * latency + 0.5);
  EXPECT_DOUBLE_EQ(steps[0].least_s(), 0.6);
  EXPECT_DOUBLE_EQ(steps[0].most_s(), 1.102);
  EXPECT_DOUBLE_EQ(steps[2].network_s, 26 * latency + 0.12);
  EXPECT_DOUBLE_EQ(steps[2].least_s(), steps[2].network_s);
}

TEST(StepModel, SurfacesGrowByThePowerThatIsCounted) {
  // 64 times the elements of a rank of 64 have 16 times its surface.
  const auto steps = predict_as_much_each(cubes(), slow, std::array{64.0, 10'000.0});
  ASSERT_EQ(steps.size(), 2U);
  EXPECT_DOUBLE_EQ(steps[0].sends.bytes, 64 * 1600.0);
  EXPECT_DOUBLE_EQ(steps[1].sends.bytes, 10'000 * 1600.0);
  EXPECT_DOUBLE_EQ(steps[1].sends.most_bytes, 1920.0);
  EXPECT_DOUBLE_EQ(steps[1].sends.messages, 10'000 * 20.0);
  EXPECT_DOUBLE_EQ(steps[1].elements, 1e7);
  EXPECT_DOUBLE_EQ(steps[1].compute_s, 1000 * 1.2 * 2e-3 / 2) << "as uneven as 8 ranks are";
  EXPECT_DOUBLE_EQ(steps[0].compute_s, steps[1].compute_s);
}

TEST(StepModel, ExtrapolatesNothingFromFewerThan64Ranks) {
  MeasuredSteps run = cubes();
  run.counted.pop_back();
  EXPECT_TRUE(predict_as_much_each(run, slow, std::array{8.0}).empty());
  run = cubes();
  run.counted.back().row_ranks = 1.0;
  EXPECT_TRUE(predict_as_much_each(run, slow, std::array{8.0}).empty()) << "of transposes";
}

TEST(StepModel, RanksOfANodeShareItsLink) {
  network::Network machine{.name = "m",
                           .shape = network::Torus{},
                           .injection_bandwidth = 1e9,
                           .latency = 2e-6,
                           .background = {},
                           .states = {},
                           .node_names = {}};
  EXPECT_DOUBLE_EQ(rank_network(machine, 4.0).bandwidth, 2.5e8);
  EXPECT_DOUBLE_EQ(rank_network(machine, 4.0).latency, 2e-6);
}

TEST(StepModel, TransposesTakeTheBusiestLink) {
  // 4 nodes in a line, a row of two ranks on neighbours, columns {0, 2} and {1, 3}. Each rank sends 50 bytes in its row
  // and 100 in its column.
  const network::Network line{
      .name = "line",
      .shape = network::Torus{.routers = {4, 1, 1},
                              .bandwidth = {10.0, 1.0, 1.0},
                              .ends = {network::Ends::line, network::Ends::line, network::Ends::line}},
      .injection_bandwidth = 1e9,
      .latency = 1.0,
      .background = {},
      .states = {},
      .node_names = {}};
  const CountedStep sends{.ranks = 4, .bytes = 600, .row_ranks = 2, .row_bytes = 200};
  // The link from 0 to 1 carries 50 in rows; that from 1 to 2 both columns, 200.
  EXPECT_DOUBLE_EQ(transpose_seconds(line, sends, 1), 5.0 + 20.0);
  EXPECT_EQ(transpose_seconds(line, {.ranks = 5, .bytes = 600, .row_ranks = 1}, 1), 0.0) << "too few nodes";
  EXPECT_EQ(transpose_seconds(line, {.ranks = 4, .bytes = 600}, 1), 0.0) << "no transposes";
}

class SummaryFile : public ::testing::Test {
 protected:
  std::filesystem::path file(const std::string& text) {
    std::ofstream(path_) << text;
    return path_;
  }
  /// What reading it throws, without its path.
  std::string refusal(const std::string& text) {
    try {
      static_cast<void>(read_measured_steps(file(text)));
    } catch (const base::FormatError& error) {
      return std::string(error.what()).substr(path_.string().size());
    }
    return "nothing was thrown";
  }
  ~SummaryFile() override { std::filesystem::remove(path_); }

 private:
  std::filesystem::path path_ =
      std::filesystem::temp_directory_path() / ("tacit-summary-" + std::to_string(::getpid()) + ".json");
};

TEST_F(SummaryFile, IsRead) {
  const auto run = read_measured_steps(file(
      R"({"solver": "sph", "ranks": 1, "threads": 2, "elements": 1000, "updates_per_core_s": 500.0, "traffic": [
         {"ranks": 2, "messages": 4, "bytes": 800, "most_messages": 2, "most_bytes": 500, "largest_share": 0.6,
          "row_ranks": 1, "row_bytes": 300}]})"));
  EXPECT_EQ(run.solver, "sph");
  EXPECT_EQ(run.elements, 1000.0);
  EXPECT_EQ(run.threads, 2.0);
  EXPECT_EQ(run.update_s, 2e-3);
  ASSERT_EQ(run.counted.size(), 1U);
  EXPECT_EQ(run.counted[0].most_bytes, 500.0);
  EXPECT_EQ(run.counted[0].largest_share, 0.6);
  EXPECT_EQ(run.counted[0].row_bytes, 300.0);
}

TEST_F(SummaryFile, OfSomethingElseIsRefused) {
  const std::string begin = R"({"solver": "sph", "threads": 2, )";
  EXPECT_EQ(refusal("x"), ": is no summary of a run (it is not JSON)");
  EXPECT_TRUE(refusal("{}").starts_with(": is no summary of a run (")) << refusal("{}");
  EXPECT_EQ(refusal(begin + R"("ranks": 2})"), ": is of a run on several ranks; the model is fitted at 1");
  EXPECT_TRUE(refusal(begin + R"("ranks": 1})").starts_with(": does not say what other numbers of ranks would send"));
  EXPECT_EQ(refusal(begin + R"("ranks": 1, "elements": 5, "updates_per_core_s": 0.0, "traffic": []})"),
            ": is of a run that made no step");
  EXPECT_TRUE(refusal(begin + R"("ranks": 1, "elements": 5, "updates_per_core_s": 2, "traffic": [{}]})")
                  .starts_with(": is no summary of a run ("));
}

}  // namespace
}  // namespace step_model_test
}  // namespace tacit::placement
