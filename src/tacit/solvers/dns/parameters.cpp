// The keys of dns and of its initial fields.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/dns/parameters.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "tacit/engine/input_file.hpp"
#include "tacit/solvers/dns/physics_keys.hpp"

namespace tacit::dns {
namespace {

using config::Choice;
using config::Key;
using config::Need;
using config::Type;
namespace dim = base::dimension;

constexpr std::array form_choices{
    Choice{"divergence", "div (u u): the fewest transforms"},
    Choice{"rotational", "u x omega: keeps the energy whatever the truncation"},
};
constexpr std::array scheme_choices{
    Choice{"rk2", "Runge-Kutta of second order, two substages"},
    Choice{"rk4", "Runge-Kutta of fourth order, four substages"},
};
constexpr std::array truncation_choices{
    Choice{"two_thirds", "modes below a third of the points along each axis: products are free of aliases"},
    Choice{"spherical", "modes within a sphere of sqrt(2)/3 of the points: more of them, and some aliases"},
};
constexpr std::array setup_choices{
    Choice{"taylor_green", "the vortices of Taylor & Green (table [taylor_green])"},
    Choice{"abc", "the flow of Arnold, Beltrami & Childress, which only decays (table [abc])"},
    Choice{"isotropic", "random modes with a given spectrum (table [isotropic])"},
    Choice{"file", "the velocity of an HDF5 file (key initial.file), at any resolution"},
};
constexpr std::array spectrum_choices{
    Choice{"exponential", "k^4 exp(-2 (k/peak)^2)"},
    Choice{"von_karman_pao", "k^4 below the peak, k^(-5/3) above, exp(-2 (k/k_eta)^2)"},
    Choice{"file", "a table of k and E(k) (key isotropic.spectrum_file)"},
};
constexpr std::array tuning_choices{
    Choice{"measured", "some passes are timed in each way when the run starts; what dns.tuning_file keeps is not"},
    Choice{"none", "by rules: slabs, as long as there are planes for all ranks"},
};
constexpr std::array dns_keys{
    Key{.name = "dns.points",
        .type = Type::integer,
        .help = "Points along x; along y and z as many, unless these are given.",
        .need = Need::required,
        .range = {.lower = 4, .upper = 1 << 20},
        .example = "128"},
    Key{.name = "dns.points_y",
        .type = Type::integer,
        .help = "Points along y.",
        .range = {.lower = 4, .upper = 1 << 20}},
    Key{.name = "dns.points_z",
        .type = Type::integer,
        .help = "Points along z.",
        .range = {.lower = 4, .upper = 1 << 20}},
    Key{.name = "dns.box",
        .type = Type::vector,
        .help = "Sides of the periodic box.",
        .need = Need::has_default,
        .default_value = "[6.283185307179586, 6.283185307179586, 6.283185307179586]",
        .dimension = dim::length,
        .range = config::positive},
    Key{.name = "dns.viscosity",
        .type = Type::quantity,
        .help = "Kinematic viscosity.",
        .need = Need::required,
        .dimension = {.length = 2, .time = -1},
        .range = config::non_negative,
        .example = "0.01"},
    Key{.name = "dns.form",
        .type = Type::choice,
        .help = "How the nonlinear term is written.",
        .need = Need::has_default,
        .default_value = "divergence",
        .choices = form_choices},
    Key{.name = "dns.scheme",
        .type = Type::choice,
        .help = "Scheme in time; the viscous term is integrated exactly.",
        .need = Need::has_default,
        .default_value = "rk2",
        .choices = scheme_choices},
    Key{.name = "dns.truncation",
        .type = Type::choice,
        .help = "Which modes are kept.",
        .need = Need::has_default,
        .default_value = "two_thirds",
        .choices = truncation_choices},
    Key{.name = "dns.cfl",
        .type = Type::real,
        .help = "Courant number: dt = cfl / max(|u|/dx + |v|/dy + |w|/dz), u without its mean.",
        .need = Need::has_default,
        .default_value = "0.5",
        .range = {.lower = 0.0, .upper = 2.0, .lower_open = true}},
    Key{.name = "dns.dt",
        .type = Type::quantity,
        .help = "A fixed time step, in place of dns.cfl; a run whose flow becomes too fast for it ends with an error.",
        .dimension = dim::time,
        .range = config::positive},
    Key{.name = "dns.ranks_of_row",
        .type = Type::integer,
        .help = "Ranks that exchange x and y; it divides the number of ranks. 1: slabs. 0: see dns.tuning.",
        .need = Need::has_default,
        .default_value = "0",
        .range = {.lower = 0, .upper = 1 << 20}},
    Key{.name = "dns.chunks",
        .type = Type::integer,
        .help = "Messages into which the planes of a rank are divided, so that they hide. 0: see dns.tuning.",
        .need = Need::has_default,
        .default_value = "0",
        .range = {.lower = 0, .upper = 1024}},
    Key{.name = "dns.tuning",
        .type = Type::choice,
        .help = "How several ranks find what is 0 above; the result of a run does not depend on it.",
        .need = Need::has_default,
        .default_value = "measured",
        .choices = tuning_choices},
    Key{.name = "dns.tuning_file",
        .type = Type::path,
        .help = "A file that keeps what was measured for other runs on such machines; with .wisdom, that of FFTW."},
};
constexpr std::array statistics_keys{
    Key{.name = "dns.statistics.spectra_every",
        .type = Type::quantity,
        .help = "Time between files of spectra, structure functions, probability densities and a slice "
                "(spectra_STEP.hdf5). Without it: one at the begin and one at the end.",
        .dimension = dim::time,
        .range = config::positive},
    Key{.name = "dns.statistics.pdf_bins",
        .type = Type::integer,
        .help = "Bins of each probability density.",
        .need = Need::has_default,
        .default_value = "200",
        .range = {.lower = 2, .upper = 100000}},
    Key{.name = "dns.statistics.pdf_range",
        .type = Type::real,
        .help = "How far the bins reach to either side, in root mean squares of the component.",
        .need = Need::has_default,
        .default_value = "12",
        .range = config::positive},
    Key{.name = "dns.statistics.slice_z",
        .type = Type::quantity,
        .help = "Where the slices cut the z axis; the nearest plane of points is taken.",
        .need = Need::has_default,
        .default_value = "0",
        .dimension = dim::length,
        .range = config::non_negative},
};
constexpr std::array tracer_keys{
    Key{.name = "dns.particles.count",
        .type = Type::integer,
        .help = "Tracer particles, which the flow carries along; they begin at random places.",
        .need = Need::has_default,
        .default_value = "0",
        .range = {.lower = 0, .upper = 1e12}},
    Key{.name = "dns.particles.seed",
        .type = Type::integer,
        .help = "Random seed for the places where they begin.",
        .need = Need::has_default,
        .default_value = "1",
        .range = {.lower = 0}},
};
constexpr std::array initial_keys{
    Key{.name = "initial.setup",
        .type = Type::choice,
        .help = "Built-in initial field.",
        .need = Need::required,
        .choices = setup_choices},
    Key{.name = "initial.file",
        .type = Type::path,
        .help =
            "The file of initial.setup = \"file\": a snapshot or checkpoint of dns, or any HDF5 file with u, v and w "
            "of shape (z, y, x) in code units; beside them scalar1, ..., and buoyancy b (theta = b/N is carried)."},
};
constexpr Key speed(std::string_view name, std::string_view help) {
  return {.name = name,
          .type = Type::quantity,
          .help = help,
          .need = Need::has_default,
          .default_value = "1",
          .dimension = dim::velocity};
}
constexpr std::array taylor_green_keys{speed("taylor_green.speed", "Largest speed.")};
constexpr std::array abc_keys{speed("abc.a", "A in (A sin z + C cos y, B sin x + A cos z, C sin y + B cos x)."),
                              speed("abc.b", "B."), speed("abc.c", "C.")};
constexpr std::array isotropic_keys{
    Key{.name = "isotropic.energy",
        .type = Type::quantity,
        .help = "Kinetic energy per mass. With a table of E(k) that is not scaled unless this is given.",
        .need = Need::has_default,
        .default_value = "0.5",
        .dimension = {.length = 2, .time = -2},
        .range = config::positive},
    Key{.name = "isotropic.peak",
        .type = Type::real,
        .help = "Where the spectrum is largest [waves per box].",
        .need = Need::has_default,
        .default_value = "4",
        .range = config::positive},
    Key{.name = "isotropic.spectrum",
        .type = Type::choice,
        .help = "Form of the energy spectrum E(k).",
        .need = Need::has_default,
        .default_value = "exponential",
        .choices = spectrum_choices},
    Key{.name = "isotropic.k_eta",
        .type = Type::real,
        .help = "Where dissipation ends the spectrum von_karman_pao [waves per box].",
        .range = config::positive},
    Key{.name = "isotropic.spectrum_file",
        .type = Type::path,
        .help = "A text with two columns: k [waves per box] and E(k); # begins a comment."},
    Key{.name = "isotropic.seed",
        .type = Type::integer,
        .help = "Random seed for the phases.",
        .need = Need::has_default,
        .default_value = "1",
        .range = {.lower = 0}},
};

std::size_t points(const config::Parameters& p, std::string_view key) {
  return static_cast<std::size_t>(p.integer(p.has(key) ? key : "dns.points"));
}

/// Keys that belong to one choice of another key stand beside it, and nowhere else.
/// @param example  a line that gives the key
void check_belongs(const config::Parameters& p, const std::string& key, const std::string& other,
                   const std::string& choice, std::string_view example) {
  const bool is_chosen = p.text(other) == choice;
  if (is_chosen && !p.has(key)) {
    throw config::Error(p.where(other), key, fmt::format("is missing; {} = \"{}\" needs it", other, choice),
                        fmt::format("write '{}' in [{}]", example, key.substr(0, key.find('.'))));
  }
  if (!is_chosen && p.has(key)) {
    throw config::Error(p.where(key), key, fmt::format("is used with {} = \"{}\" only", other, choice),
                        "set that, or remove this line");
  }
}

Isotropic read_isotropic(const config::Parameters& p) {
  Isotropic setup{.energy = p.real("isotropic.energy"),
                  .peak = p.real("isotropic.peak"),
                  .seed = static_cast<std::uint64_t>(p.integer("isotropic.seed"))};
  const std::string& form = p.text("isotropic.spectrum");
  if (form == "von_karman_pao") {
    setup.spectrum = VonKarmanPaoSpectrum{.peak = setup.peak, .k_eta = p.real("isotropic.k_eta")};
  } else if (form == "file") {
    TabulatedSpectrum table = read_spectrum(engine::existing_file(p, "isotropic.spectrum_file"));
    if (!p.is_given("isotropic.energy")) setup.energy = table.total();
    setup.spectrum = std::move(table);
  }
  return setup;
}

Setup read_setup(const config::Parameters& p) {
  check_belongs(p, "initial.file", "initial.setup", "file", "file = \"snapshot.hdf5\"");
  check_belongs(p, "isotropic.k_eta", "isotropic.spectrum", "von_karman_pao", "k_eta = 40.0");
  check_belongs(p, "isotropic.spectrum_file", "isotropic.spectrum", "file", "spectrum_file = \"spectrum.txt\"");
  const std::string& name = p.text("initial.setup");
  if (name == "taylor_green") return TaylorGreen{.speed = p.real("taylor_green.speed")};
  if (name == "abc") return Abc{.a = p.real("abc.a"), .b = p.real("abc.b"), .c = p.real("abc.c")};
  if (name == "isotropic") return read_isotropic(p);
  return FromFile{engine::existing_hdf5_file(p, "initial.file")};
}

StatisticsParameters read_statistics(const config::Parameters& p, const FlowParameters& flow) {
  StatisticsParameters result;
  if (p.has("dns.statistics.spectra_every")) result.spectra_every = p.real("dns.statistics.spectra_every");
  result.binning = {.bins = static_cast<std::size_t>(p.integer("dns.statistics.pdf_bins")),
                    .range = p.real("dns.statistics.pdf_range")};
  const double z = p.real("dns.statistics.slice_z");
  if (z > flow.box.z) {
    throw config::Error(p.where("dns.statistics.slice_z"), "dns.statistics.slice_z",
                        fmt::format("{:.6g} lies outside of the box, which ends at z = {:.6g}", z, flow.box.z),
                        "take a place within it");
  }
  const std::size_t planes = flow.points[2];
  result.slice_z = static_cast<std::size_t>(std::lround(z / flow.box.z * static_cast<double>(planes))) % planes;
  return result;
}

}  // namespace

std::span<const config::KeyTable> key_tables() {
  static const std::array<config::KeyTable, 10> tables{{{"Turbulence", dns_keys},
                                                        {"Rotation, stratification, shifted grids", physics_keys()},
                                                        {"Forcing", forcing_keys()},
                                                        {"Passive scalars", scalar_keys()},
                                                        {"Statistics of turbulence", statistics_keys},
                                                        {"Tracer particles", tracer_keys},
                                                        {"Initial conditions", initial_keys},
                                                        {"Set-up: Taylor-Green vortices", taylor_green_keys},
                                                        {"Set-up: Arnold-Beltrami-Childress flow", abc_keys},
                                                        {"Set-up: isotropic random field", isotropic_keys}}};
  return tables;
}

DnsParameters read_parameters(const config::Parameters& p) {
  DnsParameters result;
  FlowParameters& flow = result.flow;
  flow.points = {points(p, "dns.points"), points(p, "dns.points_y"), points(p, "dns.points_z")};
  const std::vector<double> box = p.vector("dns.box");
  flow.box = {box[0], box[1], box[2]};
  flow.viscosity = p.real("dns.viscosity");
  flow.form = p.text("dns.form") == "rotational" ? Form::rotational : Form::divergence;
  flow.scheme = p.text("dns.scheme") == "rk4" ? Scheme::rk4 : Scheme::rk2;
  flow.truncation = p.text("dns.truncation") == "spherical" ? fft::Truncation::spherical : fft::Truncation::two_thirds;
  flow.rigor = p.flag("run.deterministic") ? fft::Rigor::estimate : fft::Rigor::measure;
  flow.way.grid = {.row_size = static_cast<std::size_t>(p.integer("dns.ranks_of_row")), .column_size = 0};
  flow.way.division.chunks = static_cast<std::size_t>(p.integer("dns.chunks"));
  flow.tuning = p.text("dns.tuning") == "measured" ? fft::Tuning::measured : fft::Tuning::none;
  if (p.has("dns.tuning_file")) flow.tuning_file = p.path("dns.tuning_file");
  result.cfl = p.real("dns.cfl");
  if (p.has("dns.dt")) result.dt = p.real("dns.dt");
  if (result.dt && p.is_given("dns.cfl")) {
    throw config::Error(p.where("dns.cfl"), "dns.cfl", "stands beside dns.dt; only one of them is used",
                        "remove one of the two lines");
  }
  const double dt_min = p.real("time.dt_min");
  if (result.dt && *result.dt < dt_min) {
    throw config::Error(p.where("dns.dt"), "dns.dt", fmt::format("is shorter than time.dt_min = {:.6g}", dt_min),
                        "change one of the two");
  }
  flow.physics = read_physics(p, flow);
  result.setup = read_setup(p);
  result.statistics = read_statistics(p, flow);
  result.tracers = {.count = static_cast<std::uint64_t>(p.integer("dns.particles.count")),
                    .seed = static_cast<std::uint64_t>(p.integer("dns.particles.seed"))};
  result.scalars = read_scalar_fields(p);
  return result;
}

}  // namespace tacit::dns
