// The keys of the particles' own gravity, and what they become.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>

#include "tacit/solvers/sph/keys.hpp"

namespace tacit::sph {
namespace {

using fmm::kernels::SofteningKind;

constexpr base::Dimension of_constant{.length = 3, .mass = -1, .time = -2};

constexpr std::array softening_choices{
    Choice{"wendland_c2", SofteningKind::wendland_c2, "a sphere of Wendland's C2 kernel; Newtonian from 3 epsilon on"},
    Choice{"plummer", SofteningKind::plummer, "1 / sqrt(r^2 + epsilon^2), at all distances"},
};
constexpr std::array opening_choices{
    Choice{"adaptive", Opening::adaptive, "where the estimated error is below gravity.tolerance"},
    Choice{"angle", Opening::angle, "where both cells together are seen under less than gravity.angle"},
};
constexpr std::array gravity_keys{
    Key::flag("gravity.self", false,
              "Whether the particles attract each other. In three dimensions, with sph.boundary = \"open\"."),
    Key::positive("gravity.constant", of_constant,
                  "Newton's constant G, of self-gravity and of external potentials. Without it, that of nature in the "
                  "units of the run; 1 makes a run without units."),
    Key::positive("gravity.softening", dim::length,
                  "Length epsilon below which the attraction of two particles is softened: that of the Plummer sphere "
                  "with the same potential at its centre.")
        .belongs_to("gravity.self", "true"),
    Key::choice("gravity.softening_kernel", softening_choices, SofteningKind::wendland_c2, "How it is softened.")
        .needs("gravity.self", "true"),
    Key::integer("gravity.order", {1, 5},
                 "Order of the multipoles and of the expansions around cells: errors fall with each, and work grows.",
                 "4")
        .needs("gravity.self", "true")
        .changeable(),
    Key::choice("gravity.criterion", opening_choices, Opening::adaptive,
                "When two cells act on each other by expansions; else their particles do, or smaller cells.")
        .needs("gravity.self", "true")
        .changeable(),
    Key::real("gravity.tolerance", config::above(0.0, 1.0),
              "Of the adaptive criterion: what a cell may err by, as a part of the smallest acceleration by gravity in "
              "the other.",
              "1e-3")
        .needs("gravity.self", "true")
        .changeable(),
    Key::real("gravity.angle", config::above(0.0, 0.99),
              "Sum of the radii of two cells over their distance, at most; of the adaptive criterion for the first "
              "forces of a run.",
              "0.5")
        .needs("gravity.self", "true")
        .changeable(),
    Key::real("gravity.time_step", config::above(0.0, 10.0),
              "Steps are at most this part of sqrt(softening / acceleration).", "0.2")
        .needs("gravity.self", "true")
        .changeable(),
};

void check_space(const config::Parameters& p, const SphParameters& sph) {
  if (sph.dimension != 3) {
    throw config::Error(p.where("gravity.self"), "gravity.self",
                        fmt::format("needs three dimensions, and sph.dimension is {}", sph.dimension),
                        "write false, or leave sph.dimension out");
  }
  if (sph.boundary != Boundary::open) {
    throw config::Error(
        p.where("gravity.self"), "gravity.self",
        fmt::format("knows no images of the particles, which a box that is {} has", p.text("sph.boundary")),
        "set sph.boundary = \"open\"");
  }
}

}  // namespace

std::span<const Key> gravity_table() { return gravity_keys; }

double gravitational_constant(const config::Parameters& p) {
  constexpr double G = 6.67430e-8;  // cm^3 g^-1 s^-2
  return p.real_or("gravity.constant", G / p.units().in_cgs(of_constant));
}

SelfGravity read_gravity(const config::Parameters& p, const SphParameters& sph) {
  SelfGravity gravity;
  gravity.is_present = p.flag("gravity.self");
  if (!gravity.is_present) return gravity;
  check_space(p, sph);
  gravity.G = gravitational_constant(p);
  gravity.softening = p.real("gravity.softening");
  gravity.kind = p.choice("gravity.softening_kernel", softening_choices);
  gravity.order = static_cast<int>(p.integer("gravity.order"));
  gravity.opening = p.choice("gravity.criterion", opening_choices);
  gravity.tolerance = p.real("gravity.tolerance");
  gravity.angle = p.real("gravity.angle");
  gravity.time_step_factor = p.real("gravity.time_step");
  return gravity;
}

}  // namespace tacit::sph
