// The work of the tasks of a cell that look at neighbours: densities, forces, and the limit on neighbours' steps.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tacit/base/vec3.hpp"
#include "tacit/comm/communicator.hpp"
#include "tacit/exchange/reductions.hpp"
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
  std::vector<CellBounds> slow;           ///< shape (groups of the cell)
  std::vector<std::uint32_t> near;        ///< groups of the cell
  std::vector<GroupSelection> wanted;     ///< shape (groups with particles to compute)
  std::vector<double> drift;              ///< shape (particles of the cell)
  std::vector<double> u, du_dt;           ///< for source terms
  std::vector<double> vx, vy, vz, ax, ay, az;
};

class CellCopies;
class GravityField;
class SweptCells;

/// Whether the densities of a run have found all that they look for: what all ranks find together as soon as the last
/// of them is done, while forces are computed. Steps are closed only then.
struct ReachCheck {
  explicit ReachCheck(comm::Communicator& ranks) : of_all(ranks, {.counts = 2}) {}
  enum Count : std::size_t {
    unresolved,    ///< ranks with a particle whose support is too short for the floats of its cell
    out_of_reach,  ///< ranks with an h that outgrew the lists
  };
  exchange::Reduction of_all;
  tasks::DatumId searched{};  ///< read by densities, written when all have run
  tasks::DatumId known{};     ///< written with the counts, read by kicks

  /// Sets the counts to what this rank has found.
  void look(std::span<const CellReport> reports);
  [[nodiscard]] bool holds() { return of_all.counts()[unresolved] + of_all.counts()[out_of_reach] == 0; }
};
/// What tasks are timed by.
using CostClock = std::int64_t (*)() noexcept;

/// What the tasks of the graph work on; all of it must outlive the graph and stay where it is. Shapes (cells) include
/// copies of other ranks' cells, which stand behind those of this rank, for which alone there are tasks.
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
  CellCopies* copies = nullptr;      ///< of other ranks' cells; null: there are no others
  std::span<CellCost> costs = {};    ///< shape (cells of this rank); empty: nobody asks
  CostClock cost_clock = nullptr;    ///< of these
  ReachCheck* check = nullptr;       ///< null: densities are taken to have found all
  GravityField* gravity = nullptr;   ///< of the particles themselves; null: they have none

  /// Whether any particle of the cell ends its step now.
  [[nodiscard]] bool is_active(std::size_t c) const { return clock.is_common || reports[c].lowest_bin <= clock.active; }
  [[nodiscard]] bool are_all_active(std::size_t c) const {
    return clock.is_common || reports[c].highest_bin <= clock.active;
  }
  /// Whether the cell holds gas that ends its step now.
  [[nodiscard]] bool is_gas_active(std::size_t c) const {
    if (cells[c].motion.between_runs().gas() == 0) return false;
    return clock.is_common || reports[c].lowest_gas_bin <= clock.active;
  }
  /// Particles of this rank's fullest cell.
  [[nodiscard]] double fullest() const;
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

/// Whether the neighbour has new steps that are too short for the cell's longest.
[[nodiscard]] bool is_too_quick(const StepData& data, const CellReport& neighbour, const CellReport& cell);

/// Whether particles of a neighbour may have to be woken because new steps in the cell are much shorter than theirs,
/// and near enough. @pre both are cells of this rank
[[nodiscard]] bool may_limit(const StepData& data, std::size_t quick, const particles::Neighbour& neighbour);

/// For each particle of the cell its bin, or the highest that its neighbours, whose steps begin now, allow.
/// @see  Durier & Dalla Vecchia (2012), MNRAS 419, 465
void limit_bins(const StepData& data, std::size_t c, const tasks::StepContext& step);
/// Takes these limits, and reports it if any was below a particle's bin.
void wake(const StepData& data, std::size_t c, const tasks::StepContext& step);

}  // namespace tacit::sph
