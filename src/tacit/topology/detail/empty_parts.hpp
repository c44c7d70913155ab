// Repair of partitions with empty parts.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace tacit::topology::detail {

/// Gives each part that is empty a unit of the heaviest part that can spare one.
/// @param weights  shape (units): at least as many units as parts
/// @param part_of  shape (units): below `parts`; changed in place
void fill_empty_parts(std::span<const std::uint64_t> weights, std::size_t parts, std::span<std::uint32_t> part_of);

}  // namespace tacit::topology::detail
