// Gas by formulas of the parameter file.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tacit/config/formula.hpp"
#include "tacit/solvers/amr/setups/setups.hpp"

namespace tacit::amr {
namespace {

using config::Formula;

constexpr std::array velocities{"initial.fields.velocity_x", "initial.fields.velocity_y", "initial.fields.velocity_z"};
/// All species but the last have one, which is the rest.
constexpr std::array fractions{"initial.fields.mass_fraction_1", "initial.fields.mass_fraction_2",
                               "initial.fields.mass_fraction_3", "initial.fields.mass_fraction_4",
                               "initial.fields.mass_fraction_5", "initial.fields.mass_fraction_6",
                               "initial.fields.mass_fraction_7"};
static_assert(fractions.size() + 1 == kernels::most_species);

constexpr config::Key fraction_key(std::size_t species) {
  return config::initial_formula_key(fractions[species],  // NOLINT(cppcoreguidelines-pro-bounds-constant-array-index)
                                     "Of the mass of gas, the part that is this species, from 0 to 1; those that are "
                                     "given come first, and the species "
                                     "behind them is the rest.");
}

constexpr std::array field_keys{
    config::required_initial_formula_key("initial.fields.density",
                                         "Density at the place (x, y, z), more than 0, in code units."),
    config::required_initial_formula_key("initial.fields.pressure", "Pressure, more than 0."),
    config::initial_formula_key(velocities[0], "Velocity along x; without it: 0."),
    config::initial_formula_key(velocities[1], "Velocity along y; without it: 0."),
    config::initial_formula_key(velocities[2], "Velocity along z; without it: 0."),
    fraction_key(0),
    fraction_key(1),
    fraction_key(2),
    fraction_key(3),
    fraction_key(4),
    fraction_key(5),
    fraction_key(6),
    config::initial_constants_key(),
};

/// The formulas that are given.
struct GasFormulas {
  GasFormulas(const config::Parameters& p)  // NOLINT(google-explicit-constructor)
      : density(p, "initial.fields.density", config::initial_constants, config::positive),
        pressure(p, "initial.fields.pressure", config::initial_constants, config::positive) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      if (!p.has(velocities[axis])) continue;
      moving.push_back(axis);
      velocity.emplace_back(p, velocities[axis], config::initial_constants);
    }
    for (const char* const key : fractions) {
      if (!p.has(key)) break;
      constexpr config::Range part{.lower = 0.0, .upper = 1.0};
      fraction.emplace_back(p, key, config::initial_constants, part);
    }
    for (std::size_t k = fraction.size(); k < fractions.size(); ++k) {
      if (!p.has(fractions[k])) continue;
      throw config::Error(p.where(fractions[k]), fractions[k], fmt::format("is given, and {} is not", fractions[k - 1]),
                          "give those of the first species");
    }
    where_of_last = fraction.empty() ? config::Location{} : p.where(fractions[fraction.size() - 1]);
  }

  [[nodiscard]] GasState state(const Point& x) const {
    GasState gas{.rho = density(x), .P = pressure(x)};
    for (std::size_t i = 0; i < moving.size(); ++i) gas.v[moving[i]] = velocity[i](x);
    return gas;
  }
  [[nodiscard]] Fractions fractions_at(const Point& x) const {
    Fractions result{};
    double rest = 1.0;
    for (std::size_t k = 0; k < fraction.size(); ++k) {
      result[k] = fraction[k](x);
      rest -= result[k];
    }
    result[fraction.size()] = rest;
    return result;
  }
  void check(const Point& x, const std::function<std::string()>& cell) const {
    for (const Formula* formula : {&density, &pressure}) static_cast<void>(formula->value(x, cell));
    for (const auto* formulas : {&velocity, &fraction}) {
      for (const Formula& formula : *formulas) static_cast<void>(formula.value(x, cell));
    }
    constexpr double rounding = 1e-12;
    const double rest = fractions_at(x)[fraction.size()];
    if (rest >= -rounding) return;
    throw config::Error(
        where_of_last, fractions[fraction.size() - 1],
        fmt::format("and those before it add up to {:.6g} in {}; expected at most 1", 1.0 - rest, cell()));
  }

  Formula density;
  Formula pressure;
  std::vector<std::size_t> moving;  ///< axes
  std::vector<Formula> velocity;    ///< by them
  std::vector<Formula> fraction;
  config::Location where_of_last;
};

}  // namespace

std::span<const config::Key> formula_keys() { return field_keys; }

Initial make_formulas(const config::Parameters& p, const Domain& /*domain*/, double /*gamma*/) {
  const auto formulas = std::make_shared<const GasFormulas>(p);
  Initial initial{.state = [formulas](const Point& x) { return formulas->state(x); },
                  .from = "formulas of the parameter file",
                  .check = [formulas](const Point& x, const auto& cell) { formulas->check(x, cell); }};
  if (formulas->fraction.empty()) return initial;
  initial.fractions = [formulas](const Point& x) { return formulas->fractions_at(x); };
  initial.species = formulas->fraction.size() + 1;
  return initial;
}

}  // namespace tacit::amr
