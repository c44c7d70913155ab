// Reads affinity masks, /sys/devices/system/cpu and the limits of control groups.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/topology/detail/cpus.hpp"

#include <algorithm>
#include <cerrno>
#include <compare>
#include <cstddef>
#include <fstream>
#include <locale>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "tacit/base/control_groups.hpp"

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

namespace {

/// Where a processor sits; the order of the members is the order in which workers take processors.
struct Place {
  std::size_t turn = 0;  // how many of `cpus` come before it on its core
  int package = 0;
  int cache = 0;  // the first processor that shares the last-level cache
  int core = 0;   // the first processor of its core
  CpuId cpu{};
  auto operator<=>(const Place&) const = default;
};

/// The number that a file begins with: 4 of "4-7,12". None where the file cannot be read or begins otherwise.
std::optional<int> first_number(const std::filesystem::path& file) {
  std::ifstream stream(file);
  stream.imbue(std::locale::classic());  // in others a comma may be part of a number
  int number = 0;
  if (!(stream >> number)) return std::nullopt;
  const auto next = stream.peek();
  const bool ends = next == std::ifstream::traits_type::eof();
  if (!ends && std::string_view(",-\n").find(static_cast<char>(next)) == std::string_view::npos) return std::nullopt;
  return number;
}

/// The first of a list that holds `cpu` itself; a number that cannot be this is none.
std::optional<int> first_of_list(const std::filesystem::path& file, int cpu) {
  const auto first = first_number(file);
  return first && *first >= 0 && *first <= cpu ? first : std::nullopt;
}

Place place_of(CpuId cpu, const std::filesystem::path& folder) {
  const int number = static_cast<int>(cpu);
  Place place{.cpu = cpu};
  place.package = first_number(folder / "topology/physical_package_id").value_or(0);
  // On the machines that have a third level the kernel lists it as index3, after two of the first and one of the
  // second level; without it the package is the group.
  place.cache = first_of_list(folder / "cache/index3/shared_cpu_list", number).value_or(0);
  // Not core_id: it is not unique where a package has several dies.
  place.core = first_of_list(folder / "topology/thread_siblings_list", number).value_or(number);
  return place;
}

}  // namespace

std::vector<CpuId> in_order(const std::vector<CpuId>& cpus, const std::filesystem::path& root) {
  const std::filesystem::path folder = root / "sys/devices/system/cpu";
  std::vector<Place> places;
  std::map<int, std::size_t> taken_of_core;
  for (const CpuId cpu : cpus) {
    Place place = place_of(cpu, folder / ("cpu" + std::to_string(static_cast<std::uint32_t>(cpu))));
    place.turn = taken_of_core[place.core]++;
    places.push_back(place);
  }
  std::sort(places.begin(), places.end());
  std::vector<CpuId> ordered;
  for (const Place& place : places) ordered.push_back(place.cpu);
  return ordered;
}

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
