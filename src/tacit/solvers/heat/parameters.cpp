// The keys of heat.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/heat/parameters.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

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
constexpr std::array setup_choices{
    Choice{"eigenmode", &make_eigenmode, "a mode of the domain, which only decays (table [eigenmode])"},
    Choice{"gaussian", &make_gaussian, "a warm spot that spreads (table [gaussian])"},
    Choice{"two_layers", &make_two_layers, "two diffusivities between fixed walls across x (table [two_layers])"},
    Choice{"formulas", &make_formulas, "formulas of x, y and z (table [initial.fields])"},
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
    stencil::scheme_key("heat.scheme"),
    stencil::stages_key("heat.stages", "heat.scheme"),
    stencil::cfl_key("heat.cfl", "heat.dt", "0.9"),
    stencil::dt_key("heat.dt", "A fixed time step, in place of heat.cfl."),
};
constexpr std::array initial_keys{
    Key::choice("initial.setup", setup_choices, "Built-in initial conditions.").required(),
    stencil::initial_file_key(
        "An HDF5 file with the array temperature of shape (z, y, x) in code units, and optionally "
        "diffusivity and source; or a snapshot."),
};

/// @throws config::Error unless a diffusivity is given once, by the key or by the initial conditions
double read_diffusivity(const config::Parameters& p, const Initial& initial) {
  constexpr std::string_view key = "heat.diffusivity";
  if (p.has(key) != static_cast<bool>(initial.diffusivity)) return p.real_or(key, 0.0);
  const auto refuse = [&](const std::string& what, const std::string& hint) {
    return config::Error(p.where(key), std::string(key), what, hint);
  };
  if (p.has(key)) throw refuse("the set-up has a diffusivity of its own", "leave one of the two out");
  throw refuse("is missing: the set-up has none", "write 'diffusivity = 1' in [heat]");
}

/// Whether fixed walls are across one axis only, or all are as warm: see between_walls.
bool is_between_two_walls(const Domain& domain) {
  std::vector<double> temperatures;
  for (std::size_t axis = 0; axis < domain.dimensions; ++axis) {
    if (domain.walls[axis] == Wall::fixed)
      temperatures.insert(temperatures.end(), {domain.low[axis], domain.high[axis]});
  }
  return temperatures.size() == 2 ||
         std::ranges::adjacent_find(temperatures, std::not_equal_to{}) == temperatures.end();
}

}  // namespace

std::span<const config::KeyTable> key_tables() {
  static const std::array<config::KeyTable, 7> tables{
      {{"Heat", heat_keys},
       {"Launch slots", mesh::launch_keys(), config::OnRestart::may_change},
       {"Initial conditions", initial_keys},
       {"Initial fields by formulas", formula_keys()},
       {"Set-up: eigenmode", eigenmode_keys()},
       {"Set-up: Gaussian", gaussian_keys()},
       {"Set-up: two layers", two_layers_keys()}}};
  return tables;
}

HeatParameters read_parameters(const config::Parameters& p) {
  HeatParameters result{stencil::read_grid_setting(p, "heat")};
  mesh::read_walls(p, "heat", wall_choices, result.domain);
  result.launches = mesh::read_launches(p);
  result.begin = p.real_or("time.begin", 0.0);
  result.source = p.real("heat.source");
  result.initial = p.choice("initial.setup", setup_choices)(p, result.domain);
  result.diffusivity = read_diffusivity(p, result.initial);
  if (result.source != 0.0 || result.initial.source || !is_between_two_walls(result.domain)) {
    result.initial.exact.reset();
  }
  return result;
}

}  // namespace tacit::heat
