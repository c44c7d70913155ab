// The keys of sph itself and of its initial conditions, and all tables together.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/sph/parameters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string>
#include <string_view>
#include <vector>

#include "tacit/base/error.hpp"
#include "tacit/engine/input_file.hpp"
#include "tacit/solvers/sph/formats/gadget.hpp"
#include "tacit/solvers/sph/kernels/smoothing.hpp"
#include "tacit/solvers/sph/keys.hpp"
#include "tacit/solvers/sph/setups/entries.hpp"

namespace tacit::sph {
namespace {

constexpr std::array kernel_choices{
    Choice{"cubic_spline", Kernel::cubic_spline, "M4; 48 neighbours at eta = 1.2348"},
    Choice{"quartic_spline", Kernel::quartic_spline, "M5; 65 neighbours at eta = 1.2348"},
    Choice{"quintic_spline", Kernel::quintic_spline, "M6; 83 neighbours at eta = 1.2348"},
    Choice{"wendland_c2", Kernel::wendland_c2, "57 neighbours at eta = 1.2348; never pairs, whatever eta"},
    Choice{"wendland_c4", Kernel::wendland_c4, "85 neighbours at eta = 1.2348; never pairs"},
    Choice{"wendland_c6", Kernel::wendland_c6, "116 neighbours at eta = 1.2348; never pairs"},
};
constexpr std::array scheme_choices{
    Choice{"sphenix", Scheme::sphenix,
           "density-energy with switches for viscosity and conduction (Borrow et al. 2022)"},
    Choice{"gadget2", Scheme::gadget2, "density-entropy (Springel & Hernquist 2002), viscosity of Springel (2005)"},
};
/// Whether each particle has its own step.
constexpr std::array step_choices{
    Choice{"individual", true, "each particle has its own step; steps differ by powers of two"},
    Choice{"common", false, "all take the shortest step that any particle needs"},
};
constexpr std::array pair_choices{
    Choice{"gather", Pairs::gather,
           "each particle sums over its neighbours; bitwise identical on any number of threads"},
    Choice{"symmetric", Pairs::symmetric,
           "each pair is visited once, between cells sorted along the axis that joins them; the last bits "
           "depend on the order of tasks, unless run.deterministic fixes it"},
};
constexpr std::array boundary_choices{
    Choice{"periodic", Boundary::periodic, "the box repeats in all directions"},
    Choice{"open", Boundary::open, "particles may leave the box"},
    Choice{"reflecting", Boundary::reflecting, "walls that reflect, on all sides"},
};
constexpr std::array velocity_choices{
    Choice{"auto", FileVelocities::automatic,
           "what the array says of itself; peculiar where the header has SWIFT's Scale-factor, else GADGET's"},
    Choice{"peculiar", FileVelocities::peculiar, "a dx/dt"},
    Choice{"gadget", FileVelocities::gadget, "sqrt(a) dx/dt"},
};
using EosKind = kernels::EquationOfState::Kind;

constexpr std::array state_choices{
    Choice{"ideal", EosKind::ideal, "P = A rho^gamma, with the entropic function A of each particle"},
    Choice{"isothermal", EosKind::barotropic, "P = rho c0^2"},
    Choice{"barotropic", EosKind::barotropic, "P = rho c0^2 (1 + (rho / rho_c)^(gamma - 1))"},
};
constexpr std::array sph_keys{
    Key::choice("sph.scheme", scheme_choices, Scheme::sphenix, "Equations that are solved."),
    Key::integer(
        "sph.dimension", {1, 3},
        "Dimensions of space, along x, then y, then z. Without it: what the initial conditions' file says, or 3. "
        "In fewer than three, masses and energies are per area or per length."),
    Key::choice("sph.kernel", kernel_choices, Kernel::cubic_spline, "Smoothing kernel."),
    Key::real("sph.eta", {0.5, 3.0},
              "Resolution: smoothing length over mean particle distance, h = eta (m / rho)^(1/d), d the dimension.",
              "1.2348"),
    Key::real("sph.h_tolerance", {1e-12, 0.1}, "Relative accuracy of the smoothing length.", "1e-4").changeable(),
    Key::positive("sph.h_max", dim::length,
                  "Largest smoothing length; at most, and without it, kernel support as wide as the shortest side of a "
                  "periodic or reflecting box. An open one limits nothing."),
    Key::real("sph.gamma", config::above(1.0, 10.0), "Adiabatic index; of a barotropic gas where it is dense.",
              "1.6666666666666667"),
    Key::choice("sph.equation_of_state", state_choices, EosKind::ideal,
                "Equation of state. The two without an entropy of their own take no heat from shocks."),
    Key::positive("sph.sound_speed", dim::velocity,
                  "c0 of an isothermal or barotropic gas: its sound speed where it is thin.")
        .belongs_to("sph.equation_of_state", "isothermal", "barotropic"),
    Key::positive("sph.critical_density", dim::density,
                  "rho_c of a barotropic gas: the density beyond which it heats up when compressed.")
        .belongs_to("sph.equation_of_state", "barotropic"),
    Key::real("sph.cfl", config::above(0, 0.5),
              "Courant number: dt = 2 cfl H / v_sig, H the support radius, v_sig the largest signal "
              "velocity.",
              "0.1")
        .changeable(),
    Key::choice("sph.time_steps", step_choices, true, "Which step each particle takes."),
    Key::choice("sph.pairs", pair_choices, Pairs::gather,
                "How neighbours are summed in steps that all particles end; other steps always gather.")
        .changeable(),
    Key::real("sph.alpha", {0.0, 10.0},
              "Artificial viscosity of gadget2; strong blast waves need more than GADGET-2's 0.8 "
              "(docs/decisions/0010). Sphenix has a coefficient for each particle.",
              "0.8"),
    Key::choice("sph.boundary", boundary_choices, Boundary::periodic, "Boundaries of the box."),
};

std::span<const Choice<const SetupEntry*>> setup_choices() {
  static const auto choices = [] {
    std::vector<Choice<const SetupEntry*>> list;
    for (const SetupEntry& entry : setup_entries()) list.push_back({entry.choice.name, &entry, entry.choice.help});
    return list;
  }();
  return choices;
}

std::span<const Key> initial_table() {
  static const std::array keys{
      Key::path("initial.file",
                "HDF5 file in the GADGET/SWIFT layout: initial conditions, or a snapshot to start from.")
          .with_example("ics.hdf5")
          .changeable(),
      Key::choice("initial.setup", setup_choices(), "A built-in set-up.").alternative_to("initial.file"),
      Key::flag(
          "initial.h_factors", false,
          "Whether lengths, masses and times of the file are per h, as GADGET writes them; they are divided by h."),
      Key::real("initial.hubble_parameter", {0.01, 100.0},
                "That h, the Hubble constant over 100 km/s/Mpc. Without it: HubbleParam of the file's Header.")
          .needs("initial.h_factors", "true"),
      Key::choice("initial.velocities", velocity_choices, FileVelocities::automatic,
                  "What the velocities of the file are, where the box expands.")
          .needs("cosmology.expanding", "true"),
  };
  return keys;
}

/// The set-up that the file names, with its own table of numbers.
Setup read_setup(const config::Parameters& p, const SphParameters& sph) {
  const SetupEntry& chosen = *p.choice("initial.setup", setup_choices());
  const std::string_view name = chosen.choice.name;
  if (sph.dimension < chosen.least_dimension) {
    throw config::Error(p.where("sph.dimension"), "sph.dimension",
                        fmt::format("{} needs {} dimensions", name, chosen.least_dimension),
                        chosen.least_dimension == 2 ? "write 2 or 3" : "write 3, or leave it out");
  }
  if (chosen.boundary && sph.boundary != *chosen.boundary) {
    const std::string_view needed =
        std::ranges::find(boundary_choices, *chosen.boundary, &Choice<Boundary>::value)->name;
    throw config::Error(
        p.where(p.is_given("sph.boundary") ? "sph.boundary" : "initial.setup"), "sph.boundary",
        fmt::format("{} needs a box that is {}, not one that is {}", name, needed, p.text("sph.boundary")),
        fmt::format("set sph.boundary = \"{}\"", needed));
  }
  return chosen.read(p, sph);
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

std::span<const config::KeyTable> key_tables() {
  static const auto tables = [] {
    std::vector<config::KeyTable> list{{"Smoothed-particle hydrodynamics", sph_keys},
                                       {"Self-gravity", gravity_table()},
                                       {"Expansion", cosmology_table()},
                                       {"External potential", potential_table()},
                                       {"Cooling", cooling_table()},
                                       {"Analysis", analysis_table()},
                                       {"Initial conditions", initial_table()}};
    for (const SetupEntry& entry : setup_entries()) list.push_back({entry.title, entry.keys});
    return list;
  }();
  return tables;
}

double SphParameters::pressure(double thermal, double rho) const noexcept {
  if (is_ideal() && scheme == Scheme::sphenix) return (gamma - 1.0) * rho * thermal;
  return kernels::pressure(eos, thermal, rho, gamma);
}

double SphParameters::internal_energy(double thermal, double rho) const noexcept {
  if (is_ideal() && scheme == Scheme::sphenix) return thermal;
  return kernels::internal_energy(eos, thermal, rho, gamma);
}

double SphParameters::thermal_of(double u, double rho) const noexcept {
  return scheme == Scheme::sphenix ? u : kernels::entropic_function(u, rho, gamma);
}

void set_dimension(SphParameters& parameters, int dimension) {
  parameters.dimension = dimension;
  parameters.smoothing.dimension = dimension;
  parameters.kernel_gamma = support_of(parameters.kernel, dimension);
}

base::Vec3 periods(const SphParameters& parameters, const base::Vec3& box) {
  base::Vec3 periods;
  if (parameters.boundary != Boundary::periodic) return periods;
  for (std::size_t axis = 0; axis < static_cast<std::size_t>(parameters.dimension); ++axis) periods[axis] = box[axis];
  return periods;
}

particles::Domain bounded_domain(const SphParameters& parameters, const base::Vec3& box) {
  const bool is_periodic = parameters.boundary == Boundary::periodic;
  return {{}, box, is_periodic, parameters.dimension, parameters.boundary == Boundary::reflecting};
}

namespace {

/// The key, or what the box allows: a kernel that is as wide as its shortest side.
double largest_h(const SphParameters& parameters, const base::Vec3& box, double farthest) {
  const std::array<double, 3> sides{box.x, box.y, box.z};
  const double shortest = std::ranges::min(std::span(sides).first(static_cast<std::size_t>(parameters.dimension)));
  const double widest = (parameters.boundary == Boundary::open ? farthest : shortest) / parameters.kernel_gamma;
  return parameters.smoothing.h_max == 0.0 ? widest : std::min(parameters.smoothing.h_max, widest);
}

}  // namespace

double farthest_in_open(const SphParameters& parameters, int dimension, double particles, double spacing,
                        double around) {
  constexpr double out_of_reach = 0x1p20;
  constexpr std::array balls{2.0, std::numbers::pi, 4.0 / 3.0 * std::numbers::pi};       // of radius 1
  const double H = support_of(parameters.kernel, dimension) * parameters.smoothing.eta;  // over particles' spacing
  const double held = balls[static_cast<std::size_t>(dimension - 1)] * std::pow(H, dimension);
  return particles > held && spacing > 0.0 ? out_of_reach * spacing : around;
}

Physics physics_of(const SphParameters& parameters, int dimension, const base::Vec3& box, double farthest) {
  if (parameters.gravity.is_present && dimension != 3) {
    throw base::Error(fmt::format("gravity.self needs three dimensions, and the particles have {}", dimension));
  }
  check_periodic_gravity(parameters, box);
  Physics physics{parameters};
  set_dimension(physics, dimension);
  physics.smoothing.h_max = largest_h(physics, box, farthest);
  kernels::Potential& potential = physics.potential;
  potential.periods = periods(physics, box);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    // Along unused axes all is at 0.
    const bool is_used = axis < static_cast<std::size_t>(dimension);
    if (!physics.is_centre_given[axis]) potential.centre[axis] = is_used ? 0.5 * box[axis] : 0.0;
  }
  return physics;
}

SphParameters read_parameters(const config::Parameters& p) {
  SphParameters result;
  result.kernel_name = p.text("sph.kernel");
  result.kernel = p.choice("sph.kernel", kernel_choices);
  result.is_dimension_given = p.has("sph.dimension");
  set_dimension(result, result.is_dimension_given ? static_cast<int>(p.integer("sph.dimension")) : 3);
  result.smoothing.eta = p.real("sph.eta");
  result.smoothing.tolerance = p.real("sph.h_tolerance");
  result.smoothing.h_max = p.real_or("sph.h_max", result.smoothing.h_max);
  result.gamma = p.real("sph.gamma");
  result.cfl = p.real("sph.cfl");
  result.dt_max = p.real_or("time.dt_max", result.dt_max);
  result.alpha = p.real("sph.alpha");
  result.scheme = p.choice("sph.scheme", scheme_choices);
  result.has_individual_steps = p.choice("sph.time_steps", step_choices);
  result.pairs = p.choice("sph.pairs", pair_choices);
  result.boundary = p.choice("sph.boundary", boundary_choices);
  result.eos = {.kind = p.choice("sph.equation_of_state", state_choices),
                .c0 = p.real_or("sph.sound_speed", result.eos.c0),
                .rho_c = p.real_or("sph.critical_density", result.eos.rho_c)};
  result.potential = read_potential(p, result);
  result.gravity = read_gravity(p, result);
  result.is_centre_given = {p.has("potential.x"), p.has("potential.y"), p.has("potential.z")};
  if (p.has("cooling.time")) result.sources.push_back(read_cooling(p, result));
  result.cosmology = read_cosmology(p, result);
  if (result.cosmology) {
    result.dlna_max = p.real("cosmology.longest_step");
    result.begin = p.real_or("time.begin", 0.0);
  }
  result.analysis = read_analysis(p, result);
  result.h_factors = p.flag("initial.h_factors");
  result.velocities = p.choice("initial.velocities", velocity_choices);
  if (p.has("initial.hubble_parameter")) result.hubble_parameter = p.real("initial.hubble_parameter");
  if (p.has("initial.file")) {
    result.file = engine::existing_hdf5_file(p, "initial.file", first_of_set(p.path("initial.file")));
    return result;
  }
  if (result.h_factors) {
    throw config::Error(p.where("initial.h_factors"), "initial.h_factors", "means nothing to a built-in set-up",
                        "remove the line");
  }
  result.setup = read_setup(p, result);
  return result;
}

GadgetOptions gadget_options(const SphParameters& parameters, const base::UnitSystem& units) {
  GadgetOptions options{.units = units,
                        .boundary = parameters.boundary,
                        .gamma = parameters.gamma,
                        .has_gravity = parameters.gravity.is_present,
                        .h_factors = parameters.h_factors,
                        .hubble_parameter = parameters.hubble_parameter,
                        .cosmology = parameters.cosmology,
                        .begin = parameters.begin,
                        .velocities = parameters.velocities};
  if (parameters.is_dimension_given) options.dimension = parameters.dimension;
  return options;
}

InitialConditions initial_conditions(const SphParameters& parameters, const base::UnitSystem& units,
                                     const Share& share) {
  if (parameters.setup) return make(*parameters.setup, share);
  return read_gadget(*parameters.file, gadget_options(parameters, units), share);
}

}  // namespace tacit::sph
