// What keys of amr may choose from.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "tacit/solvers/amr/parameters.hpp"

namespace tacit::amr {

/// When internal energies have an equation of their own.
enum class DualEnergy : std::uint8_t { with_gravity, always, never };

/// In which velocities are measured.
enum class Frame : std::uint8_t { inertial, rotating, following };

inline constexpr std::array wall_choices{
    config::Choice{"periodic", Wall::periodic,
                   "what leaves at one side enters at the other; both sides are so, or none"},
    config::Choice{"outflow", Wall::outflow, "the state beyond the side is that before it"},
    config::Choice{"diode", Wall::diode,
                   "outflow that lets nothing back in: where the gas before the side moves inwards it is reflecting"},
    config::Choice{"reflecting", Wall::reflecting, "nothing passes: the state beyond the side is the mirrored one"},
};
inline constexpr std::array reconstruction_choices{
    config::Choice{"plm", Reconstruction::plm, "lines: order 2"},
    config::Choice{
        "ppm", Reconstruction::ppm,
        "parabolas (PPM) that keep smooth extrema: order 3 and more in one dimension where waves are weak or "
        "carried along, with amr.integrator = \"rk3\"; sees one more layer of cells"},
};
inline constexpr std::array integrator_choices{
    config::Choice{"rk2", Integrator::rk2, "two stages, order 2 (Heun)"},
    config::Choice{"rk3", Integrator::rk3, "three stages, order 3 (Shu and Osher); memory holds one state more"},
};
inline constexpr std::array limiter_choices{
    config::Choice{"mc", kernels::Limiter::monotonised_central, "monotonised central: the sharpest of these"},
    config::Choice{"van_leer", kernels::Limiter::van_leer, "harmonic mean of the differences to both sides"},
    config::Choice{"minmod", kernels::Limiter::minmod, "the smaller of them: the smoothest of these"},
};
inline constexpr std::array riemann_choices{
    config::Choice{"hll", kernels::Riemann::hll, "two waves"},
    config::Choice{"hllc", kernels::Riemann::hllc, "three waves: contacts stay sharp"},
};
inline constexpr std::array rebalance_choices{
    config::Choice{"count", Rebalance::count, "each rank has as many"},
    config::Choice{
        "cost", Rebalance::cost,
        "each has what takes it as long, as measured; no rank more than twice the mean of their number. Looked at "
        "when sub-grids are adapted, of fixed ones every 16 steps; the division changes where the rank with most to "
        "do gains a twentieth"},
};
inline constexpr std::array step_choices{
    config::Choice{"graph", StepOrder::graph,
                   "a graph of tasks and messages, built once for the sub-grids that there are"},
    config::Choice{"futures", StepOrder::futures,
                   "each sub-grid is a coroutine that awaits its neighbours by futures, and those on other ranks by "
                   "channels"},
};
inline constexpr std::array setup_choices{
    config::Choice{"sod", &make_sod, "a shock tube between two uniform states (table [sod])"},
    config::Choice{"sedov", &make_sedov, "a point explosion in a uniform gas (table [sedov])"},
    config::Choice{"polytrope", &make_polytrope, "a star that its own gravity holds together (table [polytrope])"},
    config::Choice{"rotating_star", &make_rotating_star,
                   "a star in equilibrium that turns as a rigid body (table [rotating_star])"},
    config::Choice{"binary", &make_binary,
                   "two stars in equilibrium that go around each other, apart or touching (table [binary])"},
    config::Choice{"wave", &make_wave, "a weak sound wave in any direction (table [wave])"},
    config::Choice{"noh", &make_noh, "cold gas that falls onto the middle: the strongest shock (table [noh])"},
    config::Choice{"vortex", &make_vortex, "a smooth vortex that drifts and keeps its shape (table [vortex])"},
    config::Choice{"formulas", &make_formulas, "formulas of x, y and z (table [initial.fields])"},
    config::Choice{"arrays", &make_arrays, "arrays of files, NumPy's or HDF5 (table [initial.arrays])"},
    config::Choice{"kelvin_helmholtz", &make_kelvin_helmholtz,
                   "two streams whose border rolls up (table [kelvin_helmholtz])"},
};
inline constexpr std::array frame_choices{
    config::Choice{"inertial", Frame::inertial, "one that is at rest"},
    config::Choice{"rotating", Frame::rotating,
                   "one that turns around z in the middle of the domain: velocities are those in it, and there are "
                   "centrifugal and Coriolis forces; with gravity.self"},
    config::Choice{"following", Frame::following,
                   "the same, and every 8 steps it turns as fast as both stars of a binary go around each other, and "
                   "a little faster or slower to have them on a line along x again; once they are less than half as "
                   "far apart as at the begin it keeps its rate"},
};
inline constexpr std::array dual_energy_choices{
    config::Choice{"auto", DualEnergy::with_gravity, "with gravity.self, beside which it costs little"},
    config::Choice{"always", DualEnergy::always, "in all runs"},
    config::Choice{"never", DualEnergy::never, "in none"},
};

}  // namespace tacit::amr
