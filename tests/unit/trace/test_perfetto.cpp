// The file for Perfetto: names, times, tracks, and what is left when it cannot be written.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>

#include "imposed.hpp"
#include "tacit/base/error.hpp"
#include "tacit/base/ticks.hpp"
#include "tacit/trace/trace.hpp"

namespace tacit::trace {
namespace perfetto_test {

using nlohmann::json;
using testing::event;
using testing::microseconds;

class PerfettoFile : public ::testing::Test {
 protected:
  json written(const Recorder& recorder) {
    recorder.write(folder_ / "trace.json");
    return json::parse(testing::content(folder_ / "trace.json"));
  }
  testing::Folder folder_;
};

std::vector<json> of_phase(const json& file, const char* phase) {
  std::vector<json> found;
  for (const json& event : file.at("traceEvents")) {
    if (event.at("ph") == phase) found.push_back(event);
  }
  return found;
}

TEST_F(PerfettoFile, HoldsNamesTimesAndKeys) {
  Recorder recorder(2, 16, base::TickScale(500, 0.5));
  recorder.track(1).record(
      event(2'469'634, 2'470'644, recorder.kind("write \"snap\\shot\"\n\xff", Category::output), 4294967295U));
  recorder.track(0).record(event(-500, -499, recorder.kind("early"), 1));
  const json file = written(recorder);
  EXPECT_EQ(file.at("displayTimeUnit"), "ns");
  const json& events = file.at("traceEvents");
  ASSERT_EQ(events.size(), 4U);
  EXPECT_EQ(events[0].at("ph"), "M");
  EXPECT_EQ(events[1],
            json::parse(R"({"ph": "M", "pid": 0, "tid": 1, "name": "thread_name", "args": {"name": "worker 1"}})"));
  EXPECT_EQ(events[2], json::parse(R"({"ph": "X", "pid": 0, "tid": 0, "name": "early", "cat": "task", "ts": -0.5,
                                       "dur": 0.0, "args": {"key": 1}})"));  // half a nanosecond, at -499.5
  EXPECT_EQ(events[3].at("name"), "write \"snap\\shot\"\n\xEF\xBF\xBD");
  EXPECT_EQ(events[3].at("cat"), "output");
  EXPECT_EQ(events[3].at("tid"), 1);
  EXPECT_EQ(events[3].at("args").at("key"), 4294967295U);
  EXPECT_DOUBLE_EQ(events[3].at("ts").get<double>(), 1234.567);
  EXPECT_DOUBLE_EQ(events[3].at("dur").get<double>(), 0.505);
}

/// The end of a task is the start of the next; rounding both to nanoseconds must not make them overlap.
TEST_F(PerfettoFile, EventsThatTouchStillTouch) {
  Recorder recorder(1, 1024, base::TickScale(0, 1.0 / 3.1));
  const KindId kind = recorder.kind("task");
  std::int64_t begin = 17;
  for (std::int64_t i = 0; i < 1000; ++i) {
    recorder.track(0).record(event(begin, begin + 1 + i % 7, kind));
    begin += 1 + i % 7;
  }
  const auto events = of_phase(written(recorder), "X");
  const auto ns = [](const json& us) { return std::llround(1e3 * us.get<double>()); };
  for (std::size_t i = 1; i < events.size(); ++i) {
    ASSERT_EQ(ns(events[i].at("ts")), ns(events[i - 1].at("ts")) + ns(events[i - 1].at("dur"))) << i;
  }
}

TEST_F(PerfettoFile, ABlockSaysHowManyItIs) {
  Recorder recorder(1, 16, microseconds);
  const KindId kind = recorder.kind("task");
  recorder.track(0).record(event(1000, 1002, kind, 4));
  recorder.track(0).record(Event{.begin = 1002, .end = 1010, .kind = kind, .count = 32, .key = 5});
  const json file = written(recorder);
  const auto events = of_phase(file, "X");
  ASSERT_EQ(events.size(), 2U);
  EXPECT_EQ(events[0].at("args"), json::parse(R"({"key": 4})"));
  EXPECT_EQ(events[1].at("args"), json::parse(R"({"key": 5, "count": 32})"));
  EXPECT_EQ(recorder.sums()[0].count, 33U);
  EXPECT_EQ(file.at("otherData").at("tacit").at("kinds").at(0).at("count"), 33);
}

TEST_F(PerfettoFile, EveryCategoryIsAnEvent) {
  const auto events = of_phase(written(*testing::sample()), "X");
  for (std::size_t i = 0; i < category_count; ++i) {
    const std::string_view category = name(static_cast<Category>(i));
    EXPECT_TRUE(std::ranges::any_of(events, [&](const json& e) { return e.at("cat") == category; })) << category;
  }
}

TEST_F(PerfettoFile, TransfersArePairsInAGroupOfTheirOwn) {
  const json file = written(*testing::sample());
  const auto begins = of_phase(file, "b");
  const auto ends = of_phase(file, "e");
  ASSERT_EQ(begins.size(), 2U);
  ASSERT_EQ(ends.size(), 2U);
  EXPECT_EQ(begins[0], json::parse(R"({"ph": "b", "pid": 1, "tid": 1, "id": 1, "name": "halo", "cat": "transfers",
                                       "ts": 60000.0, "args": {"key": 9, "alone_us": 0.0, "bytes": 0}})"));
  EXPECT_EQ(ends[0], json::parse(R"({"ph": "e", "pid": 1, "tid": 1, "id": 1, "name": "halo", "cat": "transfers",
                                     "ts": 360000.0})"));
  EXPECT_EQ(begins[1].at("args"), json::parse(R"({"key": 10, "alone_us": 100000.0, "bytes": 8000})"));
  EXPECT_NE(begins[1].at("id"), begins[0].at("id"));
  EXPECT_EQ(ends[1].at("id"), begins[1].at("id"));
  const auto names = of_phase(file, "M");
  EXPECT_EQ(names.back(),
            json::parse(R"({"ph": "M", "pid": 1, "name": "process_name", "args": {"name": "transfers"}})"));
}

TEST_F(PerfettoFile, TheThreadBesideTheWorkersHasATrackIfItDidAnything) {
  Recorder recorder(2, 4, microseconds);
  EXPECT_EQ(of_phase(written(recorder), "M").size(), 2U);
  recorder.outside().record(event(1000, 1001, recorder.kind("poll", Category::poll)));
  recorder.outside().record(Transfer{.posted = 1000, .completed = 1001, .kind = recorder.kind("halo")});
  const json file = written(recorder);
  EXPECT_EQ(of_phase(file, "M")[2].at("args").at("name"), "beside the workers");
  EXPECT_EQ(of_phase(file, "X").at(0).at("tid"), 2);
  EXPECT_EQ(of_phase(file, "b").at(0).at("tid"), 2);
}

TEST_F(PerfettoFile, HoldsWhatTheRingsKeep) {
  Recorder recorder(3, 1024, microseconds);
  const KindId kind = recorder.kind("task");
  for (std::uint32_t i = 0; i < 2500; ++i) recorder.track(0).record(event(i, i + 1, kind, i));
  for (std::uint32_t i = 0; i < 10; ++i) recorder.track(2).record(event(i, i + 1, kind, i));
  const json file = written(recorder);
  EXPECT_EQ(file.at("traceEvents").size(), 3U + 1024U + 10U);
  EXPECT_EQ(file.at("traceEvents")[3].at("args").at("key"), 2500 - 1024);
  EXPECT_EQ(recorder.sums()[0].count, 2510U);
  EXPECT_EQ(file.at("otherData").at("tacit").at("dropped_events"), 2500 - 1024);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "trace.json.partial"));
}

