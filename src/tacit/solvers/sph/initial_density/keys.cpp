// Initial conditions of a universe: their keys.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/sph/keys.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <string>
#include <utility>

#include "tacit/solvers/sph/parameters.hpp"
#include "tacit/solvers/sph/setups/bodies.hpp"
#include "tacit/solvers/sph/setups/entries.hpp"

namespace tacit::sph {
namespace {

constexpr double cm_of_Mpc = 3.0856775814913673e24;

enum class Transfer : std::uint8_t { eisenstein_hu, no_wiggles, table };

constexpr std::array transfers{
    config::Choice{"eisenstein_hu", Transfer::eisenstein_hu,
                   "the fit of Eisenstein & Hu (1998), with the oscillations of baryons"},
    config::Choice{"no_wiggles", Transfer::no_wiggles, "theirs without oscillations"},
    config::Choice{"table", Transfer::table, "a file, as CAMB and CLASS write it (cosmological.spectrum_file)"},
};
constexpr std::array orders{
    config::Choice{"2lpt", LptOrder::second, "second order (2LPT): right enough to begin at a redshift of 20 to 50"},
    config::Choice{"zeldovich", LptOrder::first, "first order alone, Zel'dovich's approximation"},
};
constexpr std::array amplitude_kinds{
    config::Choice{"gaussian", ModeAmplitudes::gaussian, "as of a Gaussian random field"},
    config::Choice{"fixed", ModeAmplitudes::fixed, "all as the spectrum says; phases are random"},
};
constexpr std::array cosmological_keys{
    Key::integer("cosmological.resolution", {4, 16384},
                 "Particles along each side, on a cubic lattice that is displaced; of gas as many again.", "64"),
    Key::positive("cosmological.box", dim::length, "Side of the box, comoving.", "1"),
    Key::seed("cosmological.seed",
              "Which universe: the same number gives the same waves at any resolution and on any number of ranks."),
    Key::choice("cosmological.lpt", orders, LptOrder::second, "Displacements and velocities."),
    Key::choice("cosmological.spectrum", transfers, Transfer::eisenstein_hu, "Linear power spectrum of all matter."),
    Key::path("cosmological.spectrum_file",
              "Text with k [h/Mpc] and P(k) [(Mpc/h)^3] of linear theory at a = 1 in each line, k rising; it must "
              "cover all waves of the box. What follows in a line, or a #, is left out.")
        .with_example("matterpower.dat")
        .belongs_to("cosmological.spectrum", "table"),
    Key::real("cosmological.sigma_8", config::above(0.0, 10.0),
              "Height of the spectrum: rms of the linear density at a = 1 in balls of 8 Mpc/h. Without it and A_s, a "
              "table is taken as it is."),
    Key::real("cosmological.A_s", config::above(0.0, 1e-6),
              "The same by the power of the primordial curvature at 0.05 / Mpc, 2.1e-9 for example.")
        .excludes("cosmological.sigma_8"),
    Key::real("cosmological.n_s", {-1.0, 3.0}, "Slope of the primordial spectrum; of a table it is part of that.",
              "0.965"),
    Key::real("cosmological.cmb_temperature", {1.0, 10.0}, "Of the background radiation [K], for the fits.", "2.7255"),
    Key::choice("cosmological.amplitudes", amplitude_kinds, ModeAmplitudes::gaussian, "Of the modes."),
    Key::flag(
        "cosmological.gas", false,
        "Whether cosmology.omega_b of the matter is gas, which begins with the same displacements and velocities; "
        "else all matter is bodies of GADGET's type 1."),
    Key::non_negative("cosmological.gas_temperature", dim::temperature,
                      "Of the gas at the begin. Without it: that of the radiation until 1 / a = 160 (omega_b h^2 / "
                      "0.024)^0.4, from where it falls as a^-2.")
        .needs("cosmological.gas", "true"),
};

/// @throws config::Error where the keys of the spectrum contradict each other
Amplitude read_amplitude(const config::Parameters& p, Transfer transfer) {
  Amplitude amplitude;
  if (p.has("cosmological.sigma_8")) amplitude.sigma_8 = p.real("cosmological.sigma_8");
  if (p.has("cosmological.A_s")) amplitude.A_s = p.real("cosmological.A_s");
  if (transfer == Transfer::table) {
    if (amplitude.A_s) {
      throw config::Error(p.where("cosmological.A_s"), "cosmological.A_s", "says nothing of a table",
                          "write cosmological.sigma_8, or neither to take the table as it is");
    }
    if (p.is_given("cosmological.n_s")) {
      throw config::Error(p.where("cosmological.n_s"), "cosmological.n_s", "says nothing of a table, which has a slope",
                          "remove the line");
    }
  } else if (!amplitude.sigma_8 && !amplitude.A_s) {
    throw config::Error(p.where("initial.setup"), "cosmological.sigma_8",
                        "is missing: a transfer function does not say how high the spectrum is",
                        "write cosmological.sigma_8 = 0.81, or A_s = 2.1e-9");
  }
  return amplitude;
}

/// @throws config::Error, base::FormatError where it cannot be had, or lacks waves of the box
LinearSpectrum read_spectrum(const config::Parameters& p, const Cosmology& cosmology) {
  const Transfer transfer = p.choice("cosmological.spectrum", transfers);
  const Amplitude amplitude = read_amplitude(p, transfer);
  const double length = p.units().in_cgs(dim::length) / cm_of_Mpc;
  if (transfer == Transfer::table) {
    LinearSpectrum spectrum(cosmology, read_spectrum_table(p.existing_file("cosmological.spectrum_file")), amplitude,
                            length);
    const auto n = static_cast<double>(p.integer("cosmological.resolution"));
    const double longest = 2.0 * std::numbers::pi / p.real("cosmological.box");
    const double shortest = longest * std::sqrt(3.0) * std::floor((n - 1.0) / 2.0);
    const auto [low, high] = spectrum.covers();
    if (low > longest || high < shortest) {
      const double to_h = 1.0 / (length * cosmology.h);
      throw config::Error(
          p.where("cosmological.spectrum_file"), "cosmological.spectrum_file",
          fmt::format("has k from {:.4g} to {:.4g} h/Mpc, and waves in the box have k from {:.4g} to {:.4g} h/Mpc",
                      low * to_h, high * to_h, longest * to_h, shortest * to_h),
          "write a table with that range, or choose another box or resolution; is units.length what you mean?");
    }
    return spectrum;
  }
  if (transfer == Transfer::eisenstein_hu && !(cosmology.omega_b > 0.0 && cosmology.omega_b < cosmology.omega_m)) {
    throw config::Error(
        p.where(p.is_given("cosmology.omega_b") ? "cosmology.omega_b" : "initial.setup"), "cosmology.omega_b",
        "must be more than 0 and less than omega_m for the oscillations of baryons in cosmological.spectrum",
        "write cosmology.omega_b = 0.05, for example, or cosmological.spectrum = \"no_wiggles\"");
  }
  if (transfer == Transfer::no_wiggles && !(cosmology.omega_b < cosmology.omega_m)) {
    throw config::Error(p.where("cosmology.omega_b"), "cosmology.omega_b",
                        "must be less than omega_m for cosmological.spectrum", "write 0.05, for example");
  }
  return {
      cosmology,
      transfer == Transfer::eisenstein_hu ? LinearSpectrum::Shape::eisenstein_hu : LinearSpectrum::Shape::no_wiggles,
      p.real("cosmological.cmb_temperature"),
      p.real("cosmological.n_s"),
      amplitude,
      length};
}

/// a^2 times the physical internal energy of neutral primordial gas [specific energy].
/// @see Bertschinger (1995), arXiv:astro-ph/9506070 (the time at which it falls behind the radiation)
double internal_energy(const config::Parameters& p, const Cosmology& cosmology, double a) {
  constexpr double k_B = 1.380649e-16;    // [erg / K]
  constexpr double m_p = 1.67262192e-24;  // [g]
  constexpr double mu = 1.22;             // of three quarters hydrogen and one helium
  const double cmb = p.real("cosmological.cmb_temperature");
  const double loose = 1.0 / (160.0 * std::pow(cosmology.omega_b * cosmology.h * cosmology.h / 0.024, 0.4));
  double kelvin = a > loose ? cmb * loose / (a * a) : cmb / a;
  if (p.has("cosmological.gas_temperature")) {
    kelvin = p.real("cosmological.gas_temperature") * p.units().in_cgs(dim::temperature);
  }
  return a * a * 1.5 * k_B * kelvin / (mu * m_p) / p.units().in_cgs(dim::specific_energy);
}

Setup read_cosmological(const config::Parameters& p, const SphParameters& sph) {
  if (!sph.cosmology) {
    throw config::Error(p.where(p.is_given("cosmology.expanding") ? "cosmology.expanding" : "initial.setup"),
                        "cosmology.expanding", "cosmological is the matter of a box that expands",
                        "set cosmology.expanding = true, cosmology.h and cosmology.omega_m");
  }
  const Cosmology& cosmology = *sph.cosmology;
  if (!std::isfinite(growth(cosmology, std::max(1.0, sph.begin)).linear.D)) {
    throw config::Error(p.where("cosmology.omega_m"), "cosmology.omega_m",
                        "matter in such a universe has not grown from a small scale factor until today",
                        "look at the other Omegas, w0 and wa");
  }
  const bool has_gas = p.flag("cosmological.gas");
  if (has_gas && !(cosmology.omega_b > 0.0 && cosmology.omega_b < cosmology.omega_m)) {
    throw config::Error(p.where("cosmological.gas"), "cosmological.gas",
                        "is gas beside bodies, so cosmology.omega_b must be more than 0 and less than omega_m",
                        "write cosmology.omega_b = 0.05, for example");
  }
  return Cosmological{.resolution = p.integer("cosmological.resolution"),
                      .order = p.choice("cosmological.lpt", orders),
                      .has_gas = has_gas,
                      .u = has_gas ? internal_energy(p, cosmology, sph.begin) : 0.0,
                      .begin = sph.begin,
                      .cosmology = cosmology,
                      .G = sph.gravity.G,
                      .density = {.box = p.real("cosmological.box"),
                                  .seed = p.count("cosmological.seed"),
                                  .amplitudes = p.choice("cosmological.amplitudes", amplitude_kinds),
                                  .spectrum = read_spectrum(p, cosmology)}};
}

}  // namespace

const SetupEntry& cosmological_entry() {
  static constexpr SetupEntry entry{
      .choice = {"cosmological",
                 "matter of a universe from its power spectrum, as of MUSIC or N-GenIC (table "
                 "[cosmological])"},
      .title = "Set-up: matter of a universe",
      .keys = cosmological_keys,
      .read = &read_cosmological,
      .least_dimension = 3,
      .boundary = Boundary::periodic};
  return entry;
}

}  // namespace tacit::sph
