// The table of sph keys.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/sph/parameters.hpp"

#include <array>
#include <filesystem>
#include <string>
#include <system_error>

#include "tacit/solvers/sph/formats/gadget.hpp"
#include "tacit/solvers/sph/kernels/smoothing.hpp"

namespace tacit::sph {
namespace {

using config::Choice;
using config::Key;
using config::Need;
using config::Type;
namespace dim = base::dimension;

constexpr std::array kernel_choices{
    Choice{"cubic_spline", "M4; 48 neighbours at eta = 1.2348"},
    Choice{"quartic_spline", "M5; 65 neighbours at eta = 1.2348"},
    Choice{"quintic_spline", "M6; 83 neighbours at eta = 1.2348"},
};
constexpr std::array scheme_choices{
    Choice{"gadget2", "density-entropy (Springel & Hernquist 2002), viscosity of Springel (2005)"},
};
constexpr std::array boundary_choices{
    Choice{"periodic", "the box repeats in all directions"},
    Choice{"open", "particles may leave the box"},
};
constexpr std::array setup_choices{
    Choice{"sedov", "a point explosion in a uniform gas (table [sedov])"},
    Choice{"sod", "a shock tube between two uniform states (table [sod])"},
};

constexpr std::array sph_keys{
    Key{.name = "sph.scheme",
        .type = Type::choice,
        .help = "Equations that are solved.",
        .need = Need::has_default,
        .default_value = "gadget2",
        .choices = scheme_choices},
    Key{.name = "sph.kernel",
        .type = Type::choice,
        .help = "Smoothing kernel.",
        .need = Need::has_default,
        .default_value = "cubic_spline",
        .choices = kernel_choices},
    Key{.name = "sph.eta",
        .type = Type::real,
        .help = "Resolution: smoothing length over mean particle distance, h = eta (m / rho)^(1/3).",
        .need = Need::has_default,
        .default_value = "1.2348",
        .range = {.lower = 0.5, .upper = 3.0}},
    Key{.name = "sph.h_tolerance",
        .type = Type::real,
        .help = "Relative accuracy of the smoothing length.",
        .need = Need::has_default,
        .default_value = "1e-4",
        .range = {.lower = 1e-12, .upper = 0.1}},
    Key{.name = "sph.h_max",
        .type = Type::quantity,
        .help = "Largest smoothing length; at most, and without it, kernel support as wide as the shortest side of a "
                "periodic "
                "box or the longest of an open one.",
        .dimension = dim::length,
        .range = config::positive},
    Key{.name = "sph.gamma",
        .type = Type::real,
        .help = "Adiabatic index.",
        .need = Need::has_default,
        .default_value = "1.6666666666666667",
        .range = {.lower = 1.0, .upper = 10.0, .lower_open = true}},
    Key{.name = "sph.cfl",
        .type = Type::real,
        .help = "Courant number: dt = 2 cfl H / v_sig, H the support radius, v_sig the largest signal velocity.",
        .need = Need::has_default,
        .default_value = "0.1",
        .range = {.lower = 0.0, .upper = 0.5, .lower_open = true}},
    Key{.name = "sph.alpha",
        .type = Type::real,
        .help = "Artificial viscosity. 0.8 is what GADGET-2 takes; strong blast waves need more (docs/decisions/0010).",
        .need = Need::has_default,
        .default_value = "1.2",
        .range = {.lower = 0.0, .upper = 10.0}},
    Key{.name = "sph.boundary",
        .type = Type::choice,
        .help = "Boundaries of the box.",
        .need = Need::has_default,
        .default_value = "periodic",
        .choices = boundary_choices},
};
constexpr std::array initial_keys{
    Key{.name = "initial.file",
        .type = Type::path,
        .help = "HDF5 file in the GADGET/SWIFT layout: initial conditions, or a snapshot to start from."},
    Key{.name = "initial.setup",
        .type = Type::choice,
        .help = "A built-in set-up in place of a file.",
        .choices = setup_choices},
};
constexpr std::array sedov_keys{
    Key{.name = "sedov.resolution",
        .type = Type::integer,
        .help = "Particles along each side of the box.",
        .need = Need::has_default,
        .default_value = "32",
        .range = {.lower = 4, .upper = 2048}},
    Key{.name = "sedov.box",
        .type = Type::quantity,
        .help = "Side of the box.",
        .need = Need::has_default,
        .default_value = "1",
        .dimension = dim::length,
        .range = config::positive},
    Key{.name = "sedov.density",
        .type = Type::quantity,
        .help = "Density of the gas.",
        .need = Need::has_default,
        .default_value = "1",
        .dimension = dim::density,
        .range = config::positive},
    Key{.name = "sedov.pressure",
        .type = Type::quantity,
        .help = "Pressure outside the explosion.",
        .need = Need::has_default,
        .default_value = "1e-6",
        .dimension = dim::pressure,
        .range = config::positive},
    Key{.name = "sedov.energy",
        .type = Type::quantity,
        .help = "Energy of the explosion.",
        .need = Need::has_default,
        .default_value = "1",
        .dimension = dim::energy,
        .range = config::positive},
    Key{.name = "sedov.jitter",
        .type = Type::real,
        .help = "Random displacement from the lattice, peak to peak, in units of its spacing.",
        .need = Need::has_default,
        .default_value = "0.1",
        .range = {.lower = 0.0, .upper = 1.0}},
};
constexpr std::array sod_keys{
    Key{.name = "sod.resolution",
        .type = Type::integer,
        .help = "Body-centred cubic cells per unit length on the left (two particles each); a multiple of 4.",
        .need = Need::has_default,
        .default_value = "40",
        .range = {.lower = 8, .upper = 1024}},
    Key{.name = "sod.length",
        .type = Type::quantity,
        .help = "Half the length of the box (2 x 0.5 x 0.5 of these); the left state fills its first half.",
        .need = Need::has_default,
        .default_value = "1",
        .dimension = dim::length,
        .range = config::positive},
    Key{.name = "sod.rho_left",
        .type = Type::quantity,
        .help = "Density on the left; on the right it is 1/8 of this, with equal particle masses.",
        .need = Need::has_default,
        .default_value = "1",
        .dimension = dim::density,
        .range = config::positive},
    Key{.name = "sod.P_left",
        .type = Type::quantity,
        .help = "Pressure on the left.",
        .need = Need::has_default,
        .default_value = "1",
        .dimension = dim::pressure,
        .range = config::positive},
    Key{.name = "sod.P_right",
        .type = Type::quantity,
        .help = "Pressure on the right.",
        .need = Need::has_default,
        .default_value = "0.1",
        .dimension = dim::pressure,
        .range = config::positive},
};

constexpr std::array tables{
    config::KeyTable{"Smoothed-particle hydrodynamics", sph_keys},
    config::KeyTable{"Initial conditions", initial_keys},
    config::KeyTable{"Set-up: Sedov explosion", sedov_keys},
    config::KeyTable{"Set-up: Sod shock tube", sod_keys},
};

/// The set-up that the file names, with its own table of numbers.
Setup read_setup(const config::Parameters& p) {
  if (p.text("initial.setup") == "sedov") {
    return Sedov{.resolution = p.integer("sedov.resolution"),
                 .box = p.real("sedov.box"),
                 .rho = p.real("sedov.density"),
                 .P = p.real("sedov.pressure"),
                 .energy = p.real("sedov.energy"),
                 .jitter = p.real("sedov.jitter"),
                 .gamma = p.real("sph.gamma"),
                 .eta = p.real("sph.eta")};
  }
  if (const auto n = p.integer("sod.resolution"); n % 4 != 0) {
    throw config::Error(p.where("sod.resolution"), "sod.resolution", std::to_string(n) + " is not a multiple of 4",
                        "write " + std::to_string(n - n % 4 + 4) +
                            "; the sparse side has half as many cells per length, a quarter across");
  }
  return Sod{.resolution = p.integer("sod.resolution"),
             .length = p.real("sod.length"),
             .rho_left = p.real("sod.rho_left"),
             .P_left = p.real("sod.P_left"),
             .P_right = p.real("sod.P_right"),
             .gamma = p.real("sph.gamma"),
             .eta = p.real("sph.eta")};
}

/// The input file, which must be there: whether it is a good one is for its reader to say.
std::filesystem::path read_file_path(const config::Parameters& p) {
  std::filesystem::path path = p.path("initial.file");
  const config::Location where = p.where("initial.file");
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) {
    throw config::Error(where, "initial.file", "'" + path.string() + "' does not exist",
                        where.file == "--set" ? "a relative path begins in the working directory"
                                              : "a relative path begins in the folder of the parameter file");
  }
  if (std::filesystem::is_directory(path, ignored)) {
    throw config::Error(where, "initial.file", "'" + path.string() + "' is a directory, expected an HDF5 file",
                        "name one file in it");
  }
  return path;
}

void set_kernel(SphParameters& result, const std::string& name) {
  result.kernel_name = name;
  if (name == "cubic_spline") {
    result.kernel = Kernel::cubic_spline;
    result.kernel_gamma = kernels::CubicSpline::gamma;
  } else if (name == "quartic_spline") {
    result.kernel = Kernel::quartic_spline;
    result.kernel_gamma = kernels::QuarticSpline::gamma;
  } else {
    result.kernel = Kernel::quintic_spline;
    result.kernel_gamma = kernels::QuinticSpline::gamma;
  }
}

}  // namespace

