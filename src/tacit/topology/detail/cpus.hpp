// What the kernel says of the processors: affinity masks, cores and caches, quotas of control groups.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sched.h>

#include <cstddef>
#include <filesystem>
#include <optional>
#include <vector>

#include "tacit/topology/cpus.hpp"

namespace tacit::topology::detail {

/// A set of processors as the kernel takes it. On large machines it is longer than cpu_set_t.
class CpuMask {
 public:
  /// @param sets  length of the first attempt, in units of cpu_set_t; it grows until the kernel's mask fits
  /// @return      none where the kernel refuses
  [[nodiscard]] static std::optional<CpuMask> of_this_thread(std::size_t sets = 1);
  /// One processor; empty for a number that no kernel can have, so that binding to it fails.
  explicit CpuMask(CpuId only);

  /// @return whether the kernel did it
  bool bind_this_thread() const noexcept;
  /// Ascending.
  [[nodiscard]] std::vector<CpuId> cpus() const;

 private:
  explicit CpuMask(std::size_t sets) : sets_(sets) {}

  std::vector<cpu_set_t> sets_;  // processor n is bit n % CPU_SETSIZE of set n / CPU_SETSIZE
};

/// The processors of `cpus` in the order of allowed_cpus(). None is lost or doubled, whatever the files say; what
/// cannot be read counts as a core of its own in package 0.
///
/// @param cpus  ascending
/// @param root  where /sys is found: "/" but for tests
[[nodiscard]] std::vector<CpuId> in_order(const std::vector<CpuId>& cpus, const std::filesystem::path& root);

/// Whole processors that the quotas of the process's control groups allow: of cgroup v2 (cpu.max) and v1
/// (cpu.cfs_quota_us over cpu.cfs_period_us), the smallest on the way from its group up to the root, rounded down, at
/// least 1.
///
/// @param root  where /proc and /sys are found: "/" but for tests
/// @return      none where nothing limits the process or nothing can be read
[[nodiscard]] std::optional<std::size_t> cpu_quota(const std::filesystem::path& root);

/// Whether `workers` threads are as many as the `allowed` processors, and no quota takes any of them away.
[[nodiscard]] bool has_all(std::size_t workers, std::size_t allowed, std::optional<std::size_t> quota);

}  // namespace tacit::topology::detail
