// In place of METIS where the program was built without it.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/topology/detail/metis.hpp"

namespace tacit::topology {

bool has_metis() noexcept { return false; }

std::optional<std::vector<std::uint32_t>> detail::partition_by_metis(std::span<const std::uint64_t> /*weights*/,
                                                                     std::span<const Edge> /*edges*/,
                                                                     std::size_t /*parts*/, const Room& /*room*/) {
  return std::nullopt;
}

}  // namespace tacit::topology
