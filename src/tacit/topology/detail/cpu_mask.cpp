// A thread's affinity mask: asked of the kernel and given to it.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/topology/detail/cpu_mask.hpp"

#include <algorithm>
#include <cerrno>

namespace tacit::topology::detail {
namespace {

constexpr std::size_t set_size = CPU_SETSIZE;
/// Far more than any kernel can have: Linux on x86-64 ends at 8192.
constexpr std::size_t most_processors = std::size_t{1} << 20U;

}  // namespace

CpuMask::CpuMask(CpuId only) {
  const auto cpu = static_cast<std::size_t>(only);
  if (cpu >= most_processors) return;
  sets_.resize(cpu / set_size + 1);
  CPU_SET(cpu % set_size, &sets_.back());
}

std::optional<CpuMask> CpuMask::of_this_thread(std::size_t sets) {
  for (; sets * set_size <= most_processors; sets = std::max<std::size_t>(1, 2 * sets)) {
    CpuMask mask(sets);
    if (::sched_getaffinity(0, sets * sizeof(cpu_set_t), mask.sets_.data()) == 0) return mask;
    if (errno != EINVAL) break;  // EINVAL: too short
  }
  return std::nullopt;
}

bool CpuMask::bind_this_thread() const noexcept {
  return ::sched_setaffinity(0, sets_.size() * sizeof(cpu_set_t), sets_.data()) == 0;
}

std::vector<CpuId> CpuMask::cpus() const {
  std::vector<CpuId> found;
  for (std::size_t cpu = 0; cpu < sets_.size() * set_size; ++cpu) {
    if (CPU_ISSET(cpu % set_size, &sets_[cpu / set_size])) found.push_back(static_cast<CpuId>(cpu));
  }
  return found;
}

}  // namespace tacit::topology::detail
