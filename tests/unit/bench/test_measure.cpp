// Contestants take turns on threads of their own; flags cross between two cores.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <stdexcept>

#include "framework/flag_latency.hpp"
#include "framework/measure.hpp"

namespace tacit::bench::test_measure {

TEST(BenchMeasure, ContestantsTakeTurnsAndRunOnceUntimed) {
  tasks::HostThread first_host, second_host;
  std::string log;
  std::vector<Contestant> contestants;
  contestants.push_back({"a", &first_host, {[&] { log += 'a'; }, [&] { log += 'p'; }}});
  contestants.push_back({"b", &second_host, {[&] { log += 'b'; }}});
  const auto seconds = measure_in_turns(contestants, {.samples = 2, .runs_per_sample = 2, .pause_s = 0.0});
  EXPECT_EQ(log, "papapabbbpapapabbb");
  ASSERT_EQ(seconds.size(), 2U);
  EXPECT_EQ(seconds[0].size(), 2U);
  EXPECT_GE(seconds[0][0], 0.0);
}

TEST(BenchMeasure, ErrorsCrossFromTheHost) {
  tasks::HostThread host;
  EXPECT_THROW(host.call([] { throw std::runtime_error("there"); }), std::runtime_error);
  std::thread::id there;
  host.call([&] { there = std::this_thread::get_id(); });
  EXPECT_NE(there, std::this_thread::get_id());
}

TEST(BenchMeasure, NoFlagWithOneProcessor) { EXPECT_FALSE(measure_flag_latency(std::vector{topology::CpuId{0}})); }

TEST(BenchMeasure, FlagTakesTime) {
  const auto processors = topology::allowed_cpus();
  const auto flag = measure_flag_latency(processors);
  ASSERT_EQ(flag.has_value(), processors.size() >= 2);
  if (!flag) return;
  // Light crosses a core in a tenth of a nanosecond; the mean of a batch on cores that others use stays below a second.
  EXPECT_GT(flag->min, 0.1);
  EXPECT_LT(flag->median, 1e9);
}

}  // namespace tacit::bench::test_measure
