// METIS, where the program was built with it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "tacit/topology/partition.hpp"

namespace tacit::topology::detail {

/// The partition that METIS finds, in which parts may be empty or larger than there is room for.
/// @pre 1 < parts < units, and the units of edges are there
/// @return  shape (units); nothing without METIS, where it fails, or where a unit is a fourth of a part or more
[[nodiscard]] std::optional<std::vector<std::uint32_t>> partition_by_metis(std::span<const std::uint64_t> weights,
                                                                           std::span<const Edge> edges,
                                                                           std::size_t parts, const Room& room);

}  // namespace tacit::topology::detail
