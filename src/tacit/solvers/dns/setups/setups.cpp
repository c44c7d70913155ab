// The initial fields.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/dns/setups/setups.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <complex>
#include <numbers>

#include "tacit/base/random.hpp"
#include "tacit/solvers/dns/flow.hpp"
#include "tacit/solvers/dns/formats/field_file.hpp"
#include "tacit/solvers/dns/modes.hpp"

namespace tacit::dns {
namespace {

/// Phases of a position: 2 pi over each side.
base::Vec3 phases(const base::Vec3& at, const base::Vec3& box) {
  const double period = 2.0 * std::numbers::pi;
  return {period * at.x / box.x, period * at.y / box.y, period * at.z / box.z};
}

std::string make_field(const TaylorGreen& setup, Flow& flow) {
  const base::Vec3 box = flow.parameters().box;
  const double v = setup.speed;
  flow.set([=](const base::Vec3& at) -> base::Vec3 {
    const base::Vec3 p = phases(at, box);
    return {v * std::sin(p.x) * std::cos(p.y) * std::cos(p.z), -v * std::cos(p.x) * std::sin(p.y) * std::cos(p.z), 0.0};
  });
  return {};
}

std::string make_field(const Abc& setup, Flow& flow) {
  const base::Vec3 box = flow.parameters().box;
  const auto [a, b, c] = setup;
  flow.set([=](const base::Vec3& at) -> base::Vec3 {
    const base::Vec3 p = phases(at, box);
    return {a * std::sin(p.z) + c * std::cos(p.y), b * std::sin(p.x) + a * std::cos(p.z),
            c * std::sin(p.y) + b * std::cos(p.x)};
  });
  return {};
}

/// Two components across k with random phases and a random division of the energy, as Rogallo has them.
std::array<Complex, 3> random_mode(const Waves& k, std::uint64_t seed) {
  const std::uint64_t key = key_of(k);
  const auto angle = [&](std::uint64_t which) {
    return 2.0 * std::numbers::pi * base::uniform(seed, key, static_cast<std::uint32_t>(which));
  };
  const double division = angle(2);
  const Complex alpha = std::polar(std::cos(division), angle(0));
  const Complex beta = std::polar(std::sin(division), angle(1));
  const auto x = static_cast<double>(k[0]);
  const auto y = static_cast<double>(k[1]);
  const auto z = static_cast<double>(k[2]);
  const double across = std::sqrt(x * x + y * y);
  if (across == 0.0) return {alpha, beta, 0.0};
  const double length = std::sqrt(x * x + y * y + z * z);
  return {(alpha * length * y + beta * x * z) / (length * across),
          (beta * y * z - alpha * length * x) / (length * across), -beta * across / length};
}

std::string make_field(const Isotropic& setup, Flow& flow) {
  const EnergySpectrum spectrum = setup.spectrum.value_or(ExponentialSpectrum{setup.peak});
  for_each_mode(flow.pencils(), [&](std::size_t x, std::size_t y, std::size_t z, std::size_t at) {
    const Waves k = waves_of(flow.pencils().modes(), x, y, z);
    const auto k2 = static_cast<double>(k[0] * k[0] + k[1] * k[1] + k[2] * k[2]);
    // The energy E(k) of a shell is that of its 4 pi k^2 modes; a factor comes at the end.
    const double size = k2 > 0.0 ? std::sqrt(energy_at(spectrum, std::sqrt(k2)) / k2) : 0.0;
    const auto mode = random_mode(k, setup.seed);
    for (std::size_t c = 0; c < 3; ++c) flow.modes(c)[at] = size * mode[c];
  });
  flow.clean();
  const double energy = flow.energetics().energy;
  const double factor = energy > 0.0 ? std::sqrt(setup.energy / energy) : 0.0;
  for (std::size_t c = 0; c < 3; ++c) {
    for (Complex& mode : flow.modes(c)) mode *= factor;
  }
  return {};
}

std::string make_field(const FromFile& setup, Flow& flow) {
  const double divergence = FieldFile(setup.path).give_velocity(flow);
  // Numbers of single precision, as snapshots have them, leave 1e-7 of their largest in every mode.
  constexpr double of_rounding = 1e-5;
  if (divergence <= of_rounding) return {};
  return fmt::format(
      "{}: the field had divergence, which was taken out: its largest |k.u| was {:.2g} of the largest "
      "|k||u|",
      setup.path.string(), divergence);
}

std::string make_field(const Formulas& setup, Flow& flow) {
  const double divergence = give_formulas(setup, flow);
  constexpr double of_rounding = 1e-10;  // of formulas without divergence, at points
  if (divergence <= of_rounding) return {};
  return fmt::format(
      "the velocity by formulas had divergence, which was taken out: its largest |k.u| was {:.2g} of the largest "
      "|k||u|",
      divergence);
}

}  // namespace

std::string make(const Setup& setup, Flow& flow) {
  return std::visit([&flow](const auto& one) { return make_field(one, flow); }, setup);
}

std::optional<double> expected_speed(const Setup& setup) {
  if (const auto* vortices = std::get_if<TaylorGreen>(&setup)) return vortices->speed;
  if (const auto* abc = std::get_if<Abc>(&setup)) return 2.0 * (std::abs(abc->a) + std::abs(abc->b) + std::abs(abc->c));
  // Three components that are nearly normal: among a million points their sum is some four times its deviation,
  // which is that of one component, sqrt(2 E / 3), times sqrt(3), and more as magnitudes add.
  constexpr double rarest = 4.0;
  if (const auto* field = std::get_if<Isotropic>(&setup)) return rarest * std::sqrt(2.0 * field->energy);
  return {};
}

std::string describe(const Setup& setup) {
  if (const auto* file = std::get_if<FromFile>(&setup)) return file->path.string();
  if (std::holds_alternative<Formulas>(setup)) return "formulas of the parameter file";
  static constexpr std::array names{"set-up taylor_green", "set-up abc", "set-up isotropic"};
  return names[setup.index()];
}

}  // namespace tacit::dns
