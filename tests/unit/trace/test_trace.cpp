// Ring buffers, sums and the Perfetto file of the recorder.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "tacit/base/clock.hpp"
#include "tacit/base/error.hpp"
#include "tacit/trace/trace.hpp"

namespace tacit::trace {
namespace trace_test {

Event event(std::int64_t begin, std::int64_t end, KindId kind, std::uint32_t key = 0) {
  return {.begin_ns = begin, .end_ns = end, .kind = kind, .key = key};
}

using Keys = std::vector<std::uint32_t>;

Keys keys(const Lane& lane) {
  Keys result;
  for (const Event& kept : lane.events()) result.push_back(kept.key);
  return result;
}

TEST(TraceLane, KeepsTheNewestAndSumsAll) {
  Lane lane(3);
  EXPECT_EQ(keys(lane), (Keys{}));
  for (std::uint32_t i = 0; i < 3; ++i) lane.record(event(10 * i, 10 * i + 4, KindId{i % 2}, i));
  EXPECT_EQ(keys(lane), (Keys{0, 1, 2}));
  lane.record(event(30, 35, KindId{1}, 3));
  EXPECT_EQ(keys(lane), (Keys{1, 2, 3}));
  lane.record(event(40, 41, KindId{0}, 4));
  EXPECT_EQ(keys(lane), (Keys{2, 3, 4}));
  lane.record(event(50, 51, KindId{0}, 5));
  EXPECT_EQ(keys(lane), (Keys{3, 4, 5}));
  EXPECT_EQ(lane.recorded(), 6U);
  EXPECT_EQ(lane.sum(KindId{0}).count, 4U);
  EXPECT_EQ(lane.sum(KindId{0}).busy_ns, 10);
  EXPECT_EQ(lane.sum(KindId{1}).busy_ns, 9);
  EXPECT_EQ(lane.sum(KindId{17}).count, 0U);
  EXPECT_EQ(lane.busy_ns(), 19);
}

TEST(TraceRecorder, NamesKindsOnce) {
  Recorder recorder(1, 4);
  const KindId density = recorder.kind("density");
  const KindId force = recorder.kind("force");
  EXPECT_NE(density, force);
  EXPECT_EQ(recorder.kind("density"), density);
  EXPECT_EQ(recorder.name(force), "force");
}

TEST(TraceRecorder, SumsOverLanesMostExpensiveFirst) {
  Recorder recorder(2, 1);
  const KindId cheap = recorder.kind("cheap");
  const KindId dear = recorder.kind("dear");
  recorder.kind("b never");
  recorder.kind("a never");
  for (int i = 0; i < 5; ++i) {
    recorder.lane(0).record(event(0, 1000, cheap));
    recorder.lane(1).record(event(0, 2000, dear));
  }
  recorder.lane(0).record(event(0, 3000, dear));
  const auto rows = recorder.sums();
  ASSERT_EQ(rows.size(), 4U);
  EXPECT_EQ(rows[0].name, "dear");
  EXPECT_EQ(rows[0].count, 6U);
  EXPECT_DOUBLE_EQ(rows[0].busy_s, 13e-6);
  EXPECT_EQ(rows[1].name, "cheap");
  EXPECT_EQ(rows[2].name, "a never");
  EXPECT_EQ(rows[3].name, "b never");
  EXPECT_DOUBLE_EQ(recorder.busy_s(0), 8e-6);
  EXPECT_DOUBLE_EQ(recorder.busy_s(1), 10e-6);
}

TEST(TraceRecorder, WrongUseIsNamed) {
  EXPECT_THROW(Recorder(0), base::PreconditionError);
  EXPECT_THROW(Recorder(1, 0), base::PreconditionError);
}

class PerfettoFile : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("tacit-trace-" + std::to_string(::getpid()));
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  nlohmann::json written(const Recorder& recorder) {
    recorder.write(folder_ / "trace.json");
    return nlohmann::json::parse(std::ifstream(folder_ / "trace.json"));
  }
  std::filesystem::path folder_;
};

TEST_F(PerfettoFile, HoldsNamesTimesAndKeys) {
  const std::int64_t before = base::now_ns();
  Recorder recorder(2, 16);
  const std::int64_t after = base::now_ns();
  recorder.lane(1).record(
      event(after + 1'234'567, after + 1'235'072, recorder.kind("write \"snap\\shot\"\n\xff"), 4294967295U));
  recorder.lane(0).record(event(before - 1'000'000'500, before - 1'000'000'000, recorder.kind("early"), 1));
  const nlohmann::json json = written(recorder);
  EXPECT_EQ(json.at("displayTimeUnit"), "ns");
  const nlohmann::json& events = json.at("traceEvents");
  ASSERT_EQ(events.size(), 4U);
  EXPECT_EQ(events[0].at("ph"), "M");
  EXPECT_EQ(events[1].at("name"), "thread_name");
  EXPECT_EQ(events[1].at("tid"), 1);
  EXPECT_EQ(events[1].at("args").at("name"), "worker 1");
  EXPECT_EQ(events[2].at("name"), "early");
  EXPECT_DOUBLE_EQ(events[2].at("dur"), 0.5);
  EXPECT_LE(events[2].at("ts").get<double>(), -1'000'000.5);
  EXPECT_EQ(events[3].at("ph"), "X");
  EXPECT_EQ(events[3].at("tid"), 1);
  EXPECT_EQ(events[3].at("name"), "write \"snap\\shot\"\n\xEF\xBF\xBD");
  EXPECT_EQ(events[3].at("args").at("key"), 4294967295U);
  EXPECT_DOUBLE_EQ(events[3].at("dur"), 0.505);
  EXPECT_GE(events[3].at("ts").get<double>(), 1234.567);
  EXPECT_LE(events[3].at("ts").get<double>(), 1234.567 + 1e-3 * static_cast<double>(after - before) + 1e-9);
}

TEST_F(PerfettoFile, HoldsWhatTheRingsKeep) {
  Recorder recorder(3, 1000);
  const KindId kind = recorder.kind("task");
  for (std::uint32_t i = 0; i < 2500; ++i) recorder.lane(0).record(event(i, i + 1, kind, i));
  for (std::uint32_t i = 0; i < 10; ++i) recorder.lane(2).record(event(i, i + 1, kind, i));
  const nlohmann::json json = written(recorder);
  EXPECT_EQ(json.at("traceEvents").size(), 3U + 1000U + 10U);
  EXPECT_EQ(json.at("traceEvents")[3].at("args").at("key"), 1500);
  EXPECT_EQ(recorder.sums()[0].count, 2510U);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "trace.json.partial"));
}

