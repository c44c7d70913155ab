// Puts the initial conditions into the cells.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/amr/initial_state.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "tacit/base/error.hpp"
#include "tacit/base/exact_sum.hpp"

namespace tacit::amr {
namespace {

using Conserved = std::array<double, kernels::most_fields>;

/// What a run stores of it.
Conserved conserved_of(const GasMeans& means, const kernels::Fields& fields) {
  Conserved U{};
  std::copy_n(means.begin(), kernels::variables, U.begin());
  if (fields.has_internal_energy) U[kernels::Fields::internal_energy()] = means[5];
  for (std::size_t k = 0; k < kernels::most_species && fields.species > 0; ++k)
    U[fields.first_species() + std::min(k, fields.species - 1)] += means[6 + k];
  return U;
}

/// Of the initial gas at a place.
Conserved conserved_at(const Point& place, const AmrParameters& parameters) {
  const Fractions X = parameters.initial.fractions ? parameters.initial.fractions(place) : all_of(0);
  return conserved_of(means_of(parameters.initial.state(place), X, parameters.gamma), parameters.fields);
}

void store(const Conserved& values, std::size_t fields, kernels::Variables<double> U, std::size_t cell) {
  for (std::size_t field = 0; field < fields; ++field) U.of(field)[cell] = values[field];
}

/// Calls visit(leaf, variables) for the own leaves, and for the copies.
template <class Visit>
void for_all_held(SubGrids& grids, const Visit& visit) {
  for (std::size_t leaf = grids.own().begin; leaf < grids.own().end; ++leaf) visit(leaf, grids.now(leaf));
  for (const std::size_t leaf : grids.copied()) visit(leaf, grids.copy(leaf));
}

/// Whether cells [first, first + count) of a level, along each axis, meet the inside of a box.
bool meets(const Domain& domain, std::uint32_t level, const std::array<std::int64_t, 3>& first, std::size_t count,
           const Point& low, const Point& high) {
  for (std::size_t axis = 0; axis < domain.dimensions; ++axis) {
    const double spacing = domain.spacing(axis, level);
    const double begin = static_cast<double>(first[axis]) * spacing;
    if (begin + spacing * static_cast<double>(count) <= low[axis] || begin >= high[axis]) return false;
  }
  return true;
}

bool leaf_meets(const Domain& domain, const mesh::Node& leaf, const Point& low, const Point& high) {
  return meets(domain, leaf.level, coordinates_of(domain, leaf, 0), domain.block, low, high);
}

/// The longest side of the cells of a level.
double longest_side(const Domain& domain, std::uint32_t level) {
  double longest = 0.0;
  for (std::size_t axis = 0; axis < domain.dimensions; ++axis) longest = std::max(longest, domain.spacing(axis, level));
  return longest;
}

bool is_too_coarse(const Domain& domain, std::uint32_t level, const Feature& feature) {
  return longest_side(domain, level) > feature.spacing;
}

/// The mean of the conserved variables in a cell, of places two in the length that the feature needs.
Conserved mean_in_cell(const AmrParameters& parameters, std::uint32_t level, const std::array<std::int64_t, 3>& cell,
                       const Feature& feature) {
  constexpr double most_places = 64.0;
  const Domain& domain = parameters.domain;
  std::array<std::size_t, 3> places{1, 1, 1};
  for (std::size_t axis = 0; axis < domain.dimensions; ++axis) {
    const double wanted = std::ceil(2.0 * domain.spacing(axis, level) / feature.spacing);
    places[axis] = static_cast<std::size_t>(std::min(wanted, most_places));
  }
  const auto coordinate = [&](std::size_t axis, std::size_t place) {
    const double within = (static_cast<double>(place) + 0.5) / static_cast<double>(places[axis]);
    return (static_cast<double>(cell[axis]) + within) * domain.spacing(axis, level);
  };
  Conserved sum{};
  for (std::size_t z = 0; z < places[2]; ++z) {
    for (std::size_t y = 0; y < places[1]; ++y) {
      for (std::size_t x = 0; x < places[0]; ++x) {
        const Point place{coordinate(0, x), coordinate(1, y), coordinate(2, z)};
        const Conserved U = conserved_at(place, parameters);
        for (std::size_t variable = 0; variable < sum.size(); ++variable) sum[variable] += U[variable];
      }
    }
  }
  for (double& value : sum) value /= static_cast<double>(places[0] * places[1] * places[2]);
  return sum;
}

/// The feature among those of a leaf that needs the finest cells, of which the cells of its level are too coarse.
const Feature* finest_missed(const AmrParameters& parameters, const mesh::Node& leaf) {
  const Feature* finest = nullptr;
  for (const Feature& feature : parameters.initial.features) {
    if (!is_too_coarse(parameters.domain, leaf.level, feature)) continue;
    if (!leaf_meets(parameters.domain, leaf, feature.low, feature.high)) continue;
    if (finest == nullptr || feature.spacing < finest->spacing) finest = &feature;
  }
  return finest;
}

bool add_deposit(const Deposit& deposit, const Domain& domain, const mesh::Octree& tree, SubGrids& grids,
                 exchange::RankReductions* ranks) {
  const auto for_cells_within = [&](std::size_t leaf, const auto& visit) {
    for (std::size_t cell = 0; cell < grids.cells(); ++cell) {
      if (deposit.is_within(centre_of(domain, tree.leaf(leaf), cell))) visit(cell);
    }
  };
  std::array<base::ExactSum, 1> volume{};
  for (std::size_t leaf = grids.own().begin; leaf < grids.own().end; ++leaf) {
    for_cells_within(leaf, [&](std::size_t) { volume[0].add(domain.volume(tree.leaf(leaf).level)); });
  }
  if (ranks != nullptr) ranks->add(volume);
  if (!(volume[0].value() > 0.0)) return false;
  const double density = deposit.energy / volume[0].value();
  for_all_held(grids, [&](std::size_t leaf, kernels::Variables<double> U) {
    for_cells_within(leaf, [&](std::size_t cell) {
      U.of(4)[cell] += density;
      if (grids.fields().has_internal_energy) U.of(kernels::Fields::internal_energy())[cell] += density;
    });
  });
  return true;
}

/// What the cells that meet a feature have beyond the gas around, on all ranks.
double mass_in_cells(const Feature& feature, const AmrParameters& parameters, const mesh::Octree& tree,
                     const SubGrids& grids, exchange::RankReductions& ranks) {
  const Domain& domain = parameters.domain;
  std::array<base::ExactSum, 1> mass{};
  for (std::size_t leaf = grids.own().begin; leaf < grids.own().end; ++leaf) {
    const mesh::Node& node = tree.leaf(leaf);
    if (!leaf_meets(domain, node, feature.low, feature.high)) continue;
    const double* const rho = grids.now(leaf).of(0);
    for (std::size_t cell = 0; cell < grids.cells(); ++cell) {
      if (meets(domain, node.level, coordinates_of(domain, node, cell), 1, feature.low, feature.high))
        mass[0].add((rho[cell] - feature.density) * domain.volume(node.level));
    }
  }
  ranks.add(mass);
  return mass[0].value();
}

std::string coarse_text(const Feature& feature, double longest) {
  return fmt::format("{} meets cells {:.3g} long, and its shape needs cells of {:.3g} or less", feature.name, longest,
                     feature.spacing);
}
constexpr const char* remedy = "a higher amr.level or amr.finest, or one of amr.regions around it";

}  // namespace

bool set_initial(const AmrParameters& parameters, const mesh::Octree& tree, SubGrids& grids,
                 exchange::RankReductions* ranks) {
  const Domain& domain = parameters.domain;
  for_all_held(grids, [&](std::size_t leaf, kernels::Variables<double> U) {
    const mesh::Node& node = tree.leaf(leaf);
    if (parameters.initial.means) {
      const std::vector<GasMeans> means = parameters.initial.means(node.level, coordinates_of(domain, node, 0));
      for (std::size_t cell = 0; cell < grids.cells(); ++cell)
        store(conserved_of(means[cell], parameters.fields), grids.fields_count(), U, cell);
      return;
    }
    const Feature* const missed = finest_missed(parameters, node);
    for (std::size_t cell = 0; cell < grids.cells(); ++cell) {
      const auto at = coordinates_of(domain, node, cell);
      if (missed != nullptr && meets(domain, node.level, at, 1, missed->low, missed->high)) {
        store(mean_in_cell(parameters, node.level, at, *missed), grids.fields_count(), U, cell);
      } else {
        store(conserved_at(centre_of(domain, node, cell), parameters), grids.fields_count(), U, cell);
      }
    }
  });
  const auto& deposit = parameters.initial.deposit;
  return !deposit || add_deposit(*deposit, domain, tree, grids, ranks);
}

void check_initial(const AmrParameters& parameters, const mesh::Octree& tree, const SubGrids& grids) {
  const Domain& domain = parameters.domain;
  for (std::size_t leaf = grids.own().begin; leaf < grids.own().end; ++leaf) {
    const mesh::Node& node = tree.leaf(leaf);
    if (parameters.initial.means)
      static_cast<void>(parameters.initial.means(node.level, coordinates_of(domain, node, 0)));
    if (!parameters.initial.check) continue;
    for (std::size_t cell = 0; cell < grids.cells(); ++cell) {
      parameters.initial.check(centre_of(domain, node, cell), [&] {
        const auto at = coordinates_of(domain, node, cell);
        return fmt::format("the cell ({}, {}, {}) of level {}", at[0], at[1], at[2], node.level);
      });
    }
  }
}

void require_initial(const AmrParameters& parameters, const mesh::Octree& tree, SubGrids& grids,
                     exchange::RankReductions* ranks) {
  if (set_initial(parameters, tree, grids, ranks)) return;
  throw base::Error(
      "no cell lies within the ball that gets the energy of the explosion: a region of amr.regions in the middle, or a "
      "sedov.radius of two cells there");
}

bool asks_for_finer(const AmrParameters& parameters, const mesh::Node& leaf) {
  if (finest_missed(parameters, leaf) != nullptr) return true;
  const auto& deposit = parameters.initial.deposit;
  return deposit && leaf_meets(parameters.domain, leaf, deposit->low, deposit->high);
}

std::vector<std::string> coarse_features(const AmrParameters& parameters, const mesh::Octree& tree,
                                         const SubGrids& grids, exchange::RankReductions& ranks) {
  constexpr double most_lost = 0.1;
  const Domain& domain = parameters.domain;
  std::vector<std::string> texts;
  for (const Feature& feature : parameters.initial.features) {
    double longest = 0.0;
    for (const mesh::Node& leaf : tree.leaves()) {
      if (leaf_meets(domain, leaf, feature.low, feature.high))
        longest = std::max(longest, longest_side(domain, leaf.level));
    }
    if (longest <= feature.spacing) continue;
    const double mass = mass_in_cells(feature, parameters, tree, grids, ranks);
    const std::string text = fmt::format("{}: they have {:.3g} of its mass {:.4g}", coarse_text(feature, longest),
                                         mass / feature.mass, feature.mass);
    if (!(std::abs(mass - feature.mass) <= most_lost * feature.mass)) {
      throw base::Error(fmt::format("{}; expected at least {:.2g} of it: {}", text, 1.0 - most_lost, remedy));
    }
    texts.push_back(fmt::format("{}; finer ones by {}", text, remedy));
  }
  return texts;
}

std::vector<std::string> features_beyond(const AmrParameters& parameters) {
  const std::uint32_t finest = std::max(parameters.domain.finest(), parameters.is_adaptive ? parameters.finest : 0U);
  std::vector<std::string> texts;
  for (const Feature& feature : parameters.initial.features) {
    if (!is_too_coarse(parameters.domain, finest, feature)) continue;
    texts.push_back(
        fmt::format("{}; finer ones by {}", coarse_text(feature, longest_side(parameters.domain, finest)), remedy));
  }
  return texts;
}

}  // namespace tacit::amr
