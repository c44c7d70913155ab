// The keys of dns and of its initial fields.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/dns/parameters.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <utility>

#include "tacit/engine/input_file.hpp"
#include "tacit/solvers/dns/physics_keys.hpp"

namespace tacit::dns {
namespace {

using config::Choice;
using config::Key;
namespace dim = base::dimension;

Setup read_taylor_green(const config::Parameters& p, const FlowParameters& /*flow*/) {
  return TaylorGreen{.speed = p.real("taylor_green.speed")};
}
Setup read_abc(const config::Parameters& p, const FlowParameters& /*flow*/) {
  return Abc{.a = p.real("abc.a"), .b = p.real("abc.b"), .c = p.real("abc.c")};
}
Setup read_isotropic(const config::Parameters& p, const FlowParameters& flow);
Setup read_field(const config::Parameters& p, const FlowParameters& /*flow*/) {
  return FromFile{engine::existing_hdf5_file(p, "initial.file")};
}
Setup read_formula_fields(const config::Parameters& p, const FlowParameters& flow) { return read_formulas(p, flow); }

constexpr std::array form_choices{
    Choice{"divergence", Form::divergence, "div (u u): the fewest transforms"},
    Choice{"rotational", Form::rotational, "u x omega: keeps the energy whatever the truncation"},
};
constexpr std::array scheme_choices{
    Choice{"rk2", Scheme::rk2, "Runge-Kutta of second order, two substages"},
    Choice{"rk4", Scheme::rk4, "Runge-Kutta of fourth order, four substages"},
};
constexpr std::array truncation_choices{
    Choice{"two_thirds", fft::Truncation::two_thirds,
           "modes below a third of the points along each axis: products have no aliasing errors"},
    Choice{"spherical", fft::Truncation::spherical,
           "modes within a sphere of sqrt(2)/3 of the points: more of them, and some aliasing errors"},
};
constexpr std::array setup_choices{
    Choice{"taylor_green", &read_taylor_green, "the vortices of Taylor & Green (table [taylor_green])"},
    Choice{"abc", &read_abc, "the flow of Arnold, Beltrami & Childress, which only decays (table [abc])"},
    Choice{"isotropic", &read_isotropic, "random modes with a given spectrum (table [isotropic])"},
    Choice{"formulas", &read_formula_fields, "formulas of x, y and z (table [initial.fields])"},
    Choice{"file", &read_field, "the velocity of an HDF5 file (key initial.file), at any resolution"},
};
enum class SpectrumForm : std::uint8_t { exponential, von_karman_pao, file };
constexpr std::array spectrum_choices{
    Choice{"exponential", SpectrumForm::exponential, "k^4 exp(-2 (k/peak)^2)"},
    Choice{"von_karman_pao", SpectrumForm::von_karman_pao, "k^4 below the peak, k^(-5/3) above, exp(-2 (k/k_eta)^2)"},
    Choice{"file", SpectrumForm::file, "a table of k and E(k) (key isotropic.spectrum_file)"},
};
constexpr std::array tuning_choices{
    Choice{"measured", fft::Tuning::measured,
           "algorithms are timed when the run starts, unless dns.tuning_file already has the times"},
    Choice{"none", fft::Tuning::none, "by rules: slabs, if there are planes for all ranks"},
};
constexpr std::array dns_keys{
    Key::integer("dns.points", {4, 1 << 20}, "Points along x; along y and z as many, unless these are given.")
        .required("128"),
    Key::integer("dns.points_y", {4, 1 << 20}, "Points along y."),
    Key::integer("dns.points_z", {4, 1 << 20}, "Points along z."),
    Key::vector("dns.box", dim::length, "Sides of the periodic box.",
                "[6.283185307179586, 6.283185307179586, 6.283185307179586]", config::positive),
    Key::non_negative("dns.viscosity", {.length = 2, .time = -1}, "Kinematic viscosity.").required("0.01"),
    Key::choice("dns.form", form_choices, Form::divergence, "How the nonlinear term is written."),
    Key::choice("dns.scheme", scheme_choices, Scheme::rk2, "Scheme in time; the viscous term is integrated exactly.")
        .changeable(),
    Key::choice("dns.truncation", truncation_choices, fft::Truncation::two_thirds, "Which modes are kept."),
    Key::real("dns.cfl", config::above(0.0, 2.0),
              "Courant number: dt = cfl / max(|u|/dx + |v|/dy + |w|/dz), u without its mean.", "0.5")
        .excludes("dns.dt")
        .changeable(),
    Key::positive("dns.dt", dim::time,
                  "A fixed time step, in place of dns.cfl; a run whose flow becomes too fast for it ends with an "
                  "error.")
        .changeable(),
    Key::integer("dns.process_grid", {0, 1 << 20},
                 "Process grid: ranks in each row, which exchange x and y; it divides the number of ranks. 1: slabs. "
                 "0: see dns.tuning.",
                 "0")
        .formerly("dns.ranks_of_row")
        .changeable(),
    Key::integer("dns.chunks", {0, 1024},
                 "Messages into which the planes of a rank are divided, to overlap them with computation. 0: see "
                 "dns.tuning.",
                 "0")
        .changeable(),
    Key::choice("dns.tuning", tuning_choices, fft::Tuning::measured,
                "How several ranks choose what is 0 above; the result of a run does not depend on it.")
        .changeable(),
    Key::path("dns.tuning_file",
              "A file that keeps measured times for other runs on such machines; with .wisdom, that of FFTW.")
        .changeable(),
};
constexpr std::array statistics_keys{
    Key::positive("dns.statistics.spectra_every", dim::time,
                  "Time between files of spectra, structure functions, probability densities and a slice "
                  "(spectra_STEP.hdf5). Without it: one at the start and one at the end."),
    Key::integer("dns.statistics.pdf_bins", {2, 100000}, "Bins of each probability density.", "200"),
    Key::positive("dns.statistics.pdf_range",
                  "How far the bins reach to either side, in root mean squares of the component.", "12"),
    Key::non_negative("dns.statistics.slice_z", dim::length,
                      "Where the slices cut the z axis; the nearest plane of points is taken.", "0"),
};
constexpr std::array tracer_keys{
    Key::integer("dns.particles.count", {0, 1e12},
                 "Tracer particles, which move with the flow; they start at random places.", "0"),
    Key::seed("dns.particles.seed", "Random seed for the places where they start."),
};
constexpr std::array initial_keys{
    Key::choice("initial.setup", setup_choices, "Built-in initial field.").required(),
    Key::existing_file(
        "initial.file",
        "A snapshot or checkpoint of dns, or any HDF5 file with u, v and w "
        "of shape (z, y, x) in code units; beside them scalar1, ..., and buoyancy b (theta = b/N is carried).")
        .with_example("snapshot.hdf5")
        .belongs_to("initial.setup", "file")
        .changeable(),
};
constexpr std::array taylor_green_keys{Key::quantity("taylor_green.speed", dim::velocity, "Largest speed.", "1")};
constexpr std::array abc_keys{
    Key::quantity("abc.a", dim::velocity, "A in (A sin z + C cos y, B sin x + A cos z, C sin y + B cos x).", "1"),
    Key::quantity("abc.b", dim::velocity, "B.", "1"),
    Key::quantity("abc.c", dim::velocity, "C.", "1"),
};
constexpr std::array isotropic_keys{
    Key::positive("isotropic.energy", dim::specific_energy,
                  "Kinetic energy per mass. With a table of E(k) that is not scaled unless this is given.", "0.5"),
    Key::positive("isotropic.peak", "Where the spectrum is largest [waves per box].", "4"),
    Key::choice("isotropic.spectrum", spectrum_choices, SpectrumForm::exponential, "Form of the energy spectrum E(k)."),
    Key::positive("isotropic.k_eta", "Where dissipation ends the spectrum von_karman_pao [waves per box].")
        .with_example("40.0")
        .belongs_to("isotropic.spectrum", "von_karman_pao"),
    Key::existing_file("isotropic.spectrum_file",
                       "A text with two columns: k [waves per box] and E(k); # begins a comment.")
        .with_example("spectrum.txt")
        .belongs_to("isotropic.spectrum", "file")
        .changeable(),
    Key::seed("isotropic.seed", "Random seed for the phases."),
};

std::size_t points(const config::Parameters& p, std::string_view key) {
  return p.count(p.has(key) ? key : "dns.points");
}

Setup read_isotropic(const config::Parameters& p, const FlowParameters& /*flow*/) {
  Isotropic setup{
      .energy = p.real("isotropic.energy"), .peak = p.real("isotropic.peak"), .seed = p.count("isotropic.seed")};
  const SpectrumForm form = p.choice("isotropic.spectrum", spectrum_choices);
  if (form == SpectrumForm::von_karman_pao) {
    setup.spectrum = VonKarmanPaoSpectrum{.peak = setup.peak, .k_eta = p.real("isotropic.k_eta")};
  } else if (form == SpectrumForm::file) {
    TabulatedSpectrum table = read_spectrum(p.existing_file("isotropic.spectrum_file"));
    if (!p.is_given("isotropic.energy")) setup.energy = table.total();
    setup.spectrum = std::move(table);
  }
  return setup;
}

StatisticsParameters read_statistics(const config::Parameters& p, const FlowParameters& flow) {
  StatisticsParameters result;
  if (p.has("dns.statistics.spectra_every")) result.spectra_every = p.real("dns.statistics.spectra_every");
  result.binning = {.bins = p.count("dns.statistics.pdf_bins"), .range = p.real("dns.statistics.pdf_range")};
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
  static const std::array<config::KeyTable, 11> tables{
      {{"Turbulence", dns_keys},
       {"Rotation, stratification, shifted grids", physics_keys()},
       {"Forcing", forcing_keys()},
       {"Passive scalars", scalar_keys()},
       {"Statistics of turbulence", statistics_keys, config::OnRestart::may_change},
       {"Tracer particles", tracer_keys},
       {"Initial conditions", initial_keys},
       {"Initial fields by formulas", formula_keys()},
       {"Set-up: Taylor-Green vortices", taylor_green_keys},
       {"Set-up: Arnold-Beltrami-Childress flow", abc_keys},
       {"Set-up: isotropic random field", isotropic_keys}}};
  return tables;
}

DnsParameters read_parameters(const config::Parameters& p) {
  DnsParameters result;
  FlowParameters& flow = result.flow;
  flow.points = {points(p, "dns.points"), points(p, "dns.points_y"), points(p, "dns.points_z")};
  flow.box = p.vec3("dns.box");
  flow.viscosity = p.real("dns.viscosity");
  flow.form = p.choice("dns.form", form_choices);
  flow.scheme = p.choice("dns.scheme", scheme_choices);
  flow.truncation = p.choice("dns.truncation", truncation_choices);
  flow.rigor = p.flag("run.deterministic") ? fft::Rigor::estimate : fft::Rigor::measure;
  flow.algorithm.grid = {.row_size = p.count("dns.process_grid"), .column_size = 0};
  flow.algorithm.division.chunks = p.count("dns.chunks");
  flow.tuning = p.choice("dns.tuning", tuning_choices);
  if (p.has("dns.tuning_file")) flow.tuning_file = p.path("dns.tuning_file");
  result.cfl = p.real("dns.cfl");
  if (p.has("dns.dt")) result.dt = p.real("dns.dt");
  const double dt_min = p.real("time.dt_min");
  if (result.dt && *result.dt < dt_min) {
    throw config::Error(p.where("dns.dt"), "dns.dt", fmt::format("is shorter than time.dt_min = {:.6g}", dt_min),
                        "change one of the two");
  }
  flow.physics = read_physics(p, flow);
  result.setup = p.choice("initial.setup", setup_choices)(p, flow);
  result.statistics = read_statistics(p, flow);
  result.tracers = {.count = p.count("dns.particles.count"), .seed = p.count("dns.particles.seed")};
  result.scalars = read_scalar_fields(p);
  return result;
}

}  // namespace tacit::dns
