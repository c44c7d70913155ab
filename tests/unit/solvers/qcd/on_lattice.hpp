// What tests of qcd have in common: workers, random spinors, fields in any folding.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "plain_dirac.hpp"
#include "tacit/base/cpu_features.hpp"
#include "tacit/base/random.hpp"
#include "tacit/solvers/qcd/fields.hpp"
#include "tacit/tasks/scheduler.hpp"
#include "tacit/trace/trace.hpp"

namespace tacit::qcd::testing {

/// Workers of a test.
struct Workers {
  explicit Workers(std::size_t count) : recorder(count, 4096), scheduler(count, recorder) {}
  trace::Recorder recorder;
  tasks::Scheduler scheduler;
};

inline PlainField random_spinors(const Extents& extents, std::uint64_t seed) {
  PlainField result(extents.sites());
  for (std::size_t site = 0; site < result.size(); ++site) {
    for (std::size_t i = 0; i < 12; ++i) {
      result[site][i] = {2.0 * base::uniform(seed, 12 * site + i, 0) - 1.0,
                         2.0 * base::uniform(seed, 12 * site + i, 1) - 1.0};
    }
  }
  return result;
}

template <class T>
Field<T> folded(const FieldSpace<T>& space, const PlainField& psi) {
  Field<T> field = space.make();
  for (std::size_t site = 0; site < psi.size(); ++site) space.set(field, space.lattice().extents().at(site), psi[site]);
  return field;
}

template <class T>
PlainField unfolded(const FieldSpace<T>& space, const Field<T>& field) {
  PlainField result(space.lattice().extents().sites());
  for (std::size_t site = 0; site < result.size(); ++site) {
    result[site] = space.get(field, space.lattice().extents().at(site));
  }
  return result;
}

/// The loops of every instruction set that this machine has, but for those that are wider than the lattice allows.
template <class T>
std::vector<kernels::Loops<T>> all_loops(const Extents& extents) {
  std::vector<kernels::Loops<T>> all;
  for (const base::InstructionSet set : base::usable_instruction_sets()) {
    const auto loops = base::with_instruction_set(set, [](auto isa) { return kernels::loops_of<T, decltype(isa)>(); });
    if (loops.lanes <= most_lanes(extents)) all.push_back(loops);
  }
  return all;
}

inline Complex dot(const PlainField& x, const PlainField& y) {
  Complex sum = 0.0;
  for (std::size_t site = 0; site < x.size(); ++site) {
    for (std::size_t i = 0; i < 12; ++i) sum += std::conj(x[site][i]) * y[site][i];
  }
  return sum;
}

/// The largest difference of any element.
inline double largest_difference(const PlainField& x, const PlainField& y) {
  double largest = 0.0;
  for (std::size_t site = 0; site < x.size(); ++site) {
    for (std::size_t i = 0; i < 12; ++i) largest = std::max(largest, std::abs(x[site][i] - y[site][i]));
  }
  return largest;
}

}  // namespace tacit::qcd::testing
