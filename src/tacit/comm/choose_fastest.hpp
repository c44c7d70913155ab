// What is measured once and is then the same on all ranks, and in later runs: which of several algorithms is fastest.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "tacit/base/tuning_cache.hpp"

namespace tacit::comm {

namespace detail {
class CommunicatorCore;
}

/// Calls `make` on the first rank and gives its result to all. An error there ends all. Called by all ranks, outside of
/// tasks.
/// @param task  for messages: "read the tunings"
/// @throws what `make` throws on the first rank, base::Error on the others; DeadlineError, PeerError
[[nodiscard]] std::string of_first_rank(detail::CommunicatorCore& communicator, const std::string& task,
                                        const std::function<std::string()>& make);

/// The answer to a question, alike on all ranks: what the first one finds in its cache or in the file, else what is
/// measured now, which the file then keeps. Called by all ranks, which wait for each other.
/// @param key      the question, with all that the answer depends on
/// @param measure  called by all ranks; the same answer on all
/// @throws base::FormatError that names the line and base::SystemError on the first rank, base::Error on the others
[[nodiscard]] std::string choose_fastest(detail::CommunicatorCore& communicator, base::TuningCache& cache,
                                         const base::TuningFormat& format, const std::string& key,
                                         const std::function<std::string()>& measure);

/// The least time, or the first one unless another is clearly less: times scatter by some per cent.
/// @pre there is one
[[nodiscard]] std::size_t fastest(std::span<const double> seconds) noexcept;

/// The candidate of the least time, in that sense; a single one is not measured.
/// @param seconds_of  (candidate) -> double: on the slowest rank
template <class Candidate, class Time>
[[nodiscard]] Candidate fastest_of(const std::vector<Candidate>& candidates, const Time& seconds_of) {
  if (candidates.size() == 1) return candidates.front();
  std::vector<double> seconds;
  for (const Candidate& candidate : candidates) seconds.push_back(seconds_of(candidate));
  return candidates[fastest(seconds)];
}

}  // namespace tacit::comm
