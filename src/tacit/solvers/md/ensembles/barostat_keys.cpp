// The keys of barostats and strains.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "tacit/solvers/md/ensembles/barostat.hpp"

namespace tacit::md {
namespace {

using config::Choice;
using config::Key;
namespace dim = base::dimension;

constexpr std::array axes_choices{
    Choice{"isotropic", true, "all edges grow alike, by the mean of the pressures along the axes"},
    Choice{"each", false, "each edge has its own length, by the pressure along it"},
};
constexpr std::array barostat_table{
    Key::numbers(
        "barostat.pressures",
        "Pressure that is wanted, in the unit of the pressures in statistics.csv: the box changes so that it is "
        "found. Several are those at barostat.times, with straight lines between them. Without it the box stays."),
    Key::numbers("barostat.times", "Times of barostat.pressures, in code units, rising.").needs("barostat.pressures"),
    Key::positive("barostat.relaxation_time", dim::time,
                  "Within which the box takes over the pressure; 1000 times md.dt is usual.")
        .needs("barostat.pressures"),
    Key::choice("barostat.axes", axes_choices, true, "How the box may change."),
    Key::integer("barostat.chain", {1.0, 20.0}, "Members of the chain of Nose and Hoover that acts on the box.", "3"),
};
constexpr std::array strain_table{
    Key::numbers(
        "strain.rates",
        "Rates at which the lengths of the box along x, y and z grow, in shares of the first length per time, in "
        "code units; atoms move along. Without it the box stays."),
};

void refuse_open(const config::Parameters& p, const char* key, const Box& box, std::size_t axis) {
  if (box.periodic[axis]) return;
  throw config::Error(
      p.where(key), key,
      fmt::format("changes the box along {}, where it is open: beyond its face is empty space", "xyz"[axis]),
      "make it periodic there (md.boundary), or leave the table out");
}

}  // namespace

std::span<const Key> barostat_keys() { return barostat_table; }
std::span<const Key> strain_keys() { return strain_table; }

std::optional<BarostatParameters> read_barostat(const config::Parameters& p, const Units& units, const Box& box,
                                                double dt) {
  if (!p.has("barostat.pressures")) return std::nullopt;
  const char* key = "barostat.pressures";
  for (std::size_t axis = 0; axis < 3; ++axis) refuse_open(p, key, box, axis);
  if (!p.has("thermostat.method")) {
    throw config::Error(p.where(key), key, "is given, but no temperature is held",
                        "write [thermostat], for example with method = \"nose_hoover\"");
  }
  if (!p.has("barostat.relaxation_time")) {
    throw config::Error(p.where(key), "barostat.relaxation_time", "is missing: barostat.pressures needs it",
                        "1000 times md.dt is usual");
  }
  std::vector<double> pressures = p.vector(key);
  std::vector<double> times = p.has("barostat.times") ? p.vector("barostat.times") : std::vector<double>{0.0};
  if (times.size() != pressures.size() || pressures.empty()) {
    throw config::Error(
        p.where(key), key, fmt::format("has {} number(s), barostat.times {}", pressures.size(), times.size()),
        "give one pressure, or a time for each, for example pressures = [0.0, 1e4] and times = [0.0, 20.0]");
  }
  if (std::ranges::adjacent_find(times, std::ranges::greater_equal{}) != times.end()) {
    throw config::Error(p.where("barostat.times"), "barostat.times", "do not rise",
                        "each has to be later than the one before it");
  }
  for (double& pressure : pressures) pressure /= units.pressure;
  BarostatParameters result{.pressure = Ramp(std::move(times), std::move(pressures)),
                            .relaxation_time = p.real("barostat.relaxation_time"),
                            .is_isotropic = p.choice("barostat.axes", axes_choices),
                            .chain = p.count("barostat.chain")};
  if (result.relaxation_time >= 10.0 * dt) return result;
  throw config::Error(p.where("barostat.relaxation_time"), "barostat.relaxation_time",
                      fmt::format("is shorter than ten steps, 10 md.dt = {:.6g}", 10.0 * dt),
                      "1000 times md.dt is usual");
}

std::optional<StrainParameters> read_strain(const config::Parameters& p, const Box& box) {
  if (!p.has("strain.rates")) return std::nullopt;
  const std::vector<double> rates = p.vector("strain.rates");
  if (rates.size() != 3) {
    throw config::Error(p.where("strain.rates"), "strain.rates",
                        fmt::format("has {} numbers, expected three", rates.size()), "for example [0.001, 0, 0]");
  }
  if (p.has("barostat.pressures")) {
    throw config::Error(p.where("strain.rates"), "strain.rates", "does not go with barostat.pressures",
                        "remove one of the two: both change the box");
  }
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (rates[axis] != 0.0) refuse_open(p, "strain.rates", box, axis);
  }
  return StrainParameters{.rates = {rates[0], rates[1], rates[2]}};
}

}  // namespace tacit::md
