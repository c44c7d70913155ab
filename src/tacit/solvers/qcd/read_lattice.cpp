// Reads extents and ranks, whichever solver's.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/qcd/read_lattice.hpp"

#include <fmt/format.h>

#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "tacit/base/error.hpp"
#include "tacit/solvers/qcd/formats/gauge_file.hpp"
#include "tacit/solvers/qcd/formats/links.hpp"

namespace tacit::qcd {
namespace {

[[noreturn]] void refuse_key(const config::Parameters& p, const char* key, const std::string& what,
                             const std::string& hint = {}) {
  throw config::Error(p.where(key), key, what, hint);
}

}  // namespace

Coordinates read_coordinates(const config::Parameters& p, const char* key, const char* example) {
  const std::vector<double> values = p.vector(key);
  if (values.size() != axes) {
    refuse_key(p, key, fmt::format("has {} numbers, expected 4: x, y, z, t", values.size()), example);
  }
  Coordinates result{};
  for (std::size_t axis = 0; axis < axes; ++axis) {
    if (values[axis] != std::floor(values[axis]) || values[axis] > longest_extent) {
      refuse_key(p, key, fmt::format("{} is no number of sites up to {}", values[axis], longest_extent), example);
    }
    result[axis] = static_cast<std::uint32_t>(values[axis]);
  }
  return result;
}

Extents read_extents(const config::Parameters& p, const char* key, const std::filesystem::path& gauge_file) {
  Extents extents;
  if (p.has(key)) {
    extents.n = read_coordinates(p, key, "for example [8, 8, 8, 16]");
    for (const std::uint32_t n : extents.n) {
      if (n % 2 != 0) {
        refuse_key(p, key, fmt::format("{} is odd: sites of both parities must alternate along each axis", n),
                   fmt::format("{} or {}", n + 1, n > 2 ? n - 1 : n + 1));
      }
    }
  }
  if (!gauge_file.empty()) {
    const Extents in_file = read_gauge_extents(gauge_file);
    if (p.has(key) && extents.n != in_file.n) {
      refuse_key(
          p, key,
          fmt::format("{}, but the field of {} has {} sites", extents.text(), gauge_file.string(), in_file.text()),
          fmt::format("leave {} out", key));
    }
    return in_file;
  }
  if (!p.has(key)) {
    const std::string_view name = key;
    const std::size_t dot = name.find('.');
    refuse_key(p, key, "is missing",
               fmt::format("write '{} = [8, 8, 8, 16]' in [{}]", name.substr(dot + 1), name.substr(0, dot)));
  }
  return extents;
}

RanksPerAxis read_ranks(const config::Parameters& p, const char* key) {
  RanksPerAxis ranks{};
  if (!p.has(key)) return ranks;
  const std::vector<double> values = p.vector(key);
  if (values.size() != axes) {
    refuse_key(p, key, fmt::format("has {} numbers, expected 4: x, y, z, t", values.size()),
               "for example [1, 1, 2, 2]");
  }
  for (std::size_t axis = 0; axis < axes; ++axis) {
    if (values[axis] != std::floor(values[axis]) || values[axis] > longest_extent) {
      refuse_key(p, key, fmt::format("{} is no number of ranks up to {}", values[axis], longest_extent),
                 "for example [1, 1, 2, 2]");
    }
    ranks[axis] = static_cast<std::uint32_t>(values[axis]);
  }
  return ranks;
}

void require_division(const config::Parameters& p, const std::string& table, const Extents& extents,
                      const RanksPerAxis& along, std::size_t count) try {
  static_cast<void>(divide(extents, along, count, comm::RankId{0}));
} catch (const base::Error& error) {
  const std::string key = table + (p.has(table + ".ranks") ? ".ranks" : ".extents");
  throw config::Error(p.where(p.has(key) ? key : "solver"), key, error.what());
}

}  // namespace tacit::qcd
