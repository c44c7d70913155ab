// Sums over the atoms of slabs.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/md/analysis/slabs.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "tacit/base/exact_sum.hpp"

namespace tacit::md {
namespace {

// Places of the sums of a slab.
constexpr std::size_t kinetic_sum = 0;    // 6 components of m v v
constexpr std::size_t virial_sum = 6;     // 6 components
constexpr std::size_t momentum_sum = 12;  // 3 components
constexpr std::size_t sums_of_slab = 15;

constexpr std::array<std::array<std::size_t, 2>, 6> components{{{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}}};

}  // namespace

Slabs::Slabs(const SlabSampling& sampling, std::vector<double> masses, const Units& units,
             const engine::Resources& resources)
    : slabs_(sampling.count),
      axis_(sampling.axis),
      masses_(std::move(masses)),
      types_(masses_.size()),
      units_(units),
      reductions_(resources.ranks),
      averages_(slabs_ * quantities()) {}

void Slabs::sample(const Atoms& atoms, const Box& box, const PerAtom& of_atoms) {
  exchange::Reduction& of_all = reductions_.of({.sums = slabs_ * sums_of_slab, .counts = slabs_ * types_});
  const auto counts = of_all.counts();
  std::ranges::fill(counts, 0);
  std::vector<base::BufferedSum> sums(slabs_ * sums_of_slab);
  const auto slabs = static_cast<double>(slabs_);
  for (std::size_t i = 0; i < atoms.count(); ++i) {
    double s = box.fraction(atoms.position(i))[axis_];
    if (box.periodic[axis_]) s -= std::floor(s);
    const auto slab = static_cast<std::size_t>(std::clamp(std::floor(s * slabs), 0.0, slabs - 1.0));
    ++counts[slab * types_ + atoms.type[i]];
    const double m = masses_[atoms.type[i]];
    const base::Vec3 v = atoms.velocity(i);
    base::BufferedSum* own = sums.data() + slab * sums_of_slab;
    for (std::size_t k = 0; k < components.size(); ++k) {
      const auto [a, b] = components[k];
      own[kinetic_sum + k].add(m * v[a] * v[b]);
      own[virial_sum + k].add(of_atoms.virial[k][i]);
    }
    for (std::size_t along = 0; along < 3; ++along) own[momentum_sum + along].add(m * v[along]);
  }
  std::ranges::transform(sums, of_all.sums().begin(), [](base::BufferedSum& sum) { return sum.sum(); });
  of_all.run();
  const double volume = box.volume() / slabs;
  double all_squares = 0.0;
  double all_atoms = 0.0;
  for (std::size_t slab = 0; slab < slabs_; ++slab) {
    for (std::size_t k = 0; k < 3; ++k) all_squares += of_all.sums()[slab * sums_of_slab + kinetic_sum + k].value();
    for (std::size_t type = 0; type < types_; ++type) all_atoms += static_cast<double>(counts[slab * types_ + type]);
  }
  std::vector<double> values(slabs_ * quantities(), 0.0);
  for (std::size_t slab = 0; slab < slabs_; ++slab) {
    double* value = values.data() + slab * quantities();
    const auto sum = [&](std::size_t k) { return of_all.sums()[slab * sums_of_slab + k].value(); };
    double number = 0.0;
    for (std::size_t type = 0; type < types_; ++type) {
      const auto n = static_cast<double>(counts[slab * types_ + type]);
      value[type] = n / volume;
      number += n;
    }
    const double squares = sum(kinetic_sum) + sum(kinetic_sum + 1) + sum(kinetic_sum + 2);
    value[types_] = squares / (3.0 * units_.boltzmann * volume);
    value[types_ + 1] = (squares - all_squares / all_atoms * number) / (3.0 * units_.boltzmann * volume);
    for (std::size_t k = 0; k < components.size(); ++k) {
      value[types_ + 2 + k] = (sum(kinetic_sum + k) + sum(virial_sum + k)) / volume * units_.pressure;
    }
    for (std::size_t along = 0; along < 3; ++along) value[types_ + 8 + along] = sum(momentum_sum + along) / volume;
  }
  averages_.add(values);
}

engine::BlockEstimate Slabs::density(std::size_t slab, std::size_t type) const { return of(slab, type); }

engine::BlockEstimate Slabs::temperature(std::size_t slab) const {
  double density = 0.0;
  for (std::size_t type = 0; type < types_; ++type) density += of(slab, type).mean;
  engine::BlockEstimate result = of(slab, types_ + 1);
  result.mean = of(slab, types_).mean / density;
  result.error /= density;
  return result;
}

engine::BlockEstimate Slabs::velocity(std::size_t slab, std::size_t along) const {
  double density = 0.0;  // of mass
  for (std::size_t type = 0; type < types_; ++type) density += of(slab, type).mean * masses_[type];
  engine::BlockEstimate result = of(slab, types_ + 8 + along);
  result.mean /= density;
  result.error /= density;
  return result;
}

void Slabs::restore(std::span<const double> state) { averages_ = engine::BlockAverages(slabs_ * quantities(), state); }

}  // namespace tacit::md
