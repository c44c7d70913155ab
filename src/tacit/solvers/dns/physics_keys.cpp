// The keys of the physics beyond a plain flow.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/dns/physics_keys.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace tacit::dns {
namespace {

using config::Choice;
using config::Key;
using config::Need;
using config::Type;
namespace dim = base::dimension;

constexpr std::array shift_choices{
    Choice{"none", "the grid stays"},
    Choice{"alternating", "every second substage on points in the middle of cells"},
    Choice{"random", "by a new random part of a cell in each step, and half a cell more in every second substage"},
};
constexpr std::array forcing_choices{
    Choice{"none", "the flow decays"},
    Choice{"eswaran_pope", "random accelerations with a memory"},
    Choice{"constant", "an acceleration along the velocity that brings a constant power"},
    Choice{"frozen", "the energy of each forced shell stays what it was at first"},
};
constexpr std::array physics_table{
    Key{.name = "dns.rotation",
        .type = Type::vector,
        .help = "Angular velocity of the frame; its Coriolis force is integrated exactly.",
        .need = Need::has_default,
        .default_value = "[0, 0, 0]",
        .dimension = {.time = -1}},
    Key{.name = "dns.stratification",
        .type = Type::quantity,
        .help = "N, the frequency of Brunt & Vaisala, of a density that falls with z (Boussinesq); 0: none. Files hold "
                "the buoyancy b = N theta.",
        .need = Need::has_default,
        .default_value = "0",
        .dimension = {.time = -1},
        .range = config::non_negative},
    Key{.name = "dns.prandtl",
        .type = Type::real,
        .help = "Viscosity over diffusivity of the buoyancy.",
        .need = Need::has_default,
        .default_value = "1",
        .range = config::positive},
    Key{.name = "dns.phase_shift",
        .type = Type::choice,
        .help = "How the grid is shifted between substages so that aliases cancel, with truncation = spherical.",
        .need = Need::has_default,
        .default_value = "none",
        .choices = shift_choices},
    Key{.name = "dns.forcing",
        .type = Type::choice,
        .help = "What keeps the flow going (table [forcing]).",
        .need = Need::has_default,
        .default_value = "none",
        .choices = forcing_choices},
    Key{.name = "dns.seed",
        .type = Type::integer,
        .help = "Of random forces, shifts and scalars.",
        .need = Need::has_default,
        .default_value = "1",
        .range = {.lower = 0}},
};
constexpr std::array forcing_table{
    Key{.name = "forcing.radius",
        .type = Type::real,
        .help = "Forced are modes of at most so many waves per box (the longest side).",
        .need = Need::has_default,
        .default_value = "2.5",
        .range = {.lower = 1.0}},
    Key{.name = "forcing.power",
        .type = Type::quantity,
        .help = "constant: energy per mass and time. eswaran_pope: variance of an acceleration times its memory; the "
                "power is about 4 times that for each forced mode.",
        .dimension = {.length = 2, .time = -3},
        .range = config::positive},
    Key{.name = "forcing.memory",
        .type = Type::quantity,
        .help = "eswaran_pope: time in which an acceleration forgets.",
        .dimension = dim::time,
        .range = config::positive},
};
/// In the order of ScalarField.
constexpr std::array scalar_choices{
    Choice{"zero", "nothing, for a scalar with a mean gradient"},
    Choice{"wave_x", "one wave in the box along x"},
    Choice{"wave_y", "along y"},
    Choice{"wave_z", "along z"},
    Choice{"isotropic", "random, with the spectrum k^4 exp(-2 (k/peak)^2)"},
};
constexpr std::array scalar_table{
    Key{.name = "scalars.schmidt",
        .type = Type::numbers,
        .help = "Viscosity over diffusivity of each passive scalar: [0.7, 1, 7] makes three.",
        .range = config::positive},
    Key{.name = "scalars.gradient_x",
        .type = Type::numbers,
        .help = "Mean gradient along x of each scalar, per code length: [0, 0, 1]; all 0 if left out."},
    Key{.name = "scalars.gradient_y", .type = Type::numbers, .help = "Along y."},
    Key{.name = "scalars.gradient_z", .type = Type::numbers, .help = "Along z."},
    Key{.name = "scalars.initial",
        .type = Type::choices,
        .help = "First field of each scalar, with a root mean square of 1; all zero if left out.",
        .choices = scalar_choices},
    Key{.name = "scalars.peak",
        .type = Type::real,
        .help = "Of isotropic [waves per box].",
        .need = Need::has_default,
        .default_value = "4",
        .range = config::positive},
};

[[noreturn]] void fail(const config::Parameters& p, std::string_view key, std::string message, std::string hint) {
  throw config::Error(p.where(key), std::string(key), std::move(message), std::move(hint));
}

std::vector<double> schmidt_numbers(const config::Parameters& p) {
  return p.has("scalars.schmidt") ? p.vector("scalars.schmidt") : std::vector<double>();
}

void expect_one_for_each(const config::Parameters& p, std::string_view key, std::size_t found) {
  const std::size_t count = schmidt_numbers(p).size();
  if (found == count) return;
  fail(p, key, fmt::format("has {} entries for {} scalars", found, count),
       "scalars.schmidt says how many scalars there are; give one entry for each");
}

/// A number for each scalar; 0 where the key is left out.
std::vector<double> of_each_scalar(const config::Parameters& p, std::string_view key) {
  if (!p.has(key)) return std::vector<double>(schmidt_numbers(p).size());
  std::vector<double> numbers = p.vector(key);
  expect_one_for_each(p, key, numbers.size());
  return numbers;
}

std::vector<ScalarParameters> read_scalars(const config::Parameters& p, double viscosity) {
  std::vector<ScalarParameters> scalars;
  for (const double schmidt : schmidt_numbers(p)) scalars.push_back({.diffusivity = viscosity / schmidt});
  const auto x = of_each_scalar(p, "scalars.gradient_x");
  const auto y = of_each_scalar(p, "scalars.gradient_y");
  const auto z = of_each_scalar(p, "scalars.gradient_z");
  for (std::size_t s = 0; s < scalars.size(); ++s) {
    scalars[s].gradient = {x[s], y[s], z[s]};
  }
  return scalars;
}

/// A key of [forcing] that the kind of forcing needs, or must not have.
double forcing_number(const config::Parameters& p, std::string_view key, bool is_needed) {
  const std::string& kind = p.text("dns.forcing");
  if (is_needed && !p.has(key)) {
    fail(p, "dns.forcing", fmt::format("{} needs {}", kind, key), fmt::format("add {} to the file", key));
  }
  if (!is_needed && p.is_given(key)) {
    fail(p, key, fmt::format("has no meaning with dns.forcing = {}", kind), "remove the line, or change dns.forcing");
  }
  return is_needed ? p.real(key) : 0.0;
}

ForcingKind kind_of(const std::string& name) {
  if (name == "eswaran_pope") return ForcingKind::eswaran_pope;
  if (name == "constant") return ForcingKind::constant;
  return name == "frozen" ? ForcingKind::frozen : ForcingKind::none;
}

ForcingParameters read_forcing(const config::Parameters& p, const FlowParameters& flow) {
  ForcingParameters forcing{.kind = kind_of(p.text("dns.forcing")), .radius = p.real("forcing.radius")};
  const bool is_random = forcing.kind == ForcingKind::eswaran_pope;
  forcing.power = forcing_number(p, "forcing.power", is_random || forcing.kind == ForcingKind::constant);
  forcing.memory = forcing_number(p, "forcing.memory", is_random);
  if (forcing.kind == ForcingKind::none) {
    if (p.is_given("forcing.radius")) forcing_number(p, "forcing.radius", false);
    return forcing;
  }
  const fft::Modes modes(flow.points, flow.truncation);
  const double longest = std::max({flow.box.x, flow.box.y, flow.box.z});
  const std::array<double, 3> sides{flow.box.x, flow.box.y, flow.box.z};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const double highest = static_cast<double>(modes.highest(axis)) * longest / sides[axis];
    if (forcing.radius <= highest) continue;
    fail(p, "forcing.radius", fmt::format("{} waves per box, but only {:.4g} are kept", forcing.radius, highest),
         "take more points or a smaller radius; 2 to 3 are usual");
  }
  return forcing;
}

