// The report: numbers of a recorder, their way through trace.json and back, hostile files, and the text.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <functional>

#include "imposed.hpp"
#include "tacit/base/error.hpp"
#include "tacit/trace/report.hpp"

namespace tacit::trace {
namespace report_test {

using nlohmann::json;
using testing::event;
using testing::microseconds;

/// Two seconds of the sample.
Report sample_report() { return make_report(*testing::sample(), 2.0); }

/// The smallest trace around a report.
std::string file_of(const std::string& report) {
  return R"({"otherData":{"commit":"abc","tacit":)" + report + "},\"traceEvents\":[\n{}\n]}\n";
}

TEST(Report, HoldsWhatTheRecorderSummed) {
  const Report report = sample_report();
  const auto owner = testing::sample();
  const Recorder& recorder = *owner;
  EXPECT_EQ(report.wall_s, 2.0);
  ASSERT_EQ(report.workers.size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(report.workers[i].busy_s, recorder.busy_s(i));
    EXPECT_EQ(report.workers[i].idle_s, recorder.seconds(i, Category::idle));
    EXPECT_EQ(report.workers[i].wait_s, recorder.seconds(i, Category::wait));
    EXPECT_EQ(report.workers[i].poll_s, recorder.seconds(i, Category::poll));
    EXPECT_EQ(report.workers[i].communication_s, recorder.seconds(i, Category::communication));
    EXPECT_EQ(report.workers[i].output_s, recorder.seconds(i, Category::output));
    EXPECT_EQ(report.workers[i].task_s, recorder.seconds(i, Category::task));
  }
  ASSERT_EQ(report.ranks.size(), 1U);
  EXPECT_EQ(report.ranks[0].workers, 2U);
  EXPECT_EQ(report.ranks[0].messages(), 4U);
  EXPECT_EQ(report.ranks[0].bytes(), 4750U);
  EXPECT_EQ(report.ranks[0].sent.at(0).bytes, 4500U);  // of both workers
  ASSERT_EQ(report.kinds.size(), 10U);
  EXPECT_EQ(report.kinds[0].name, "density");
  EXPECT_EQ(report.kinds[0].count, 3U);
  EXPECT_EQ(report.counters.polls, 100U);
  EXPECT_EQ(report.critical_path.runs, 2U);
  EXPECT_EQ(report.critical_path.parallelism(), 2.0);
  EXPECT_EQ(report.critical_path.by_kind,
            (std::vector<std::pair<std::string, double>>{{"density", 0.76}, {"force", 0.19}}));
  EXPECT_EQ(report.exposure.exposed_s, recorder.exposure().exposed_s);
  EXPECT_EQ(report.dropped, 0U);
}

TEST(Report, IsOneJsonObjectOnOneLine) {
  const std::string text = to_json(sample_report());
  EXPECT_EQ(text.find('\n'), std::string::npos);
  const json report = json::parse(text);
  EXPECT_EQ(report.at("wall_s"), 2.0);
  EXPECT_EQ(report.at("workers").at(1).size(), 8U);
  EXPECT_DOUBLE_EQ(report.at("workers").at(1).at("idle_s").get<double>(), 1.0);
  EXPECT_EQ(report.at("outside").at("busy_s"), 0.0);
  EXPECT_EQ(report.at("kinds").at(1).at("name"), "idle");
  EXPECT_EQ(report.at("kinds").at(1).at("category"), "idle");
  EXPECT_EQ(report.at("kinds").at(1).at("count"), 1);
  EXPECT_EQ(report.at("counters"),
            json::parse(R"({"tasks": 4, "jobs": 1, "steals": 1, "stolen": 2, "conflicts": 5, "polls": 100,
                            "completions": 2, "sleeps": 6})"));
  EXPECT_EQ(report.at("critical_path"), json::parse(R"({"runs": 2, "work_s": 1.9, "length_s": 0.95, "parallelism": 2.0,
                            "by_kind": [{"name": "density", "seconds": 0.76}, {"name": "force", "seconds": 0.19}]})"));
  EXPECT_DOUBLE_EQ(report.at("exposure").at("hidden_fraction").get<double>(), 0.75);
  json rank = report.at("ranks").at(0);
  EXPECT_DOUBLE_EQ(rank.at("poll_s").get<double>(), 0.04);
  EXPECT_DOUBLE_EQ(rank.at("poll_share").get<double>(), 0.01);
  EXPECT_DOUBLE_EQ(rank.at("exposed_s").get<double>(), 0.1);
  EXPECT_DOUBLE_EQ(rank.at("task_s").get<double>(), 0.95);
  for (const char* name : {"poll_s", "poll_share", "exposed_s", "task_s"}) rank.erase(name);
  EXPECT_EQ(rank, json::parse(R"({"workers": 2, "messages": 4, "bytes": 4750, "polls": 100, "completions": 2,
                            "phases": [{"name": "halo", "messages": 3, "bytes": 4500},
                                       {"name": "edges", "messages": 1, "bytes": 250}]})"));
  EXPECT_EQ(report.at("imbalance").at("ranks"), 1.0);
  EXPECT_DOUBLE_EQ(report.at("imbalance").at("workers").get<double>(), 1.1 / 0.95);
}

TEST(Report, OfAnEarlierVersionIsReadWithoutWhatThatDidNotRecord) {
  json report = json::parse(to_json(sample_report()));
  for (json& worker : report.at("workers")) {
    for (const char* name : {"disk_wait_s", "task_s"}) worker.erase(name);
  }
  for (const char* name : {"disk_wait_s", "task_s"}) report.at("outside").erase(name);
  for (const char* name : {"ranks", "imbalance"}) report.erase(name);
  const Report read = report_from_json(report.dump(), "old.json");
  EXPECT_EQ(read.workers.at(1).disk_wait_s, 0.0);
  EXPECT_TRUE(read.ranks.empty());
  EXPECT_NE(to_text(read).find("\n\nranks: messages, bytes and imbalance not recorded by the version that ran\n\n"),
            std::string::npos)
      << to_text(read);
  EXPECT_TRUE(json::parse(to_json(read)).at("imbalance").at("ranks").is_null());
  EXPECT_EQ(read.workers.at(1).busy_s, sample_report().workers.at(1).busy_s);
  report.at("workers").at(0)["disk_wait_s"] = "long";
  EXPECT_THROW(static_cast<void>(report_from_json(report.dump(), "old.json")), base::FormatError);
}

TEST(Report, OfNothingHasNulls) {
  const json report = json::parse(to_json(make_report(Recorder(1), 0.0)));
  EXPECT_TRUE(report.at("exposure").at("hidden_fraction").is_null());
  EXPECT_TRUE(report.at("critical_path").at("parallelism").is_null());
  EXPECT_TRUE(report.at("kinds").empty());
}

TEST(Report, ComesBackFromTheFileAsItWas) {
  const testing::Folder folder;
  const std::vector<std::pair<std::string, std::string>> about{{"commit", "abc"}};
  const auto owner = testing::sample();
  Recorder& recorder = *owner;
  recorder.track(0).record(event(3, 14, recorder.kind("a \"name\"\n")));
  recorder.write(folder / "trace.json", about);
  const Report back = read_report(folder / "trace.json");
  EXPECT_EQ(to_json(back), to_json(make_report(recorder, back.wall_s)));
}

TEST(Report, IsFoundWhereverAnotherProgramPutsIt) {
  const testing::Folder folder;
  const std::string report = to_json(sample_report());
  const auto path =
      folder.file("trace.json", R"({"traceEvents":[{"a":[1,-2,3.5,null,true]}],"x":{"tacit":1},"otherData":{"tacit":)" +
                                    report + R"(,"y":[]},"z":{}})");
  EXPECT_EQ(to_json(read_report(path)), report);
}

/// @return  what reading the file throws, without its path
std::string refusal_of(const std::filesystem::path& path) {
  try {
    static_cast<void>(read_report(path));
  } catch (const base::FormatError& error) {
    return std::string(error.what()).substr(path.string().size());
  }
  return "nothing was thrown";
}

/// The same for a file of this content.
std::string refusal(const std::string& content) {
  const testing::Folder folder;
  return refusal_of(folder.file("trace.json", content));
}

TEST(ReportOfAnotherFile, IsRefused) {
  const std::string is_not = ": is not the trace of a run of Tacit ";
  EXPECT_EQ(refusal(""), is_not + "(it is not JSON from byte 1 on)");
  EXPECT_EQ(refusal("x y z"), is_not + "(it is not JSON from byte 1 on)");
  EXPECT_EQ(refusal(std::string("\x89HDF\r\n\0", 7)), is_not + "(it is not JSON from byte 1 on)");
  for (const char* other : {"1", "[]", "{}", "null", R"({"traceEvents":[]})", R"({"otherData":{"commit":"abc"}})",
                            R"([{"otherData":{"tacit":{}}}])", R"({"a":{"otherData":{"tacit":{}}}})",
                            R"({"otherData":{"a":{"tacit":{}}}})", R"({"otherData":{"tacit":3}})"}) {
    EXPECT_EQ(refusal(other), is_not + "(it has no otherData.tacit)") << other;
  }
  EXPECT_EQ(refusal(R"({"otherData":{"tacit":[]}})"), ": otherData.tacit: is not an object");
}

TEST(ReportOfAnotherFile, DeepNestingIsRefusedWithoutFollowingIt) {
  const std::string deep = ": is not the trace of a run of Tacit (it is nested deeper than 64 levels)";
  const std::string brackets(1'000'000, '[');
  EXPECT_EQ(refusal(brackets), deep);
  EXPECT_EQ(refusal(R"({"otherData":{"tacit":)" + brackets), deep);
  std::string objects;
  for (int i = 0; i < 100'000; ++i) objects += R"({"a":)";
  EXPECT_EQ(refusal(objects), deep);
}

/// The scanner of the report must not care how many keys a hostile object has.
TEST(ReportOfAnotherFile, ManyKeysTakeNoLongerThanTheyMust) {
  std::string keys = "{";
  for (int i = 0; i < 200'000; ++i) keys += fmt::format(R"("{}":0,)", i);
  EXPECT_EQ(refusal(file_of(keys + "\"x\":0}")), ": otherData.tacit: has no 'wall_s'");
}

TEST(ReportOfACutFile, IsRefusedWhereverTheCutIs) {
  const testing::Folder folder;
  const auto path = folder / "trace.json";
  testing::sample()->write(path);
  ASSERT_EQ(refusal_of(path), "nothing was thrown");
  const std::uintmax_t whole = std::filesystem::file_size(path);
  for (std::uintmax_t lost = 2; lost <= whole; ++lost) {  // one is only the end of the last line
    std::filesystem::resize_file(path, whole - lost);
    const std::string message = refusal_of(path);
    EXPECT_TRUE(message == ": is cut off; copy it again" || message.find("it is not JSON from byte") < 60)
        << lost << message;
  }
}

TEST(ReportWithAMistake, IsNamedWithTheWayToIt) {
  const auto changed = [](const std::function<void(json&)>& change) {
    json report = json::parse(to_json(sample_report()));
    change(report);
    return refusal(file_of(report.dump()));
  };
  const std::string tacit = ": otherData.tacit";
  EXPECT_EQ(changed([](json&) {}), "nothing was thrown");
  EXPECT_EQ(changed([](json& r) { r.erase("wall_s"); }), tacit + ": has no 'wall_s'");
  EXPECT_EQ(changed([](json& r) { r["wall_s"] = "2"; }), tacit + ".wall_s: is not a number");
  EXPECT_EQ(changed([](json& r) { r["workers"] = 2; }), tacit + ".workers: is not a list");
  EXPECT_EQ(changed([](json& r) { r["workers"][1] = json::array(); }), tacit + ".workers[1]: is not an object");
  EXPECT_EQ(changed([](json& r) { r["workers"][1]["idle_s"] = nullptr; }),
            tacit + ".workers[1].idle_s: is not a number");
  EXPECT_EQ(changed([](json& r) { r["kinds"][2].erase("name"); }), tacit + ".kinds[2]: has no 'name'");
  EXPECT_EQ(changed([](json& r) { r["kinds"][2]["name"] = 3; }), tacit + ".kinds[2].name: is not a text");
  EXPECT_EQ(changed([](json& r) { r["kinds"][2]["count"] = -3; }), tacit + ".kinds[2].count: is not a count");
  EXPECT_EQ(changed([](json& r) { r["kinds"][2]["count"] = 3.5; }), tacit + ".kinds[2].count: is not a count");
  EXPECT_EQ(changed([](json& r) { r["kinds"][2]["category"] = "\x1b[2J"; }),
            tacit + ".kinds[2].category: '\\x1b[2J' is not a category of events");
  EXPECT_EQ(changed([](json& r) { r["counters"].erase("sleeps"); }), tacit + ".counters: has no 'sleeps'");
  EXPECT_EQ(changed([](json& r) { r["ranks"] = 2; }), tacit + ".ranks: is not a list");
  EXPECT_EQ(changed([](json& r) { r["ranks"][0]["polls"] = -1; }), tacit + ".ranks[0].polls: is not a count");
  EXPECT_EQ(changed([](json& r) { r["ranks"][0]["phases"][1].erase("bytes"); }),
            tacit + ".ranks[0].phases[1]: has no 'bytes'");
  EXPECT_EQ(changed([](json& r) { r["critical_path"]["by_kind"] = json::object(); }),
            tacit + ".critical_path.by_kind: is not a list");
  EXPECT_EQ(changed([](json& r) { r["exposure"]["transfers"] = true; }), tacit + ".exposure.transfers: is not a count");
  EXPECT_EQ(changed([](json& r) { r.erase("dropped_events"); }), tacit + ": has no 'dropped_events'");
}

TEST(ReportOfNoFile, IsRefused) {
  const testing::Folder folder;
  EXPECT_THROW(static_cast<void>(read_report(folder / "missing.json")), base::SystemError);
  std::filesystem::create_directory(folder / "folder");
  EXPECT_THROW(static_cast<void>(read_report(folder / "folder")), base::FormatError);
  EXPECT_THROW(static_cast<void>(read_report("/dev/null")), base::FormatError);
}

TEST(ReportText, IsATableForEachQuestion) {
  EXPECT_EQ(to_text(sample_report()), R"(2.000 s on 2 workers

worker                  busy                 idle              waiting              polling
      0      1.600 s  80.0 %      0.000 s   0.0 %      0.100 s   5.0 %      0.000 s   0.0 %
      1      0.900 s  45.0 %      1.000 s  50.0 %      0.000 s   0.0 %      0.040 s   2.0 %
idle: nothing to run; waiting: the same while a transfer is under way; polling is part of busy.
What is missing to 100 % was spent outside of tasks and output, or in waits for the disk.

kind               category            count        total           mean    share
density            task                    3      1.700 s   566666.67 us   42.5 %
idle               idle                    1      1.000 s  1000000.00 us   25.0 %
write snapshot     output                  1      0.500 s   500000.00 us   12.5 %
force              task                    1      0.200 s   200000.00 us    5.0 %
wait               wait                    1      0.100 s   100000.00 us    2.5 %
wait for the disk  disk wait               1      0.100 s   100000.00 us    2.5 %
pack               communication           1      0.060 s    60000.00 us    1.5 %
poll               poll                    1      0.040 s    40000.00 us    1.0 %

imbalance: 1.16 over workers (largest time in tasks over the mean)

critical path: 0.950 s of the 1.900 s of work in 2 analysed runs: parallelism 2.00
   80.0 % density
   20.0 % force
communication: 0.100 s exposed, 5.0 % of the wall time; 2 transfers, 0.400 s one after the other, 75.0 % of it hidden
output: the run waited 0.100 s for the disk, 5.0 % of the wall time
counted: 4 tasks, 1 job; 1 steal took 2; 5 tasks set aside for a lock; 6 sleeps
polling: 100 polls, 2 completions, 1.00 % of the workers' time
)");
}

TEST(ReportText, OfNothing) {
  EXPECT_EQ(to_text(make_report(Recorder(1), 0.0)), R"(0.000 s on 1 worker

worker                  busy                 idle              waiting              polling
      0      0.000 s   0.0 %      0.000 s   0.0 %      0.000 s   0.0 %      0.000 s   0.0 %
idle: nothing to run; waiting: the same while a transfer is under way; polling is part of busy.
What is missing to 100 % was spent outside of tasks and output, or in waits for the disk.

kind  category            count        total           mean    share

critical path: not known, no graph ran
communication: 0.000 s exposed, 0.0 % of the wall time; nothing was transferred
counted: 0 tasks, 0 jobs; 0 steals took 0; 0 tasks set aside for a lock; 0 sleeps
polling: 0 polls, 0 completions, 0.00 % of the workers' time
)");
}

TEST(ReportText, HasARowForTheThreadBesideTheWorkers) {
  Recorder recorder(1, 4, microseconds);
  recorder.outside().record(event(0, 500'000, recorder.kind("poll", Category::poll)));
  const Report report = make_report(recorder, 1.0);
  EXPECT_EQ(report.workers.size(), 1U);
  EXPECT_DOUBLE_EQ(report.outside.poll_s, 0.5);
  const std::string text = to_text(report);
  EXPECT_NE(text.find("\n beside      0.500 s  50.0 %"), std::string::npos) << text;
  EXPECT_NE(text.find("0 completions, 50.00 % of the workers' time"), std::string::npos) << text;
}

TEST(ReportText, OfNoTransfersAndDroppedEvents) {
  Recorder recorder(1, 1, microseconds);
  for (int i = 0; i < 3; ++i) recorder.track(0).record(event(0, 1000, recorder.kind("\x1b[31mred")));
  const std::string text = to_text(make_report(recorder, 1.0));
  EXPECT_NE(text.find("\n\\x1b[31mred  task  "), std::string::npos) << text;
  EXPECT_NE(text.find("nothing was transferred"), std::string::npos) << text;
  EXPECT_NE(text.find("2 of the oldest are only in these sums"), std::string::npos) << text;
}

}  // namespace report_test
}  // namespace tacit::trace
