// Puts ranks and transports into words.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/comm/rank.hpp"

#include <fmt/format.h>

#include <array>

namespace tacit::comm {

std::string_view name(ProviderId provider) noexcept {
  constexpr std::array<std::string_view, 4> names{"self", "shm", "ofi", "mpi"};
  return names[static_cast<std::size_t>(provider)];
}

std::string describe(const RankInfo& rank) { return fmt::format("rank {} ({})", number(rank.rank), rank.host); }

}  // namespace tacit::comm
