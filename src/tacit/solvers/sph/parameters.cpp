// The keys of sph itself and of its initial conditions, and all tables together.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/sph/parameters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "tacit/engine/input_file.hpp"
#include "tacit/solvers/sph/formats/gadget.hpp"
#include "tacit/solvers/sph/kernels/smoothing.hpp"
#include "tacit/solvers/sph/keys.hpp"
#include "tacit/solvers/sph/setups/entries.hpp"

namespace tacit::sph {
namespace {

constexpr std::array kernel_choices{
    Choice{"cubic_spline", "M4; 48 neighbours at eta = 1.2348"},
    Choice{"quartic_spline", "M5; 65 neighbours at eta = 1.2348"},
    Choice{"quintic_spline", "M6; 83 neighbours at eta = 1.2348"},
    Choice{"wendland_c2", "57 neighbours at eta = 1.2348; never pairs, whatever eta"},
    Choice{"wendland_c4", "85 neighbours at eta = 1.2348; never pairs"},
    Choice{"wendland_c6", "116 neighbours at eta = 1.2348; never pairs"},
};
constexpr std::array scheme_choices{
    Choice{"sphenix", "density-energy with switches for viscosity and conduction (Borrow et al. 2022)"},
    Choice{"gadget2", "density-entropy (Springel & Hernquist 2002), viscosity of Springel (2005)"},
};
constexpr std::array step_choices{
    Choice{"individual", "each particle takes steps of its own, powers of two apart"},
    Choice{"common", "all take the shortest step that any particle needs"},
};
constexpr std::array pair_choices{
    Choice{"gather", "each particle sums over its neighbours; the same bits on any number of threads"},
    Choice{"symmetric",
           "each pair is visited once, between cells sorted along the axis that joins them; the last bits "
           "depend on the order of tasks, unless run.deterministic fixes it"},
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
constexpr std::array sph_keys{
    Key{.name = "sph.scheme",
        .type = Type::choice,
        .help = "Equations that are solved.",
        .need = Need::has_default,
        .default_value = "sphenix",
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
    Key{.name = "sph.time_steps",
        .type = Type::choice,
        .help = "Who takes which step.",
        .need = Need::has_default,
        .default_value = "individual",
        .choices = step_choices},
    Key{.name = "sph.pairs",
        .type = Type::choice,
        .help = "How neighbours are summed in steps that all particles end; other steps always gather.",
        .need = Need::has_default,
        .default_value = "gather",
        .choices = pair_choices},
    Key{.name = "sph.alpha",
        .type = Type::real,
        .help = "Artificial viscosity of gadget2; strong blast waves need more than GADGET-2's 0.8 "
                "(docs/decisions/0010). Sphenix has a coefficient for each particle.",
        .need = Need::has_default,
        .default_value = "0.8",
        .range = {.lower = 0.0, .upper = 10.0}},
    Key{.name = "sph.boundary",
        .type = Type::choice,
        .help = "Boundaries of the box.",
        .need = Need::has_default,
        .default_value = "periodic",
        .choices = boundary_choices},
};

std::span<const Choice> setup_choices() {
  static const auto choices = [] {
    std::vector<Choice> list;
    for (const SetupEntry& entry : setup_entries()) list.push_back(entry.choice);
    return list;
  }();
  return choices;
}

std::span<const Key> initial_table() {
  static const std::array keys{
      Key{.name = "initial.file",
          .type = Type::path,
          .help = "HDF5 file in the GADGET/SWIFT layout: initial conditions, or a snapshot to start from."},
      Key{.name = "initial.setup",
          .type = Type::choice,
          .help = "A built-in set-up in place of a file.",
          .choices = setup_choices()},
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
  return keys;
}

/// The set-up that the file names, with its own table of numbers.
Setup read_setup(const config::Parameters& p, const SphParameters& sph) {
  const auto entries = setup_entries();
  const std::string& name = p.text("initial.setup");
  const auto chosen = std::ranges::find_if(entries, [&](const SetupEntry& e) { return e.choice.name == name; });
  if (sph.dimension < chosen->least_dimension) {
    throw config::Error(p.where("sph.dimension"), "sph.dimension",
                        fmt::format("{} needs {} dimensions", name, chosen->least_dimension),
                        chosen->least_dimension == 2 ? "write 2 or 3" : "write 3, or leave it out");
  }
  if (chosen->boundary && sph.boundary != *chosen->boundary) {
    const char* needed = *chosen->boundary == Boundary::open ? "open" : "periodic";
    throw config::Error(
        p.where(p.is_given("sph.boundary") ? "sph.boundary" : "initial.setup"), "sph.boundary",
        fmt::format("{} needs a box that is {}, not one that is {}", name, needed, p.text("sph.boundary")),
        fmt::format("set sph.boundary = \"{}\"", needed));
  }
  return chosen->read(p, sph);
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

std::span<const config::KeyTable> key_tables() {
  static const auto tables = [] {
    std::vector<config::KeyTable> list{{"Smoothed-particle hydrodynamics", sph_keys},
                                       {"External potential", potential_table()},
                                       {"Cooling", cooling_table()},
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
  if (p.has("time.dt_max")) result.dt_max = p.real("time.dt_max");
  result.alpha = p.real("sph.alpha");
  result.scheme = p.text("sph.scheme") == "sphenix" ? Scheme::sphenix : Scheme::gadget2;
  result.has_individual_steps = p.text("sph.time_steps") == "individual";
  result.pairs = p.text("sph.pairs") == "symmetric" ? Pairs::symmetric : Pairs::gather;
  result.boundary = boundary_of(p.text("sph.boundary"));
  result.eos = read_equation_of_state(p);
  result.potential = read_potential(p, result);
  result.is_centre_given = {p.has("potential.x"), p.has("potential.y"), p.has("potential.z")};
  if (p.has("cooling.time")) result.sources.push_back(read_cooling(p, result));
  read_h_factors(p, result);
  if (has_file) {
    result.file = engine::existing_hdf5_file(p, "initial.file", first_of_set(p.path("initial.file")));
  } else {
    result.setup = read_setup(p, result);
  }
  return result;
}

GadgetOptions gadget_options(const SphParameters& parameters, const base::UnitSystem& units) {
  GadgetOptions options{.units = units,
                        .boundary = parameters.boundary,
                        .gamma = parameters.gamma,
                        .h_factors = parameters.h_factors,
                        .hubble_parameter = parameters.hubble_parameter};
  if (parameters.is_dimension_given) options.dimension = parameters.dimension;
  return options;
}

InitialConditions initial_conditions(const SphParameters& parameters, const base::UnitSystem& units) {
  if (parameters.setup) return make(*parameters.setup);
  return read_gadget(*parameters.file, gadget_options(parameters, units));
}

}  // namespace tacit::sph
