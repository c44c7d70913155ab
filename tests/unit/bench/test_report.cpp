// What a result is compared with, and how it looks as JSON and in the table.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "framework/report.hpp"

namespace tacit::bench::test_report {

Result sample() {
  Result result{.name = "spawn_2t_ns", .unit = "ns", .ours = {20.0, 18.0, 31.0, 11}, .limit = 30.0};
  result.peers = {{"one", 40.0}, {"other", 25.0}};
  result.flag_ns = 60.0;
  return result;
}

TEST(BenchReport, TheBestPeerIsTheReference) {
  Result result = sample();
  EXPECT_EQ(reference(result)->name, "other");
  EXPECT_EQ(ratio(result), 20.0 / 25.0);
  result.better = Better::higher;
  EXPECT_EQ(reference(result)->name, "one");
}

TEST(BenchReport, ThenTheLimitThenNothing) {
  Result result = sample();
  result.peers.clear();
  EXPECT_EQ(reference(result)->name, "limit");
  EXPECT_EQ(reference(result)->value, 30.0);
  result.limit.reset();
  EXPECT_FALSE(reference(result));
  EXPECT_FALSE(ratio(result));
}

TEST(BenchReport, JsonHoldsWhatToolsRead) {
  Machine machine{.host = "here", .cpu = "a \"quoted\" model", .processors = {topology::CpuId{3}, topology::CpuId{5}}};
  machine.flag_before = Summary{60.0, 55.0, 70.0, 21};
  machine.peers = {{"other", "2.1"}};
  const auto json = nlohmann::json::parse(to_json(machine, std::vector{sample()}));
  EXPECT_EQ(json["machine"]["cpu"], "a \"quoted\" model");
  EXPECT_EQ(json["machine"]["cores_allowed"], 2);
  EXPECT_EQ(json["machine"]["processors"], (std::vector{3, 5}));
  EXPECT_EQ(json["machine"]["flag_before"], (nlohmann::json{{"median_ns", 60.0}, {"min_ns", 55.0}, {"near", true}}));
  EXPECT_TRUE(json["machine"]["flag_after"].is_null());
  EXPECT_EQ(json["machine"]["peers"]["other"], "2.1");
  const auto& result = json["results"].at(0);
  EXPECT_EQ(result["name"], "spawn_2t_ns");
  EXPECT_EQ(result["value"], 20.0);
  EXPECT_EQ(result["unit"], "ns");
  EXPECT_EQ(result["reference"], 25.0);
  EXPECT_EQ(result["ratio"], 0.8);
  EXPECT_EQ(result["reference_name"], "other");
  EXPECT_EQ(result["min"], 18.0);
  EXPECT_EQ(result["limit"], 30.0);
  EXPECT_EQ(result["peers"]["one"], 40.0);
}

TEST(BenchReport, JsonOfAResultAlone) {
  const Result result{.name = "ticks_ns", .unit = "ns", .ours = {9.0, 9.0, 9.0, 1}};
  const auto json = nlohmann::json::parse(to_json({}, std::vector{result}))["results"].at(0);
  for (const char* key : {"reference", "ratio", "reference_name", "limit", "flag_ns"}) {
    EXPECT_TRUE(json.at(key).is_null()) << key;
  }
}

TEST(BenchReport, RowsStandUnderTheirHeads) {
  const std::string head = table_head();
  const std::string row = table_row(sample());
  EXPECT_EQ(row.substr(head.find("ratio"), 5), "  0.8");
  EXPECT_EQ(row.find("20 ") + 2, head.find("value") + 5);
  EXPECT_NE(row.find("one 40  other 25"), std::string::npos);
}

}  // namespace tacit::bench::test_report
