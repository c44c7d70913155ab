// Gathers counts through the bootstrap: once, at set-up.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/comm/collectives/detail/counts.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <cstring>

#include "tacit/comm/detail/communicator_core.hpp"
#include "tacit/comm/detail/length.hpp"
#include "tacit/comm/error.hpp"

namespace tacit::comm::detail {

std::vector<std::vector<std::size_t>> gather_counts(Communicator& communicator, std::span<const std::size_t> mine) {
  CommunicatorCore& core = communicator.core();
  std::vector<std::vector<std::size_t>> counts;
  for (const Bytes& bytes : core.all_gather("makes an all-to-all-v", std::as_bytes(mine))) {
    const RankId rank{static_cast<std::uint32_t>(counts.size())};
    std::vector<std::size_t>& row = counts.emplace_back(bytes.size() / sizeof(std::size_t));
    if (row.size() != communicator.size()) {
      throw MismatchError(fmt::format("{} makes an all-to-all-v with counts for {} ranks, there are {}",
                                      comm::describe(core.rank(rank)), row.size(), communicator.size()));
    }
    std::memcpy(row.data(), bytes.data(), bytes.size());
  }
  return counts;
}

std::vector<std::vector<std::size_t>> in_bytes(std::vector<std::vector<std::size_t>> counts, std::size_t bytes) {
  for (std::vector<std::size_t>& row : counts) {
    for (std::size_t& count : row) count = length_of(count, bytes);
  }
  return counts;
}

}  // namespace tacit::comm::detail
