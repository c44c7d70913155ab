// Reads or makes shares, and finds what no rank finds alone.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/sph/shares.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <optional>
#include <variant>
#include <vector>

#include "tacit/base/error.hpp"
#include "tacit/engine/across_ranks.hpp"
#include "tacit/exchange/over_ranks.hpp"

namespace tacit::sph {
namespace {

/// Whether the IDs of all ranks, one after the other, ascend, as they do in most files.
bool do_ascend(comm::Communicator& ranks, std::span<const std::uint64_t> id) {
  const bool do_mine = std::adjacent_find(id.begin(), id.end(), std::greater_equal{}) == id.end();
  // A rank without any lies between its neighbours wherever they are.
  const auto counts = exchange::gather_all(ranks, id.empty() ? 0 : do_mine ? 1 : 2);
  const auto first = exchange::gather_all(ranks, id.empty() ? 0 : id.front());
  const auto last = exchange::gather_all(ranks, id.empty() ? 0 : id.back());
  std::optional<std::uint64_t> before;
  for (std::size_t r = 0; r < counts.size(); ++r) {
    if (counts[r] == 0) continue;
    if (counts[r] == 2 || (before && first[r] <= *before)) return false;
    before = last[r];
  }
  return true;
}

/// The lowest ID that two particles have.
std::optional<std::uint64_t> lowest_twin(comm::Communicator& ranks, std::span<const std::uint64_t> id) {
  std::vector<std::vector<std::byte>> blocks(ranks.size());  // each ID to a rank that sees all that are like it
  for (const std::uint64_t& one : id) {
    const auto bytes = std::as_bytes(std::span<const std::uint64_t, 1>(&one, 1));
    auto& block = blocks[one % ranks.size()];
    block.insert(block.end(), bytes.begin(), bytes.end());
  }
  const exchange::Blocks come = exchange::send_blocks(ranks, blocks);
  std::vector<std::uint64_t> mine(come.bytes.size() / sizeof(std::uint64_t));
  std::ranges::copy(come.bytes, std::as_writable_bytes(std::span(mine)).begin());
  std::ranges::sort(mine);
  const auto twin = std::ranges::adjacent_find(mine);
  std::array<std::uint64_t, 1> lowest{0};  // counted from the other end
  if (twin != mine.end()) lowest[0] = std::numeric_limits<std::uint64_t>::max() - *twin;
  std::array<std::uint64_t, 1> is_any{twin == mine.end() ? 0U : 1U};
  exchange::add_over(ranks, is_any);
  if (is_any[0] == 0) return std::nullopt;
  exchange::take_largest(ranks, std::span<std::uint64_t>(lowest));
  return std::numeric_limits<std::uint64_t>::max() - lowest[0];
}

/// @throws base::FormatError on all ranks if two particles have the same ID
void require_unique(comm::Communicator& ranks, const InitialConditions& mine) {
  if (do_ascend(ranks, mine.id)) return;
  const auto twin = lowest_twin(ranks, mine.id);
  if (!twin) return;
  // The first two of its rows on each rank; of all ranks, the first two.
  const std::size_t rank = comm::number(ranks.rank());
  const auto counts = exchange::gather_all(ranks, mine.size());
  std::uint64_t row = 0;
  for (std::size_t r = 0; r < rank; ++r) row += counts[r];
  std::vector<std::uint64_t> found(2 * ranks.size(), 0);  // a row and one, so that 0 says none
  std::size_t place = 2 * rank;
  for (const std::uint64_t id : mine.id) {
    ++row;
    if (id == *twin && place < 2 * rank + 2) found[place++] = row;
  }
  exchange::add_over(ranks, found);
  std::erase(found, 0U);
  if (mine.has_types) {
    throw base::FormatError(mine.source, fmt::format("two particles have the same ID {}; expected unique IDs among all "
                                                     "types",
                                                     *twin));
  }
  throw base::FormatError(mine.source, fmt::format("PartType0/ParticleIDs: particles {} and {} have the same ID {}; "
                                                   "expected unique IDs",
                                                   found[0] - 1, found[1] - 1, *twin));
}

}  // namespace

InitialConditions share_of_initial_conditions(const SphParameters& parameters, const base::UnitSystem& units,
                                              const engine::Resources& resources) {
  comm::Communicator& ranks = resources.ranks;
  if (parameters.setup) {
    if (const auto* universe = std::get_if<Cosmological>(&*parameters.setup)) {
      return make(*universe, resources.scheduler, ranks);  // a field that all ranks share
    }
  }
  if (ranks.size() == 1) return initial_conditions(parameters, units);
  InitialConditions mine;
  engine::fail_together(ranks, [&] { mine = initial_conditions(parameters, units, particles::share_of(ranks)); });
  if (parameters.file) require_unique(ranks, mine);
  mine.checksum = engine::text_of_rank(ranks, 0, mine.checksum);
  return mine;
}

}  // namespace tacit::sph
