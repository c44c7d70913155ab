// Chooses the grid and sorts the particles into it.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/sph/formats/top_cells.hpp"

#include <algorithm>
#include <cmath>

#include "tacit/base/error.hpp"

namespace tacit::sph {
namespace {

constexpr double particles_per_cell = 1000.0;
constexpr double most_cells = 16.0;

void choose_grid(TopCells& cells, std::size_t particles, const base::Vec3& box, int dimension) {
  const double wanted = std::max(1.0, static_cast<double>(particles) / particles_per_cell);
  const double volume = box.x * (dimension > 1 ? box.y : 1.0) * (dimension > 2 ? box.z : 1.0);
  const double width = std::pow(volume / wanted, 1.0 / dimension);
  cells.width = box;
  for (std::size_t axis = 0; axis < static_cast<std::size_t>(dimension); ++axis) {
    // The small surplus keeps an exact ratio such as 1 / (1/4) from being rounded down.
    const double n = std::clamp(std::floor(box[axis] / width * (1.0 + 1e-9)), 1.0, most_cells);
    cells.n[axis] = static_cast<std::size_t>(n);
    cells.width[axis] = box[axis] / n;
  }
}

std::size_t cell_along(double x, double width, std::size_t n) {
  const double cell = std::clamp(std::floor(x / width), 0.0, static_cast<double>(n - 1));
  return static_cast<std::size_t>(cell);
}

std::size_t cell_of(const TopCells& cells, std::span<const std::span<const double>> positions, std::size_t i) {
  std::size_t cell = 0;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    cell = cell * cells.n[axis] + cell_along(positions[axis][i], cells.width[axis], cells.n[axis]);
  }
  return cell;
}

void sort_particles(TopCells& cells, std::span<const std::size_t> cell_of_particle) {
  cells.counts.assign(cells.size(), 0);
  for (const std::size_t cell : cell_of_particle) ++cells.counts[cell];
  cells.offsets.assign(cells.size(), 0);
  for (std::size_t c = 1; c < cells.size(); ++c) cells.offsets[c] = cells.offsets[c - 1] + cells.counts[c - 1];
  std::vector<std::int64_t> next = cells.offsets;
  cells.order.resize(cell_of_particle.size());
  for (std::size_t i = 0; i < cell_of_particle.size(); ++i) {
    cells.order[static_cast<std::size_t>(next[cell_of_particle[i]]++)] = i;
  }
}

void find_bounds(TopCells& cells, std::span<const std::span<const double>> positions) {
  cells.lowest = cells.centres;
  cells.highest = cells.centres;
  for (std::size_t c = 0; c < cells.size(); ++c) {
    const auto begin = cells.order.begin() + cells.offsets[c];
    const auto end = begin + cells.counts[c];
    if (begin == end) continue;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const std::span<const double> x = positions[axis];
      const auto [low, high] =
          std::minmax_element(begin, end, [x](std::size_t a, std::size_t b) { return x[a] < x[b]; });
      cells.lowest[3 * c + axis] = x[*low];
      cells.highest[3 * c + axis] = x[*high];
    }
  }
}

void place_centres(TopCells& cells) {
  cells.centres.resize(3 * cells.size());
  for (std::size_t c = 0; c < cells.size(); ++c) {
    const std::array<std::size_t, 3> index{c / (cells.n[1] * cells.n[2]), c / cells.n[2] % cells.n[1], c % cells.n[2]};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      cells.centres[3 * c + axis] = (static_cast<double>(index[axis]) + 0.5) * cells.width[axis];
    }
  }
}

}  // namespace

TopCells make_top_cells(std::span<const std::span<const double>> positions, const base::Vec3& box, int dimension) {
  TACIT_EXPECT(positions.size() == 3 && box.x > 0.0 && box.y > 0.0 && box.z > 0.0);
  const std::size_t particles = positions[0].size();
  TACIT_EXPECT(positions[1].size() == particles && positions[2].size() == particles);
  TopCells cells;
  choose_grid(cells, particles, box, dimension);
  std::vector<std::size_t> cell_of_particle(particles);
  for (std::size_t i = 0; i < particles; ++i) cell_of_particle[i] = cell_of(cells, positions, i);
  sort_particles(cells, cell_of_particle);
  place_centres(cells);
  find_bounds(cells, positions);
  return cells;
}

}  // namespace tacit::sph
