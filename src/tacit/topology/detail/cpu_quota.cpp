// The control group's quota: reads /proc/self/cgroup and the files of version 1 and 2.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/topology/detail/cpu_quota.hpp"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>

namespace tacit::topology::detail {
namespace {

using Quota = std::optional<double>;  // in processors
/// More than any machine has, and still an integer: a quota may be as large as its writer likes.
constexpr double largest_quota = 1e6;

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
  return static_cast<std::size_t>(std::clamp(*smallest, 1.0, largest_quota));
}

bool has_all(std::size_t workers, std::size_t allowed, std::optional<std::size_t> quota) {
  return workers == allowed && allowed > 0 && quota.value_or(allowed) >= allowed;
}

}  // namespace tacit::topology::detail
