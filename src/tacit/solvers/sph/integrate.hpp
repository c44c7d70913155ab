// Drifts and kicks of the particles of one cell.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tacit/particles/domain.hpp"
#include "tacit/solvers/sph/cell_data.hpp"
#include "tacit/solvers/sph/parameters.hpp"

namespace tacit::sph {

/// To where a cell's particles go.
struct Drift {
  double dt = 0.0;  ///< of a common step [time]
  const StepClock& clock;
  bool has_idle = false;  ///< whether some of them are not active at the end, so that their density is predicted too
  kernels::vector::DriftFunction loops;
};

/// With a common step, half a kick with the old forces; a drift; and the prediction of what neighbours will see:
///
///     v <- v + a dt/2,  s <- s + ds/dt dt/2     (common step; others did so when their steps began)
///     x <- x + v dt,    h <- h exp(div v dt / d)
///     v_p = v + a t',   s_p = s + ds/dt t'      t': from the middle of the particle's step to now; s: thermal variable
///
/// With steps of their own, from where the particle's step began, a time t ago, so that it does not matter how often it
/// was drifted since:
///
///     x = x_before + v t,    h = h_before exp(div v t / d)
///
/// and for particles that are not active rho, f P / rho^2 and c by continuity and adiabatically.
///
/// @see   Springel (2005), MNRAS 364, 1105, eq. 28 (kick-drift-kick) and the text after it (predicted quantities)
/// @param room  grows to twice the size of the largest cell
/// Cost: about 250 bytes read and written per particle.
void drift(const Motion& motion, const Integrated& state, const Hydro& hydro, const Forces& forces,
           const SphParameters& physics, const Drift& how, std::vector<double>& room);

/// Folds particles that a drift took through a wall back into the box and turns their velocities and accelerations;
/// with a common step.
void reflect(const Motion& motion, const Integrated& state, const Forces& forces, const particles::Domain& domain);
/// The same with steps of their own: predicted velocities alone turn. The others do when the step ends.
void reflect_predicted(const Motion& motion, const particles::Domain& domain);

/// Times at which a particle is looked at, since the begin and the middle of its own step [time].
struct SinceStep {
  double begin, middle;
};

/// A particle with a step of its own, at such a time.
struct Drifted {
  base::Vec3 x;     ///< [length], folded back into the box where there are walls
  base::Vec3 v;     ///< [velocity]
  base::Vec3 sign;  ///< by which velocities have turned at walls since the step began
  double thermal, h, rho;
};
[[nodiscard]] Drifted drifted(const Integrated& state, const Hydro& hydro, const Forces& forces, std::size_t i,
                              const SinceStep& since, const particles::Domain& domain);

/// Boxes around the groups of the cell and the largest h in each. @return those of all
[[nodiscard]] CellBounds bound_groups(const Motion& motion, const Hydro& hydro, kernels::vector::BoundFunction bound);

/// Closes the step of the particles that are active: the second kick, and what the next density compares with; with
/// steps of their own also their next bin, its opening kick, and from where it will drift.
///
/// Where the internal energy is integrated, the work of pressure in both kicks is replaced by what the densities at the
/// begin and at the end of the step say, which is the same to second order in dt:
///
///     u <- u (1 + (gamma - 1) w (ln(rho / rho_before) + dt/2 f (div v_before + div v)))
///
/// w falls from 1 to 0 where the density changes by 1 % in the step: there viscosity damps short waves, and kicks,
/// whose work is equal on both sides of a pair, keep the energy better (in a point explosion ten times).
///
/// Work is done at predicted velocities, which lag by a part of order dt^2. In sound waves it would feed energy to the
/// shortest ones, of some 3 particle distances, at a rate of about 0.1 omega (omega dt)^3: with steps of usual length
/// they grow e-fold within the time in which sound passes some 300 particles.
///
///     2^b ticks <= stable step, 0 <= b <= clock.longest; b grows by one at most and only where longer steps begin now
void kick(const Integrated& state, const Motion& motion, const Hydro& hydro, const Gradients& gradients,
          const Forces& forces, const SphParameters& physics, const particles::Domain& domain, const StepClock& clock,
          double dt, CellReport& report);

/// The largest speed and acceleration of the cell's particles, and whether their state is finite.
void report_motion(const Integrated& state, const Motion& motion, const Forces& forces, CellReport& report);

/// Which bins the cell holds.
/// @param gas  how many of its particles are gas: the first
void report_bins(const Integrated& state, std::size_t gas, CellReport& report);

/// Puts particle i into another bin in the midst of its step: velocity and thermal variable move to the middle of the
/// new step that begins at, or holds, the present time; and it drifts from where it would have been at the begin of
/// that step to be where it is now.
void change_bin(const Integrated& state, const Hydro& hydro, const Forces& forces, std::size_t i, std::uint8_t to,
                const SphParameters& physics, const particles::Domain& domain, const StepClock& clock);

}  // namespace tacit::sph
