// The keys of thermostats.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "tacit/solvers/md/ensembles/thermostat.hpp"

namespace tacit::md {
namespace {

using config::Choice;
using config::Key;
namespace dim = base::dimension;

constexpr std::array method_choices{
    Choice{"langevin", ThermostatMethod::langevin, "friction and random kicks: canonical, keeps no momentum"},
    Choice{"nose_hoover", ThermostatMethod::nose_hoover,
           "a chain of Nose and Hoover: canonical, without random numbers"},
    Choice{"berendsen", ThermostatMethod::berendsen, "velocities scaled a little in each step: to prepare a state"},
    Choice{"rescale", ThermostatMethod::rescale,
           "velocities scaled to the temperature in each step: to prepare a state"},
};
constexpr std::array keys{
    Key::choice("thermostat.method", method_choices,
                "What holds the temperature of the atoms. Without it none does, and the energy is constant."),
    Key::positive("thermostat.temperature", dim::temperature, "Temperature that is wanted.").needs("thermostat.method"),
    Key::numbers("thermostat.temperatures",
                 "In its place: temperatures at thermostat.times, in code units, with straight lines between them; "
                 "before the first and after the last one it stays.",
                 config::positive)
        .excludes("thermostat.temperature"),
    Key::numbers("thermostat.times", "Times of thermostat.temperatures, in code units, rising.")
        .needs("thermostat.temperatures"),
    Key::positive(
        "thermostat.relaxation_time", dim::time,
        "Within which atoms take over the temperature: of langevin mass over friction, of nose_hoover the time "
        "that gives the chain its masses.")
        .needs("thermostat.method", "langevin", "nose_hoover", "berendsen"),
    Key::integer("thermostat.chain", {1.0, 20.0}, "Members of the chain.", "3")
        .needs("thermostat.method", "nose_hoover"),
    Key::text("thermostat.group", "Name of a group of groups.named on whose atoms alone it acts.")
        .needs("thermostat.method"),
    Key::seed("thermostat.seed", "Seed of random kicks: each depends on it, the ID of the atom, and the step.")
        .needs("thermostat.method", "langevin"),
};

Ramp read_temperature(const config::Parameters& p, double boltzmann) {
  if (p.has("thermostat.temperature")) return Ramp(boltzmann * p.real("thermostat.temperature"));
  if (!p.has("thermostat.temperatures")) {
    throw config::Error(p.where("thermostat.method"), "thermostat.temperature",
                        "is missing: thermostat.method is given",
                        "write the temperature that is wanted, or thermostat.temperatures and thermostat.times");
  }
  std::vector<double> values = p.vector("thermostat.temperatures");
  for (double& value : values) value *= boltzmann;
  std::vector<double> times = p.has("thermostat.times") ? p.vector("thermostat.times") : std::vector<double>{};
  if (times.size() != values.size()) {
    throw config::Error(p.where("thermostat.temperatures"), "thermostat.temperatures",
                        fmt::format("has {} number(s), thermostat.times {}", values.size(), times.size()),
                        "give a time for each temperature, for example temperatures = [300.0, 3000.0] and times = "
                        "[0.0, 20.0]");
  }
  if (std::ranges::adjacent_find(times, std::ranges::greater_equal{}) != times.end()) {
    throw config::Error(p.where("thermostat.times"), "thermostat.times", "do not rise",
                        "each has to be later than the one before it");
  }
  return {std::move(times), std::move(values)};
}

}  // namespace

std::span<const config::Key> thermostat_keys() { return keys; }

std::optional<ThermostatParameters> read_thermostat(const config::Parameters& p, double boltzmann, double dt) {
  if (!p.has("thermostat.method")) {
    if (!p.has("thermostat.temperatures")) return std::nullopt;
    throw config::Error(p.where("thermostat.temperatures"), "thermostat.temperatures",
                        "is used with thermostat.method only", "add that line, or remove this one");
  }
  ThermostatParameters result{.method = p.choice("thermostat.method", method_choices),
                              .thermal_energy = read_temperature(p, boltzmann),
                              .chain = p.count("thermostat.chain"),
                              .seed = p.count("thermostat.seed")};
  if (result.method == ThermostatMethod::rescale) return result;
  if (!p.has("thermostat.relaxation_time")) {
    throw config::Error(p.where("thermostat.method"), "thermostat.relaxation_time",
                        "is missing: thermostat.method = \"" + p.text("thermostat.method") + "\" needs it",
                        "100 times md.dt is usual");
  }
  result.relaxation_time = p.real("thermostat.relaxation_time");
  if (result.relaxation_time >= dt) return result;
  throw config::Error(p.where("thermostat.relaxation_time"), "thermostat.relaxation_time",
                      fmt::format("is shorter than a step, md.dt = {:.6g}", dt), "100 times md.dt is usual");
}

}  // namespace tacit::md
