// The hierarchy of a graph's data: parents, parts, and the merging of accesses within one task.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tacit/tasks/graph.hpp"

namespace tacit::tasks::detail {

[[nodiscard]] constexpr std::size_t index(DatumId datum) noexcept { return static_cast<std::size_t>(datum); }
[[nodiscard]] constexpr std::size_t index(TaskId task) noexcept { return static_cast<std::size_t>(task); }
[[nodiscard]] constexpr std::size_t index(AccessMode mode) noexcept { return static_cast<std::size_t>(mode); }

/// Parents and, as CSR, the parts of each datum.
class DataTree {
 public:
  DataTree() = default;
  /// @param parents  shape (data): DatumId::none for a root; parents come before their parts; must outlive the tree
  explicit DataTree(std::span<const DatumId> parents);

  /// Whether it was made of just this.
  [[nodiscard]] bool is_of(std::span<const DatumId> parents) const noexcept {
    return parents.data() == parents_.data() && parents.size() == parents_.size();
  }
  [[nodiscard]] std::size_t size() const noexcept { return parents_.size(); }
  /// Whether no datum is a part of another.
  [[nodiscard]] bool is_flat() const noexcept { return first_.empty(); }
  /// Whether `datum` is a part of another or has parts.
  [[nodiscard]] bool is_nested(DatumId datum) const {
    return !is_flat() && (parent(datum) != DatumId::none || !parts(datum).empty());
  }
  [[nodiscard]] DatumId parent(DatumId datum) const { return parents_[index(datum)]; }
  /// The direct parts of `datum`.
  [[nodiscard]] std::span<const DatumId> parts(DatumId datum) const;

 private:
  std::span<const DatumId> parents_;
  std::vector<std::uint32_t> first_;  // empty when no datum has parts
  std::vector<DatumId> parts_;
};

/// The accesses of one task with each datum once and no datum a part of another, sorted by datum.
///
/// Accesses of equal mode merge into the largest datum; accesses of different modes become a write of it. The latter
/// orders more than needed (reading the whole and writing a part excludes readers of other parts), never less.
[[nodiscard]] Accesses merge_accesses(Accesses accesses, std::span<const DatumId> parents);

}  // namespace tacit::tasks::detail
