// What the collectives that only copy have to copy.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <string_view>
#include <vector>

#include "tacit/comm/collectives/detail/plan.hpp"

namespace tacit::comm::detail {

/// Every rank has `bytes` for all; they land by rank.
[[nodiscard]] Routes routes_all_gather(std::string_view kind, std::size_t bytes, Routes::Reading reading);
/// The root has `bytes` for all others.
[[nodiscard]] Routes routes_broadcast(RankId root, std::size_t bytes);
/// Every rank has `bytes` for the root; they land by rank.
[[nodiscard]] Routes routes_gather(RankId root, std::size_t bytes);
/// The root has `bytes` for each rank, by rank.
[[nodiscard]] Routes routes_scatter(RankId root, std::size_t ranks, std::size_t bytes);
/// Every rank has `bytes` for every rank; they lie and land by rank. Keeps nothing that grows with the ranks.
[[nodiscard]] Routes routes_all_to_all(std::size_t ranks, std::size_t bytes);
/// Rank i has bytes[i][j] for rank j; they lie by j and land by i.
[[nodiscard]] Routes routes_all_to_all(std::string_view kind, std::vector<std::vector<std::size_t>> bytes);
/// Rank i has counts(i, j) elements of `element` bytes for rank j, which lie by j and are read where they lie. Keeps
/// nothing that grows with the ranks.
[[nodiscard]] Routes routes_all_to_all_view(const std::function<std::size_t(RankId, RankId)>& counts, std::size_t ranks,
                                            std::size_t element);

}  // namespace tacit::comm::detail
