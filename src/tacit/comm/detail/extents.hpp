// Divides a piece of memory: which parts of it are free, and which are in use.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <optional>

namespace tacit::comm::detail {

/// Offsets of parts; the first free one that is long enough is taken, neighbours that are free become one.
class Extents {
 public:
  explicit Extents(std::size_t bytes) : free_{{0, bytes}} {}

  /// The offset of a part; nothing: none that is free is long enough.
  [[nodiscard]] std::optional<std::size_t> take(std::size_t bytes);
  /// Gives back what was taken at `offset`. @return  false: nothing was
  bool give_back(std::size_t offset) noexcept;

 private:
  std::map<std::size_t, std::size_t> free_;    // begin of each -> its length
  std::map<std::size_t, std::size_t> in_use_;  // likewise
};

}  // namespace tacit::comm::detail
