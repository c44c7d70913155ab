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
namespace dim = base::dimension;

constexpr std::array shift_choices{
    Choice{"none", PhaseShift::none, "the grid stays"},
    Choice{"alternating", PhaseShift::alternating, "every second substage on points in the middle of cells"},
    Choice{"random", PhaseShift::random,
           "by a new random part of a cell in each step, and half a cell more in every second substage"},
};
constexpr std::array forcing_choices{
    Choice{"none", ForcingKind::none, "the flow decays"},
    Choice{"eswaran_pope", ForcingKind::eswaran_pope, "random accelerations with a memory"},
    Choice{"constant", ForcingKind::constant, "an acceleration along the velocity that brings a constant power"},
    Choice{"frozen", ForcingKind::frozen, "the energy of each forced shell keeps its initial value"},
};
constexpr std::array scalar_choices{
    Choice{"zero", ScalarField::zero, "nothing, for a scalar with a mean gradient"},
    Choice{"wave_x", ScalarField::wave_x, "one wave in the box along x"},
    Choice{"wave_y", ScalarField::wave_y, "along y"},
    Choice{"wave_z", ScalarField::wave_z, "along z"},
    Choice{"isotropic", ScalarField::isotropic, "random, with the spectrum k^4 exp(-2 (k/peak)^2)"},
};
constexpr std::array physics_table{
    Key::vector("dns.rotation", {.time = -1},
                "Angular velocity of the frame; its Coriolis force is integrated exactly.", "[0, 0, 0]"),
    Key::non_negative("dns.stratification", {.time = -1},
                      "N, the frequency of Brunt & Vaisala, of a density that falls with z (Boussinesq); 0: none. "
                      "Files hold the buoyancy b = N theta.",
                      "0"),
    Key::positive("dns.prandtl", "Viscosity over diffusivity of the buoyancy.", "1").needs("dns.stratification"),
    Key::choice("dns.phase_shift", shift_choices, PhaseShift::none,
                "How the grid is shifted between substages so that aliasing errors cancel.")
        .needs("dns.truncation", "spherical"),
    Key::choice("dns.forcing", forcing_choices, ForcingKind::none, "What drives the flow (table [forcing])."),
    Key::seed("dns.seed", "Random seed for forces, shifts and scalars."),
};
constexpr std::array forcing_table{
    Key::real("forcing.radius", {.lower = 1.0},
              "Modes are forced up to this number of waves per box (the longest side).", "2.5")
        .needs("dns.forcing"),
    Key::positive("forcing.power", {.length = 2, .time = -3},
                  "constant: energy per mass and time. eswaran_pope: variance of an acceleration times its memory; the "
                  "power is about 4 times that for each forced mode.")
        .belongs_to("dns.forcing", "eswaran_pope", "constant"),
    Key::positive("forcing.memory", dim::time, "eswaran_pope: correlation time of the accelerations.")
        .belongs_to("dns.forcing", "eswaran_pope"),
};
constexpr std::array scalar_table{
    Key::numbers("scalars.schmidt", "Viscosity over diffusivity of each passive scalar: [0.7, 1, 7] makes three.",
                 config::positive),
    Key::numbers("scalars.gradient_x",
                 "Mean gradient along x of each scalar, per code length: [0, 0, 1]; all 0 if left out."),
    Key::numbers("scalars.gradient_y", "Along y."),
    Key::numbers("scalars.gradient_z", "Along z."),
    Key::choice_list("scalars.initial", scalar_choices,
                     "Initial field of each scalar, with a root mean square of 1; all zero if left out."),
    Key::positive("scalars.peak", "Of isotropic [waves per box].", "4"),
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

ForcingParameters read_forcing(const config::Parameters& p, const FlowParameters& flow) {
  const ForcingParameters forcing{.kind = p.choice("dns.forcing", forcing_choices),
                                  .radius = p.real("forcing.radius"),
                                  .power = p.real_or("forcing.power", 0.0),
                                  .memory = p.real_or("forcing.memory", 0.0)};
  if (forcing.kind == ForcingKind::none) return forcing;
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

}  // namespace

std::span<const config::Key> physics_keys() { return physics_table; }
std::span<const config::Key> forcing_keys() { return forcing_table; }
std::span<const config::Key> scalar_keys() { return scalar_table; }

PhysicsParameters read_physics(const config::Parameters& p, const FlowParameters& flow) {
  return {.scalars = read_scalars(p, flow.viscosity),
          .rotation = p.vec3("dns.rotation"),
          .stratification = p.real("dns.stratification"),
          .buoyancy_diffusivity = flow.viscosity / p.real("dns.prandtl"),
          .phase_shift = p.choice("dns.phase_shift", shift_choices),
          .forcing = read_forcing(p, flow),
          .seed = p.count("dns.seed")};
}

ScalarFields read_scalar_fields(const config::Parameters& p) {
  ScalarFields result{.fields = {}, .peak = p.real("scalars.peak"), .seed = p.count("dns.seed")};
  if (!p.has("scalars.initial")) return result;
  result.fields = p.choices("scalars.initial", scalar_choices);
  expect_one_for_each(p, "scalars.initial", result.fields.size());
  return result;
}

}  // namespace tacit::dns
