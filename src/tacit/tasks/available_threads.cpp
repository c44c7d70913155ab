// How many threads this process may use: affinity mask and control groups.
// SPDX-License-Identifier: Apache-2.0
#include <sched.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <thread>

#include "tacit/tasks/detail/cpu_quota.hpp"
#include "tacit/tasks/scheduler.hpp"

namespace tacit::tasks {

namespace detail {

namespace {

using Quota = std::optional<double>;  // in processors

Quota smaller(Quota a, Quota b) {
  if (!a || !b) return a ? a : b;
  return std::min(*a, *b);
}

Quota ratio(double quota, double period) {
  if (quota > 0.0 && period > 0.0) return quota / period;
  return std::nullopt;
}

/// The quota that the files in one folder state; "max" and -1 mean none.
Quota quota_in(const std::filesystem::path& folder) {
  double quota = 0.0;
  double period = 0.0;
  if (std::ifstream both(folder / "cpu.max"); both >> quota >> period) return ratio(quota, period);
  std::ifstream quota_file(folder / "cpu.cfs_quota_us");
  std::ifstream period_file(folder / "cpu.cfs_period_us");
  if (quota_file >> quota && period_file >> period) return ratio(quota, period);
  return std::nullopt;
}

/// The smallest quota from mount / group up to mount. A group that a container does not see is skipped.
Quota quota_above(const std::filesystem::path& mount, const std::filesystem::path& group) {
  Quota smallest = quota_in(mount);
  std::filesystem::path folder = mount;
  for (const std::filesystem::path& part : group.relative_path()) {
    folder /= part;
    smallest = smaller(smallest, quota_in(folder));
  }
  return smallest;
}

bool has_cpu(const std::string& controllers) {
  std::istringstream list(controllers);
  for (std::string name; std::getline(list, name, ',');) {
    if (name == "cpu") return true;
  }
  return false;
}

}  // namespace

std::optional<std::size_t> cpu_quota(const std::filesystem::path& root) {
  const std::filesystem::path mounts = root / "sys/fs/cgroup";
  std::ifstream groups(root / "proc/self/cgroup");
  Quota smallest;
  // Each line is hierarchy:controllers:group; version 2 has no controllers.
  for (std::string line; std::getline(groups, line);) {
    const std::size_t first = line.find(':');
    const std::size_t second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const std::string group = line.substr(second + 1);
    if (controllers.empty()) smallest = smaller(smallest, quota_above(mounts, group));
    if (!has_cpu(controllers)) continue;
    smallest = smaller(smallest, quota_above(mounts / controllers, group));
    if (controllers != "cpu") smallest = smaller(smallest, quota_above(mounts / "cpu", group));
  }
  if (!smallest) return std::nullopt;
  return static_cast<std::size_t>(std::max(1.0, *smallest));
}

}  // namespace detail

namespace {

/// Processors in the affinity mask; the kernel's mask may be longer than cpu_set_t on large machines.
std::size_t affinity_count() {
  for (int processors = 1024; processors <= (1 << 20); processors *= 2) {
    const std::unique_ptr<cpu_set_t, void (*)(cpu_set_t*)> mask(CPU_ALLOC(static_cast<std::size_t>(processors)),
                                                                [](cpu_set_t* set) { CPU_FREE(set); });
    const std::size_t size = CPU_ALLOC_SIZE(static_cast<std::size_t>(processors));
    if (mask && sched_getaffinity(0, size, mask.get()) == 0) {
      return static_cast<std::size_t>(CPU_COUNT_S(size, mask.get()));
    }
    if (errno != EINVAL) break;
  }
  return std::thread::hardware_concurrency();
}

}  // namespace

std::size_t available_threads() {
  const std::size_t allowed = std::max<std::size_t>(1, affinity_count());
  return std::min(allowed, detail::cpu_quota("/").value_or(allowed));
}

}  // namespace tacit::tasks
