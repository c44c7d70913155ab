// The keys of qcd.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/qcd/parameters.hpp"

#include <fmt/format.h>

#include <array>

#include "tacit/engine/input_file.hpp"
#include "tacit/solvers/qcd/formats/links.hpp"
#include "tacit/solvers/qcd/multigrid/multigrid_keys.hpp"
#include "tacit/solvers/qcd/read_lattice.hpp"
#include "tacit/solvers/qcd/smear_keys.hpp"

namespace tacit::qcd {
namespace {

using config::Choice;
using config::Key;

constexpr std::array setup_choices{
    Choice{"unit", Setup::unit, "all links are 1: free quarks"},
    Choice{"random", Setup::random, "links near 1, each by itself (table [random])"},
    Choice{"file", Setup::file, "a field in NERSC's or ILDG's format (key initial.file)"},
};
constexpr std::array boundary_choices{
    Choice{"periodic", BoundaryT::periodic, "as along x, y and z"},
    Choice{"antiperiodic", BoundaryT::antiperiodic, "quarks change their sign, as at finite temperature"},
};
constexpr std::array source_choices{
    Choice{"point", SourceKind::point, "1 at a site, for each spin and colour: twelve solves, and the correlators"},
    Choice{"wall", SourceKind::wall, "1 at all sites of a t, likewise; for fields of a fixed gauge"},
    Choice{"random", SourceKind::random, "real and imaginary parts uniform in [-1, 1]: one solve"},
    Choice{"ones", SourceKind::ones, "1 everywhere: one solve"},
    Choice{"file", SourceKind::file, "the array source of an HDF5 file (key source.file): one solve"},
};
constexpr std::array method_choices{
    Choice{"cgnr", Method::cgnr, "conjugate gradients on the normal equations, which always converge"},
    Choice{"bicgstab", Method::bicgstab, "BiCGstab: less work, where it converges"},
    Choice{"gcr", Method::gcr, "GCR: the least residual at each iteration, of 16 directions; then it starts again"},
    Choice{"multigrid", Method::multigrid,
           "flexible GCR with adaptive aggregation multigrid (table [multigrid]): for light quarks"},
    Choice{"apply", Method::apply, "no solve: the operator is applied to the sources, to compare with other programs"},
};
constexpr std::array precision_choices{
    Choice{"double", Precision::whole, "double precision"},
    Choice{"mixed", Precision::mixed,
           "single precision, with reliable updates in double: the same residual, half of the bytes"},
};
constexpr std::array format_choices{
    Choice{"none", GaugeFormat::none, "no file"},
    Choice{"nersc", GaugeFormat::nersc, "the format of the NERSC archive, three rows in IEEE64BIG"},
    Choice{"ildg", GaugeFormat::ildg, "the format of the International Lattice Data Grid, with SciDAC's checksums"},
};
constexpr std::array qcd_keys{
    Key::numbers("qcd.extents", "Sites along x, y, z and t: even numbers. A file has its own.",
                 {2.0, static_cast<double>(longest_extent)})
        .with_example("[8, 8, 8, 16]"),
    Key::numbers("qcd.ranks", "Ranks along x, y, z and t; 0: chosen so that the least is sent, as without the key.",
                 config::non_negative)
        .with_example("[0, 0, 0, 0]")
        .changeable(),
    Key::real("qcd.mass", config::any, "Bare mass m0 of the quark, in units of 1/a.").with_example("0.1"),
    Key::positive("qcd.kappa", "Hopping parameter 1 / (2 (m0 + 4)), in place of the mass.").alternative_to("qcd.mass"),
    Key::real("qcd.csw", config::any, "Coefficient of the clover term; 0: Wilson's operator without one.", "0"),
    Key::choice("qcd.boundary", boundary_choices, BoundaryT::antiperiodic, "What quarks do beyond the end of t."),
    Key::choice("qcd.write_gauge", format_choices, GaugeFormat::none, "Write the gauge field into a file."),
    Key::flag("qcd.write_solutions", false, "Write the solutions into snapshots."),
};
constexpr std::array initial_keys{
    Key::choice("initial.setup", setup_choices, "The gauge field.").required(),
    Key::existing_file("initial.file", "A gauge field in the format of the NERSC archive or of ILDG.")
        .with_example("field.nersc")
        .belongs_to("initial.setup", "file")
        .changeable(),
};
constexpr std::array random_keys{
    Key::non_negative("random.spread", "Links are exp(i spread H), where elements of H are up to 1.", "0.25")
        .needs("initial.setup", "random"),
    Key::seed("random.seed", "Seed of the links.").needs("initial.setup", "random"),
};
constexpr std::array source_keys{
    Key::choice("source.kind", source_choices, SourceKind::point, "The right-hand sides."),
    Key::numbers("source.position", "Site of a point source: x, y, z, t; without it the first. A wall has its t.",
                 config::non_negative)
        .needs("source.kind", "point", "wall"),
    Key::count("source.smearing_steps", "Steps of Jacobi smearing along x, y, z; 0: the source is not smeared.", "0")
        .needs("source.kind", "point", "wall"),
    Key::positive("source.smearing_weight", "kappa of Jacobi smearing: the weight of neighbours.", "0.25")
        .needs("source.smearing_steps"),
    Key::seed("source.seed", "Seed of a random source.").needs("source.kind", "random"),
    Key::existing_file("source.file", "An HDF5 file with the array source of shape (t, z, y, x, spin, colour, 2).")
        .with_example("source.hdf5")
        .belongs_to("source.kind", "file")
        .changeable(),
};
constexpr std::array smear_keys{
    Key::choice("smear.kind", smearing_choices, SmearingKind::none,
                "Links along x, y, z by which the source is smeared; the operator has those of the field.")
        .needs("source.smearing_steps"),
    smear_weight_key,
    smear_steps_key,
};
constexpr std::array solve_keys{
    Key::choice("solve.method", method_choices, Method::cgnr, "How D x = b is solved."),
    Key::choice("solve.precision", precision_choices, Precision::whole,
                "In which precision a solve iterates. Multigrid: double, with cycles in single."),
    Key::flag(
        "solve.even_odd", true,
        "Solve the Schur complement of the odd sites: some half of the iterations. Multigrid solves for all sites."),
    Key::integer(
        "solve.at_once", {.lower = 1, .upper = 12},
        "Sources that multigrid solves for together: less time, the same solutions, as many times the memory of "
        "a solve. A step is then an iteration of all of them.",
        "1")
        .needs("solve.method", "multigrid"),
    Key::fraction("solve.tolerance", "|b - D x| / |b| at which a solve ends.", "1e-10").changeable(),
    Key::integer("solve.max_iterations", {.lower = 1, .upper = 1e8}, "Of one solve; one that needs more has failed.",
                 "10000")
        .changeable(),
    Key::integer("solve.patience", {.lower = 1, .upper = 1e8},
                 "A solve whose residual has not fallen by a hundredth in so many iterations has failed.", "1000")
        .changeable(),
};

[[noreturn]] void refuse(const config::Parameters& p, const char* key, const std::string& what,
                         const std::string& hint = {}) {
  throw config::Error(p.where(key), key, what, hint);
}

GaugeSource read_gauge(const config::Parameters& p) {
  GaugeSource gauge{.setup = p.choice("initial.setup", setup_choices)};
  if (gauge.setup == Setup::random) {
    gauge.spread = p.real("random.spread");
    gauge.seed = p.count("random.seed");
  }
  if (gauge.setup == Setup::file) gauge.file = p.existing_file("initial.file");
  return gauge;
}

SourceParameters read_source(const config::Parameters& p, const Extents& extents) {
  SourceParameters source{.kind = p.choice("source.kind", source_choices)};
  if (p.has("source.position")) {
    source.position = read_coordinates(p, "source.position", "for example [0, 0, 0, 0]");
    for (std::size_t axis = 0; axis < axes; ++axis) {
      if (source.position[axis] >= extents.n[axis]) {
        refuse(p, "source.position",
               fmt::format("{} = {} is not on the lattice of {} sites", "xyzt"[axis], source.position[axis],
                           extents.text()),
               fmt::format("{} from 0 to {}", "xyzt"[axis], extents.n[axis] - 1));
      }
    }
  }
  if (source.has_columns() && p.count("source.smearing_steps") > 0) {
    source.smearing = {.weight = p.real("source.smearing_weight"),
                       .steps = p.count("source.smearing_steps"),
                       .links = read_smearing(p)};
  }
  source.seed = p.count("source.seed");
  if (source.kind == SourceKind::file) source.file = engine::existing_hdf5_file(p, "source.file");
  return source;
}

void read_at_once(const config::Parameters& p, QcdParameters& result) {
  constexpr const char* at_once = "solve.at_once";
  result.at_once = p.count(at_once);
  if (result.at_once <= result.source.count()) return;
  refuse(p, at_once,
         fmt::format("{} sources at once are more than the {} that there are", result.at_once, result.source.count()),
         "leave it out, or take a point or a wall: these have twelve");
}

/// Multigrid has one precision of each part, and is for all sites.
void read_multigrid(const config::Parameters& p, QcdParameters& result) {
  if (result.method != Method::multigrid) return;
  constexpr const char* even_odd = "solve.even_odd";
  if (p.is_given(even_odd) && result.is_even_odd) {
    refuse(p, even_odd, "multigrid solves for all sites, even and odd", "leave it out");
  }
  constexpr const char* precision = "solve.precision";
  if (p.is_given(precision)) {
    refuse(p, precision, "multigrid iterates in double precision, with cycles in single precision", "leave it out");
  }
  result.is_even_odd = false;
  read_at_once(p, result);
  result.multigrid = multigrid::read_settings(p, result.extents);
}

double read_mass(const config::Parameters& p) {
  return p.has("qcd.kappa") ? 0.5 / p.real("qcd.kappa") - 4.0 : p.real("qcd.mass");
}

}  // namespace

std::string GaugeSource::text() const {
  switch (setup) {
    case Setup::unit:
      return "unit";
    case Setup::random:
      return fmt::format("random, spread {:g}, seed {}", spread, seed);
    case Setup::file:
      break;
  }
  return file.string();
}

std::span<const config::KeyTable> key_tables() {
  static const std::array<config::KeyTable, 7> tables{{{"Lattice and operator", qcd_keys},
                                                       {"Gauge field", initial_keys},
                                                       {"Set-up: random", random_keys},
                                                       {"Source", source_keys},
                                                       {"Links of smeared sources", smear_keys},
                                                       {"Solve", solve_keys},
                                                       {"Multigrid", multigrid::keys}}};
  return tables;
}

QcdParameters read_parameters(const config::Parameters& p) {
  QcdParameters result;
  result.gauge = read_gauge(p);
  result.extents = read_extents(p, "qcd.extents", result.gauge.file);
  result.ranks = read_ranks(p, "qcd.ranks");
  result.dirac = {
      .mass = read_mass(p), .boundary = p.choice("qcd.boundary", boundary_choices), .csw = p.real("qcd.csw")};
  result.source = read_source(p, result.extents);
  result.method = p.choice("solve.method", method_choices);
  result.precision = p.choice("solve.precision", precision_choices);
  result.is_even_odd = p.flag("solve.even_odd");
  result.solve = {.tolerance = p.real("solve.tolerance"),
                  .max_iterations = p.count("solve.max_iterations"),
                  .patience = p.count("solve.patience")};
  read_multigrid(p, result);
  result.writes_gauge = p.choice("qcd.write_gauge", format_choices);
  result.writes_solutions = p.flag("qcd.write_solutions");
  return result;
}

}  // namespace tacit::qcd
