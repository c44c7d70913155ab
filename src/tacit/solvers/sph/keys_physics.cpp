// The keys of cooling, and what those of cooling and of the equation of state become.
// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <memory>
#include <string>

#include "tacit/solvers/sph/cooling.hpp"
#include "tacit/solvers/sph/keys.hpp"

namespace tacit::sph {
namespace {

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

}  // namespace

std::span<const config::Key> cooling_table() { return cooling_keys; }

std::shared_ptr<const SourceTerm> read_cooling(const config::Parameters& p, const SphParameters& sph) {
  if (sph.eos.kind != kernels::EquationOfState::Kind::ideal) {
    throw config::Error(p.where("cooling.time"), "cooling.time", "needs an ideal gas: no other keeps its heat",
                        "remove the line, or set sph.equation_of_state = \"ideal\"");
  }
  const double c = p.real("cooling.sound_speed");
  return std::make_shared<ExponentialCooling>(p.real("cooling.time"), c * c / (sph.gamma * (sph.gamma - 1.0)));
}

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

}  // namespace tacit::sph
