// The table of ranks: what each sent and how evenly they worked, of few ranks and of very many.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "imposed.hpp"
#include "tacit/trace/detail/rank_table.hpp"
#include "tacit/trace/report.hpp"

namespace tacit::trace {
namespace ranks_test {
namespace {

using testing::event;
using testing::microseconds;

/// A rank of one worker that computes and polls for so long in 10 s, and sends.
struct Given {
  std::int64_t task_us = 0;
  std::int64_t poll_us = 0;
  std::uint64_t polls = 0;
  std::vector<Recorder::PhaseSum> sent = {};
};

Report report_of_one(const Given& given) {
  Recorder recorder(1, 4, microseconds);
  Track& track = recorder.track(0);
  track.record(event(0, given.task_us, recorder.kind("density")));
  track.record(event(given.task_us, given.task_us + given.poll_us, recorder.kind("poll", Category::poll)));
  track.counters.polls = given.polls;
  for (const auto& phase : given.sent) track.count_sent(recorder.kind(phase.name), phase.messages, phase.bytes);
  return make_report(recorder, 10.0);
}

Report report_of(const std::vector<Given>& ranks) {
  std::vector<Report> reports;
  reports.reserve(ranks.size());
  for (const Given& given : ranks) reports.push_back(report_of_one(given));
  return joined(reports);
}

const std::vector<Given> two_ranks{
    {.task_us = 3'000'000, .poll_us = 500'000, .polls = 12'345, .sent = {{"motion", 10, 3'600}, {"hydro", 10, 3'200}}},
    {.task_us = 5'000'000, .poll_us = 2'000, .polls = 7, .sent = {{"motion", 12, 4'000}, {"bins", 1, 4}}}};

TEST(RankTable, HasARowForEachRankAndOneForAll) {
  EXPECT_EQ(detail::rank_table(report_of(two_ranks)),
            R"(rank  messages  kB sent  motion  hydro   bins  polls  polling  exposed  in tasks  load
   0        20    6.800   3.600  3.200  0.000  12345   5.00 %  0.500 s   3.000 s  0.75
   1        13    4.004   4.000  0.000  0.004      7   0.02 %  0.002 s   5.000 s  1.25
 all        33   10.804   7.600  3.200  0.004  12352   2.51 %  0.251 s   4.000 s  1.00
messages go to other ranks; polling is a share of the workers' time; load is the time in tasks over the mean of ranks.
imbalance: 1.25 over ranks, 1.25 over workers (largest time in tasks over the mean)
)");
}

TEST(RankTable, StandsInTheTextOfTheReport) {
  const std::string text = to_text(report_of(two_ranks));
  EXPECT_NE(text.find("\n\nrank  messages  kB sent"), std::string::npos) << text;
}

TEST(RankTable, ComesBackFromJson) {
  const Report report = report_of(two_ranks);
  const Report back = report_from_json(to_json(report), "here");
  EXPECT_EQ(detail::rank_table(back), detail::rank_table(report));
  EXPECT_EQ(to_json(back), to_json(report));
}

TEST(RankTable, OfRanksThatSendNothing) {
  const std::string table = detail::rank_table(report_of(std::vector<Given>(2)));
  EXPECT_NE(table.find("rank  messages  B sent  polls"), std::string::npos) << table;
  EXPECT_NE(table.find("\nimbalance: not known, no task ran\n"), std::string::npos) << table;
}

TEST(RankTable, IsEmptyOfOneWorker) { EXPECT_EQ(detail::rank_table(report_of_one(two_ranks[0])), ""); }

TEST(RankTable, PutsThePhasesWithFewestBytesTogether) {
  Given given;
  for (const char* name : {"a", "b", "c", "d", "e", "f", "g"}) {
    given.sent.push_back({name, 1, name[0] == 'b' || name[0] == 'f' ? 1U : 100U});
  }
  const std::string table = detail::rank_table(report_of({given, given}));
  EXPECT_TRUE(table.starts_with("rank  messages  kB sent      a      c      d      e      g  others  polls")) << table;
  EXPECT_NE(table.find(" all        14    1.004  0.200  0.200  0.200  0.200  0.200   0.004"), std::string::npos)
      << table;
}

TEST(RankTable, HasNoColumnForTrials) {
  const Given given{.sent = {{"tuning: rows", 1, 900}, {"rows", 1, 80}}};
  const std::string table = detail::rank_table(report_of(std::vector(2, given)));
  EXPECT_TRUE(table.starts_with("rank  messages  kB sent   rows  others  polls")) << table;
  EXPECT_NE(table.find(" all         4    1.960  0.160   1.800"), std::string::npos) << table;
}

TEST(RankTable, OfManyRanksShowsThoseThatStandOut) {
  constexpr std::size_t ranks = 10'000;
  Report report;
  report.wall_s = 10.0;
  report.workers.resize(ranks);
  report.ranks.resize(ranks);
  for (Report::Rank& rank : report.ranks) rank.workers = 1;
  for (std::size_t i = 0; i < ranks; ++i) report.workers[i].task_s = 1.0 + 1e-4 * static_cast<double>(i * 7 % ranks);
  report.ranks[77].exposed_s = 3.0;
  report.ranks[4].sent = {{"halo", 1, 8}};
  const auto shown = detail::ranks_to_show(report);
  std::vector<std::string> words;
  for (const auto& one : shown) words.push_back(std::to_string(one.rank) + " " + one.why);
  // Times grow with 7 i modulo 10000, which is 9999 at i = 2857 and 5000 at i = 5000.
  constexpr std::size_t heaviest = 2'857;
  EXPECT_EQ(words.front(), "0 first, least load");
  EXPECT_NE(std::ranges::find(words, "4 most bytes"), words.end());
  EXPECT_NE(std::ranges::find(words, "77 most exposed"), words.end());
  EXPECT_NE(std::ranges::find(words, "5000 median load"), words.end());
  EXPECT_NE(std::ranges::find(words, std::to_string(heaviest) + " most load"), words.end());
  EXPECT_EQ(words.back(), "9999 last");
  const std::string table = detail::rank_table(report);
  EXPECT_EQ(std::ranges::count(table, '\n'), 1 + 6 + 1 + 2) << table;
}

TEST(Imbalance, IsTheLargestOverTheMean) {
  EXPECT_EQ(imbalance(std::vector{1.0, 2.0, 3.0}), 1.5);
  EXPECT_EQ(imbalance(std::vector{2.0}), 1.0);
  EXPECT_FALSE(imbalance(std::vector{0.0, 0.0}).has_value());
  EXPECT_FALSE(imbalance({}).has_value());
}

TEST(Imbalance, OfRanksIsByTheMeanOfTheirWorkers) {
  Report report;
  report.workers.resize(3);
  for (std::size_t i = 0; i < 3; ++i) report.workers[i].task_s = static_cast<double>(i + 1);
  report.ranks.resize(2);
  report.ranks[0].workers = 1;
  report.ranks[1].workers = 2;
  EXPECT_EQ(task_seconds_of_ranks(report), (std::vector{1.0, 2.5}));
  report.ranks[1].workers = ~std::size_t{0};  // a file may say anything
  EXPECT_EQ(task_seconds_of_ranks(report).size(), 2U);
}

}  // namespace
}  // namespace ranks_test
}  // namespace tacit::trace
