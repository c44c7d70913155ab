// Threads that stand for a device: what they run, in which order, and how they fail.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <span>
#include <stdexcept>
#include <thread>

#include "mirror.hpp"
#include "tacit/base/clock.hpp"
#include "tacit/gpu/host_device.hpp"

namespace tacit::gpu {
namespace host_device_test {
namespace {

using testing::Problem;

/// Waits for one completion; only a hang lets it give up.
base::Completion next_of(Device& device) {
  std::array<base::Completion, 1> one;
  for (const base::Stopwatch watch; watch.seconds() < 60.0;) {
    if (device.poll(one) == 1) return one[0];
    std::this_thread::yield();
  }
  ADD_FAILURE() << "nothing has completed for a minute";
  return {};
}

struct Running {
  explicit Running(HostDeviceOptions options) : device(std::move(options)) {
    program.give_memory(device.memory(), device.pinned());
  }
  base::Completion run(std::uint64_t token = 7) {
    device.submit(0, program.operations(), base::Token{token});
    return next_of(device);
  }
  HostDevice device;
  Program program;
};

TEST(GpuHostDevice, TeamsOfAnySizeAndOrderGiveTheBitsOfThePlainLoop) {
  for (const std::size_t n : {1U, 15U, 16U, 17U, 100U}) {
    for (const std::size_t team : {1U, 3U}) {
      for (const PhaseOrder order : {PhaseOrder::forward, PhaseOrder::backward}) {
        Running running({.memory_bytes = 1 << 14, .team = team, .order = order});
        Problem problem(n, n);
        problem.record()(running.program);
        const base::Completion end = running.run();
        EXPECT_EQ(end.token, base::Token{7});
        EXPECT_EQ(end.error, 0);
        EXPECT_TRUE(problem.is_solved()) << n << " numbers, team of " << team;
      }
    }
  }
}

TEST(GpuHostDevice, CopiesRowsOfBoxes) {
  Running running({.memory_bytes = 1 << 12});
  const auto from = testing::random_numbers(5 * 4 * 3, 1);
  std::vector<double> to(7 * 5 * 4, 0.0);
  auto* const box = running.program.memory<double>(3 * 2 * 2);
  constexpr std::size_t one = sizeof(double);
  running.program.copy_in({.from = Program::as_bytes(&from[1 + 5 * (1 + 4 * 1)]),
                           .to = Program::as_bytes(box),
                           .row_bytes = 3 * one,
                           .rows = 2,
                           .planes = 2,
                           .from_row = 5 * one,
                           .from_plane = 20 * one,
                           .to_row = 3 * one,
                           .to_plane = 6 * one});
  running.program.copy_out({.from = Program::as_bytes(box),
                            .to = Program::as_bytes(&to[2 + 7 * (3 + 5 * 2)]),
                            .row_bytes = 3 * one,
                            .rows = 2,
                            .planes = 2,
                            .from_row = 3 * one,
                            .from_plane = 6 * one,
                            .to_row = 7 * one,
                            .to_plane = 35 * one});
  EXPECT_EQ(running.run().error, 0);
  std::size_t others = 0;
  for (std::size_t z = 0; z < 4; ++z) {
    for (std::size_t y = 0; y < 5; ++y) {
      for (std::size_t x = 0; x < 7; ++x) {
        const double here = to[x + 7 * (y + 5 * z)];
        const bool is_inside = x >= 2 && x < 5 && y >= 3 && y < 5 && z >= 2 && z < 4;
        if (is_inside) {
          EXPECT_EQ(here, from[(x - 2 + 1) + 5 * ((y - 3 + 1) + 4 * (z - 2 + 1))]);
        } else {
          others += here == 0.0 ? 1 : 0;
        }
      }
    }
  }
  EXPECT_EQ(others, to.size() - 12);
}

TEST(GpuHostDevice, BeginsTheEarliestFirst) {
  constexpr std::uint64_t seed = 3;
  HostDevice device({.memory_bytes = 1 << 14, .random_delay_s = 20e-3, .seed = seed});
  device.record_order();
  std::array<Program, 20> programs;
  device.hold();  // so that all are there before one begins
  for (std::uint64_t i = 0; i < programs.size(); ++i) device.submit(i, programs[i].operations(), base::Token{i});
  device.release();
  for (std::size_t i = 0; i < programs.size(); ++i) static_cast<void>(next_of(device));
  EXPECT_EQ(device.most_at_once(), programs.size());
  const auto order = device.order();
  ASSERT_EQ(order.size(), programs.size());
  EXPECT_FALSE(std::ranges::is_sorted(order));
  for (std::size_t i = 1; i < order.size(); ++i) {
    const auto delay = [&](base::Token token) { return base::uniform(seed, static_cast<std::uint64_t>(token), 0); };
    // One with a longer delay begins before another only if it was submitted before.
    EXPECT_TRUE(delay(order[i - 1]) < delay(order[i]) || order[i - 1] < order[i]) << i;
  }
}

TEST(GpuHostDevice, WhatIsCancelledNeverBegins) {
  Running running({.memory_bytes = 1 << 14});
  Problem problem(64, 1);
  problem.record()(running.program);
  running.device.hold();
  running.device.submit(0, running.program.operations(), base::Token{1});
  running.device.cancel(base::Token{1});
  running.device.release();
  const Program nothing;
  running.device.submit(1, nothing.operations(), base::Token{2});
  EXPECT_EQ(next_of(running.device).token, base::Token{2});
  for (const double z : problem.z) EXPECT_EQ(z, -1.0);
}

TEST(GpuHostDevice, AFailedLaunchLeavesTheHostAsItWas) {
  Running running({.memory_bytes = 1 << 14, .fails_at = 1});
  Problem problem(64, 1);
  problem.record()(running.program);
  EXPECT_EQ(running.run().error, 0);
  EXPECT_TRUE(problem.is_solved());
  problem.z.assign(problem.z.size(), -1.0);
  const base::Completion end = running.run();
  EXPECT_EQ(end.error, static_cast<std::int32_t>(Failure::launch));
  EXPECT_EQ(running.device.explain(end), "a kernel failed");
  for (const double z : problem.z) EXPECT_EQ(z, -1.0);
  EXPECT_EQ(running.run().error, 0);
  EXPECT_TRUE(problem.is_solved());
}

TEST(GpuHostDevice, OfALostDeviceEverythingEnds) {
  for (const bool in_results : {false, true}) {
    Running running({.memory_bytes = 1 << 14, .lost_at = 1, .is_lost_in_results = in_results});
    Problem problem(64, 1);
    problem.record()(running.program);
    EXPECT_EQ(running.run().error, 0);
    EXPECT_FALSE(running.device.is_lost());
    problem.z.assign(problem.z.size(), -1.0);
    const base::Completion end = running.run();
    EXPECT_TRUE(running.device.is_lost());
    EXPECT_EQ(running.device.explain(end),
              in_results ? "the device was lost while it copied results" : "the device is lost");
    EXPECT_EQ(problem.z[0], in_results ? problem.expected[0] : -1.0);
    EXPECT_EQ(problem.z[63], -1.0);
    EXPECT_EQ(running.run().error, static_cast<std::int32_t>(Failure::lost));
  }
}

struct Throwing {
  static constexpr std::string_view name = "throwing";
  template <class Team>
  void operator()(Team& team, std::size_t /*block*/) const {
    if (team.rank() == 0) throw std::runtime_error("a kernel of the host may do so");
    team.each(10, [](std::size_t) {});
  }
};

TEST(GpuHostDevice, AKernelThatThrowsHasFailed) {
  for (const std::size_t team : {1U, 3U}) {
    Running running({.memory_bytes = 1 << 10, .team = team});
    running.program.run(Throwing{}, 2);
    EXPECT_EQ(running.run().error, static_cast<std::int32_t>(Failure::launch));
  }
}

/// The last of the first phase comes late, and the first of the second reads what it writes.
struct Late {
  static constexpr std::string_view name = "late";
  int* is_there;
  int* seen;
  std::size_t n;
  template <class Team>
  void operator()(Team& team, std::size_t /*block*/) const {
    team.each(n, [&](std::size_t i) {
      if (i + 1 == n) std::this_thread::sleep_for(std::chrono::milliseconds(20));
      is_there[i] = 1;
    });
    team.each(n, [&](std::size_t i) { seen[i] = is_there[n - 1 - i]; });
  }
};

TEST(GpuHostDevice, APhaseBeginsWhenAllThreadsHaveEndedTheOneBefore) {
  Running running({.memory_bytes = 1 << 10, .team = 3});
  auto* const is_there = running.program.memory<int>(3);
  auto* const seen = running.program.memory<int>(3);
  running.program.fill(is_there, 3, 0);
  running.program.run(Late{is_there, seen, 3}, 1);
  std::array<int, 3> result{};
  running.program.copy_out(seen, std::span<int>(result));
  EXPECT_EQ(running.run().error, 0);
  EXPECT_EQ(result, (std::array{1, 1, 1}));
}

TEST(GpuHostDevice, RefusesWhatIsNoDevice) {
  EXPECT_THROW(HostDevice({.streams = 0}), base::PreconditionError);
  EXPECT_THROW(HostDevice({.threads = 0}), base::PreconditionError);
}

TEST(GpuProgram, RefusesMoreMemoryThanThereIs) {
  Running running({.memory_bytes = 1024});
  static_cast<void>(running.program.memory<double>(32));
  static_cast<void>(running.program.memory<double>(96));
  EXPECT_THROW(static_cast<void>(running.program.memory<double>(1)), base::PreconditionError);
  EXPECT_THROW(static_cast<void>(running.program.pinned<double>(1)), base::PreconditionError);
}

}  // namespace
}  // namespace host_device_test
}  // namespace tacit::gpu
