// Tries algorithms, has all ranks agree on the times, and keeps the answers.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/comm/collectives/detail/tuning.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <sstream>

#include "tacit/base/clock.hpp"
#include "tacit/comm/choose_fastest.hpp"
#include "tacit/comm/error.hpp"
#include "tacit/topology/cpu_model.hpp"

namespace tacit::comm::detail {
namespace {

/// What a rank asks.
struct Question {
  std::array<char, 24> kind = {};
  std::uint64_t bytes = 0;
  bool operator==(const Question&) const = default;
};

double slowest(CommunicatorCore& communicator, double seconds) {
  return std::ranges::max(
      all_gather_values(communicator.bootstrap(), seconds, communicator.options().setup_deadline_s));
}

/// The number of ranks of each domain.
std::vector<std::uint32_t> sizes_of_nodes(const CommunicatorCore& communicator) {
  std::vector<std::uint32_t> sizes;
  for (const RankInfo& rank : communicator.ranks()) {
    sizes.resize(std::max<std::size_t>(sizes.size(), rank.domain + 1U));
    ++sizes[rank.domain];
  }
  return sizes;
}

/// "8 ranks on 2 nodes by mpi": what a time depends on, beside machine and question.
std::string layout(const CommunicatorCore& communicator) {
  const auto sizes = sizes_of_nodes(communicator);
  std::string text = fmt::format("{} ranks on {} nodes", communicator.ranks().size(), sizes.size());
  const auto far = std::ranges::find_if(communicator.ranks(), [](const RankInfo& rank) { return rank.domain != 0; });
  if (far != communicator.ranks().end()) text += fmt::format(" by {}", name(communicator.choose({.rank = far->rank})));
  return text;
}

std::string key_of(const CommunicatorCore& communicator, const TuningQuestion& question) {
  return fmt::format("{}, {}: {} of {} B", topology::cpu_model(), layout(communicator), question.kind,
                     std::bit_ceil(question.bytes));
}

/// @throws MismatchError
void require_same_question(CommunicatorCore& communicator, const TuningQuestion& question) {
  Question mine{.bytes = question.bytes};
  std::ranges::copy(question.kind.substr(0, mine.kind.size() - 1), mine.kind.begin());
  const auto all = all_gather_values(communicator.bootstrap(), mine, communicator.options().setup_deadline_s);
  const Question& first = all.front();
  const auto other = std::ranges::find_if(all, [&](const Question& its) { return its != first; });
  if (other == all.end()) return;
  throw MismatchError(fmt::format("{} tunes {} of {} B, {} tunes {} of {} B", describe(communicator.ranks().front()),
                                  first.kind.data(), first.bytes,
                                  describe(communicator.ranks()[static_cast<std::size_t>(other - all.begin())]),
                                  other->kind.data(), other->bytes));
}

/// Seconds of a call: the mean of the best of some batches, on the slowest rank.
double time_of(CommunicatorCore& communicator, Collective& collective) {
  constexpr double batch_s = 1e-3;
  constexpr double most_calls = 200.0;
  const auto time = [&](std::size_t calls) {
    const base::Stopwatch watch;
    for (std::size_t i = 0; i < calls; ++i) collective.run(0.0);
    return watch.seconds() / static_cast<double>(calls);
  };
  static_cast<void>(time(2));  // its first use looks for the others
  // All ranks must call it equally often.
  const double about_s = slowest(communicator, time(3));
  const auto calls = static_cast<std::size_t>(std::clamp(batch_s / std::max(about_s, 1e-9), 1.0, most_calls));
  const std::size_t batches = calls == 1 ? 3 : 7;
  double best_s = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < batches; ++i) best_s = std::min(best_s, time(calls));
  return slowest(communicator, best_s);
}

Algorithm measure(CommunicatorCore& communicator, const TuningQuestion& question, const Trial& trial) {
  const auto seconds_of = [&](const Algorithm& algorithm) { return time_of(communicator, *trial(algorithm)); };
  const Algorithm best = fastest_of(algorithms_to_try(communicator, question), seconds_of);
  if (!question.is_all_to_all || best.pattern == Pattern::flat) return best;
  std::vector<Algorithm> algorithms{best};
  for (const Copying copying : {Copying::by_receiver, Copying::by_sender}) {
    Algorithm algorithm = best;
    algorithm.chunk = 0;
    algorithm.copying = copying;
    if (algorithm != best) algorithms.push_back(algorithm);
  }
  for (const std::uint64_t chunk : {std::uint64_t{512}, std::uint64_t{8192}, std::uint64_t{65536}}) {
    Algorithm algorithm = best;
    algorithm.chunk = chunk;
    if (chunk < question.bytes && algorithm != best) algorithms.push_back(algorithm);
  }
  return fastest_of(algorithms, seconds_of);
}

constexpr std::array<std::string_view, 2> patterns{"node_aware", "flat"};                   // by Pattern
constexpr std::array<std::string_view, 3> copyings{"by_size", "by_receiver", "by_sender"};  // by Copying

template <class Value, std::size_t N>
bool take_name(std::istream& words, const std::array<std::string_view, N>& names, Value& value) {
  std::string word;
  words >> word;
  const auto at = std::ranges::find(names, word);
  value = static_cast<Value>(at - names.begin());
  return at != names.end();
}

bool take_algorithm(std::istream& words, Algorithm& algorithm) {
  return take_name(words, patterns, algorithm.pattern) && words >> algorithm.leaders >> algorithm.chunk &&
         take_name(words, copyings, algorithm.copying) && algorithm.leaders != 0;
}

}  // namespace

