// The keys of amr.
// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <limits>
#include <span>

#include "tacit/solvers/amr/parameter_choices.hpp"

namespace tacit::amr {
namespace {

using config::Key;
namespace dim = base::dimension;

constexpr std::array amr_keys{
    Key::numbers("amr.root", "Root blocks along each axis: one to three numbers.", {1.0, 1 << 20})
        .required("[1, 1, 1]"),
    Key::integer("amr.block", {8, 16}, "Cells of a sub-grid along each axis: 8 or 16.", "8"),
    Key::integer(
        "amr.level", {0, 20},
        "How often the root blocks are divided in two along each axis, everywhere: cells along an axis are root "
        "block 2^level.",
        "0"),
    Key::numbers("amr.regions",
                 "Boxes with a finer level: for each the level, then for each axis where it begins and ends, in code "
                 "units: [2, 0.25, 0.75] in one dimension."),
    Key::integer("amr.finest", {1, 20},
                 "Sub-grids follow the gas, and are refined down to this level at most; without it they stay as they "
                 "are."),
    Key::integer("amr.jumps_finest", {0, 20},
                 "The deepest level to which jumps refine; amr.level: they refine nothing. Without it: amr.finest.")
        .needs("amr.finest"),
    Key::real(
        "amr.refine_above", config::above(0.0, 1.0),
        "Sub-grids are refined, and those that touch them, where |q(i+1) - q(i-1)| / (q(i+1) + q(i-1)) of density "
        "or pressure is more than this.",
        "0.05")
        .needs("amr.finest"),
    Key::real("amr.coarsen_below", config::above(0.0, 1.0),
              "Sub-grids become coarser where all of these are less than this.", "0.02")
        .needs("amr.finest"),
    Key::integer("amr.density_finest", {1, 20}, "The deepest level to which density refines. Without it: amr.finest.")
        .needs("amr.density_above"),
    Key::positive("amr.density_above", dim::density,
                  "Sub-grids are refined, and those that touch them, where a cell has more density than this. That is "
                  "of the last division, to amr.density_finest; for each one before, a quarter of it is enough in two "
                  "dimensions (an eighth in three, half in one): so no cell above that level has much more mass than "
                  "others.")
        .needs("amr.finest"),
    Key::positive("amr.density_below", dim::density,
                  "Sub-grids of amr.density_finest become coarser where all cells have less density than this, and "
                  "others likewise. Without it: half of amr.density_above.")
        .needs("amr.density_above"),
    Key::numbers(
        "amr.species_finest",
        "The deepest levels to which the density of each of the first species refines, by amr.density_above as "
        "that of all gas does: of a binary [4, 5] has star 2 one level finer than star 1, whatever "
        "amr.density_finest is.")
        .needs("amr.density_above"),
    Key::integer("amr.most_sub_grids", {1, std::numeric_limits<std::uint32_t>::max()},
                 "A run that needs more sub-grids than this ends with a checkpoint, from which it can go on with a "
                 "larger number; `tacit check` says how much memory so many take. Without it: as many as the memory of "
                 "the machine holds.")
        .needs("amr.finest")
        .changeable(),
    Key::integer("amr.regrid_every", {1, 1000}, "Steps from one adaption to the next.", "5").needs("amr.finest"),
    Key::vector("amr.box", dim::length, "Sides of the domain; those of axes beyond amr.root are not used.", "[1, 1, 1]",
                config::positive),
    Key::choice_list("amr.low", wall_choices,
                     "What is beyond the low side of each axis; one for all axes. Without it: periodic."),
    Key::choice_list("amr.high", wall_choices, "The same of the high sides. Without it: as at the low side."),
    Key::real("amr.gamma", config::above(1.0, 10.0), "Adiabatic index of the ideal gas.", "1.4"),
    Key::choice("amr.reconstruction", reconstruction_choices, Reconstruction::plm,
                "What a cell is taken to hold of density, velocity and pressure between its faces."),
    Key::choice("amr.integrator", integrator_choices, Integrator::rk2, "The stages of a step in time."),
    Key::choice("amr.limiter", limiter_choices, kernels::Limiter::monotonised_central,
                "Of the slopes of density, velocity and pressure in a cell.")
        .needs("amr.reconstruction", "plm"),
    Key::choice("amr.riemann", riemann_choices, kernels::Riemann::hllc, "How fluxes follow from both sides of a face."),
    Key::fraction("amr.cfl", "Time step over the one in which waves pass a cell: dt sum_i (|v_i| + c) / dx_i.", "0.8")
        .changeable(),
    Key::integer("amr.halvings", {0, 20},
                 "How often a step that would leave a negative density or pressure is halved and made again before the "
                 "run ends. 0: never, and memory holds one state less.",
                 "5")
        .changeable(),
    Key::integer(
        "amr.species", {0, static_cast<double>(kernels::most_species)},
        "Kinds of gas that are told apart by where they come from: each has a density of its own, which moves "
        "with the gas. sod: left and right of the interface; sedov: in the ball of the explosion and around; "
        "polytrope and rotating_star: the star and the gas around; binary: both stars and the gas around. Kinds "
        "beyond this number belong to the last. Without it: 3 of a binary, 2 of a rotating_star, else none."),
    Key::choice("amr.frame", frame_choices, Frame::inertial, "In which the gas is described."),
    Key::quantity("amr.frame_rotation", base::Dimension{.time = -1},
                  "Angular velocity of the frame. Without it: that of the stars of the set-up.")
        .needs("amr.frame", "rotating", "following"),
    Key::choice(
        "amr.dual_energy", dual_energy_choices, DualEnergy::with_gravity,
        "When internal energies have an equation of their own, which makes the pressure where total energies are "
        "not accurate enough."),
    Key::non_negative("amr.density_floor", dim::density,
                      "Cells with less density are lifted to it; what that adds is counted. 0: none are.", "0"),
    Key::non_negative("amr.pressure_floor", dim::pressure, "The same of the pressure.", "0"),
    Key::choice("amr.rebalance", rebalance_choices, Rebalance::count,
                "How sub-grids are divided among ranks. No bit of a result depends on it.")
        .changeable(),
    Key::choice("amr.step", step_choices, StepOrder::graph,
                "How the parts of a step are put into their order. No bit of a result depends on it.")
        .changeable(),
    Key::positive("amr.plotfile_every", dim::time,
                  "Interval of plotfiles in the format of AMReX (folders plt_STEP), which yt, VisIt and ParaView open, "
                  "with one at the begin and one at the end. Without it: none.")
        .changeable(),
};
constexpr std::array gravity_keys{
    Key::flag("gravity.self", false,
              "The gas attracts itself. Space is empty beyond the domain: in three dimensions, cells are cubes, and no "
              "side is periodic."),
    Key::positive("gravity.constant", "Newton's constant, in code units [length^3 mass^-1 time^-2].", "1")
        .needs("gravity.self", "true"),
    Key::integer("gravity.order", {kernels::lowest_gravity_order, kernels::highest_gravity_order},
                 "Of the expansions by which blocks of cells act on those far from them: errors of accelerations are "
                 "about 1e-2 at 3, 5e-3 at 4, 2e-3 at 5, with the angle 0.5.",
                 "3")
        .needs("gravity.self", "true"),
    Key::real(
        "gravity.angle", {.lower = 0.34, .upper = 0.5},
        "Opening angle: cubes of cells act by expansions where they are 1 / angle of their sides apart; 0.4 has a "
        "fifth of the errors of 0.5.",
        "0.5")
        .needs("gravity.self", "true"),
    Key::flag("gravity.exact_torque", true,
              "Torques add up to zero to rounding, as forces do: what expansions leave of them is taken from all gas, "
              "as if it were a rigid body. Without it angular momentum drifts by their errors.")
        .needs("gravity.self", "true"),
};
constexpr std::array driving_keys{
    Key::fraction("driving.rate",
                  "The part of its angular momentum that the gas loses in an orbit of the stars that the set-up makes: "
                  "each cell a like part of its own, so that stars that turn together come closer. What is taken is "
                  "counted. Without it: none."),
    Key::quantity("driving.until", dim::time, "No angular momentum is taken beyond this time. Without it: to the end.")
        .needs("driving.rate"),
};
constexpr std::array initial_keys{
    Key::choice("initial.setup", setup_choices, "Built-in initial conditions.").required(),
};

}  // namespace

std::span<const config::KeyTable> key_tables() {
  static const std::array<config::KeyTable, 16> tables{
      {{"Gas on an octree", amr_keys},
       {"Gravity", gravity_keys},
       {"Loss of angular momentum", driving_keys},
       {"Initial conditions", initial_keys},
       {"Initial fields by formulas", formula_keys()},
       {"Initial fields by arrays", array_keys_of_gas()},
       {"Set-up: shock tube", sod_keys()},
       {"Set-up: point explosion", sedov_keys()},
       {"Set-up: star", polytrope_keys()},
       {"Set-up: rotating star", rotating_star_keys()},
       {"Set-up: binary", binary_keys()},
       {"Set-up: sound wave", wave_keys()},
       {"Set-up: cold gas that falls inwards", noh_keys()},
       {"Set-up: vortex", vortex_keys()},
       {"Set-up: two streams", kelvin_helmholtz_keys()},
       {"Launch slots", mesh::launch_keys(), config::OnRestart::may_change}}};
  return tables;
}

}  // namespace tacit::amr
