// The hierarchy of a graph's data: parents, parts, and the merging of accesses within one task.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/tasks/detail/data_tree.hpp"

#include <algorithm>

namespace tacit::tasks::detail {

DataTree::DataTree(std::span<const DatumId> parents) : parents_(parents) {
  if (std::all_of(parents.begin(), parents.end(), [](DatumId p) { return p == DatumId::none; })) return;
  first_.assign(parents.size() + 1, 0);
  for (const DatumId parent : parents) {
    if (parent != DatumId::none) ++first_[index(parent) + 1];
  }
  for (std::size_t i = 0; i < parents.size(); ++i) first_[i + 1] += first_[i];
  parts_.resize(first_.back());
  std::vector<std::uint32_t> next(first_.begin(), first_.end() - 1);
  for (std::size_t i = 0; i < parents.size(); ++i) {
    if (parents[i] != DatumId::none) parts_[next[index(parents[i])]++] = static_cast<DatumId>(i);
  }
}

std::span<const DatumId> DataTree::parts(DatumId datum) const {
  if (first_.empty()) return {};
  const std::size_t i = index(datum);
  return std::span(parts_).subspan(first_[i], first_[i + 1] - first_[i]);
}

namespace {

AccessMode merge_modes(AccessMode a, AccessMode b) { return a == b ? a : AccessMode::write; }

bool before(const Access& a, const Access& b) { return a.datum < b.datum; }

/// Leaves one access per datum in a sorted list.
void merge_equal(Accesses& accesses) {
  std::size_t kept = 0;
  for (const Access& access : accesses) {
    if (kept > 0 && accesses[kept - 1].datum == access.datum) {
      accesses[kept - 1].mode = merge_modes(accesses[kept - 1].mode, access.mode);
    } else {
      accesses[kept++] = access;
    }
  }
  accesses.resize(kept);
}

/// The access in the sorted list to the topmost datum that contains `datum`; `datum`'s own at least.
Access& largest(Accesses& accesses, DatumId datum, std::span<const DatumId> parents) {
  Access* found = nullptr;
  for (; datum != DatumId::none; datum = parents[index(datum)]) {
    const auto at = std::lower_bound(accesses.begin(), accesses.end(), Access{datum, AccessMode::read}, before);
    if (at != accesses.end() && at->datum == datum) found = &*at;
  }
  return *found;
}

}  // namespace

Accesses merge_accesses(Accesses accesses, std::span<const DatumId> parents) {
  std::sort(accesses.begin(), accesses.end(), before);
  merge_equal(accesses);
  Accesses kept;
  for (const Access& access : accesses) {
    Access& whole = largest(accesses, access.datum, parents);
    if (&whole != &access) whole.mode = merge_modes(whole.mode, access.mode);
  }
  for (const Access& access : accesses) {
    if (&largest(accesses, access.datum, parents) == &access) kept.push_back(access);
  }
  return kept;
}

}  // namespace tacit::tasks::detail