const base::TuningFormat algorithm_tunings{
    .first_line = "# tacit tunings 1: pattern, leaders, chunk [byte], who copies, what for",
    .name = "a file of tunings",
    .wrong_line =
        "is no pattern (node_aware or flat), leaders, chunk, who copies (by_size, by_receiver or by_sender), "
        "and what for",
    .cannot_read = "cannot read the tunings",
    .cannot_write = "cannot write the tunings",
    .takes_answer = [](std::istream& words) {
      Algorithm algorithm;
      return take_algorithm(words, algorithm);
    }};

std::string words_of(const Algorithm& algorithm) {
  return fmt::format("{} {} {} {}", patterns.at(static_cast<std::size_t>(algorithm.pattern)), algorithm.leaders,
                     algorithm.chunk, copyings.at(static_cast<std::size_t>(algorithm.copying)));
}

std::vector<Algorithm> algorithms_to_try(const CommunicatorCore& communicator, const TuningQuestion& question) {
  const auto sizes = sizes_of_nodes(communicator);
  const std::uint32_t largest = std::ranges::max(sizes);
  std::vector<Algorithm> algorithms{question.given};
  const auto add = [&](Pattern pattern, std::uint32_t leaders) {
    const Algorithm algorithm{
        .pattern = pattern, .leaders = leaders, .chunk = question.given.chunk, .copying = question.given.copying};
    if (std::ranges::find(algorithms, algorithm) == algorithms.end()) algorithms.push_back(algorithm);
  };
  // More leaders than other nodes have nothing to do.
  const auto useful = std::min<std::size_t>(largest, std::max<std::size_t>(sizes.size() - 1, 1));
  for (std::uint32_t leaders = 1; leaders <= useful; leaders *= 2) add(Pattern::node_aware, leaders);
  if (largest > 1) add(Pattern::flat, 1);
  return algorithms;
}

Algorithm choose_algorithm(CommunicatorCore& communicator, const TuningQuestion& question, const Trial& trial) {
  require_same_question(communicator, question);
  std::istringstream words(choose_fastest(communicator, communicator.tunings(), algorithm_tunings,
                                          key_of(communicator, question),
                                          [&] { return words_of(measure(communicator, question, trial)); }));
  Algorithm algorithm;
  take_algorithm(words, algorithm);
  return algorithm;
}

}  // namespace tacit::comm::detail