std::span<const config::KeyTable> key_tables() { return tables; }

SphParameters read_parameters(const config::Parameters& p) {
  const bool has_file = p.has("initial.file");
  if (has_file && p.has("initial.setup")) {
    throw config::Error(p.where("initial.setup"), "initial.setup",
                        "stands beside initial.file; only one of them is used", "remove one of the two lines");
  }
  if (!has_file && !p.has("initial.setup")) {
    throw config::Error({p.file().string(), 0, 0}, "initial.file", "is missing, and so is initial.setup; one is needed",
                        "add   file = \"ics.hdf5\"   or   setup = \"sedov\"   under [initial]");
  }
  SphParameters result;
  set_kernel(result, p.text("sph.kernel"));
  result.smoothing.eta = p.real("sph.eta");
  result.smoothing.tolerance = p.real("sph.h_tolerance");
  if (p.has("sph.h_max")) result.smoothing.h_max = p.real("sph.h_max");
  result.gamma = p.real("sph.gamma");
  result.cfl = p.real("sph.cfl");
  result.alpha = p.real("sph.alpha");
  result.boundary = p.text("sph.boundary") == "open" ? Boundary::open : Boundary::periodic;
  if (has_file) {
    result.file = read_file_path(p);
  } else {
    result.setup = read_setup(p);
  }
  return result;
}

InitialConditions initial_conditions(const SphParameters& parameters, const base::UnitSystem& units) {
  if (parameters.setup) return make(*parameters.setup);
  return read_gadget(*parameters.file, {.units = units, .boundary = parameters.boundary, .gamma = parameters.gamma});
}

}  // namespace tacit::sph
