// The control group's quota: reads the files of version 1 and 2.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/topology/detail/cpu_quota.hpp"

#include <algorithm>
#include <fstream>

#include "tacit/base/control_groups.hpp"

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

}  // namespace

std::optional<std::size_t> cpu_quota(const std::filesystem::path& root) {
  Quota smallest;
  for (const auto& folder : base::control_groups("cpu", root)) smallest = smaller(smallest, quota_in(folder));
  if (!smallest) return std::nullopt;
  return static_cast<std::size_t>(std::clamp(*smallest, 1.0, largest_quota));
}

bool has_all(std::size_t workers, std::size_t allowed, std::optional<std::size_t> quota) {
  return workers == allowed && allowed > 0 && quota.value_or(allowed) >= allowed;
}

}  // namespace tacit::topology::detail