TEST_F(PerfettoFile, SaysWhereItCameFrom) {
  const std::vector<std::pair<std::string, std::string>> about{{"commit", "abc"}, {"a \"name\"", "\xff"}};
  const std::int64_t before = base::ticks();
  const Recorder recorder(1, 16, base::TickScale(base::ticks(), 0.5));  // a scale that is not measured again
  recorder.write(folder_ / "trace.json", about);
  const double longest_s = recorder.scale().seconds(base::ticks() - before);
  const json other = json::parse(testing::content(folder_ / "trace.json")).at("otherData");
  EXPECT_EQ(other.at("commit"), "abc");
  EXPECT_EQ(other.at("a \"name\""), "\xEF\xBF\xBD");
  EXPECT_GT(other.at("tacit").at("wall_s"), 0.0);
  EXPECT_LT(other.at("tacit").at("wall_s"), longest_s + 1e-9);  // rounded to nanoseconds
}

TEST_F(PerfettoFile, EmptyRecorderIsValid) { EXPECT_EQ(written(Recorder(1)).at("traceEvents").size(), 1U); }

TEST_F(PerfettoFile, OldFileStaysWhenTheNewOneFails) {
  const Recorder recorder(1, 4);
  std::filesystem::create_directories(folder_ / "taken.json" / "inside");  // a folder cannot be replaced by a file
  try {
    recorder.write(folder_ / "taken.json");
    ADD_FAILURE() << "nothing was thrown";
  } catch (const base::SystemError& error) {
    EXPECT_NE(std::string(error.what()).find("taken.json: cannot be written: needs "), std::string::npos);
  }
  EXPECT_FALSE(std::filesystem::exists(folder_ / "taken.json.partial"));
  try {
    recorder.write(folder_ / "missing" / "trace.json");
    ADD_FAILURE() << "nothing was thrown";
  } catch (const base::SystemError& error) {
    EXPECT_NE(std::string(error.what()).find("trace.json: cannot be written: needs "), std::string::npos);
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

}  // namespace perfetto_test
}  // namespace tacit::trace
