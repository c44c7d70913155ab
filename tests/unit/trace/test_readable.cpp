// What a file keeps of many events: the last ones whole, those before merged where they are short, none lost.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "imposed.hpp"
#include "tacit/base/random.hpp"
#include "tacit/trace/readable.hpp"

namespace tacit::trace {
namespace readable_test {

using nlohmann::json;
using testing::event;
using testing::microseconds;

constexpr std::size_t most = 300;

std::uint64_t events_in(const std::vector<Span>& spans) {
  std::uint64_t count = 0;
  for (const Span& span : spans) count += span.merged;
  return count;
}

/// Steps of 100 us with ten tasks of 9 us of two kinds, each step within another event; every twentieth has a long one.
void record_steps(Recorder& recorder, std::int64_t steps) {
  const KindId density = recorder.kind("density");
  const KindId force = recorder.kind("force");
  const KindId loop = recorder.kind("loop");
  const KindId snapshot = recorder.kind("write snapshot", Category::output);
  std::int64_t now = 1000;
  for (std::int64_t step = 0; step < steps; ++step) {
    const std::int64_t begin = now;
    for (int task = 0; task < 10; ++task, now += 10) {
      recorder.track(0).record(event(now, now + 9, task < 6 ? density : force, static_cast<std::uint32_t>(step)));
    }
    recorder.track(0).record_around(event(begin, now, loop), 90);
    if (step % 20 == 10) {
      recorder.track(0).record(event(now, now + 20'000, snapshot, 7));
      now += 20'000;
    }
  }
}

/// Blocks count with all that they stand for, and one that stays as it is keeps its key.
TEST(Readable, BlocksCountInFull) {
  Recorder recorder(1, 1U << 12U, microseconds);
  const KindId kind = recorder.kind("task");
  constexpr std::uint32_t blocks = 2000;
  for (std::uint32_t i = 0; i < blocks; ++i) {
    recorder.track(0).record(Event{.begin = 1000 + 10 * i,
                                   .end = 1010 + 10 * i,
                                   .kind = kind,
                                   .count = static_cast<std::uint16_t>(1 + i % 32),
                                   .key = i});
  }
  const Selection selection = readable(recorder, most);
  ASSERT_FALSE(selection.is_everything());
  std::uint64_t count = 0;
  std::uint64_t merged = 0;
  for (const Span& span : spans_of(recorder.track(0), selection)) {
    count += span.count;
    if (span.merged > 1) merged += span.count;
    if (span.merged == 1) {
      EXPECT_EQ(span.count, 1 + span.event.key % 32);
    }
  }
  EXPECT_EQ(count, recorder.track(0).sum(kind).count);
  EXPECT_EQ(make_report(recorder, 2.0, selection).left.events, merged);
  for (const Span& span : spans_of(recorder.track(0), {})) EXPECT_EQ(span.count, span.event.count);
}

TEST(Readable, FewEventsStayAsTheyAre) {
  const auto sample = testing::sample();
  const Selection selection = readable(*sample, 16);
  EXPECT_TRUE(selection.is_everything());
  EXPECT_EQ(to_json(make_report(*sample, 2.0, selection)), to_json(make_report(*sample, 2.0)));
  std::string chosen;
  std::string all;
  write_events(*sample, selection, [&](std::string_view text) { chosen += text; });
  sample->write_events([&](std::string_view text) { all += text; });
  EXPECT_EQ(chosen, all);
}

TEST(Readable, KeepsTheLastStepsWholeAndLosesNothingOfTheOthers) {
  Recorder recorder(1, 1U << 14U, microseconds);
  record_steps(recorder, 1000);
  const Selection selection = readable(recorder, most);
  ASSERT_FALSE(selection.is_everything());
  const std::vector<Span> spans = spans_of(recorder.track(0), selection);
  EXPECT_LE(spans.size(), most);
  EXPECT_EQ(events_in(spans), 11'050U);
  const auto is_single = [](const Span& span) { return span.merged == 1; };
  const auto late = [&](const Span& span) { return span.event.end > selection.whole_from; };
  EXPECT_TRUE(std::ranges::all_of(spans, [&](const Span& span) { return !late(span) || is_single(span); }));
  const auto events = recorder.track(0).events();
  EXPECT_EQ(std::ranges::count_if(spans, late),
            std::ranges::count_if(events, [&](const Event& e) { return e.end > selection.whole_from; }));
  EXPECT_GT(std::ranges::count_if(spans, late), most / 3);
  // What can be seen beside the whole run is there.
  const auto snapshots = std::ranges::count_if(
      spans, [&](const Span& span) { return is_single(span) && recorder.name(span.event.kind) == "write snapshot"; });
  EXPECT_EQ(snapshots, 50);
}

TEST(Readable, SpansAreNamedAfterWhatTookMostOfTheirTime) {
  Recorder recorder(1, 1U << 14U, microseconds);
  record_steps(recorder, 1000);
  testing::Folder folder;
  write_trace(recorder, readable(recorder, most), folder / "trace.json", {});
  const json file = json::parse(testing::content(folder / "trace.json"));
  std::uint64_t merged = 0;
  std::uint64_t spans = 0;
  std::uint64_t steps = 0;
  for (const json& span : file.at("traceEvents")) {
    if (span.at("ph") != "X" || !span.at("args").contains("merged")) continue;
    steps += span.at("name") == "loop and others" ? 1U : 0U;  // 100 us of a step, of which density has 54
    EXPECT_EQ(span.at("cat"), "task");
    EXPECT_FALSE(span.at("args").contains("key"));
    merged += span.at("args").at("merged").get<std::uint64_t>();
    ++spans;
  }
  EXPECT_GT(spans, 10U);
  EXPECT_GE(steps, spans - 1);  // but for tasks of the step from whose end on there is every event
  const json& report = file.at("otherData").at("tacit");
  EXPECT_EQ(report.at("merged_events"), merged);
  EXPECT_EQ(report.at("merged_into"), spans);
  EXPECT_GT(report.at("whole_from_s"), 0.0);
  const Report read = read_report(folder / "trace.json");
  EXPECT_EQ(read.left.events, merged);
  const std::string text = to_text(read);
  EXPECT_NE(text.find("short ones in a row stand as one: " + std::to_string(merged) + " as "), std::string::npos)
      << text;
  EXPECT_NE(text.find("output.trace = \"all\" keeps each"), std::string::npos) << text;
}

TEST(Readable, SumsCountWhatIsMerged) {
  Recorder recorder(1, 1U << 14U, microseconds);
  record_steps(recorder, 1000);
  const Selection selection = readable(recorder, most);
  const Report all = make_report(recorder, 1.0);
  Report chosen = make_report(recorder, 1.0, selection);
  EXPECT_GT(chosen.left.events, 10'000U);
  chosen.left = {};
  EXPECT_EQ(to_json(chosen), to_json(all));
}

/// Spans must nest as events did, or a time line cannot draw them.
TEST(Readable, RandomEventsStayNestedAndAreAllCovered) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Recorder recorder(2, 1U << 12U, microseconds);
    const KindId inner = recorder.kind("inner");
    const KindId around = recorder.kind("around");
    std::uint64_t draw = 0;
    const auto random = [&] { return base::uniform(seed, 0, ++draw); };
    const auto up_to = [&](double longest) { return static_cast<std::int64_t>(longest * random()); };
    for (std::size_t track = 0; track < 2; ++track) {
      std::int64_t now = 1000;
      while (recorder.track(track).recorded() < 3000) {
        const std::int64_t begin = now;
        const std::int64_t count = up_to(8.0);
        for (std::int64_t i = 0; i < count; ++i) {
          now += up_to(3.0);
          const std::int64_t length = up_to(1.0 + 4000.0 * random() * random() * random());
          recorder.track(track).record(event(now, now + length, inner));
          now += length;
        }
        recorder.track(track).record_around(event(begin, now, around), 0);
        now += up_to(random() < 0.1 ? 5000.0 : 5.0);
      }
    }
    const Selection selection = readable(recorder, most);
    for (std::size_t track = 0; track < 2; ++track) {
      const auto spans = spans_of(recorder.track(track), selection);
      EXPECT_LE(spans.size(), most);
      EXPECT_EQ(events_in(spans), recorder.track(track).recorded());
      std::vector<std::int64_t> open;
      std::int64_t last = 0;
      for (const Span& span : spans) {
        while (!open.empty() && span.event.begin >= open.back()) open.pop_back();
        ASSERT_GE(span.event.begin, last);
        ASSERT_TRUE(open.empty() || span.event.end <= open.back()) << seed;
        last = span.event.begin;
        open.push_back(span.event.end);
      }
      for (const Event& one : recorder.track(track).events()) {
        ASSERT_TRUE(std::ranges::any_of(
            spans, [&](const Span& span) { return span.event.begin <= one.begin && one.end <= span.event.end; }));
      }
    }
  }
}

TEST(Readable, TransfersAreThoseOfTheLastSteps) {
  Recorder recorder(1, 1U << 10U, microseconds);
  const KindId halo = recorder.kind("halo");
  const KindId density = recorder.kind("density");
  for (std::int64_t i = 0; i < 600; ++i) {
    recorder.track(0).record(event(1000 + 10 * i, 1009 + 10 * i, density));
    recorder.track(0).record(Transfer{.posted = 1000 + 10 * i, .completed = 1008 + 10 * i, .kind = halo});
  }
  const Selection selection = readable(recorder, most);
  const auto transfers = transfers_of(recorder.track(0), selection);
  EXPECT_GT(transfers.size(), 10U);
  EXPECT_LT(3 * transfers.size(), most);
  EXPECT_EQ(transfers.back().completed, 1008 + 10 * 599);
  const Report report = make_report(recorder, 1.0, selection);
  EXPECT_EQ(report.left.transfers, 600 - transfers.size());
  EXPECT_NE(to_text(report).find("Of that time it holds no transfers; there were "), std::string::npos);
}

/// Other ranks' clocks began at other times; the latest of the places from which on all is there counts.
TEST(Readable, OfSeveralRanksTheLastCounts) {
  Recorder recorder(1, 1U << 14U, microseconds);
  record_steps(recorder, 1000);
  const Selection selection = readable(recorder, most);
  const std::vector<Report> ranks{make_report(recorder, 1.0, selection),
                                  make_report(recorder, 1.0, selection, 2'000'000'000)};
  EXPECT_NEAR(ranks[1].left.whole_from_s - ranks[0].left.whole_from_s, 2.0, 1e-9);
  const Report both = joined(ranks);
  EXPECT_DOUBLE_EQ(both.left.whole_from_s, ranks[1].left.whole_from_s);
  EXPECT_EQ(both.left.events, 2 * ranks[0].left.events);
}

}  // namespace readable_test
}  // namespace tacit::trace
