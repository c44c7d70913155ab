// Counts bytes: arrays of particles by their types, cells and graph by how many cells there will be.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <variant>
#include <vector>

#include "tacit/exchange/exchange.hpp"
#include "tacit/fmm/kernels/multipole.hpp"
#include "tacit/particles/cell_tree.hpp"
#include "tacit/solvers/sph/cell_data.hpp"
#include "tacit/solvers/sph/cell_layout.hpp"
#include "tacit/solvers/sph/estimate.hpp"
#include "tacit/solvers/sph/fields.hpp"
#include "tacit/solvers/sph/gravity/copies.hpp"
#include "tacit/solvers/sph/gravity/nodes.hpp"
#include "tacit/solvers/sph/kernels/vector/sweep.hpp"
#include "tacit/solvers/sph/stored_particle.hpp"
#include "tacit/tasks/graph.hpp"

namespace tacit::sph {
namespace {

/// Cells of one size in all of the box.
struct Cells {
  double count = 1.0;
  double width = 0.0;  ///< [length]
};

/// As the solver makes them: a grid, then halves where cells hold too many.
Cells cells_of(const SphParameters& parameters, const Extent& extent) {
  const double H = parameters.kernel_gamma * typical_h(parameters, extent);
  const double wanted = cell_width(parameters.dimension) * H;
  Cells cells{1.0, wanted};
  for (std::size_t axis = 0; axis < static_cast<std::size_t>(parameters.dimension); ++axis) {
    const double along = std::max(1.0, std::floor(extent.box[axis] / wanted));
    cells.count *= along;
    cells.width = std::max(cells.width, extent.box[axis] / along);
  }
  while (extent.particles > static_cast<double>(most_per_cell) * cells.count && cells.width >= H) {
    cells.count *= std::exp2(parameters.dimension);
    cells.width *= 0.5;
  }
  return cells;
}

/// Cells of that width that come nearer than `reach` to one of them, itself included.
double neighbours_within(double reach, double width, int dimension) {
  const int most = 1 + static_cast<int>(reach / width);
  const auto gap2 = [width](int steps) {
    const double gap = width * std::max(std::abs(steps) - 1, 0);
    return gap * gap;
  };
  double count = 0.0;
  for (int i = -most; i <= most; ++i) {
    for (int j = -most; j <= most; ++j) {
      for (int k = -most; k <= most; ++k) {
        if ((dimension < 3 && k != 0) || (dimension < 2 && j != 0)) continue;
        if (gap2(i) + gap2(j) + gap2(k) <= reach * reach) count += 1.0;
      }
    }
  }
  return count;
}

/// Records in floats, sums, and places and numbers along 13 axes.
double bytes_of_sweeps(const SphParameters& parameters) {
  const double records = parameters.scheme == Scheme::sphenix ? 16.0 : 12.0;
  constexpr double axes = 13.0;
  return records * sizeof(float) + kernels::vector::sweep_sums * sizeof(float) +
         axes * (sizeof(float) + sizeof(std::uint32_t));
}

double bytes_of(const Field& field) {
  return std::visit([]<class T>(std::vector<T> Gas::*) { return static_cast<double>(sizeof(T)); }, field.array);
}

double bytes_per_particle(const SphParameters& parameters) {
  double bytes = sizeof(std::uint64_t);  // ID
  for (const Field& field : fields) {
    if (is_there(field, contents_of(parameters))) bytes += bytes_of(field);
  }
  // The limit of its bin, the spare array, and three numbers for sorting.
  bytes += sizeof(std::uint8_t) + sizeof(double) + 3 * sizeof(std::uint32_t);
  constexpr double per_entry = sizeof(kernels::Box) + sizeof(double) + sizeof(std::uint32_t);  // of a group
  if (parameters.pairs == Pairs::symmetric) bytes += bytes_of_sweeps(parameters);
  if (parameters.gravity.is_present) bytes += 4 * sizeof(double) + sizeof(std::uint32_t);  // bodies by octants
  // While energies are summed: see PresentGravity.
  if (parameters.gravity.is_present && parameters.has_individual_steps) bytes += 3 * sizeof(double) + 4 * sizeof(float);
  // While a snapshot is made: all of it, and the order of its particles.
  bytes += sizeof(StoredParticle) + sizeof(std::uint32_t);
  return bytes + per_entry / static_cast<double>(per_group);
}

/// Nodes of gravity below a cell of so many particles.
double octants_of(double particles) { return particles > static_cast<double>(most_undivided) ? octants : 0.0; }

/// Multipoles of a node, their powers and what is known of it besides.
double bytes_of_node(const SphParameters& parameters) {
  constexpr double few = 16.0;  // centre, radius, state and powers, and beginnings of lists
  return sizeof(double) * (static_cast<double>(fmm::kernels::padded_terms(parameters.gravity.order)) + few);
}

/// Nodes of a cell and its part of those above, with two tasks and an expansion of each that is no octant.
double gravity_bytes_per_cell(const SphParameters& parameters, double particles) {
  if (!parameters.gravity.is_present) return 0.0;
  constexpr double nodes = 8.0 / 7.0;
  constexpr double per_task = 120.0;
  const auto terms = static_cast<double>(fmm::kernels::padded_terms(parameters.gravity.order));
  return nodes * (bytes_of_node(parameters) + sizeof(double) * terms + 2.0 * per_task) +
         octants_of(particles) * bytes_of_node(parameters);
}

/// What a cell has of its own, and what it has for each cell in its list.
double bytes_per_cell(const SphParameters& parameters, double neighbours, double particles) {
  const double gradients = parameters.scheme == Scheme::sphenix ? 1.0 : 0.0;
  const double limits = parameters.has_individual_steps ? 1.0 : 0.0;
  // As add_density and the others beside it in step.cpp say.
  const double tasks = 4.0 + gradients + 2.0 * limits;
  const double accesses = 4.0 + 2.0 * gradients + 3.0 * limits;
  // A task with its function, and its node in the two or three parts of the graph that it is in.
  constexpr double per_task = 120.0;
  // An access is there once more as an edge, and once more while edges are sought.
  const double per_link = sizeof(particles::Neighbour) + 3.0 * sizeof(tasks::Access) * accesses;
  return gravity_bytes_per_cell(parameters, particles) + sizeof(CellData) + sizeof(CellReport) + sizeof(CellBounds) +
         per_task * tasks + per_link * neighbours;
}

}  // namespace

double saved_bytes_per_particle(const GasContents& contents) {
  double bytes = sizeof(std::uint64_t);  // ID
  for (const Field& field : fields) {
    if (!is_stored(field, contents)) continue;
    bytes += bytes_of(field);
  }
  return bytes;
}

Extent extent_of(const InitialConditions& initial) {
  return {.particles = static_cast<double>(initial.size()),
          .dimension = initial.dimension,
          .box = initial.box,
          .carried_bytes = static_cast<double>(initial.others.bytes())};
}

double gravity_bytes_of_ranks(const SphParameters& parameters, const Extent& extent, std::size_t ranks) {
  if (!parameters.gravity.is_present || ranks == 1) return 0.0;
  const auto count = static_cast<double>(ranks);
  const double cells = cells_of(parameters, extent).count;
  const double per_cell = extent.particles / cells;
  const double nodes = cells * gravity_bytes_per_cell(parameters, per_cell);
  // Around a cube of a rank's cells those within one and a half.
  constexpr double body = 4.0 * sizeof(double);
  const double own = cells / count;
  const double near = std::min(std::pow(std::cbrt(own) + 3.0, 3) - own, cells - own);
  // Windows are as long as the longest message: one block of cells with room for half as many particles more.
  constexpr double room = 1.5;
  constexpr double windows_of_slot = 1.0 + 2.0;  // where they are sent, and where two are received in turn
  const exchange::Options options;
  const double windows = windows_of_slot * options.slots;
  const double in_block = std::min(own, std::max(own / static_cast<double>(GravityCopies::blocks_of_rank),
                                                 static_cast<double>(GravityCopies::least_leaves)));
  const double of_cell = std::max(room * body * per_cell, (1.0 + octants_of(per_cell)) * bytes_of_node(parameters));
  const double longest = std::max(in_block * of_cell, static_cast<double>(options.envelope_bytes));
  return (count - 1.0) * nodes + count * near * per_cell * body + count * (count - 1.0) * windows * longest;
}

double typical_h(const SphParameters& parameters, const Extent& extent) {
  const particles::Domain box{{}, extent.box, true, extent.dimension};
  return parameters.smoothing.eta * std::pow(box.volume() / extent.particles, 1.0 / extent.dimension);
}

double memory_use(const SphParameters& parameters, const Extent& extent) {
  // Lists grow as they are filled, and what is freed in between is not given back: measured a half more.
  constexpr double while_made = 1.5;
  const Cells cells = cells_of(parameters, extent);
  const double reach = reach_margin * parameters.kernel_gamma * typical_h(parameters, extent);
  const double neighbours =
      neighbours_within(reach + 2.0 * slack_in_cells * cells.width, cells.width, parameters.dimension);
  return extent.particles * bytes_per_particle(parameters) +
         while_made * cells.count * bytes_per_cell(parameters, neighbours, extent.particles / cells.count) +
         extent.carried_bytes;
}

}  // namespace tacit::sph
