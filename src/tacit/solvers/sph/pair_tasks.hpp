// The work of the tasks of a cell that look at neighbours: densities, forces, and the limit on neighbours' steps.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tacit/base/vec3.hpp"
#include "tacit/particles/cell_tree.hpp"
#include "tacit/solvers/sph/cell_data.hpp"
#include "tacit/solvers/sph/integrate.hpp"
#include "tacit/solvers/sph/kernels/vector/pair_loops.hpp"
#include "tacit/solvers/sph/parameters.hpp"
#include "tacit/solvers/sph/time_line.hpp"
#include "tacit/tasks/graph.hpp"

namespace tacit::engine {
struct Log;
}

namespace tacit::sph {

/// What the numbers of the vector caches are measured in: the same for all cells.
struct CacheUnits {
  kernels::vector::Frame::Scales scales;
  base::Vec3 velocity;  ///< of the frame
};

/// Particles of a cell or group that are to be computed: the box around them and the largest h.
struct Selection {
  kernels::Box box = kernels::empty_box;
  double h = 0.0;
  std::size_t count = 0;

  void add(const kernels::Box& more, double h_more, std::size_t particles) noexcept;
};
struct GroupSelection {
  std::size_t group = 0;
  Selection particles;
};

/// What a worker needs beside its stack; its arrays grow to the size of the largest cell.
struct Scratch {
  kernels::vector::VectorCache cache{kernels::vector::Frame({}, 1.0, {}, {}, 3)};
  std::vector<std::uint8_t> done;         ///< shape (particles of the cell)
  std::vector<std::uint8_t> highest_bin;  ///< shape (groups of the cell)
  std::vector<GroupSelection> wanted;     ///< shape (groups with particles to compute)
  std::vector<double> drift;              ///< shape (particles of the cell)
  std::vector<double> u, du_dt;           ///< for source terms
  std::vector<double> vx, vy, vz, ax, ay, az;
};

class SweptCells;

/// What the tasks of the graph work on; all of it must outlive the graph and stay where it is.
struct StepData {
  const SphParameters& physics;
  const particles::CellTree& grid;
  const kernels::vector::PairLoops& loops;
  const CacheUnits& units;
  const StepClock& clock;
  std::span<const double> reach;     ///< shape (cells): how far each cell's list serves [length]
  std::span<const double> extent;    ///< shape (cells): how far from its middle a cell sees along an axis [length]
  std::span<const double> slack;     ///< shape (cells): how far particles may have moved since lists were made [length]
  std::span<CellData> cells;         ///< shape (cells)
  std::span<CellReport> reports;     ///< shape (cells)
  std::span<CellBounds> bounds;      ///< shape (cells)
  std::span<Scratch> scratch;        ///< shape (workers)
  SweptCells* swept = nullptr;       ///< where pairs are visited once: their memory
  const engine::Log* log = nullptr;  ///< null: particles are not logged

  /// Whether any particle of the cell ends its step now.
  [[nodiscard]] bool is_active(std::size_t c) const { return clock.is_common || reports[c].lowest_bin <= clock.active; }
  [[nodiscard]] bool are_all_active(std::size_t c) const {
    return clock.is_common || reports[c].highest_bin <= clock.active;
  }
};

/// Smoothing lengths, densities, pressures and limiters of the cell's active particles.
///
/// Looks no further than a little beyond the present smoothing lengths, and only if one grew more than that, as far as
/// the list of neighbours serves; a particle that needs more keeps the wanted h and is reported.
void compute_densities(const StepData& data, std::size_t c, tasks::StepContext& step);

/// What has been summed for a particle at its present h.
struct PairDensity {
  kernels::Density density;
  kernels::VelocityGradients gradients;
};

/// The same as compute_densities, where the first sum of each particle is there already.
/// @param found  shape (particles of the cell)
/// @pre  all particles of the cell are active, and no h is above h_max
void finish_densities(const StepData& data, std::size_t c, std::span<const PairDensity> found,
                      tasks::StepContext& step);

/// Conduction coefficients of the cell's active particles; with SPHENIX only.
void compute_gradients(const StepData& data, std::size_t c, tasks::StepContext& step);

/// The same where what was found of each particle's neighbours is there already.
void finish_gradients(const StepData& data, std::size_t c, std::span<const kernels::SphenixGradients> found,
                      tasks::StepContext& step);

/// Accelerations, rates, signal velocities and stable steps of the cell's active particles.
void compute_forces(const StepData& data, std::size_t c, tasks::StepContext& step);

/// What neighbours do to a particle, in both schemes.
struct Rates {
  base::Vec3 a;    ///< [acceleration]
  double thermal;  ///< of the thermal variable
  double v_sig;    ///< [velocity]
};
/// What compute_forces does, where the sums are there already.
/// @param found  shape (particles of the cell)
/// @pre  all particles of the cell are active
void finish_forces(const StepData& data, std::size_t c, std::span<const Rates> found, tasks::StepContext& step);

/// How much longer than a neighbour's a step may be, as a power of two: a factor of 2. The usual 4 takes two thirds of
/// the updates, but the momentum of a point explosion then drifts by up to 6e-5 of sum |m v| instead of 3e-5.
/// @see  Saitoh & Makino (2009), ApJ 697, L99
inline constexpr std::uint8_t most_bins_above_neighbour = 1;

/// Whether some particle of the cell may have to be woken because a neighbour's step became much shorter than its own.
[[nodiscard]] bool may_need_limit(const StepData& data, std::size_t c);

/// For each particle of the cell its bin, or the highest that its neighbours, whose steps begin now, allow.
/// @see  Durier & Dalla Vecchia (2012), MNRAS 419, 465
void limit_bins(const StepData& data, std::size_t c, const tasks::StepContext& step);
/// Takes these limits.
void wake(const StepData& data, std::size_t c, const tasks::StepContext& step);

}  // namespace tacit::sph
