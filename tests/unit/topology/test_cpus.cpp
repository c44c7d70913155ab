// The processors of this machine: masks of any length, binding there and back.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <optional>
#include <thread>

#include "tacit/topology/cpus.hpp"
#include "tacit/topology/detail/cpus.hpp"

namespace tacit::topology {
namespace cpus_test {

using Cpus = std::vector<CpuId>;

/// No kernel numbers a processor so, yet a mask can hold it.
constexpr CpuId absent{(1U << 20U) - 1};

Cpus mask() { return detail::CpuMask::of_this_thread().value().cpus(); }

Cpus sorted(Cpus cpus) {
  std::sort(cpus.begin(), cpus.end());
  return cpus;
}

TEST(TopologyThreads, AreWithinTheMachine) {
  EXPECT_GE(available_threads(), 1U);
  EXPECT_LE(available_threads(), allowed_cpus().size());
  EXPECT_LE(available_threads(), static_cast<std::size_t>(::sysconf(_SC_NPROCESSORS_CONF)));
}

TEST(TopologyCpus, AreThoseOfTheMask) {
  cpu_set_t set;
  ASSERT_EQ(::sched_getaffinity(0, sizeof set, &set), 0) << "more than 1024 processors: this test needs a longer set";
  Cpus expected;
  for (std::uint32_t n = 0; n < CPU_SETSIZE; ++n) {
    if (CPU_ISSET(n, &set)) expected.push_back(CpuId{n});
  }
  EXPECT_EQ(sorted(allowed_cpus()), expected);
}

TEST(TopologyMask, GrowsUntilTheKernelsFits) {
  // Length 0 is too short for any kernel, so the second attempt succeeds.
  EXPECT_EQ(detail::CpuMask::of_this_thread(0).value().cpus(), mask());
  EXPECT_EQ(detail::CpuMask::of_this_thread(64).value().cpus(), mask());
  EXPECT_FALSE(detail::CpuMask::of_this_thread(4096).has_value()) << "2^22 processors: more than any kernel has";
}

TEST(TopologyMask, MayBeLongerThanTheCLibrarys) {
  for (const std::uint32_t n : {0U, 63U, 64U, 1023U, 1024U, 5000U, (1U << 20U) - 1}) {
    EXPECT_EQ(detail::CpuMask(CpuId{n}).cpus(), Cpus{CpuId{n}});
  }
  EXPECT_TRUE(detail::CpuMask(CpuId{1U << 20U}).cpus().empty());
  EXPECT_TRUE(detail::CpuMask(CpuId{~0U}).cpus().empty());
}

TEST(TopologyBinding, RunsThereAndGivesTheMaskBack) {
  const Cpus before = mask();
  for (const CpuId cpu : allowed_cpus()) {
    {
      const Binding binding(cpu);
      ASSERT_TRUE(binding.is_bound());
      EXPECT_EQ(mask(), Cpus{cpu});
      EXPECT_EQ(::sched_getcpu(), static_cast<int>(cpu));
    }
    EXPECT_EQ(mask(), before);
  }
}

TEST(TopologyBinding, ToWhatDoesNotExistLeavesTheThreadAlone) {
  const Cpus before = mask();
  for (const CpuId cpu : {absent, CpuId{~0U}}) {
    const Binding binding(cpu);
    EXPECT_FALSE(binding.is_bound());
    EXPECT_EQ(mask(), before);
  }
  EXPECT_EQ(mask(), before);
}

TEST(TopologyBinding, NestsAndConcernsItsThreadOnly) {
  const Cpus before = mask();
  const Cpus cpus = allowed_cpus();
  const Binding outer(cpus.front());
  {
    // Wider again: a thread may leave the mask that it inherited from the one that started it.
    const Binding inner(cpus.back());
    EXPECT_EQ(mask(), Cpus{cpus.back()});
  }
  EXPECT_EQ(mask(), Cpus{cpus.front()});
  std::optional<Cpus> elsewhere;
  std::thread([&] {
    const Binding other(cpus.back());
    elsewhere = mask();
  }).join();
  EXPECT_EQ(elsewhere, Cpus{cpus.back()});
  EXPECT_EQ(mask(), Cpus{cpus.front()});
}

TEST(TopologyBinding, IsForAsManyWorkersAsProcessors) {
  const std::size_t allowed = allowed_cpus().size();
  const std::size_t granted = detail::cpu_quota("/").value_or(allowed);
  EXPECT_EQ(should_bind(allowed), granted >= allowed);
  EXPECT_FALSE(should_bind(allowed + 1));
  EXPECT_FALSE(should_bind(0));
  const Binding binding(allowed_cpus().front());
  EXPECT_EQ(available_threads(), 1U);
  EXPECT_EQ(allowed_cpus().size(), 1U);
  EXPECT_TRUE(should_bind(1));
}

}  // namespace cpus_test
}  // namespace tacit::topology
