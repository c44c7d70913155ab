// The table of sph keys.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/sph/parameters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <numbers>
#include <string>
#include <string_view>
#include <system_error>

#include "tacit/solvers/sph/cooling.hpp"
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
    Choice{"wendland_c2", "57 neighbours at eta = 1.2348; never pairs, whatever eta"},
    Choice{"wendland_c4", "85 neighbours at eta = 1.2348; never pairs"},
    Choice{"wendland_c6", "116 neighbours at eta = 1.2348; never pairs"},
};
constexpr std::array scheme_choices{
    Choice{"gadget2", "density-entropy (Springel & Hernquist 2002), viscosity of Springel (2005)"},
};
constexpr std::array boundary_choices{
    Choice{"periodic", "the box repeats in all directions"},
    Choice{"open", "particles may leave the box"},
    Choice{"reflecting", "walls that reflect, on all sides"},
};
constexpr std::array state_choices{
    Choice{"ideal", "P = A rho^gamma, with the entropic function A of each particle"},
    Choice{"isothermal", "P = rho c0^2"},
    Choice{"barotropic", "P = rho c0^2 (1 + (rho / rho_c)^(gamma - 1))"},
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
    Key{.name = "sph.dimension",
        .type = Type::integer,
        .help =
            "Dimensions of space, along x, then y, then z. Without it: what the initial conditions' file says, or 3. "
            "In fewer than three, masses and energies are per area or per length.",
        .range = {.lower = 1, .upper = 3}},
    Key{.name = "sph.kernel",
        .type = Type::choice,
        .help = "Smoothing kernel.",
        .need = Need::has_default,
        .default_value = "cubic_spline",
        .choices = kernel_choices},
    Key{.name = "sph.eta",
        .type = Type::real,
        .help = "Resolution: smoothing length over mean particle distance, h = eta (m / rho)^(1/d), d the dimension.",
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
        .help = "Adiabatic index; of a barotropic gas where it is dense.",
        .need = Need::has_default,
        .default_value = "1.6666666666666667",
        .range = {.lower = 1.0, .upper = 10.0, .lower_open = true}},
    Key{.name = "sph.equation_of_state",
        .type = Type::choice,
        .help = "Equation of state. The two without an entropy of their own take no heat from shocks.",
        .need = Need::has_default,
        .default_value = "ideal",
        .choices = state_choices},
    Key{.name = "sph.sound_speed",
        .type = Type::quantity,
        .help = "c0 of an isothermal or barotropic gas: its sound speed where it is thin.",
        .dimension = dim::velocity,
        .range = config::positive},
    Key{.name = "sph.critical_density",
        .type = Type::quantity,
        .help = "rho_c of a barotropic gas: the density beyond which it heats up when compressed.",
        .dimension = dim::density,
        .range = config::positive},
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
constexpr std::array potential_keys{
    Key{.name = "potential.point_mass",
        .type = Type::quantity,
        .help = "Mass of a point mass at the centre; none without it.",
        .dimension = dim::mass,
        .range = config::positive},
    Key{.name = "potential.nfw_mass",
        .type = Type::quantity,
        .help = "M200 of a halo of Navarro, Frenk & White around the centre: the mass within the radius where its mean "
                "density is 200 times potential.critical_density; none without it.",
        .dimension = dim::mass,
        .range = config::positive},
    Key{.name = "potential.nfw_concentration",
        .type = Type::real,
        .help = "That radius over the scale radius.",
        .need = Need::has_default,
        .default_value = "10",
        .range = {.lower = 0.01, .upper = 1000.0}},
    Key{.name = "potential.critical_density",
        .type = Type::quantity,
        .help = "Density that defines M200; without it 9.2e-30 g cm^-3, that of a Hubble constant of 70 km/s/Mpc.",
        .dimension = dim::density,
        .range = config::positive},
    Key{.name = "potential.softening",
        .type = Type::quantity,
        .help = "Length e by which both are softened: r becomes sqrt(r^2 + e^2).",
        .need = Need::has_default,
        .default_value = "0",
        .dimension = dim::length,
        .range = config::non_negative},
    Key{.name = "potential.x",
        .type = Type::quantity,
        .help = "Centre of the point mass and the halo along x. Without it: the middle of the box.",
        .dimension = dim::length},
    Key{.name = "potential.y", .type = Type::quantity, .help = "Centre along y.", .dimension = dim::length},
    Key{.name = "potential.z", .type = Type::quantity, .help = "Centre along z.", .dimension = dim::length},
    Key{.name = "potential.field_x",
        .type = Type::quantity,
        .help = "Constant acceleration along x.",
        .need = Need::has_default,
        .default_value = "0",
        .dimension = dim::acceleration},
    Key{.name = "potential.field_y",
        .type = Type::quantity,
        .help = "Constant acceleration along y.",
        .need = Need::has_default,
        .default_value = "0",
        .dimension = dim::acceleration},
    Key{.name = "potential.field_z",
        .type = Type::quantity,
        .help = "Constant acceleration along z.",
        .need = Need::has_default,
        .default_value = "0",
        .dimension = dim::acceleration},
    Key{.name = "potential.time_step",
        .type = Type::real,
        .help = "Steps are at most this part of sqrt(length / acceleration), the length being the distance from the "
                "centre or the support radius.",
        .need = Need::has_default,
        .default_value = "0.02",
        .range = {.lower = 0.0, .upper = 1.0, .lower_open = true}},
};
constexpr std::array cooling_keys{
    Key{.name = "cooling.time",
        .type = Type::quantity,
        .help = "Time within which the heat above the floor falls to 1/e; without it no cooling.",
        .dimension = dim::time,
        .range = config::positive},
    Key{.name = "cooling.sound_speed",
        .type = Type::quantity,
        .help = "The floor: adiabatic sound speed of gas that cools no further.",
        .need = Need::has_default,
        .default_value = "0",
        .dimension = dim::velocity,
        .range = config::non_negative},
};
constexpr std::array initial_keys{
    Key{.name = "initial.file",
        .type = Type::path,
        .help = "HDF5 file in the GADGET/SWIFT layout: initial conditions, or a snapshot to start from."},
    Key{.name = "initial.setup",
        .type = Type::choice,
        .help = "A built-in set-up in place of a file.",
        .choices = setup_choices},
    Key{.name = "initial.h_factors",
        .type = Type::flag,
        .help =
            "Whether lengths, masses and times of the file are per h, as GADGET writes them; they are divided by h.",
        .need = Need::has_default,
        .default_value = "false"},
    Key{.name = "initial.hubble_parameter",
        .type = Type::real,
        .help = "That h, the Hubble constant over 100 km/s/Mpc. Without it: HubbleParam of the file's Header.",
        .range = {.lower = 0.01, .upper = 100.0}},
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
    config::KeyTable{"External potential", potential_keys},
    config::KeyTable{"Cooling", cooling_keys},
    config::KeyTable{"Initial conditions", initial_keys},
    config::KeyTable{"Set-up: Sedov explosion", sedov_keys},
    config::KeyTable{"Set-up: Sod shock tube", sod_keys},
};

/// The set-up that the file names, with its own table of numbers.
Setup read_setup(const config::Parameters& p, int dimension) {
  if (p.text("initial.setup") == "sedov") {
    return Sedov{.resolution = p.integer("sedov.resolution"),
                 .box = p.real("sedov.box"),
                 .rho = p.real("sedov.density"),
                 .P = p.real("sedov.pressure"),
                 .energy = p.real("sedov.energy"),
                 .jitter = p.real("sedov.jitter"),
                 .gamma = p.real("sph.gamma"),
                 .eta = p.real("sph.eta"),
                 .dimension = dimension};
  }
  const std::int64_t unit = dimension == 1 ? 8 : 4;
  if (const auto n = p.integer("sod.resolution"); n % unit != 0) {
    throw config::Error(p.where("sod.resolution"), "sod.resolution", fmt::format("{} is not a multiple of {}", n, unit),
                        fmt::format("write {}; the sparse side has {}", n - n % unit + unit,
                                    dimension == 1 ? "an eighth as many particles"
                                                   : "half as many cells per length, a quarter across"));
  }
  return Sod{.resolution = p.integer("sod.resolution"),
             .length = p.real("sod.length"),
             .rho_left = p.real("sod.rho_left"),
             .P_left = p.real("sod.P_left"),
             .P_right = p.real("sod.P_right"),
             .gamma = p.real("sph.gamma"),
             .eta = p.real("sph.eta"),
             .dimension = dimension};
}

/// The input file, which must be there: whether it is a good one is for its reader to say.
std::filesystem::path read_file_path(const config::Parameters& p) {
  std::filesystem::path path = p.path("initial.file");
  const config::Location where = p.where("initial.file");
  std::error_code ignored;
  if (!is_initial_file(path)) {
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

/// Keys that would change nothing are errors.
void read_h_factors(const config::Parameters& p, SphParameters& sph) {
  sph.h_factors = p.flag("initial.h_factors");
  if (sph.h_factors && !p.has("initial.file")) {
    throw config::Error(p.where("initial.h_factors"), "initial.h_factors", "means nothing to a built-in set-up",
                        "remove the line");
  }
  if (!p.has("initial.hubble_parameter")) return;
  if (!sph.h_factors) {
    throw config::Error(p.where("initial.hubble_parameter"), "initial.hubble_parameter",
                        "is used with initial.h_factors = true only", "add that line, or remove this one");
  }
  sph.hubble_parameter = p.real("initial.hubble_parameter");
}

Boundary boundary_of(std::string_view name) {
  if (name == "open") return Boundary::open;
  return name == "periodic" ? Boundary::periodic : Boundary::reflecting;
}

/// Keys of other equations of state than the one chosen are errors: whoever writes them expects them to matter.
kernels::EquationOfState read_equation_of_state(const config::Parameters& p) {
  const std::string& name = p.text("sph.equation_of_state");
  const bool is_ideal = name == "ideal";
  const auto check = [&](const char* key, bool is_needed) {
    if (is_needed == p.has(key)) return;
    const config::Location where = is_needed ? p.where("sph.equation_of_state") : p.where(key);
    throw config::Error(
        where, key,
        is_needed ? "is missing; a gas that is " + name + " needs it" : "means nothing to a gas that is " + name,
        is_needed ? "" : "remove the line, or set sph.equation_of_state");
  };
  check("sph.sound_speed", !is_ideal);
  check("sph.critical_density", name == "barotropic");
  kernels::EquationOfState eos;
  if (is_ideal) return eos;
  eos.kind = kernels::EquationOfState::Kind::barotropic;
  eos.c0 = p.real("sph.sound_speed");
  if (name == "barotropic") eos.rho_c = p.real("sph.critical_density");
  return eos;
}

/// CODATA 2018, in code units.
double gravitational_constant(const base::UnitSystem& units) {
  constexpr double G = 6.67430e-8;  // cm^3 g^-1 s^-2
  return G / units.in_cgs({.length = 3, .mass = -1, .time = -2});
}

void check_field(const config::Parameters& p, const SphParameters& sph, const char* key, int axis) {
  if (p.real(key) == 0.0) return;
  if (axis >= sph.dimension) {
    throw config::Error(p.where(key), key,
                        fmt::format("pulls along an axis that a run in {} dimension{} has not", sph.dimension,
                                    sph.dimension == 1 ? "" : "s"));
  }
  if (sph.boundary == Boundary::periodic) {
    throw config::Error(p.where(key), key, "pulls round a periodic box for ever",
                        "set sph.boundary = \"reflecting\" or \"open\"");
  }
}

kernels::Potential read_potential(const config::Parameters& p, const SphParameters& sph) {
  kernels::Potential potential;
  const double G = gravitational_constant(p.units());
  potential.softening = p.real("potential.softening");
  potential.time_step_factor = p.real("potential.time_step");
  if (p.has("potential.point_mass")) potential.GM_point = G * p.real("potential.point_mass");
  if (p.has("potential.nfw_mass")) {
    constexpr double default_density = 9.2e-30;  // g cm^-3
    const double rho = p.has("potential.critical_density") ? p.real("potential.critical_density")
                                                           : default_density / p.units().in_cgs(dim::density);
    const double M200 = p.real("potential.nfw_mass");
    const double c = p.real("potential.nfw_concentration");
    potential.GM_halo = kernels::halo_strength(G * M200, c);
    potential.r_s = std::cbrt(M200 / (4.0 / 3.0 * std::numbers::pi * 200.0 * rho)) / c;
  }
  constexpr std::array fields{"potential.field_x", "potential.field_y", "potential.field_z"};
  constexpr std::array centres{"potential.x", "potential.y", "potential.z"};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    check_field(p, sph, fields[axis], static_cast<int>(axis));
    potential.field[axis] = p.real(fields[axis]);
    if (p.has(centres[axis])) potential.centre[axis] = p.real(centres[axis]);
  }
  return potential;
}

std::shared_ptr<const SourceTerm> read_cooling(const config::Parameters& p, const SphParameters& sph) {
  if (sph.eos.kind != kernels::EquationOfState::Kind::ideal) {
    throw config::Error(p.where("cooling.time"), "cooling.time", "needs an ideal gas: no other keeps its heat",
                        "remove the line, or set sph.equation_of_state = \"ideal\"");
  }
  const double c = p.real("cooling.sound_speed");
  return std::make_shared<ExponentialCooling>(p.real("cooling.time"), c * c / (sph.gamma * (sph.gamma - 1.0)));
}

/// The row of kernel_choices; the enumeration has their order.
Kernel kernel_of(std::string_view name) {
  const auto row = std::ranges::find(kernel_choices, name, &Choice::name);
  return static_cast<Kernel>(row - kernel_choices.begin());
}

double support_of(Kernel kernel, int dimension) {
  const bool is_line = dimension == 1;
  switch (kernel) {
    case Kernel::cubic_spline:
      return kernels::space_of<kernels::CubicSpline>(dimension).gamma;
    case Kernel::quartic_spline:
      return kernels::space_of<kernels::QuarticSpline>(dimension).gamma;
    case Kernel::quintic_spline:
      return kernels::space_of<kernels::QuinticSpline>(dimension).gamma;
    case Kernel::wendland_c2:
      return (is_line ? kernels::space_of<kernels::WendlandC2Line> : kernels::space_of<kernels::WendlandC2>)(dimension)
          .gamma;
    case Kernel::wendland_c4:
      return (is_line ? kernels::space_of<kernels::WendlandC4Line> : kernels::space_of<kernels::WendlandC4>)(dimension)
          .gamma;
    case Kernel::wendland_c6:
      break;
  }
  return (is_line ? kernels::space_of<kernels::WendlandC6Line> : kernels::space_of<kernels::WendlandC6>)(dimension)
      .gamma;
}

}  // namespace

std::span<const config::KeyTable> key_tables() { return tables; }

void set_dimension(SphParameters& parameters, int dimension) {
  parameters.dimension = dimension;
  parameters.smoothing.dimension = dimension;
  parameters.kernel_gamma = support_of(parameters.kernel, dimension);
}

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
  result.kernel_name = p.text("sph.kernel");
  result.kernel = kernel_of(result.kernel_name);
  result.is_dimension_given = p.has("sph.dimension");
  set_dimension(result, result.is_dimension_given ? static_cast<int>(p.integer("sph.dimension")) : 3);
  result.smoothing.eta = p.real("sph.eta");
  result.smoothing.tolerance = p.real("sph.h_tolerance");
  if (p.has("sph.h_max")) result.smoothing.h_max = p.real("sph.h_max");
  result.gamma = p.real("sph.gamma");
  result.cfl = p.real("sph.cfl");
  result.alpha = p.real("sph.alpha");
  result.boundary = boundary_of(p.text("sph.boundary"));
  result.eos = read_equation_of_state(p);
  result.potential = read_potential(p, result);
  result.is_centre_given = {p.has("potential.x"), p.has("potential.y"), p.has("potential.z")};
  if (p.has("cooling.time")) result.sources.push_back(read_cooling(p, result));
  read_h_factors(p, result);
  if (has_file) {
    result.file = read_file_path(p);
  } else {
    result.setup = read_setup(p, result.dimension);
  }
  return result;
}

InitialConditions initial_conditions(const SphParameters& parameters, const base::UnitSystem& units) {
  if (parameters.setup) return make(*parameters.setup);
  GadgetOptions options{.units = units,
                        .boundary = parameters.boundary,
                        .gamma = parameters.gamma,
                        .h_factors = parameters.h_factors,
                        .hubble_parameter = parameters.hubble_parameter};
  if (parameters.is_dimension_given) options.dimension = parameters.dimension;
  return read_gadget(*parameters.file, options);
}

}  // namespace tacit::sph