TEST_F(PerfettoFile, EmptyRecorderIsValid) { EXPECT_EQ(written(Recorder(1)).at("traceEvents").size(), 1U); }

TEST_F(PerfettoFile, OldFileStaysWhenTheNewOneFails) {
  const Recorder recorder(1, 4);
  std::filesystem::create_directories(folder_ / "taken.json" / "inside");  // a folder cannot be replaced by a file
  try {
    recorder.write(folder_ / "taken.json");
    ADD_FAILURE() << "nothing was thrown";
  } catch (const base::SystemError& error) {
    EXPECT_NE(std::string(error.what()).find("taken.json: cannot move the trace to its place ("), std::string::npos);
  }
  EXPECT_FALSE(std::filesystem::exists(folder_ / "taken.json.partial"));
  try {
    recorder.write(folder_ / "missing" / "trace.json");
    ADD_FAILURE() << "nothing was thrown";
  } catch (const base::SystemError& error) {
    EXPECT_NE(std::string(error.what()).find("cannot create the trace"), std::string::npos);
    EXPECT_NE(error.code(), 0);
  }
}

TEST_F(PerfettoFile, FullDeviceIsReported) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev/full here";
  std::filesystem::create_symlink("/dev/full", folder_ / "trace.json.partial");
  const Recorder recorder(1, 4);
  EXPECT_THROW(recorder.write(folder_ / "trace.json"), base::SystemError);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "trace.json"));
}

}  // namespace trace_test
}  // namespace tacit::trace
