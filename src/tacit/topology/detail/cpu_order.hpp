// The order in which workers take processors, from what the kernel says of cores, caches and packages.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <vector>

#include "tacit/topology/cpus.hpp"

namespace tacit::topology::detail {

/// The processors of `cpus` in the order of allowed_cpus(). None is lost or doubled, whatever the files say; what
/// cannot be read counts as a core of its own in package 0.
///
/// @param cpus  ascending
/// @param root  where /sys is found: "/" but for tests
[[nodiscard]] std::vector<CpuId> in_order(const std::vector<CpuId>& cpus, const std::filesystem::path& root);

}  // namespace tacit::topology::detail
