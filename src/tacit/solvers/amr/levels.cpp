// Averages and slopes between levels. Sums are pairwise, the lower axis first: mirrored states give mirrored bits.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/amr/levels.hpp"

#include <algorithm>
#include <cmath>
#include <span>

namespace tacit::amr {
namespace {

double limited(double low, double high) {
  if (!(low * high > 0.0)) return 0.0;
  const double size = std::min({2.0 * std::abs(low), 2.0 * std::abs(high), 0.5 * (std::abs(low) + std::abs(high))});
  return low > 0.0 ? size : -size;
}

std::size_t place_in_block(const Domain& domain, const mesh::Node& leaf, const Levels::Cell& cell) {
  std::size_t place = 0;
  std::size_t stride = 1;
  for (std::size_t axis = 0; axis < domain.dimensions; ++axis) {
    place += static_cast<std::size_t>(cell[axis] - leaf.at[axis] * static_cast<std::int64_t>(domain.block)) * stride;
    stride *= domain.block;
  }
  return place;
}

/// Slopes of the densities of species, such that they add up to that of the density, which limiters do not see to.
void share_slope(const kernels::Fields& fields, const Levels::Values& here, Levels::Values& slope) {
  double rest = slope[0];
  for (std::size_t k = fields.first_species(); k < fields.count(); ++k) rest -= slope[k];
  for (std::size_t k = fields.first_species(); k < fields.count(); ++k) slope[k] += rest * (here[k] / here[0]);
}

/// Where a part has less than nothing of a species, all parts have the fractions of the cell.
void keep_species(const kernels::Fields& fields, const Levels::Values& here, std::span<Levels::Values> parts) {
  bool are_valid = true;
  for (const Levels::Values& part : parts) {
    for (std::size_t k = fields.first_species(); k < fields.count(); ++k) are_valid &= part[k] >= 0.0;
  }
  if (are_valid) return;
  for (Levels::Values& part : parts) {
    for (std::size_t k = fields.first_species(); k < fields.count(); ++k) part[k] = part[0] * (here[k] / here[0]);
  }
}

}  // namespace

double mean_of(std::array<double, 8>& numbers, std::size_t count) {
  const double share = 1.0 / static_cast<double>(count);
  for (; count > 1; count /= 2) {
    for (std::size_t i = 0; i < count / 2; ++i) numbers[i] = numbers[2 * i] + numbers[2 * i + 1];
  }
  return share * numbers[0];
}

std::optional<std::size_t> NearbyLeaves::covering(const mesh::Node& node) {
  const std::size_t known = std::min(count_, answers_.size());
  for (std::size_t i = 0; i < known; ++i) {
    if (answers_[i].node == node) return answers_[i].leaf;
  }
  Answer& oldest = answers_[count_++ % answers_.size()];
  oldest = {node, tree_.covering(node)};
  return oldest.leaf;
}

Levels::Values Levels::at(std::uint32_t level, Cell cell, const StateView& state, NearbyLeaves& near) const {
  Values sign;
  sign.fill(1.0);
  std::array<double, 3> inwards{};  // beyond a side that lets nothing in: where that is
  const auto keep_out = [&](Values& values) {
    for (std::size_t axis = 0; axis < domain_.dimensions; ++axis) {
      if (inwards[axis] * values[1 + axis] > 0.0) values[1 + axis] = -values[1 + axis];
    }
    return values;
  };
  const std::size_t variables = state.grids.fields_count();
  const auto block = static_cast<std::int64_t>(domain_.block);
  mesh::Node node{level, {}};
  for (std::size_t axis = 0; axis < domain_.dimensions; ++axis) {
    const std::int64_t cells = domain_.cells(axis, level);
    if (cell[axis] < 0 || cell[axis] >= cells) {
      const bool is_low = cell[axis] < 0;
      const Wall wall = domain_.sides[axis][is_low ? 0 : 1];
      if (wall == Wall::diode) inwards[axis] = is_low ? 1.0 : -1.0;
      if (wall == Wall::periodic) cell[axis] = (cell[axis] + cells) % cells;
      if (wall == Wall::outflow || wall == Wall::diode) cell[axis] = is_low ? 0 : cells - 1;
      if (wall == Wall::reflecting) {
        cell[axis] = is_low ? -1 - cell[axis] : 2 * cells - 1 - cell[axis];
        sign[1 + axis] = -1.0;
      }
    }
    node.at[axis] = cell[axis] / block;
  }
  Values values{};
  if (const auto found = near.covering(node)) {
    const mesh::Node& leaf = tree_.leaf(*found);
    for (std::size_t axis = 0; axis < domain_.dimensions; ++axis) cell[axis] >>= level - leaf.level;
    const std::size_t place = place_in_block(domain_, leaf, cell);
    const kernels::Variables<const double> U = state.of(*found);
    for (std::size_t k = 0; k < variables; ++k) values[k] = sign[k] * U.of(k)[place];
    return keep_out(values);
  }
  mesh::Node part{level + 1, {}};
  for (std::size_t axis = 0; axis < domain_.dimensions; ++axis) {
    cell[axis] *= 2;
    part.at[axis] = cell[axis] / block;
  }
  const std::size_t fine = near.covering(part).value();
  const std::size_t first = place_in_block(domain_, tree_.leaf(fine), cell);
  const std::array<std::size_t, 3> next{1, domain_.block, domain_.block * domain_.block};
  const std::size_t count = std::size_t{1} << domain_.dimensions;
  const kernels::Variables<const double> U = state.of(fine);
  for (std::size_t k = 0; k < variables; ++k) {
    std::array<double, 8> numbers{};
    for (std::size_t i = 0; i < count; ++i) {
      numbers[i] = U.of(k)[first + (i & 1U) * next[0] + (i >> 1U & 1U) * next[1] + (i >> 2U) * next[2]];
    }
    values[k] = sign[k] * mean_of(numbers, count);
  }
  return keep_out(values);
}

bool Levels::is_valid(const Values& values, const kernels::Fields& fields) const {
  const GasState gas = gas_of(kernels::Variables<const double>{values.data(), 1}, 0, gamma_, fields);
  return gas.rho > 0.0 && gas.P > 0.0;
}

std::array<Levels::Values, 8> Levels::parts_of(std::uint32_t level, const Cell& cell, const StateView& state,
                                               NearbyLeaves& near) const {
  const std::size_t variables = state.grids.fields_count();
  const Values here = at(level, cell, state, near);
  const std::size_t count = std::size_t{1} << domain_.dimensions;
  std::array<Values, 3> quarter{};
  for (std::size_t axis = 0; axis < domain_.dimensions; ++axis) {
    Cell low = cell;
    Cell high = cell;
    --low[axis];
    ++high[axis];
    const Values below = at(level, low, state, near);
    const Values above = at(level, high, state, near);
    for (std::size_t k = 0; k < variables; ++k)
      quarter[axis][k] = 0.25 * limited(here[k] - below[k], above[k] - here[k]);
    share_slope(state.grids.fields(), here, quarter[axis]);
  }
  std::array<Values, 8> parts{};
  bool are_valid = true;
  for (std::size_t i = 0; i < count; ++i) {
    parts[i] = here;
    for (std::size_t axis = 0; axis < domain_.dimensions; ++axis) {
      const bool is_high = (i >> axis & 1U) != 0;
      for (std::size_t k = 0; k < variables; ++k) parts[i][k] += is_high ? quarter[axis][k] : -quarter[axis][k];
    }
    are_valid &= is_valid(parts[i], state.grids.fields());
  }
  keep_species(state.grids.fields(), here, std::span(parts).first(count));
  if (!are_valid) parts.fill(here);
  return parts;
}

void Levels::take_beyond(const PencilShape& shape, std::size_t leaf, mesh::Side side, const StateView& state,
                         kernels::Variables<double> to) const {
  const bool is_coarser = tree_.beside(leaf, shape.axis, side).relation == mesh::Beside::Relation::coarser;
  if (is_coarser) return take_parts(shape, leaf, side, state, to);
  take_means(shape, leaf, side, state, to);
}

void Levels::take_means(const PencilShape& shape, std::size_t leaf, mesh::Side side, const StateView& state,
                        kernels::Variables<double> to) const {
  const std::size_t variables = state.grids.fields_count();
  const mesh::Node& own = tree_.leaf(leaf);
  const std::array<std::size_t, 2> others{shape.axis == 0 ? 1U : 0U, shape.axis == 2 ? 1U : 2U};
  Cell first = coordinates_of(domain_, own, 0);
  first[shape.axis] +=
      side == mesh::Side::low ? -static_cast<std::int64_t>(shape.ghosts) : static_cast<std::int64_t>(shape.cells);
  NearbyLeaves near(tree_);
  for (std::size_t layer = 0; layer < shape.ghosts; ++layer) {
    for (std::size_t lane = 0; lane < shape.lanes(); ++lane) {
      Cell cell = first;
      cell[shape.axis] += static_cast<std::int64_t>(layer);
      cell[others[0]] += static_cast<std::int64_t>(lane % shape.across[0]);
      cell[others[1]] += static_cast<std::int64_t>(lane / shape.across[0]);
      const Values values = at(own.level, cell, state, near);
      for (std::size_t k = 0; k < variables; ++k) to.of(k)[layer * shape.lanes() + lane] = values[k];
    }
  }
}

/// Two layers of ghost cells are the parts of one layer of coarser cells; of a third one only half is seen.
void Levels::take_parts(const PencilShape& shape, std::size_t leaf, mesh::Side side, const StateView& state,
                        kernels::Variables<double> to) const {
  const std::size_t variables = state.grids.fields_count();
  const mesh::Node& own = tree_.leaf(leaf);
  const std::array<std::size_t, 2> others{shape.axis == 0 ? 1U : 0U, shape.axis == 2 ? 1U : 2U};
  const auto halves = [](std::size_t cells) { return cells > 1 ? cells / 2 : 1; };
  Cell first = coordinates_of(domain_, own, 0);
  first[shape.axis] +=
      side == mesh::Side::low ? -static_cast<std::int64_t>(shape.ghosts) : static_cast<std::int64_t>(shape.cells);
  const auto skipped = static_cast<std::size_t>(first[shape.axis] & 1);              // of the parts of the first layer
  for (std::size_t axis = 0; axis < domain_.dimensions; ++axis) first[axis] >>= 1U;  // which rounds down
  NearbyLeaves near(tree_);
  for (std::size_t along = 0; 2 * along < skipped + shape.ghosts; ++along) {
    for (std::size_t slow = 0; slow < halves(shape.across[1]); ++slow) {
      for (std::size_t fast = 0; fast < halves(shape.across[0]); ++fast) {
        Cell cell = first;
        cell[shape.axis] += static_cast<std::int64_t>(along);
        cell[others[0]] += static_cast<std::int64_t>(fast);
        cell[others[1]] += static_cast<std::int64_t>(slow);
        const std::array<Values, 8> parts = parts_of(own.level - 1, cell, state, near);
        for (std::size_t i = 0; i < std::size_t{1} << domain_.dimensions; ++i) {
          const auto bit = [&](std::size_t axis) { return i >> axis & 1U; };
          const std::size_t part = 2 * along + bit(shape.axis);
          if (part < skipped || part >= skipped + shape.ghosts) continue;
          const auto fine = [&](std::size_t place, std::size_t axis) {
            return axis < domain_.dimensions ? 2 * place + bit(axis) : place;
          };
          const std::size_t lane = fine(fast, others[0]) + fine(slow, others[1]) * shape.across[0];
          for (std::size_t k = 0; k < variables; ++k) to.of(k)[(part - skipped) * shape.lanes() + lane] = parts[i][k];
        }
      }
    }
  }
}

void average_fluxes(const PencilShape& shape, std::size_t fields, kernels::Variables<const double> fine,
                    std::size_t part, kernels::Variables<double> to) {
  std::array<std::size_t, 2> halves{1, 1};
  std::array<std::size_t, 2> first{};
  std::size_t bit = 0;
  for (std::size_t other = 0; other < 2; ++other) {
    if (shape.across[other] == 1) continue;
    halves[other] = shape.across[other] / 2;
    first[other] = (part >> bit++ & 1U) * halves[other];
  }
  const std::size_t count = std::size_t{1} << bit;
  for (std::size_t k = 0; k < fields; ++k) {
    for (std::size_t slow = 0; slow < halves[1]; ++slow) {
      for (std::size_t fast = 0; fast < halves[0]; ++fast) {
        std::array<double, 8> numbers{};
        for (std::size_t i = 0; i < count; ++i) {
          const std::size_t x = shape.across[0] > 1 ? 2 * fast + (i & 1U) : fast;
          const std::size_t y = shape.across[1] > 1 ? 2 * slow + (shape.across[0] > 1 ? i >> 1U : i) : slow;
          numbers[i] = fine.of(k)[x + y * shape.across[0]];
        }
        to.of(k)[first[0] + fast + (first[1] + slow) * shape.across[0]] = mean_of(numbers, count);
      }
    }
  }
}

}  // namespace tacit::amr
