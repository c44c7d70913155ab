// A thread's affinity mask, of any length.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sched.h>

#include <cstddef>
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

}  // namespace tacit::topology::detail
