// The order of processors: reads /sys/devices/system/cpu and sorts.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/topology/detail/cpu_order.hpp"

#include <algorithm>
#include <compare>
#include <cstddef>
#include <fstream>
#include <locale>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace tacit::topology::detail {
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

}  // namespace tacit::topology::detail
