// Measures states: exact sums, so that no order of the sub-grids changes a bit.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/amr/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "tacit/base/exact_sum.hpp"
#include "tacit/tasks/parallel_for.hpp"

namespace tacit::amr {
namespace {

// Places of the sums: the fields come first.
constexpr std::size_t momentum_size = kernels::most_fields;
constexpr std::size_t kinetic_sum = momentum_size + 1;
constexpr std::size_t potential_sum = kinetic_sum + 1;
constexpr std::size_t density_error = potential_sum + 1;
constexpr std::size_t velocity_error = density_error + 1;
constexpr std::size_t pressure_error = velocity_error + 1;
constexpr std::size_t sums_count = pressure_error + 1;
// Of the largest numbers: three speeds, and the density.
constexpr std::size_t largest_count = 4;
// Of the ledger, behind these.
constexpr std::size_t left_sums = sums_count;
constexpr std::size_t added_sums = left_sums + kernels::most_fields;
constexpr std::size_t turned_sum = added_sums + kernels::most_fields;
constexpr std::size_t all_sums = turned_sum + 1;

struct Cells {
  std::array<base::ExactSum, sums_count> sums{};
  std::array<double, largest_count> largest{};
};

double length(double x, double y, double z) { return std::sqrt(x * x + (y * y + z * z)); }

void add_error(std::array<base::BufferedSum, sums_count>& sums, const GasState& gas, const GasState& exact,
               double volume) {
  sums[density_error].add(volume * std::abs(gas.rho - exact.rho));
  sums[velocity_error].add(volume * length(gas.v[0] - exact.v[0], gas.v[1] - exact.v[1], gas.v[2] - exact.v[2]));
  sums[pressure_error].add(volume * std::abs(gas.P - exact.P));
}

}  // namespace

Statistics::Statistics(const AmrParameters& parameters, const mesh::Octree& tree, const engine::Resources& resources)
    : parameters_(parameters), tree_(tree), scheduler_(resources.scheduler), reductions_(resources.ranks) {}

Measured Statistics::measure(const SubGrids& grids, double time, const SelfGravity* gravity, const Ledger* ledger) {
  const Domain& domain = parameters_.domain;
  const GasAt exact = parameters_.initial.exact ? parameters_.initial.exact(time) : GasAt();
  const auto of_leaves = [&](std::size_t first, std::size_t end) {
    Cells all;
    std::array<base::BufferedSum, sums_count> sums;
    for (std::size_t leaf = first; leaf < end; ++leaf) {
      const kernels::Variables<const double> U = grids.now(leaf);
      const double volume = domain.volume(tree_.leaf(leaf).level);
      const double* const phi = gravity != nullptr ? gravity->field(leaf).of(0) : nullptr;
      for (std::size_t cell = 0; cell < grids.cells(); ++cell) {
        for (std::size_t k = 0; k < grids.fields_count(); ++k) sums[k].add(volume * U.of(k)[cell]);
        sums[momentum_size].add(volume * length(U.of(1)[cell], U.of(2)[cell], U.of(3)[cell]));
        sums[kinetic_sum].add(volume * kinetic_energy(U, cell));
        if (phi != nullptr) {
          double all_phi = phi[cell];  // the gas has half of its own, and all of that of the frame
          if (parameters_.frame_rotation != 0.0)
            all_phi += gravity->centrifugal_potential(centre_of(domain, tree_.leaf(leaf), cell));
          sums[potential_sum].add(0.5 * volume * U.of(0)[cell] * all_phi);
        }
        const GasState gas = gas_of(U, cell, parameters_.gamma, parameters_.fields);
        for (std::size_t axis = 0; axis < 3; ++axis) {
          all.largest[axis] = exchange::larger(all.largest[axis], std::abs(gas.v[axis]));
        }
        all.largest[3] = exchange::larger(all.largest[3], gas.rho);
        if (exact) add_error(sums, gas, exact(centre_of(domain, tree_.leaf(leaf), cell)), volume);
      }
    }
    for (std::size_t k = 0; k < sums_count; ++k) all.sums[k] = sums[k].sum();
    return all;
  };
  const auto together = [](Cells all, const Cells& more) {
    for (std::size_t k = 0; k < sums_count; ++k) all.sums[k].merge(more.sums[k]);
    for (std::size_t k = 0; k < largest_count; ++k) all.largest[k] = exchange::larger(all.largest[k], more.largest[k]);
    return all;
  };
  const std::size_t chunk = (grids.leaves() + 31) / 32;
  const Cells mine =
      tasks::parallel_reduce(scheduler_, grids.own().begin, grids.own().end, chunk, Cells{}, of_leaves, together);
  const bool is_open = ledger != nullptr && parameters_.is_open();
  exchange::Reduction& reduction = reductions_.of({.sums = is_open ? all_sums : sums_count, .largest = largest_count});
  std::ranges::copy(mine.sums, reduction.sums().begin());
  std::ranges::copy(mine.largest, reduction.largest().begin());
  if (is_open) {
    std::ranges::copy(ledger->left, reduction.sums().begin() + left_sums);
    std::ranges::copy(ledger->added, reduction.sums().begin() + added_sums);
    reduction.sums()[turned_sum] = ledger->turned;
    reduction.sums()[momentum_size].merge(ledger->pushed);
  }
  reduction.run();
  const auto sum = [&](std::size_t k) { return reduction.sums()[k].value(); };
  const auto largest = reduction.largest();
  std::array<double, kernels::most_fields> left{};
  std::array<double, kernels::most_fields> added{};
  std::array<double, kernels::most_fields> balanced{};
  for (std::size_t k = 0; k < grids.fields_count(); ++k) {
    if (is_open) {
      left[k] = sum(left_sums + k);
      added[k] = sum(added_sums + k);
    }
    balanced[k] = sum(k) + left[k] - added[k];
  }
  std::array<double, kernels::most_species> species{};
  for (std::size_t k = 0; k < parameters_.fields.species; ++k) species[k] = sum(parameters_.fields.first_species() + k);
  const double box = domain.box[0] * domain.box[1] * domain.box[2];
  return {.mass = sum(0),
          .momentum = {sum(1), sum(2), sum(3)},
          .momentum_scale = sum(momentum_size),
          .energy = sum(4),
          .kinetic = sum(kinetic_sum),
          .potential = sum(potential_sum),
          .largest_speed = {largest[0], largest[1], largest[2]},
          .largest_density = largest[3],
          .left = left,
          .added = added,
          .turned = is_open ? sum(turned_sum) : 0.0,
          .balanced = balanced,
          .species = species,
          .error_density = sum(density_error) / box,
          .error_velocity = sum(velocity_error) / box,
          .error_pressure = sum(pressure_error) / box};
}

std::vector<double> Statistics::totals(const Ledger& ledger) {
  exchange::Reduction& reduction = reductions_.of({.sums = 2 * kernels::most_fields + 2});
  std::ranges::copy(ledger.left, reduction.sums().begin());
  std::ranges::copy(ledger.added, reduction.sums().begin() + kernels::most_fields);
  reduction.sums()[2 * kernels::most_fields] = ledger.pushed;
  reduction.sums().back() = ledger.turned;
  reduction.run();
  std::vector<double> numbers;
  for (base::ExactSum& sum : reduction.sums()) {
    numbers.push_back(sum.value());
    sum.add(-numbers.back());
    numbers.push_back(sum.value());
  }
  return numbers;
}

}  // namespace tacit::amr
