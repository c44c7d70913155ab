// Measures once by which of several algorithms a collective is fastest; all ranks choose the same one.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tacit/base/tuning_cache.hpp"
#include "tacit/comm/collectives/detail/collective.hpp"

namespace tacit::comm::detail {

/// How a collective is carried out, in one piece: what is chosen and kept.
struct Algorithm {
  Pattern pattern = Pattern::node_aware;
  std::uint32_t leaders = 1;
  std::uint64_t chunk = 0;  ///< [byte]
  Copying copying = Copying::by_size;

  bool operator==(const Algorithm&) const = default;
  [[nodiscard]] CollectiveOptions options() const noexcept { return {.pattern = pattern, .leaders = leaders}; }
  [[nodiscard]] Pull pull() const noexcept { return {.chunk = chunk, .copying = copying}; }
};

/// What is to be carried out, alike on all ranks.
struct TuningQuestion {
  std::string_view kind;
  std::size_t bytes = 0;       ///< the most that a rank brings; those up to the next power of two share an answer
  Algorithm given;             ///< what the user said: it stays unless another is clearly faster
  bool is_all_to_all = false;  ///< whether a Pull matters
};

/// Makes the collective by one algorithm, on memory of its own.
using Trial = std::function<std::unique_ptr<Collective>(const Algorithm&)>;

/// What there is to choose from, the given one first.
[[nodiscard]] std::vector<Algorithm> algorithms_to_try(const CommunicatorCore& communicator,
                                                       const TuningQuestion& question);

/// Lines "node_aware|flat LEADERS CHUNK by_size|by_receiver|by_sender KEY", and the answer of one.
extern const base::TuningFormat algorithm_tunings;
[[nodiscard]] std::string words_of(const Algorithm& algorithm);

/// The algorithm by which a call takes least on the slowest rank: as measured now, or before with this communicator, or
/// as the file says that Options::tuning_file names. Called by all ranks, which wait for each other.
/// @throws MismatchError if they ask different questions; what comm::choose_fastest throws
/// Cost: some milliseconds for each algorithm, once
[[nodiscard]] Algorithm choose_algorithm(CommunicatorCore& communicator, const TuningQuestion& question,
                                         const Trial& trial);

}  // namespace tacit::comm::detail
