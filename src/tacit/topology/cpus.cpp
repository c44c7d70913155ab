// The processors that this process may use: what the kernel says, put together.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/topology/cpus.hpp"

#include <algorithm>
#include <optional>
#include <thread>
#include <utility>

#include "tacit/topology/detail/cpus.hpp"

namespace tacit::topology {
namespace {

constexpr const char* root = "/";

/// Processors in the affinity mask; 0 where the kernel does not tell it.
std::size_t affinity_count() {
  const auto mask = detail::CpuMask::of_this_thread();
  return mask ? mask->cpus().size() : 0;
}

}  // namespace

std::size_t available_threads() {
  const std::size_t in_mask = affinity_count();
  const std::size_t allowed = in_mask > 0 ? in_mask : std::max(1U, std::thread::hardware_concurrency());
  return std::min(allowed, detail::cpu_quota(root).value_or(allowed));
}

std::vector<CpuId> allowed_cpus() {
  const auto mask = detail::CpuMask::of_this_thread();
  return mask ? detail::in_order(mask->cpus(), root) : std::vector<CpuId>();
}

bool should_bind(std::size_t workers) { return detail::has_all(workers, affinity_count(), detail::cpu_quota(root)); }

Binding::Binding(CpuId cpu) {
  auto before = detail::CpuMask::of_this_thread();
  if (!before) return;
  auto kept = std::make_unique<const detail::CpuMask>(*std::move(before));  // may throw, so before anything is changed
  if (detail::CpuMask(cpu).bind_this_thread()) before_ = std::move(kept);
}

Binding::~Binding() {
  if (before_) before_->bind_this_thread();
}

}  // namespace tacit::topology
