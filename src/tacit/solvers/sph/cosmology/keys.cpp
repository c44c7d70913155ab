// The keys of an expanding box, and what they become.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/sph/keys.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <optional>
#include <string>

namespace tacit::sph {
namespace {

constexpr double km_per_s_per_Mpc = 1e5 / 3.0856775814913673e24;  // [s^-1]

constexpr std::array cosmology_keys{
    Key::flag("cosmology.expanding", false,
              "Whether the box expands. Then lengths are comoving, those of today; and the run counts the scale factor "
              "a, which is 1 today: time.begin, time.end and all times between outputs are such, plain numbers. It "
              "needs a periodic box and gravity.self."),
    Key::real("cosmology.h", {0.01, 10.0}, "Hubble constant over 100 km/s/Mpc.")
        .with_example("0.7")
        .belongs_to("cosmology.expanding", "true"),
    Key::real("cosmology.omega_m", config::above(0.0, 10.0),
              "Omega_m: mean density of all matter today, over the critical one.")
        .with_example("0.3")
        .belongs_to("cosmology.expanding", "true"),
    Key::real("cosmology.omega_lambda", {-10.0, 10.0},
              "Omega_Lambda: that of dark energy. Without it: what makes space flat.")
        .needs("cosmology.expanding", "true"),
    Key::real("cosmology.omega_k", {-10.0, 10.0},
              "Omega_k: of curvature, 1 less all others; above 0 space is open. Without it: none.", "0")
        .needs("cosmology.expanding", "true"),
    Key::real("cosmology.omega_b", {0.0, 10.0}, "Omega_b: of gas, a part of Omega_m.", "0")
        .needs("cosmology.expanding", "true"),
    Key::real("cosmology.omega_r", {0.0, 1.0}, "Omega_r: of radiation, which stays uniform.", "0")
        .needs("cosmology.expanding", "true"),
    Key::real("cosmology.w0", {-3.0, 0.5}, "Pressure over density of dark energy today: w = w0 + wa (1 - a).", "-1")
        .needs("cosmology.expanding", "true"),
    Key::real("cosmology.wa", {-3.0, 3.0}, "Its change.", "0").needs("cosmology.expanding", "true"),
    Key::real("cosmology.longest_step", config::above(0.0, 0.2), "Longest time step of a particle, in ln a.", "0.02")
        .needs("cosmology.expanding", "true")
        .changeable(),
    Key::numbers("output.redshifts",
                 "Redshifts of further snapshots, falling: [10, 5, 2]; beside those of output.snapshot_every and "
                 "output.snapshot_times. What lies outside the run is left out.",
                 config::above(-1.0, 1e4))
        .needs("cosmology.expanding", "true")
        .changeable(),
};

/// @throws config::Error where what is there beside expansion knows none
void check_companions(const config::Parameters& p, const SphParameters& sph) {
  const auto refuse = [&p](const char* key, const std::string& what, const std::string& hint) {
    throw config::Error(p.where(p.is_given(key) ? key : "cosmology.expanding"), key, what, hint);
  };
  if (sph.boundary != Boundary::periodic) {
    refuse("sph.boundary", "a box that expands is periodic", "set sph.boundary = \"periodic\", or leave it out");
  }
  if (!sph.gravity.is_present) {
    refuse("gravity.self", "a box that expands does so by gravity", "set gravity.self = true, and gravity.softening");
  }
  if (sph.potential.is_present()) {
    throw config::Error(p.where("cosmology.expanding"), "cosmology.expanding",
                        "external potentials stand still, and the box expands", "remove the table [potential]");
  }
  if (p.has("cooling.time")) {
    refuse("cooling.time", "is one of a box that does not expand", "remove the table [cooling]");
  }
  if (sph.pairs == Pairs::symmetric) {
    refuse("sph.pairs", "pairs are visited once only in a box that does not expand", "write \"gather\"");
  }
  if (p.flag("output.log")) {
    refuse("output.log", "the log knows of no box that expands", "write false");
  }
}

void check_sum(const config::Parameters& p, const Cosmology& cosmology) {
  constexpr double rounding = 1e-6;
  const double asked = p.real("cosmology.omega_k");
  if (std::abs(cosmology.omega_k() - asked) > rounding) {
    throw config::Error(
        p.where("cosmology.omega_lambda"), "cosmology.omega_lambda",
        fmt::format("with omega_m = {:.6g} and omega_r = {:.6g}, {:.6g} leaves {:.6g} for curvature, and "
                    "cosmology.omega_k is {:.6g}",
                    cosmology.omega_m, cosmology.omega_r, cosmology.omega_lambda, cosmology.omega_k(), asked),
        fmt::format("leave one of them out, or write omega_k = {:.6g}", cosmology.omega_k()));
  }
  if (cosmology.omega_b > cosmology.omega_m) {
    throw config::Error(
        p.where("cosmology.omega_b"), "cosmology.omega_b",
        fmt::format("is a part of omega_m = {:.6g}, and {:.6g} is more", cosmology.omega_m, cosmology.omega_b),
        "omega_m is that of all matter, gas among it");
  }
}

/// The scale factors of the run.
void check_times(const config::Parameters& p, const Cosmology& cosmology) {
  constexpr double earliest = 1e-4;
  constexpr double latest = 10.0;
  const auto check = [&](const char* key) {
    const double a = p.real(key);
    if (a >= earliest && a <= latest) return;
    throw config::Error(p.where(key), key,
                        fmt::format("is a scale factor in a box that expands, and {:.6g} is none between {} and {}", a,
                                    earliest, latest),
                        "write a plain number: 1 is today, 1 / (1 + z) the time of redshift z");
  };
  check("time.end");
  const bool has_begin = p.has("time.begin");
  if (has_begin) check("time.begin");
  if (!has_begin && p.has("initial.setup")) {
    throw config::Error(p.where("initial.setup"), "time.begin",
                        "is missing: a set-up in a box that expands begins at some scale factor",
                        "write time.begin = 0.02, for example");
  }
  const double first = has_begin ? p.real("time.begin") : earliest;
  const double last = p.real("time.end");
  for (int k = 0; k <= 200; ++k) {
    const double a = first * std::pow(last / first, k / 200.0);
    if (cosmology.expansion2(a) > 0.0) continue;
    throw config::Error(p.where("cosmology.omega_m"), "cosmology.omega_m",
                        fmt::format("such a universe never had, or will never have, a scale factor of {:.4g}", a),
                        "look at the other Omegas, and at time.begin and time.end");
  }
}

}  // namespace

std::span<const Key> cosmology_table() { return cosmology_keys; }

std::optional<Cosmology> read_cosmology(const config::Parameters& p, const SphParameters& sph) {
  if (!p.flag("cosmology.expanding")) return std::nullopt;
  check_companions(p, sph);
  Cosmology cosmology;
  cosmology.h = p.real("cosmology.h");
  cosmology.H0 = 100.0 * cosmology.h * km_per_s_per_Mpc * p.units().in_cgs(dim::time);
  cosmology.omega_m = p.real("cosmology.omega_m");
  cosmology.omega_r = p.real("cosmology.omega_r");
  cosmology.omega_b = p.real("cosmology.omega_b");
  cosmology.w0 = p.real("cosmology.w0");
  cosmology.wa = p.real("cosmology.wa");
  cosmology.omega_lambda =
      p.real_or("cosmology.omega_lambda", 1.0 - cosmology.omega_m - cosmology.omega_r - p.real("cosmology.omega_k"));
  check_sum(p, cosmology);
  check_times(p, cosmology);
  return cosmology;
}

}  // namespace tacit::sph
