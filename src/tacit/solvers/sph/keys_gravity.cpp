// The keys of the particles' own gravity, and what they become.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "tacit/base/error.hpp"
#include "tacit/fmm/images.hpp"
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
/// Of the types 1 to 5, in GADGET's words.
constexpr std::array<const char*, attracting_types - 1> softening_of_types{
    "gravity.softening_halo", "gravity.softening_disc", "gravity.softening_bulge", "gravity.softening_stars",
    "gravity.softening_black_holes"};
constexpr std::array gravity_keys{
    Key::flag(
        "gravity.self", false,
        "Whether the particles attract each other, those of GADGET's types 0 to 5: gas, halo, disc, bulge, stars, "
        "black holes. In three dimensions. In a periodic box all images attract too, on a uniform background that "
        "makes "
        "its mean density 0; not between reflecting walls."),
    Key::positive("gravity.constant", of_constant,
                  "Newton's constant G, of self-gravity and of external potentials. Without it, that of nature in the "
                  "units of the run; 1 makes a run without units."),
    Key::positive("gravity.softening", dim::length,
                  "Length epsilon below which the attraction of two particles is softened: that of the Plummer sphere "
                  "with the same potential at its centre.")
        .belongs_to("gravity.self", "true"),
    Key::positive(
        softening_of_types[0], dim::length,
        "The same for particles of type 1, in GADGET's files the halo, if it is another. Of two particles the "
        "longer one counts.")
        .needs("gravity.self", "true"),
    Key::positive(softening_of_types[1], dim::length, "The same for type 2, the disc.").needs("gravity.self", "true"),
    Key::positive(softening_of_types[2], dim::length, "The same for type 3, the bulge.").needs("gravity.self", "true"),
    Key::positive(softening_of_types[3], dim::length, "The same for type 4, stars.").needs("gravity.self", "true"),
    Key::positive(softening_of_types[4], dim::length, "The same for type 5, black holes.")
        .needs("gravity.self", "true"),
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
  if (sph.boundary == Boundary::reflecting) {
    throw config::Error(p.where("gravity.self"), "gravity.self",
                        "knows no images of the particles in walls, which a box that is reflecting has",
                        "set sph.boundary = \"periodic\" or \"open\"");
  }
}

/// Expansions with Plummer's softening are those of one length.
void check_softenings(const config::Parameters& p, const SelfGravity& gravity) {
  if (gravity.kind != SofteningKind::plummer) return;
  for (std::size_t type = 1; type < attracting_types; ++type) {
    const char* const key = softening_of_types[type - 1];
    if (gravity.softening_of(type) == gravity.softening) continue;
    throw config::Error(
        p.where(key), key,
        "is another length than gravity.softening, and Plummer's softening acts at all distances, where "
        "only one is known",
        "write gravity.softening_kernel = \"wendland_c2\", or one length for all");
  }
}

}  // namespace

std::span<const Key> gravity_table() { return gravity_keys; }

double gravitational_constant(const config::Parameters& p) {
  constexpr double G = 6.67430e-8;  // cm^3 g^-1 s^-2
  return p.real_or("gravity.constant", G / p.units().in_cgs(of_constant));
}

void check_periodic_gravity(const SphParameters& parameters, const base::Vec3& box) {
  const SelfGravity& gravity = parameters.gravity;
  if (!gravity.is_present || parameters.boundary != Boundary::periodic) return;
  const double shortest = std::min({box.x, box.y, box.z});
  const double longest = std::max({box.x, box.y, box.z});
  if (longest > fmm::Images::most_elongated * shortest) {
    throw base::Error(fmt::format(
        "gravity.self: the box of {} x {} x {} is too elongated for periodic images: its longest side may be "
        "at most {} times the shortest\n"
        "  Take a box that is nearer to a cube, or set sph.boundary = \"open\".",
        box.x, box.y, box.z, fmm::Images::most_elongated));
  }
  for (std::size_t type = 0; type < attracting_types; ++type) {
    constexpr double most = 1.0 / 6.0;  // two bodies are then softened by one image alone
    if (gravity.softening_of(type) <= most * shortest) continue;
    const bool is_own = type > 0 && gravity.own_softening[type] > 0.0;
    throw base::Error(
        fmt::format("{}: {} is too long for a periodic box of {} x {} x {}: particles may be softened within "
                    "half of its shortest side, so at most {}",
                    is_own ? softening_of_types[type - 1] : "gravity.softening", gravity.softening_of(type), box.x,
                    box.y, box.z, most * shortest));
  }
}

SelfGravity read_gravity(const config::Parameters& p, const SphParameters& sph) {
  SelfGravity gravity;
  gravity.is_present = p.flag("gravity.self");
  if (!gravity.is_present) return gravity;
  check_space(p, sph);
  gravity.G = gravitational_constant(p);
  gravity.softening = p.real("gravity.softening");
  for (std::size_t type = 1; type < attracting_types; ++type) {
    gravity.own_softening[type] = p.real_or(softening_of_types[type - 1], 0.0);
  }
  gravity.kind = p.choice("gravity.softening_kernel", softening_choices);
  check_softenings(p, gravity);
  gravity.order = static_cast<int>(p.integer("gravity.order"));
  gravity.opening = p.choice("gravity.criterion", opening_choices);
  gravity.tolerance = p.real("gravity.tolerance");
  gravity.angle = p.real("gravity.angle");
  gravity.time_step_factor = p.real("gravity.time_step");
  return gravity;
}

}  // namespace tacit::sph
