// Launch slots: who gets one, who waits, who computes on the processor, and what failures become.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <thread>

#include "running_slots.hpp"
#include "tacit/base/clock.hpp"

namespace tacit::gpu {
namespace slots_test {
namespace {

using testing::Devices;
using testing::need_of;
using testing::Problem;

constexpr std::size_t n = 40;

/// Polls until so many have completed; only a hang lets it give up.
std::vector<base::Completion> wait_for(Slots& slots, std::size_t count) {
  std::vector<base::Completion> all;
  std::array<base::Completion, 3> some;
  for (const base::Stopwatch watch; all.size() < count && watch.seconds() < 60.0;) {
    const std::size_t got = slots.poll(some);
    all.insert(all.end(), some.begin(), some.begin() + static_cast<std::ptrdiff_t>(got));
    if (got == 0) std::this_thread::yield();
  }
  EXPECT_EQ(all.size(), count);
  return all;
}

HostDeviceOptions small() { return {.memory_bytes = std::size_t{1} << 16U}; }

TEST(GpuSlots, WithoutAFreeSlotTheProcessorComputes) {
  Devices on({small()}, {.slots = 3});
  Slots& slots = *on.slots;
  const LaunchKind kind = slots.kind("mirror");
  on.devices[0]->hold();
  std::vector<Problem> problems;
  for (std::uint64_t i = 0; i < 8; ++i) problems.emplace_back(n, i);
  for (std::uint64_t i = 0; i < problems.size(); ++i) {
    auto launch = slots.acquire(kind, need_of(n));
    EXPECT_EQ(static_cast<bool>(launch), i < 3);
    if (launch) {
      launch.post(base::Token{i + 1}, problems[i].record());
    } else {
      slots.run_on_cpu(kind, n, [&] { problems[i].compute(); });
      EXPECT_TRUE(problems[i].is_solved());
    }
  }
  EXPECT_EQ(slots.waiting(), 0U);
  on.devices[0]->release();
  static_cast<void>(wait_for(slots, 3));
  for (const Problem& problem : problems) EXPECT_TRUE(problem.is_solved());
  EXPECT_EQ(slots.counts().launched, 3U);
  EXPECT_EQ(slots.counts().on_cpu, 5U);
  EXPECT_DOUBLE_EQ(slots.counts().share(), 3.0 / 8.0);
  // All slots are free again.
  std::vector<Launch> held;
  for (int i = 0; i < 3; ++i) held.push_back(slots.acquire(kind, need_of(n)));
  for (const Launch& launch : held) EXPECT_TRUE(launch);
  EXPECT_FALSE(slots.acquire(kind, need_of(n)));
  held.clear();  // gives them back
  EXPECT_TRUE(slots.acquire(kind, need_of(n)));
}

TEST(GpuSlots, WhoWaitsIsServedInOrderAndBeforeNewcomers) {
  Devices on({small()}, {.slots = 2, .fallback = Fallback::never});
  Slots& slots = *on.slots;
  const LaunchKind kind = slots.kind("mirror");
  on.devices[0]->hold();
  std::vector<Problem> problems;
  std::vector<std::uint64_t> recorded;
  for (std::uint64_t i = 0; i < 30; ++i) problems.emplace_back(n, i);
  for (std::uint64_t i = 0; i < problems.size(); ++i) {
    auto launch = slots.acquire(kind, need_of(n));
    ASSERT_TRUE(launch);
    launch.post(base::Token{i + 1}, [&, i](Program& program) {
      recorded.push_back(i);
      problems[i].record()(program);
    });
  }
  EXPECT_EQ(recorded, (std::vector<std::uint64_t>{0, 1}));
  EXPECT_EQ(slots.waiting(), 28U);
  EXPECT_EQ(slots.describe(base::Token{1}), "launch of 'mirror' in slot 0 of device 0");
  EXPECT_EQ(slots.describe(base::Token{4}), "a slot for a launch of 'mirror', the 2. of 28 that wait");
  EXPECT_EQ(slots.describe(base::Token{99}), "");
  on.devices[0]->release();
  const auto ends = wait_for(slots, problems.size());
  for (std::uint64_t i = 0; i < problems.size(); ++i) EXPECT_EQ(recorded[i], i);
  for (const base::Completion& end : ends) EXPECT_EQ(end.error, 0);
  for (const Problem& problem : problems) EXPECT_TRUE(problem.is_solved());
  EXPECT_EQ(slots.counts().waited, 28U);
  EXPECT_EQ(slots.counts().most_waiting, 28U);
  EXPECT_EQ(slots.counts().on_cpu, 0U);
  EXPECT_EQ(on.devices[0]->most_at_once(), 2U);
}

TEST(GpuSlots, TakeTurnsOverDevices) {
  Devices on({small(), small(), small()}, {.slots = 7});
  Slots& slots = *on.slots;
  EXPECT_EQ(slots.size(), 7U);
  const LaunchKind kind = slots.kind("mirror");
  for (const auto& device : on.devices) device->hold();
  std::vector<Problem> problems;
  for (std::uint64_t i = 0; i < 7; ++i) problems.emplace_back(n, i);
  for (std::uint64_t i = 0; i < 6; ++i) {
    slots.acquire(kind, need_of(n)).post(base::Token{i + 1}, problems[i].record());
    for (std::size_t d = 0; d < 3; ++d) EXPECT_EQ(on.devices[d]->submitted(), (i + 3 - d) / 3);
  }
  // Only the first has a third one.
  slots.acquire(kind, need_of(n)).post(base::Token{7}, problems[6].record());
  EXPECT_FALSE(slots.acquire(kind, need_of(n)));
  EXPECT_EQ(on.devices[0]->submitted(), 3U);
  for (const auto& device : on.devices) device->release();
  static_cast<void>(wait_for(slots, 7));
  for (const Problem& problem : problems) EXPECT_TRUE(problem.is_solved());
}

TEST(GpuSlots, OfADeviceWithFewStreamsOthersHaveMore) {
  HostDeviceOptions few = small();
  few.streams = 2;
  const Devices on({few, small()}, {.slots = 10});
  EXPECT_EQ(on.slots->size(), 10U);
  const Devices alone({few}, {.slots = 10});
  EXPECT_EQ(alone.slots->size(), 2U);
  EXPECT_EQ(alone.slots->memory_per_slot(), std::size_t{1} << 15U);
}

TEST(GpuSlots, TooLittleMemoryIsSaidOnceAndTheProcessorComputes) {
  for (const Fallback fallback : {Fallback::always, Fallback::never, Fallback::predicted}) {
    HostDeviceOptions little;
    little.memory_bytes = 4096;
    Devices on({little}, {.slots = 4, .fallback = fallback});
    const LaunchKind kind = on.slots->kind("mirror");
    EXPECT_TRUE(on.slots->acquire(kind, {.memory_bytes = 1024}));
    for (int i = 0; i < 3; ++i) {
      EXPECT_FALSE(on.slots->acquire(kind, {.memory_bytes = 1025}));
    }
    const auto notes = on.slots->new_notes();
    ASSERT_EQ(notes.size(), 1U);
    EXPECT_EQ(
        notes[0],
        "a launch of 'mirror' needs 1025 bytes of a device and 0 bytes of pinned memory, a slot has 1024 and 0: it "
        "is computed on the processor; fewer slots have more");
    EXPECT_TRUE(on.slots->new_notes().empty());
  }
}

TEST(GpuSlots, WithoutDevicesTheProcessorComputes) {
  Devices on({}, {.slots = 4, .fallback = Fallback::never});
  EXPECT_EQ(on.slots->size(), 0U);
  EXPECT_FALSE(on.slots->acquire(on.slots->kind("mirror"), need_of(n)));
  std::array<base::Completion, 2> some;
  EXPECT_EQ(on.slots->poll(some), 0U);
}

TEST(GpuSlots, AFailureIsTheEndOfTheLaunchOrComputedOnTheProcessor) {
  for (const bool is_rescued : {false, true}) {
    HostDeviceOptions failing = small();
    failing.fails_at = 1;
    Devices on({failing}, {.slots = 4});
    Slots& slots = *on.slots;
    const LaunchKind kind = slots.kind("mirror");
    Problem problem(n, 1);
    const auto launch_it = [&] {
      problem.z.assign(n, -1.0);
      slots.acquire(kind, need_of(n))
          .post(base::Token{5}, problem.record(), is_rescued ? OnCpu([&] { problem.compute(); }) : OnCpu{});
      return wait_for(slots, 1)[0];
    };
    EXPECT_EQ(launch_it().error, 0);
    const base::Completion end = launch_it();
    EXPECT_EQ(problem.is_solved(), is_rescued);
    EXPECT_EQ(end.error == 0, is_rescued);
    EXPECT_EQ(end.token, base::Token{5});
    const std::string why = "device 0: launch of 'mirror': a kernel failed";
    if (is_rescued) {
      const auto notes = slots.new_notes();
      ASSERT_EQ(notes.size(), 1U);
      EXPECT_EQ(notes[0], why + "; the processor has computed it, as it will all others of its kind that fail");
    } else {
      EXPECT_EQ(slots.explain(end), why);
    }
    EXPECT_EQ(launch_it().error, 0);
    EXPECT_TRUE(problem.is_solved());
    EXPECT_EQ(slots.counts().failed, 1U);
    EXPECT_EQ(slots.counts().rescued, is_rescued ? 1U : 0U);
  }
}

TEST(GpuSlots, NothingIsComputedAgainFromWhatResultsHaveOverwritten) {
  HostDeviceOptions options = small();
  options.lost_at = 0;
  options.is_lost_in_results = true;
  Devices on({options}, {.slots = 4});
  const LaunchKind kind = on.slots->kind("mirror");
  Problem problem(n, 1);
  bool is_computed = false;
  on.slots->acquire(kind, need_of(n)).post(base::Token{5}, problem.record(), [&] { is_computed = true; });
  const base::Completion end = wait_for(*on.slots, 1)[0];
  EXPECT_FALSE(is_computed);
  EXPECT_EQ(on.slots->explain(end), "device 0: launch of 'mirror': the device was lost while it copied results");
}

TEST(GpuSlots, ALostDeviceGetsNoMoreLaunches) {
  HostDeviceOptions lost = small();
  lost.lost_at = 1;
  Devices on({lost, small()}, {.slots = 4});
  Slots& slots = *on.slots;
  const LaunchKind kind = slots.kind("mirror");
  std::vector<Problem> problems;
  for (std::uint64_t i = 0; i < 12; ++i) problems.emplace_back(n, i);
  for (std::uint64_t i = 0; i < problems.size(); ++i) {
    slots.acquire(kind, need_of(n)).post(base::Token{i + 1}, problems[i].record(), [&problems, i] {
      problems[i].compute();
    });
    EXPECT_EQ(wait_for(slots, 1)[0].error, 0);
    EXPECT_TRUE(problems[i].is_solved());
  }
  EXPECT_EQ(on.devices[0]->submitted(), 2U);
  EXPECT_EQ(on.devices[1]->submitted(), 10U);
  const auto notes = slots.new_notes();
  ASSERT_EQ(notes.size(), 2U);
  EXPECT_EQ(notes[0], "device 0 is lost; the run goes on with 1 of 2 devices");
}

TEST(GpuSlots, WithoutDevicesLeftNobodyWaits) {
  for (const bool is_rescued : {false, true}) {
    HostDeviceOptions lost = small();
    lost.lost_at = 0;
    Devices on({lost}, {.slots = 1, .fallback = Fallback::never});
    Slots& slots = *on.slots;
    const LaunchKind kind = slots.kind("mirror");
    std::vector<Problem> problems;
    for (std::uint64_t i = 0; i < 10; ++i) problems.emplace_back(n, i);
    on.devices[0]->hold();
    std::vector<Launch> launches;
    for (std::uint64_t i = 0; i < problems.size(); ++i) launches.push_back(slots.acquire(kind, need_of(n)));
    const auto post = [&](std::uint64_t i) {
      launches[i].post(base::Token{i + 1}, problems[i].record(),
                       is_rescued ? OnCpu([&problems, i] { problems[i].compute(); }) : OnCpu{});
    };
    for (std::uint64_t i = 0; i < 9; ++i) post(i);
    on.devices[0]->release();
    auto ends = wait_for(slots, 9);
    post(9);  // has asked when there was a device
    ends.push_back(wait_for(slots, 1).at(0));
    for (const base::Completion& end : ends) EXPECT_EQ(end.error == 0, is_rescued);
    for (const Problem& problem : problems) EXPECT_EQ(problem.is_solved(), is_rescued);
    if (!is_rescued) {
      EXPECT_EQ(slots.explain(ends.back()), "launch of 'mirror': all devices are lost");
    }
    EXPECT_FALSE(slots.acquire(kind, need_of(n)));
    EXPECT_EQ(slots.waiting(), 0U);
    EXPECT_EQ(slots.new_notes().at(0), "device 0 is lost; the run goes on on the processor");
  }
}

TEST(GpuSlots, WhatCannotBeWrittenDownIsAnError) {
  Devices on({small()}, {.slots = 1, .fallback = Fallback::never});
  Slots& slots = *on.slots;
  const LaunchKind kind = slots.kind("mirror");
  const auto too_much = [&](Program& program) { static_cast<void>(program.memory<double>(1U << 20U)); };
  on.devices[0]->hold();
  Problem problem(n, 1);
  auto first = slots.acquire(kind, need_of(n));
  auto second = slots.acquire(kind, need_of(n));
  auto third = slots.acquire(kind, need_of(n));
  first.post(base::Token{1}, too_much);
  second.post(base::Token{2}, too_much);  // behind the first one, whose slot is free again
  third.post(base::Token{3}, problem.record());
  on.devices[0]->release();
  for (const base::Completion& end : wait_for(slots, 3)) {
    EXPECT_EQ(end.error == 0, end.token == base::Token{3});
    if (end.error != 0) {
      EXPECT_EQ(slots.explain(end), "launch of 'mirror': a launch takes more memory than it has asked for");
    }
  }
  EXPECT_TRUE(problem.is_solved());
}

TEST(GpuSlots, CancelledLaunchesGiveTheirSlotsBack) {
  Devices on({small()}, {.slots = 2, .fallback = Fallback::never});
  Slots& slots = *on.slots;
  const LaunchKind kind = slots.kind("mirror");
  on.devices[0]->hold();
  std::vector<Problem> problems;
  for (std::uint64_t i = 0; i < 5; ++i) problems.emplace_back(n, i);
  for (std::uint64_t i = 0; i < 5; ++i) slots.acquire(kind, need_of(n)).post(base::Token{i + 1}, problems[i].record());
  slots.cancel(base::Token{1});  // on the device: the third gets its slot
  slots.cancel(base::Token{4});  // waits
  EXPECT_EQ(slots.waiting(), 1U);
  on.devices[0]->release();
  static_cast<void>(wait_for(slots, 3));
  for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(problems[i].is_solved(), i != 0 && i != 3) << i;
  auto a = slots.acquire(kind, need_of(n));
  auto b = slots.acquire(kind, need_of(n));
  EXPECT_TRUE(a && b);
}

TEST(GpuForecast, MeansFollowAndDecide) {
  Forecast forecast;
  EXPECT_FALSE(forecast.should_wait(1.0, 0, 4));  // nothing is known yet
  EXPECT_TRUE(forecast.should_launch(1.0, 4));
  forecast.note_device(2.0, 2.0);
  forecast.note_cpu(30.0, 10.0);
  EXPECT_DOUBLE_EQ(forecast.device_s(5.0), 5.0);
  EXPECT_DOUBLE_EQ(forecast.cpu_s(5.0), 15.0);
  // 1 (1 + (w + 1) / 4) < 3 for w < 7.
  EXPECT_TRUE(forecast.should_wait(1.0, 6, 4));
  EXPECT_FALSE(forecast.should_wait(1.0, 7, 4));
  forecast.note_device(9.0, 1.0);
  EXPECT_DOUBLE_EQ(forecast.device_s(1.0), 2.0);  // 1 + (9 - 1) / 8
  for (int i = 0; i < 100; ++i) forecast.note_device(13.0, 1.0);
  EXPECT_FALSE(forecast.should_launch(1.0, 4));  // 13 / 4 > 3
  EXPECT_TRUE(forecast.should_launch(1.0, 5));
}

TEST(GpuSlots, PredictionAvoidsADeviceThatIsSlow) {
  HostDeviceOptions slow = small();
  slow.delay_s = 20e-3;
  Devices on({slow}, {.slots = 1, .fallback = Fallback::predicted});
  Slots& slots = *on.slots;
  const LaunchKind kind = slots.kind("mirror");
  Problem problem(n, 1);
  // The device is tried first, then the processor while the slot is taken.
  auto first = slots.acquire(kind, need_of(n));
  EXPECT_FALSE(slots.acquire(kind, need_of(n)));
  slots.run_on_cpu(kind, n, [&] { problem.compute(); });
  first.post(base::Token{1}, problem.record());
  static_cast<void>(wait_for(slots, 1));
  ASSERT_GT(slots.forecast(kind).device_s(n), slow.delay_s);
  if (slots.forecast(kind).cpu_s(n) >= slow.delay_s) return;  // a host so busy that the processor was as slow
  int launches = 0;
  for (int i = 0; i < 129; ++i) launches += slots.acquire(kind, need_of(n)) ? 1 : 0;
  EXPECT_EQ(launches, 3);  // one of 64 all the same, to see whether it still is
}

}  // namespace
}  // namespace slots_test
}  // namespace tacit::gpu
