// Ring buffers, sums by kind and category, counters, critical path and exposure of the recorder.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <thread>

#include "imposed.hpp"
#include "tacit/base/error.hpp"
#include "tacit/trace/trace.hpp"

namespace tacit::trace {
namespace trace_test {

using testing::event;
using testing::microseconds;

using Keys = std::vector<std::uint32_t>;

Keys keys(const Track& track) {
  Keys result;
  for (const Event& kept : track.events()) result.push_back(kept.key);
  return result;
}

Keys transfer_keys(const Track& track) {
  Keys result;
  for (const Transfer& kept : track.transfers()) result.push_back(kept.key);
  return result;
}

TEST(TraceTrack, KeepsTheNewestAndSumsAll) {
  Recorder recorder(1, 3);  // rounded up to 4
  const KindId a = recorder.kind("a");
  const KindId b = recorder.kind("b");
  Track& track = recorder.track(0);
  EXPECT_EQ(keys(track), (Keys{}));
  for (std::uint32_t i = 0; i < 4; ++i) track.record(event(10 * i, 10 * i + 4, i % 2 == 0 ? a : b, i));
  EXPECT_EQ(keys(track), (Keys{0, 1, 2, 3}));
  EXPECT_EQ(track.dropped(), 0U);
  track.record(event(40, 45, b, 4));
  EXPECT_EQ(keys(track), (Keys{1, 2, 3, 4}));
  for (std::uint32_t i = 5; i < 11; ++i) track.record(event(50, 51, a, i));
  EXPECT_EQ(keys(track), (Keys{7, 8, 9, 10}));
  EXPECT_EQ(track.recorded(), 11U);
  EXPECT_EQ(track.dropped(), 7U);
  EXPECT_EQ(track.sum(a).count, 8U);
  EXPECT_EQ(track.sum(a).ticks, 2 * 4 + 6);
  EXPECT_EQ(track.sum(b).count, 3U);
  EXPECT_EQ(track.sum(b).ticks, 2 * 4 + 5);
}

TEST(TraceTrack, KeepsTheNewestTransfersAndSumsAll) {
  Recorder recorder(1, 4);
  const KindId halo = recorder.kind("halo");
  Track& track = recorder.track(0);
  EXPECT_EQ(transfer_keys(track), (Keys{}));
  for (std::uint32_t i = 0; i < 4; ++i) track.record(Transfer{.posted = 0, .completed = 10, .kind = halo, .key = i});
  EXPECT_EQ(transfer_keys(track), (Keys{0, 1, 2, 3}));
  for (std::uint32_t i = 4; i < 10; ++i) {
    track.record(Transfer{.posted = 0, .completed = 1000, .kind = halo, .key = i, .alone_s = 0.5});
  }
  EXPECT_EQ(transfer_keys(track), (Keys{6, 7, 8, 9}));
  EXPECT_EQ(track.dropped(), 6U);
  EXPECT_EQ(track.recorded(), 0U);  // events are counted apart
  EXPECT_EQ(track.transfer_sum().count, 10U);
  EXPECT_EQ(track.transfer_sum().of_unknown_length, 4U);
  EXPECT_EQ(track.transfer_sum().ticks_unknown, 40);
  EXPECT_EQ(track.transfer_sum().alone_s, 3.0);
}

TEST(TraceTrack, IsWrittenByItsOwnThreadWhileOthersWriteTheirs) {
  constexpr std::size_t tracks = 3;
  constexpr std::int64_t events = 10'000;
  Recorder recorder(tracks, 64);
  const KindId kind = recorder.kind("task");
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < tracks; ++i) {
    threads.emplace_back([&recorder, kind, i] {
      for (std::int64_t k = 0; k < events; ++k) recorder.track(i).record(event(k, k + 1, kind));
    });
  }
  for (int i = 0; i < 100; ++i) recorder.kind(std::to_string(i));  // new kinds do not disturb who records
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(recorder.sums()[0].count, tracks * events);
  for (std::size_t i = 0; i < tracks; ++i) EXPECT_EQ(recorder.track(i).sum(kind).ticks, events);
}

TEST(TraceRecorder, NamesKindsOnce) {
  Recorder recorder(1, 4);
  const KindId density = recorder.kind("density");
  const KindId poll = recorder.kind("poll", Category::poll);
  EXPECT_NE(density, poll);
  EXPECT_EQ(recorder.kind("density"), density);
  EXPECT_EQ(recorder.name(poll), "poll");
  EXPECT_EQ(recorder.category(density), Category::task);
  EXPECT_EQ(recorder.category(poll), Category::poll);
  const KindId own = recorder.kind("poll");  // a task may be named like something of the scheduler's
  EXPECT_NE(own, poll);
  EXPECT_EQ(recorder.category(own), Category::task);
}

TEST(TraceRecorder, WhatHasNoNameIsAJob) {
  Recorder recorder(1, 4, microseconds);
  EXPECT_TRUE(recorder.sums().empty());
  recorder.track(0).record(event(0, 1000, KindId{}));
  ASSERT_EQ(recorder.sums().size(), 1U);
  EXPECT_EQ(recorder.sums()[0].name, "job");
  EXPECT_EQ(recorder.sums()[0].category, Category::task);
}

TEST(TraceRecorder, RefusesMoreKindsThanItHasSumsFor) {
  Recorder recorder(1, 4);
  std::size_t named = 1;  // "job"
  for (; named < max_kinds; ++named) recorder.kind(std::to_string(named));
  recorder.track(0).record(event(0, 1, recorder.kind(std::to_string(max_kinds - 1))));
  EXPECT_THROW(recorder.kind("one more"), base::PreconditionError);
}

TEST(TraceRecorder, NamesCategories) {
  std::vector<std::string_view> names;
  for (std::size_t i = 0; i < category_count; ++i) names.push_back(name(static_cast<Category>(i)));
  EXPECT_EQ(names,
            (std::vector<std::string_view>{"task", "output", "communication", "poll", "wait", "idle", "disk wait"}));
}

TEST(TraceRecorder, SumsOverTracksMostExpensiveFirst) {
  Recorder recorder(2, 1, microseconds);
  const KindId cheap = recorder.kind("cheap");
  const KindId dear = recorder.kind("dear");
  recorder.kind("b never");
  recorder.kind("a never", Category::wait);
  for (int i = 0; i < 5; ++i) {
    recorder.track(0).record(event(0, 1000, cheap));
    recorder.track(1).record(event(0, 2000, dear));
  }
  recorder.track(0).record(event(0, 3000, dear));
  const auto rows = recorder.sums();
  ASSERT_EQ(rows.size(), 4U);
  EXPECT_EQ(rows[0].name, "dear");
  EXPECT_EQ(rows[0].count, 6U);
  EXPECT_DOUBLE_EQ(rows[0].seconds, 13e-3);
  EXPECT_EQ(rows[1].name, "cheap");
  EXPECT_EQ(rows[2].name, "a never");
  EXPECT_EQ(rows[2].category, Category::wait);
  EXPECT_EQ(rows[3].name, "b never");
}

TEST(TraceRecorder, SumsByCategory) {
  const auto owner = testing::sample();
  const Recorder& recorder = *owner;
  const std::array<double, category_count> first{1.1, 0.5, 0.0, 0.0, 0.1, 0.0, 0.1};
  const std::array<double, category_count> second{0.8, 0.0, 0.06, 0.04, 0.0, 1.0, 0.0};
  for (std::size_t i = 0; i < category_count; ++i) {
    EXPECT_DOUBLE_EQ(recorder.seconds(0, static_cast<Category>(i)), first[i]) << i;
    EXPECT_DOUBLE_EQ(recorder.seconds(1, static_cast<Category>(i)), second[i]) << i;
  }
  EXPECT_DOUBLE_EQ(recorder.busy_s(0), 1.6);
  EXPECT_DOUBLE_EQ(recorder.busy_s(1), 0.9);
}

TEST(TraceRecorder, WaitsWithinAnEventDoNotCountAsIt) {
  Recorder recorder(1, 8, microseconds);
  const KindId output = recorder.kind("write", Category::output);
  const KindId wait = recorder.kind("wait for the disk", Category::disk_wait);
  const KindId copy = recorder.kind("copy");
  Track& track = recorder.track(0);
  track.record(event(100'000, 300'000, copy));
  track.record(event(300'000, 700'000, wait));
  track.record_around(event(0, 1'000'000, output), track.ticks(), track.sum(wait).ticks);
  EXPECT_DOUBLE_EQ(recorder.seconds(0, Category::output), 0.6);
  EXPECT_DOUBLE_EQ(recorder.seconds(0, Category::disk_wait), 0.4);
  EXPECT_DOUBLE_EQ(recorder.busy_s(0), 0.6);
  EXPECT_EQ(track.ticks(), 1'000'000);
  EXPECT_EQ(recorder.exposure().exposed_s, 0.0) << "it is no communication";
}

TEST(TraceRecorder, WhatStandsInAnotherEventIsBusyOnce) {
  Recorder recorder(1, 8, microseconds);
  const KindId task = recorder.kind("task", Category::task);
  const KindId idle = recorder.kind("idle", Category::idle);
  const KindId output = recorder.kind("output", Category::output);
  Track& track = recorder.track(0);
  track.record(event(0, 100, task));
  for (const std::int64_t begin : {1000, 2000}) {
    const std::int64_t before = track.ticks();
    track.record(event(begin, begin + 300, task));
    track.record(event(begin + 300, begin + 350, idle));
    track.record_around(event(begin - 50, begin + 450, output), track.ticks() - before);
  }
  EXPECT_EQ(track.ticks(), 100 + 2 * 500);
  EXPECT_DOUBLE_EQ(recorder.busy_s(0), 1e-6 * (100 + 2 * (500 - 50)));  // output idles, too
  EXPECT_DOUBLE_EQ(recorder.seconds(0, Category::output), 1e-6 * 2 * 500);
}

TEST(TraceRecorder, AddsCountersOfAllTracks) {
  const Counters total = testing::sample()->counters();
  EXPECT_EQ(total.tasks, 4U);
  EXPECT_EQ(total.jobs, 1U);
  EXPECT_EQ(total.steals, 1U);
  EXPECT_EQ(total.stolen, 2U);
  EXPECT_EQ(total.conflicts, 5U);
  EXPECT_EQ(total.polls, 100U);
  EXPECT_EQ(total.completions, 2U);
  EXPECT_EQ(total.sleeps, 6U);
}

TEST(TraceRecorder, AddsCriticalPaths) {
  Recorder recorder(1, 1);
  const KindId a = recorder.kind("a");
  const KindId b = recorder.kind("b");
  EXPECT_EQ(recorder.critical_path().parallelism(), 0.0);
  recorder.add_critical_path({.runs = 1, .work_s = 5.0, .length_s = 1.0, .by_kind = {{a, 1.0}}});
  recorder.add_critical_path({.runs = 2, .work_s = 3.0, .length_s = 1.0, .by_kind = {{b, 0.75}, {a, 0.25}}});
  const CriticalPath& sum = recorder.critical_path();
  EXPECT_EQ(sum.runs, 3U);
  EXPECT_EQ(sum.parallelism(), 4.0);
  EXPECT_EQ(sum.by_kind, (std::vector<std::pair<KindId, double>>{{a, 1.25}, {b, 0.75}}));
}

TEST(TraceExposure, FollowsFromImposedDelays) {
  const Exposure exposure = testing::sample()->exposure();
  // Waiting 0.1 s on one worker, packing 0.06 and polling 0.04 on the other: 0.2 s on two.
  EXPECT_DOUBLE_EQ(exposure.exposed_s, 0.1);
  // 0.3 s from post to completion where the time alone is not known, 0.1 s where it is.
  EXPECT_DOUBLE_EQ(exposure.serial_s, 0.4);
  EXPECT_EQ(exposure.transfers, 2U);
  ASSERT_TRUE(exposure.hidden_fraction());
  EXPECT_DOUBLE_EQ(*exposure.hidden_fraction(), 0.75);
}

TEST(TraceExposure, HidesNothingWhereNothingIsTransferred) {
  Recorder recorder(1, 4, microseconds);
  recorder.track(0).record(event(0, 1000, recorder.kind("poll", Category::poll)));
  EXPECT_DOUBLE_EQ(recorder.exposure().exposed_s, 1e-3);
  EXPECT_FALSE(recorder.exposure().hidden_fraction());
  recorder.track(0).record(Transfer{.posted = 5, .completed = 5});  // took no time: there is nothing to hide
  EXPECT_EQ(recorder.exposure().transfers, 1U);
  EXPECT_FALSE(recorder.exposure().hidden_fraction());
}

TEST(TraceExposure, IsNegativeWhereWaitingTookLongerThanTheTransfersAlone) {
  Recorder recorder(1, 4, microseconds);
  recorder.track(0).record(event(0, 3000, recorder.kind("wait", Category::wait)));
  recorder.track(0).record(Transfer{.posted = 0, .completed = 3000, .alone_s = 2e-3});
  EXPECT_DOUBLE_EQ(*recorder.exposure().hidden_fraction(), -0.5);
}

TEST(TraceRecorder, WrongUseIsNamed) {
  EXPECT_THROW(Recorder(0), base::PreconditionError);
  EXPECT_THROW(Recorder(1, 0), base::PreconditionError);
}

}  // namespace trace_test
}  // namespace tacit::trace