PhaseShift read_shift(const config::Parameters& p, fft::Truncation truncation) {
  const std::string& name = p.text("dns.phase_shift");
  if (name == "none") return PhaseShift::none;
  if (truncation != fft::Truncation::spherical) {
    fail(p, "dns.phase_shift",
         fmt::format("{} has nothing to do with dns.truncation = two_thirds, which leaves no aliases", name),
         "set dns.truncation = \"spherical\", which keeps more modes, or remove the line");
  }
  return name == "random" ? PhaseShift::random : PhaseShift::alternating;
}

}  // namespace

std::span<const config::Key> physics_keys() { return physics_table; }
std::span<const config::Key> forcing_keys() { return forcing_table; }
std::span<const config::Key> scalar_keys() { return scalar_table; }

PhysicsParameters read_physics(const config::Parameters& p, const FlowParameters& flow) {
  PhysicsParameters physics;
  const std::vector<double> omega = p.vector("dns.rotation");
  physics.rotation = {omega[0], omega[1], omega[2]};
  physics.stratification = p.real("dns.stratification");
  if (p.is_given("dns.prandtl") && physics.stratification == 0.0) {
    fail(p, "dns.prandtl", "has no meaning without stratification", "set dns.stratification, or remove the line");
  }
  physics.buoyancy_diffusivity = flow.viscosity / p.real("dns.prandtl");
  physics.phase_shift = read_shift(p, flow.truncation);
  physics.forcing = read_forcing(p, flow);
  physics.seed = static_cast<std::uint64_t>(p.integer("dns.seed"));
  physics.scalars = read_scalars(p, flow.viscosity);
  return physics;
}

ScalarFields read_scalar_fields(const config::Parameters& p) {
  ScalarFields result{
      .fields = {}, .peak = p.real("scalars.peak"), .seed = static_cast<std::uint64_t>(p.integer("dns.seed"))};
  if (!p.has("scalars.initial")) return result;
  for (const std::string& name : p.texts("scalars.initial")) {
    const auto found = std::ranges::find(scalar_choices, name, &Choice::name);
    result.fields.push_back(static_cast<ScalarField>(found - scalar_choices.begin()));
  }
  expect_one_for_each(p, "scalars.initial", result.fields.size());
  return result;
}

}  // namespace tacit::dns
