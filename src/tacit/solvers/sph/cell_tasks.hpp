// The work of the four tasks of a cell, on the views they declared.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "tacit/base/vec3.hpp"
#include "tacit/solvers/sph/cell_data.hpp"
#include "tacit/solvers/sph/kernels/neighbour_cache.hpp"
#include "tacit/solvers/sph/parameters.hpp"

namespace tacit::sph {

/// Half a kick with the old forces, a drift, and the prediction of what neighbours will see:
///
///     v <- v + a dt/2,  A <- A + dA/dt dt/2,  x <- x + v dt,  h <- h exp(div v dt / d),
///     v_p = v + a dt/2,  A_p = A + dA/dt dt/2
///
/// @param dimension  d, of the run
/// @see   Springel (2005), MNRAS 364, 1105, eq. 28 (kick-drift-kick) and the text after it (predicted quantities)
void kick_and_drift(const Motion& motion, const Integrated& state, const Hydro& hydro, const Forces& forces, double dt,
                    int dimension);

/// Folds particles that a drift took through a wall back into the box and turns their velocities.
void reflect(const Motion& motion, const Integrated& state, const particles::Domain& domain);

/// Adds the rates of source terms to the forces and shortens the reported step.
/// @param scratch  its arrays grow to the size of the cell
struct SourceScratch {
  std::vector<double> u, du_dt;
};
void add_sources(const Motion& motion, const Integrated& state, const Hydro& hydro, const Forces& forces,
                 const SphParameters& physics, double time, SourceScratch& scratch, CellReport& report);

/// The closing half kick; reports speeds and whether the state is finite.
void kick(const Motion& motion, const Integrated& state, const Forces& forces, double dt, CellReport& report);

/// The box around a cell's particles; of an empty cell nothing is near.
[[nodiscard]] kernels::Box bounding_box(const Motion& motion);

/// The largest of a cell's smoothing lengths [length].
[[nodiscard]] double largest_h(const Hydro& hydro);

/// Copies those of a neighbour's particles that lie within `radius` of `box` into the cache, as seen in the image that
/// is meant: what the density needs.
void append_motion(kernels::NeighbourCache& cache, const Motion& motion, const particles::View& view,
                   const kernels::Box& box, double radius);
/// The same for the force: particles within max(radius, support h_j) of `box`, with the results of the density.
void append_motion_and_hydro(kernels::NeighbourCache& cache, const Motion& motion, const Hydro& hydro,
                             const particles::View& view, const kernels::Box& box, double radius, double support);

/// Smoothing lengths, densities, pressures and limiters of the cell's particles from the filled cache.
///
/// @param reach  how far the cache serves [length]; a particle that needs more keeps the wanted h and is reported
using DensityFunction = void (*)(kernels::NeighbourCache& cache, const Motion& motion, const Hydro& hydro,
                                 const SphParameters& physics, double reach, CellReport& report);

/// Accelerations, entropy rates, signal velocities and time steps of the cell's particles from the filled cache.
using ForceFunction = void (*)(kernels::NeighbourCache& cache, const Motion& motion, const Hydro& hydro,
                               const Forces& forces, const SphParameters& physics, CellReport& report);

/// The loops for a kernel in a space of 1, 2 or 3 dimensions, chosen once.
struct CellFunctions {
  DensityFunction density;
  ForceFunction force;
};
[[nodiscard]] CellFunctions cell_functions(Kernel kernel, int dimension);

}  // namespace tacit::sph
