// The keys of the gauge solver.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/qcd/gauge/gauge_parameters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "tacit/solvers/qcd/formats/links.hpp"
#include "tacit/solvers/qcd/read_lattice.hpp"
#include "tacit/solvers/qcd/smear_keys.hpp"

namespace tacit::qcd {
namespace {

using config::Choice;
using config::Key;

constexpr std::array start_choices{
    Choice{"cold", Start::cold, "all links are 1"},
    Choice{"hot", Start::hot, "links of equal distribution over SU(3), each by itself"},
    Choice{"file", Start::file, "a field in NERSC's or ILDG's format (key initial.file)"},
};
constexpr std::array format_choices{
    Choice{"none", GaugeFormat::none, "no files"},
    Choice{"nersc", GaugeFormat::nersc, "the format of the NERSC archive, three rows in IEEE64BIG"},
    Choice{"ildg", GaugeFormat::ildg, "the format of the International Lattice Data Grid, with SciDAC's checksums"},
};
constexpr std::array link_choices{
    Choice{"spatial", StapleAxes::spatial, "those along x, y, z, by staples in these directions"},
    Choice{"all", StapleAxes::all, "in all four directions"},
};
constexpr std::array gauge_keys{
    Key::numbers("gauge.extents", "Sites along x, y, z and t: even numbers. A file has its own.",
                 {2.0, static_cast<double>(longest_extent)})
        .with_example("[8, 8, 8, 16]"),
    Key::numbers("gauge.ranks", "Ranks along x, y, z and t; 0: chosen so that the least is sent, as without the key.",
                 config::non_negative)
        .with_example("[0, 0, 0, 0]")
        .changeable(),
    Key::non_negative("gauge.beta", "Coupling 6 / g0^2 of Wilson's action.").required("6.0"),
    Key::seed("gauge.seed", "Seed of the start and of all updates."),
    Key::count("gauge.overrelaxation", "Sweeps of overrelaxation after each heat bath.", "4"),
    Key::choice("gauge.write", format_choices, GaugeFormat::none, "Write the fields, at the begin and the end."),
    Key::positive("gauge.write_every", "Sweeps between fields that are written, beside the first and the last.")
        .with_example("10")
        .needs("gauge.write", "nersc", "ildg")
        .changeable(),
};
constexpr std::array initial_keys{
    Key::choice("initial.setup", start_choices, "The first field.").required(),
    Key::existing_file("initial.file", "A gauge field in the format of the NERSC archive or of ILDG.")
        .with_example("field.nersc")
        .belongs_to("initial.setup", "file")
        .changeable(),
};
constexpr std::array measure_keys{
    Key::count("measure.from", "Sweeps before the first measurement, in which the chain forgets its begin.", "0"),
    Key::integer("measure.every", {.lower = 1, .upper = 1e8}, "Sweeps from one measurement to the next.", "1"),
    Key::numbers("measure.wilson_loops",
                 "Longest sides of Wilson loops: along x, y, z, and along t; without the key there are none.",
                 {1.0, static_cast<double>(longest_extent)})
        .with_example("[4, 4]"),
};

constexpr std::array smear_keys{
    Key::choice("smear.kind", smearing_choices, SmearingKind::none, "What Wilson loops are measured of.")
        .needs("measure.wilson_loops"),
    smear_weight_key,
    smear_steps_key,
    Key::choice("smear.links", link_choices, StapleAxes::spatial, "Which links are smeared.")
        .needs("smear.kind", "ape", "stout"),
};
constexpr std::array flow_keys{
    Key::positive("flow.time",
                  "How far measured fields flow (Wilson flow), in units of the lattice spacing squared; "
                  "without the key they do not.")
        .with_example("4.0"),
    Key::real("flow.step", config::above(0.0, 0.15), "The longest step of the flow.", "0.02").needs("flow.time"),
    Key::integer("flow.points", {.lower = 2, .upper = 1e5},
                 "Times at equal distances at which the energy and the topological charge are measured.", "40")
        .needs("flow.time"),
    Key::integer("flow.every", {.lower = 1, .upper = 1e8}, "Measurements from one flow to the next.", "1")
        .needs("flow.time"),
};

[[noreturn]] void refuse(const config::Parameters& p, const char* key, const std::string& what,
                         const std::string& hint = {}) {
  throw config::Error(p.where(key), key, what, hint);
}

std::array<std::size_t, 2> read_loops(const config::Parameters& p, const Extents& extents) {
  constexpr const char* key = "measure.wilson_loops";
  if (!p.has(key)) return {};
  const std::vector<double> values = p.vector(key);
  if (values.size() != 2) {
    refuse(p, key, fmt::format("has {} numbers, expected 2: along x, y, z, and along t", values.size()),
           "for example [4, 4]");
  }
  const std::uint32_t shortest = std::min({extents.n[0], extents.n[1], extents.n[2]});
  const std::array<std::uint32_t, 2> most{shortest, extents.n[3]};
  std::array<std::size_t, 2> result{};
  for (std::size_t k = 0; k < 2; ++k) {
    result[k] = static_cast<std::size_t>(values[k]);
    if (static_cast<double>(result[k]) != values[k] || result[k] > most[k]) {
      refuse(p, key,
             fmt::format("{} is no number of links up to {}, as the lattice has {} sites", values[k], most[k],
                         extents.text()),
             fmt::format("[{}, {}] or less", most[0] / 2, most[1] / 2));
    }
  }
  return result;
}

FlowSettings read_flow(const config::Parameters& p) {
  FlowSettings result;
  if (!p.has("flow.time")) return result;
  constexpr double most_steps = 1e7;
  result.end = p.real("flow.time");
  result.step = p.real("flow.step");
  result.points = p.count("flow.points");
  if (!(result.end / result.step <= most_steps)) {
    refuse(p, "flow.step", fmt::format("{} means more than {:g} steps up to {}", result.step, most_steps, result.end));
  }
  return result;
}

}  // namespace

std::string GaugeParameters::origin() const {
  switch (start) {
    case Start::cold:
      return "cold";
    case Start::hot:
      return fmt::format("hot, seed {}", seed);
    case Start::file:
      break;
  }
  return file.string();
}

std::span<const config::KeyTable> gauge_key_tables() {
  static const std::array<config::KeyTable, 5> tables{{{"Gauge field", gauge_keys},
                                                       {"Start", initial_keys},
                                                       {"Measurements", measure_keys},
                                                       {"Smearing of Wilson loops", smear_keys},
                                                       {"Wilson flow", flow_keys}}};
  return tables;
}

GaugeParameters read_gauge_parameters(const config::Parameters& p) {
  GaugeParameters result;
  result.start = p.choice("initial.setup", start_choices);
  if (result.start == Start::file) result.file = p.existing_file("initial.file");
  result.extents = read_extents(p, "gauge.extents", result.file);
  result.ranks = read_ranks(p, "gauge.ranks");
  result.beta = p.real("gauge.beta");
  result.seed = p.count("gauge.seed");
  result.overrelaxations = p.count("gauge.overrelaxation");
  result.measures_from = p.count("measure.from");
  result.measures_every = p.count("measure.every");
  result.loops = read_loops(p, result.extents);
  result.smearing = read_smearing(p);
  if (result.smearing.kind != SmearingKind::none) result.smearing.links = p.choice("smear.links", link_choices);
  result.flow = read_flow(p);
  if (result.flow.end > 0.0) result.flows_every = p.count("flow.every");
  result.writes = p.choice("gauge.write", format_choices);
  if (p.has("gauge.write_every")) result.writes_every = p.real("gauge.write_every");
  return result;
}

}  // namespace tacit::qcd
