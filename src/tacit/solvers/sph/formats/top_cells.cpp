// Chooses the grid and sorts the particles into it.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/sph/formats/top_cells.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>

#include "tacit/base/error.hpp"

namespace tacit::sph {
namespace {

constexpr double particles_per_cell = 1000.0;
constexpr double most_cells = 16.0;
static_assert(most_cells * most_cells * most_cells <= std::numeric_limits<std::uint16_t>::max());

/// Positions are asked for in pieces of this many particles.
constexpr std::size_t piece = 4096;

std::size_t cell_along(double x, double width, std::size_t n) {
  const double cell = std::clamp(std::floor(x / width), 0.0, static_cast<double>(n - 1));
  return static_cast<std::size_t>(cell);
}

std::uint16_t cell_of(const TopGrid& grid, std::span<const double> position) {
  std::size_t cell = 0;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    cell = cell * grid.n[axis] + cell_along(position[axis], grid.width[axis], grid.n[axis]);
  }
  return static_cast<std::uint16_t>(cell);
}

std::vector<std::uint16_t> cells_of(const TopGrid& grid, std::size_t particles, const ParticleValues& positions,
                                    const Loop& loop) {
  std::vector<std::uint16_t> cells(particles);
  loop((particles + piece - 1) / piece, [&](std::size_t part) {
    const std::size_t first = part * piece;
    std::vector<std::uint32_t> some(std::min(piece, particles - first));
    std::vector<double> x(3 * some.size());
    std::iota(some.begin(), some.end(), static_cast<std::uint32_t>(first));
    positions.fill(some, x);
    for (std::size_t k = 0; k < some.size(); ++k) cells[first + k] = cell_of(grid, std::span(x).subspan(3 * k, 3));
  });
  return cells;
}

void sort_particles(TopCells& cells, std::span<const std::uint16_t> cell_of_particle) {
  for (const std::uint16_t cell : cell_of_particle) ++cells.counts[cell];
  std::exclusive_scan(cells.counts.begin(), cells.counts.end(), cells.offsets.begin(), std::int64_t{0});
  std::vector<std::int64_t> next = cells.offsets;
  cells.order.resize(cell_of_particle.size());
  for (std::size_t i = 0; i < cell_of_particle.size(); ++i) {
    cells.order[static_cast<std::size_t>(next[cell_of_particle[i]]++)] = static_cast<std::uint32_t>(i);
  }
}

/// Widens the bounds of a cell by some of its particles.
void widen(std::span<double> lowest, std::span<double> highest, std::span<const double> x) {
  for (std::size_t k = 0; k < x.size(); ++k) {
    lowest[k % 3] = std::min(lowest[k % 3], x[k]);
    highest[k % 3] = std::max(highest[k % 3], x[k]);
  }
}

void find_bounds_of(TopCells& cells, std::size_t cell, const ParticleValues& positions) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const auto own =
      std::span<const std::uint32_t>(cells.order)
          .subspan(static_cast<std::size_t>(cells.offsets[cell]), static_cast<std::size_t>(cells.counts[cell]));
  if (own.empty()) return;
  const auto lowest = std::span(cells.lowest).subspan(3 * cell, 3);
  const auto highest = std::span(cells.highest).subspan(3 * cell, 3);
  std::ranges::fill(lowest, infinity);
  std::ranges::fill(highest, -infinity);
  std::vector<double> x(3 * std::min(piece, own.size()));
  for (std::size_t first = 0; first < own.size(); first += piece) {
    const auto some = own.subspan(first, std::min(piece, own.size() - first));
    const auto numbers = std::span(x).first(3 * some.size());
    positions.fill(some, numbers);
    widen(lowest, highest, numbers);
  }
}

}  // namespace

TopGrid make_top_grid(std::size_t particles, const base::Vec3& box, int dimension) {
  TACIT_EXPECT(box.x > 0.0 && box.y > 0.0 && box.z > 0.0);
  const double wanted = std::max(1.0, static_cast<double>(particles) / particles_per_cell);
  const double volume = box.x * (dimension > 1 ? box.y : 1.0) * (dimension > 2 ? box.z : 1.0);
  const double width = std::pow(volume / wanted, 1.0 / dimension);
  TopGrid grid;
  grid.width = box;
  for (std::size_t axis = 0; axis < static_cast<std::size_t>(dimension); ++axis) {
    // The small surplus keeps an exact ratio such as 1 / (1/4) from being rounded down.
    const double n = std::clamp(std::floor(box[axis] / width * (1.0 + 1e-9)), 1.0, most_cells);
    grid.n[axis] = static_cast<std::size_t>(n);
    grid.width[axis] = box[axis] / n;
  }
  return grid;
}

std::vector<double> centres_of(const TopGrid& grid) {
  std::vector<double> centres(3 * grid.size());
  for (std::size_t c = 0; c < grid.size(); ++c) {
    const std::array<std::size_t, 3> index{c / (grid.n[1] * grid.n[2]), c / grid.n[2] % grid.n[1], c % grid.n[2]};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      centres[3 * c + axis] = (static_cast<double>(index[axis]) + 0.5) * grid.width[axis];
    }
  }
  return centres;
}

TopCells sort_into(const TopGrid& grid, std::size_t particles, const ParticleValues& positions, const Loop& loop) {
  TACIT_EXPECT(positions.width == 3 && particles <= std::numeric_limits<std::uint32_t>::max());
  TopCells cells;
  cells.counts.assign(grid.size(), 0);
  cells.offsets.assign(grid.size(), 0);
  sort_particles(cells, cells_of(grid, particles, positions, loop));
  cells.lowest = cells.highest = centres_of(grid);
  loop(cells.counts.size(), [&](std::size_t cell) { find_bounds_of(cells, cell, positions); });
  return cells;
}

}  // namespace tacit::sph
