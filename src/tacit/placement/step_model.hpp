// A model of steps on many ranks: what an update costs as one rank measured it, what would travel as it counted it, and
// a network.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "tacit/placement/network/network.hpp"

namespace tacit::placement {

/// What a number of ranks would send in a step of all elements.
struct CountedStep {
  double ranks = 1.0;
  double messages = 0.0;       ///< of all ranks
  double bytes = 0.0;          ///< of all ranks
  double most_messages = 0.0;  ///< of the rank that sends most of them
  double most_bytes = 0.0;     ///< of the rank that sends most of these
  double largest_share = 1.0;  ///< of the work, of the rank that has most
  double row_ranks = 0.0;      ///< of transposes: ranks of a row; else 0
  double row_bytes = 0.0;      ///< of transposes: the part of `bytes` between ranks of a row
};

/// What a run on one rank knows of its steps.
struct MeasuredSteps {
  std::string solver;
  double elements = 0.0;
  double threads = 1.0;
  double update_s = 0.0;             ///< time of a core for one element
  std::vector<CountedStep> counted;  ///< by ranks
};

/// Reads them from a run's summary.json.
/// @throws base::SystemError if it cannot be read; base::FormatError if it is something else, of several ranks, or of a
///         run that made no step or does not count what others would send
[[nodiscard]] MeasuredSteps read_measured_steps(const std::filesystem::path& file);

/// The network between ranks, as each sees it.
struct RankNetwork {
  std::string name;
  double latency = 0.0;    ///< of a message [s]
  double bandwidth = 1.0;  ///< of a rank, out of it or into it [byte/s]
};
/// @param ranks_per_node  that share what a node injects
[[nodiscard]] RankNetwork rank_network(const network::Network& machine, double ranks_per_node);

/// How long the transposes of a step take on the links of a machine, all of a direction in one exchange: the busiest
/// link or the busiest node. Ranks stand on nodes in the order of both.
///
/// @return  0 where the step has no transposes or the machine too few nodes [s]
/// @see network::predict
[[nodiscard]] double transpose_seconds(const network::Network& machine, const CountedStep& sends,
                                       std::uint32_t ranks_per_node);

/// A predicted step of all elements.
struct PredictedStep {
  CountedStep sends;
  double elements = 0.0;   ///< of all ranks
  double compute_s = 0.0;  ///< of the rank that has most work
  double network_s = 0.0;  ///< of the rank that sends most
  /// Everything hidden behind computation, and nothing.
  [[nodiscard]] double least_s() const noexcept { return compute_s > network_s ? compute_s : network_s; }
  [[nodiscard]] double most_s() const noexcept { return compute_s + network_s; }
};

///     compute_s = elements * largest_share * update_s / threads
///     network_s = most_messages * latency + most_bytes / bandwidth
///
/// @param elements  of all ranks
[[nodiscard]] PredictedStep predict_step(const MeasuredSteps& run, const RankNetwork& network, double elements,
                                         const CountedStep& sends);

/// The run itself on the numbers of ranks that it has counted for.
[[nodiscard]] std::vector<PredictedStep> predict_same(const MeasuredSteps& run, const RankNetwork& network);

/// What ranks would send that each have as much as the run had. What a rank of the run's cuts sends grows with its
/// elements by a power, which the counts of 8 times fewer and more elements of a rank show:
///
///     bytes(n) = bytes(n_8) (n / n_8)^p      n_8 = elements / 8 of each of 8 ranks
///
/// Messages are those of a rank among the most ranks counted: the envelopes of a rank with neighbours on all sides.
/// @return  empty where the run has not counted for 64 ranks, and of transposes, whose messages grow with the ranks
[[nodiscard]] std::vector<PredictedStep> predict_as_much_each(const MeasuredSteps& run, const RankNetwork& network,
                                                              std::span<const double> ranks);

}  // namespace tacit::placement
