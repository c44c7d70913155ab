// Measures once in which of several ways a collective is fastest; all ranks choose the same one.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "tacit/comm/collectives/detail/algorithm.hpp"
#include "tacit/comm/collectives/detail/collective.hpp"

namespace tacit::comm::detail {

/// What is to be carried out, alike on all ranks.
struct TuningQuestion {
  std::string_view kind;
  std::size_t bytes = 0;       ///< the most that a rank brings; those up to the next power of two share an answer
  Algorithm given;             ///< what the user said: it stays unless another is clearly faster
  bool is_all_to_all = false;  ///< whether a Pull matters
};

/// Makes the collective in one way, on memory of its own.
using Trial = std::function<std::unique_ptr<Collective>(const Algorithm&)>;

/// What there is to choose from, the given way first.
[[nodiscard]] std::vector<Algorithm> algorithms_to_try(const CommunicatorCore& communicator,
                                                       const TuningQuestion& question);

/// The least time, or the first one unless another is clearly less: times scatter by some per cent.
/// @pre there is one
[[nodiscard]] std::size_t fastest(std::span<const double> seconds) noexcept;

/// The way in which a call takes least on the slowest rank: as measured now, or before with this communicator, or as
/// the file says that Options::tuning_file names. Called by all ranks, which wait for each other.
/// @throws MismatchError if they ask different questions; DeadlineError; base::FormatError and base::SystemError for
///         the file
/// Cost: some milliseconds for each way, once
[[nodiscard]] Algorithm choose_algorithm(CommunicatorCore& communicator, const TuningQuestion& question,
                                         const Trial& trial);

}  // namespace tacit::comm::detail
