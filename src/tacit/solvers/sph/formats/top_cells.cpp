// Chooses the grid and sorts the particles into it.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/sph/formats/top_cells.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <numeric>
#include <span>
#include <utility>

#include "tacit/base/error.hpp"
#include "tacit/exchange/over_ranks.hpp"

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

namespace {

/// The particles of a block that lie in a cell.
struct Portion {
  std::uint64_t cell = 0;
  std::uint64_t key = 0;
  std::uint64_t count = 0;
};

/// Those of this rank, in the order of `cells`.
std::vector<Portion> portions_of(const TopCells& cells, std::span<const ParticleBlock> blocks) {
  std::vector<std::uint64_t> ends(blocks.size());
  std::transform_inclusive_scan(blocks.begin(), blocks.end(), ends.begin(), std::plus{},
                                [](const ParticleBlock& block) { return block.count; });
  std::vector<Portion> portions;
  for (std::size_t cell = 0; cell < cells.counts.size(); ++cell) {
    const auto own =
        std::span(cells.order)
            .subspan(static_cast<std::size_t>(cells.offsets[cell]), static_cast<std::size_t>(cells.counts[cell]));
    std::uint64_t end = 0;  // of the block of the last portion
    for (const std::uint32_t particle : own) {
      if (particle >= end) {
        const auto block = std::ranges::upper_bound(ends, particle);  // a cell has particles of few blocks of all
        end = *block;
        portions.push_back({cell, blocks[static_cast<std::size_t>(block - ends.begin())].key, 0});
      }
      ++portions.back().count;
    }
  }
  return portions;
}

/// Which rank orders the portions of a cell.
std::size_t orderer_of(const Portion& portion, std::size_t ranks) { return portion.cell % ranks; }

/// For each portion that has come, how many particles come before it in its cell.
/// @return  shape (ranks): blocks of numbers, in the order in which portions came
std::vector<std::vector<std::byte>> order_portions(const exchange::Blocks& come, std::size_t ranks) {
  struct Place {
    Portion portion;
    std::size_t number = 0;
  };
  std::vector<Place> places(come.bytes.size() / sizeof(Portion));
  for (std::size_t k = 0; k < places.size(); ++k) {
    std::memcpy(&places[k].portion, &come.bytes[k * sizeof(Portion)], sizeof(Portion));
    places[k].number = k;
  }
  std::ranges::sort(places, {}, [](const Place& place) { return std::pair(place.portion.cell, place.portion.key); });
  std::vector<std::uint64_t> before(places.size());
  std::uint64_t sum = 0;
  for (std::size_t k = 0; k < places.size(); ++k) {
    if (k > 0 && places[k].portion.cell != places[k - 1].portion.cell) sum = 0;
    before[places[k].number] = sum;
    sum += places[k].portion.count;
  }
  std::vector<std::vector<std::byte>> answers(ranks);
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    const auto numbers =
        std::span(before).subspan(come.begins[rank] / sizeof(Portion), come.from(rank).size() / sizeof(Portion));
    const auto bytes = std::as_bytes(numbers);
    answers[rank].assign(bytes.begin(), bytes.end());
  }
  return answers;
}

/// How many particles come before each portion in its cell, of all ranks. All ranks call it.
std::vector<std::uint64_t> particles_before(std::span<const Portion> portions, comm::Communicator& ranks) {
  std::vector<std::vector<std::byte>> asked(ranks.size());
  for (const Portion& portion : portions) {
    const auto bytes = std::as_bytes(std::span(&portion, 1));
    auto& to = asked[orderer_of(portion, ranks.size())];
    to.insert(to.end(), bytes.begin(), bytes.end());
  }
  const exchange::Blocks come = exchange::send_blocks(ranks, asked);
  const exchange::Blocks answers = exchange::send_blocks(ranks, order_portions(come, ranks.size()));
  std::vector<std::uint64_t> before;
  std::vector<std::size_t> next(answers.begins.begin(), answers.begins.end() - 1);
  for (const Portion& portion : portions) {
    std::size_t& at = next[orderer_of(portion, ranks.size())];
    std::uint64_t number = 0;
    std::memcpy(&number, &answers.bytes[at], sizeof(number));
    before.push_back(number);
    at += sizeof(number);
  }
  return before;
}

}  // namespace

SharedCells share(const TopGrid& grid, TopCells& cells, std::span<const ParticleBlock> blocks,
                  comm::Communicator& ranks) {
  const std::size_t count = grid.size();
  const std::vector<Portion> portions = portions_of(cells, blocks);
  const std::vector<std::uint64_t> before = particles_before(portions, ranks);
  const std::vector<std::int64_t> own = cells.counts;
  std::vector<std::uint64_t> of_all(own.begin(), own.end());
  exchange::add_over(ranks, of_all);
  cells.counts.assign(of_all.begin(), of_all.end());
  std::exclusive_scan(cells.counts.begin(), cells.counts.end(), cells.offsets.begin(), std::int64_t{0});
  SharedCells shared;
  shared.particles = std::accumulate(of_all.begin(), of_all.end(), std::uint64_t{0});
  for (std::size_t k = 0; k < portions.size(); ++k) {
    const auto begin = static_cast<std::uint64_t>(cells.offsets[portions[k].cell]);
    io::append_rows(shared.mine, begin + before[k], portions[k].count);
  }
  // Bounds of cells that are empty here are no bounds.
  constexpr double infinity = std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < 3 * count; ++k) {
    cells.lowest[k] = own[k / 3] > 0 ? -cells.lowest[k] : -infinity;
    if (own[k / 3] == 0) cells.highest[k] = -infinity;
  }
  exchange::take_largest(ranks, std::span<double>(cells.lowest));
  exchange::take_largest(ranks, std::span<double>(cells.highest));
  const std::vector<double> centres = centres_of(grid);
  for (std::size_t k = 0; k < 3 * count; ++k) {
    const bool is_empty = cells.counts[k / 3] == 0;
    cells.lowest[k] = is_empty ? centres[k] : -cells.lowest[k];
    if (is_empty) cells.highest[k] = centres[k];
  }
  return shared;
}

}  // namespace tacit::sph
