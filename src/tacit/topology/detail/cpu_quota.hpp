// The share of the machine's processors that the process's control group grants.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>

namespace tacit::topology::detail {

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
