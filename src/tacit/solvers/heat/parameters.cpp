// The keys of heat.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/heat/parameters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>

namespace tacit::heat {
namespace {

using config::Choice;
using config::Key;
namespace dim = base::dimension;
constexpr base::Dimension diffusivity{.length = 2, .time = -1};

constexpr std::array wall_choices{
    Choice{"periodic", Wall::periodic, "what leaves at one side enters at the other"},
    Choice{"fixed", Wall::fixed, "the temperature of the wall is given (keys heat.low and heat.high)"},
    Choice{"insulating", Wall::insulating, "no heat passes"},
};
enum class Scheme : std::uint8_t { rk2, rkl2 };
constexpr std::array scheme_choices{
    Choice{"rk2", Scheme::rk2, "Runge-Kutta of second order, two stages"},
    Choice{"rkl2", Scheme::rkl2, "Runge-Kutta-Legendre of second order: s stages take steps s^2/4 times as long"},
};
constexpr std::array setup_choices{
    Choice{"eigenmode", &make_eigenmode, "a mode of the domain, which only decays (table [eigenmode])"},
    Choice{"gaussian", &make_gaussian, "a warm spot that spreads (table [gaussian])"},
    Choice{"two_layers", &make_two_layers, "two diffusivities between fixed walls across x (table [two_layers])"},
    Choice{"file", &make_from_file, "the fields of an HDF5 file (key initial.file)"},
};
constexpr std::array heat_keys{
    mesh::cells_key("heat.cells"),
    mesh::box_key("heat.box", "Sides of the domain; those of axes beyond heat.cells are not used."),
    Key::choice_list("heat.walls", wall_choices,
                     "What bounds each axis, at both sides; one for all axes. Without it: "
                     "periodic."),
    Key::vector("heat.low", dim::temperature, "Temperatures of fixed walls at the low sides of x, y and z."),
    Key::vector("heat.high", dim::temperature, "The same at the high sides."),
    Key::positive("heat.diffusivity", diffusivity,
                  "A constant diffusivity; where a set-up or file has its own, it is left out."),
    Key::quantity("heat.source", {.time = -1, .temperature = 1}, "A constant source of heat.", "0"),
    Key::choice("heat.scheme", scheme_choices, Scheme::rk2, "Scheme in time.").changeable(),
    Key::integer("heat.stages", {3, 999}, "Stages of rkl2: an odd number.", "9")
        .needs("heat.scheme", "rkl2")
        .changeable(),
    Key::fraction("heat.cfl", "Time step over the longest stable one of the scheme.", "0.9")
        .excludes("heat.dt")
        .changeable(),
    Key::positive("heat.dt", dim::time, "A fixed time step, in place of heat.cfl.").changeable(),
};
constexpr std::array initial_keys{
    Key::choice("initial.setup", setup_choices, "Built-in initial conditions.").required(),
    Key::existing_file("initial.file",
                       "An HDF5 file with the array temperature of shape (z, y, x) in code units, and optionally "
                       "diffusivity and source; or a snapshot.")
        .with_example("initial.hdf5")
        .belongs_to("initial.setup", "file")
        .changeable(),
};

[[noreturn]] void refuse(const config::Parameters& p, const std::string& key, const std::string& what,
                         const std::string& hint = {}) {
  throw config::Error(p.where(key), key, what, hint);
}

Domain read_domain(const config::Parameters& p) {
  Domain domain{mesh::read_domain(p, "heat")};
  domain.set_walls(
      mesh::read_per_axis(p, "heat.walls", wall_choices, Wall::periodic, domain.dimensions, "walls", "heat.cells"));
  const bool is_needed = domain.has(Wall::fixed);
  const auto read_side = [&](std::string_view name, Point& temperatures) {
    const std::string key = fmt::format("heat.{}", name);
    if (is_needed != p.has(key)) {
      refuse(p, key, is_needed ? "is missing: a wall is fixed" : "has no effect: no wall is fixed",
             is_needed ? fmt::format("write '{} = [0, 0, 0]' in [heat]", name) : "remove this line");
    }
    if (is_needed) std::ranges::copy(p.vector(key), temperatures.begin());
  };
  read_side("low", domain.low);
  read_side("high", domain.high);
  return domain;
}

std::vector<mesh::Stage> read_stages(const config::Parameters& p) {
  if (p.choice("heat.scheme", scheme_choices) == Scheme::rk2) return mesh::rk2();
  const std::uint64_t stages = p.count("heat.stages");
  if (stages % 2 == 0) {
    refuse(p, "heat.stages", fmt::format("{} is even: the longest step would not damp the shortest waves", stages),
           fmt::format("heat.stages = {}", stages + 1));
  }
  return mesh::rkl2(stages);
}

}  // namespace

std::span<const config::KeyTable> key_tables() {
  static const std::array<config::KeyTable, 5> tables{{{"Heat", heat_keys},
                                                       {"Initial conditions", initial_keys},
                                                       {"Set-up: eigenmode", eigenmode_keys()},
                                                       {"Set-up: Gaussian", gaussian_keys()},
                                                       {"Set-up: two layers", two_layers_keys()}}};
  return tables;
}

HeatParameters read_parameters(const config::Parameters& p) {
  HeatParameters result;
  result.domain = read_domain(p);
  result.begin = p.real_or("time.begin", 0.0);
  result.stages = read_stages(p);
  result.cfl = p.real("heat.cfl");
  if (p.has("heat.dt")) result.dt = p.real("heat.dt");
  const double dt_min = p.real("time.dt_min");
  if (result.dt && *result.dt < dt_min) {
    refuse(p, "heat.dt", fmt::format("is shorter than time.dt_min = {:.6g}", dt_min), "change one of the two");
  }
  result.source = p.real("heat.source");
  result.initial = p.choice("initial.setup", setup_choices)(p, result.domain);
  if (result.source != 0.0 || result.initial.source || !result.domain.is_between_two_walls()) {
    result.initial.exact.reset();
  }
  return result;
}

}  // namespace tacit::heat
