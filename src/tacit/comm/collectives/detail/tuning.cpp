// Tries ways, and has all ranks agree on the times.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/comm/collectives/detail/tuning.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <exception>
#include <limits>
#include <optional>
#include <span>
#include <string>

#include "tacit/base/clock.hpp"
#include "tacit/comm/error.hpp"
#include "tacit/topology/cpu_model.hpp"

namespace tacit::comm::detail {
namespace {

/// What a rank knows before anything is measured.
struct PeerInfo {
  std::array<char, 24> kind = {};
  std::uint64_t bytes = 0;
  Algorithm known;
  bool is_known = false;
  bool has_failed = false;  // to read the file
};

/// What every rank says, by rank.
template <class T>
std::vector<T> all_say(CommunicatorCore& communicator, const T& mine) {
  std::vector<T> all;
  const double deadline_s = communicator.options().setup_deadline_s;
  for (const Bytes& bytes : communicator.bootstrap().all_gather(bytes_of(mine), deadline_s)) {
    std::memcpy(&all.emplace_back(), bytes.data(), std::min(bytes.size(), sizeof(T)));
  }
  return all;
}

double slowest(CommunicatorCore& communicator, double seconds) {
  return std::ranges::max(all_say(communicator, seconds));
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

/// What this rank knows; the first rank alone looks into the file, for all.
PeerInfo info_of(CommunicatorCore& communicator, const TuningQuestion& question, const std::string& key,
                 std::exception_ptr& error) {
  PeerInfo info;
  info.bytes = question.bytes;
  std::ranges::copy(question.kind.substr(0, info.kind.size() - 1), info.kind.begin());
  TuningStore& store = communicator.tunings();
  try {
    if (number(communicator.own().rank) == 0) store.read();
  } catch (const base::Error&) {
    error = std::current_exception();
    info.has_failed = true;
  }
  const auto known = store.find(key);
  info.known = known.value_or(Algorithm{});
  info.is_known = known.has_value();
  return info;
}

/// @throws MismatchError
void check(const CommunicatorCore& communicator, const std::vector<PeerInfo>& infos) {
  const PeerInfo& first = infos.front();
  for (std::uint32_t rank = 1; rank < infos.size(); ++rank) {
    const PeerInfo& info = infos[rank];
    if (info.kind == first.kind && info.bytes == first.bytes) continue;
    throw MismatchError(fmt::format("{} tunes {} of {} B, {} tunes {} of {} B", describe(communicator.rank(RankId{0})),
                                    first.kind.data(), first.bytes, describe(communicator.rank(RankId{rank})),
                                    info.kind.data(), info.bytes));
  }
}

/// An error of the first rank ends all.
void fail_together(bool has_failed, const std::exception_ptr& error, const CommunicatorCore& communicator) {
  if (error) std::rethrow_exception(error);
  if (has_failed)
    throw base::Error(fmt::format("{} cannot use its file of tunings", describe(communicator.rank(RankId{0}))));
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

Algorithm best_of(CommunicatorCore& communicator, const std::vector<Algorithm>& ways, const Trial& trial) {
  std::vector<double> seconds;
  for (const Algorithm& way : ways) seconds.push_back(time_of(communicator, *trial(way)));
  return ways[fastest(seconds)];
}

Algorithm measure(CommunicatorCore& communicator, const TuningQuestion& question, const Trial& trial) {
  communicator.tunings().count_measurement();
  const Algorithm best = best_of(communicator, algorithms_to_try(communicator, question), trial);
  if (!question.is_all_to_all || best.pattern == Pattern::flat) return best;
  std::vector<Algorithm> ways{best};
  for (const Copying copying : {Copying::by_receiver, Copying::by_sender}) {
    Algorithm way = best;
    way.chunk = 0;
    way.copying = copying;
    if (way != best) ways.push_back(way);
  }
  for (const std::uint64_t chunk : {std::uint64_t{512}, std::uint64_t{8192}, std::uint64_t{65536}}) {
    Algorithm way = best;
    way.chunk = chunk;
    if (chunk < question.bytes && way != best) ways.push_back(way);
  }
  return ways.size() == 1 ? best : best_of(communicator, ways, trial);
}

void write_together(CommunicatorCore& communicator) {
  std::exception_ptr error;
  try {
    if (number(communicator.own().rank) == 0) communicator.tunings().write();
  } catch (const base::Error&) {
    error = std::current_exception();
  }
  const auto failures = all_say(communicator, std::uint32_t{error ? 1U : 0U});
  fail_together(failures.front() != 0, error, communicator);
}

}  // namespace

std::size_t fastest(std::span<const double> seconds) noexcept {
  constexpr double clearly = 0.95;
  const auto least = std::ranges::min_element(seconds);
  return *least < clearly * seconds.front() ? static_cast<std::size_t>(least - seconds.begin()) : 0;
}

std::vector<Algorithm> algorithms_to_try(const CommunicatorCore& communicator, const TuningQuestion& question) {
  const auto sizes = sizes_of_nodes(communicator);
  const std::uint32_t largest = std::ranges::max(sizes);
  std::vector<Algorithm> ways{question.given};
  const auto add = [&](Pattern pattern, std::uint32_t leaders) {
    const Algorithm way{
        .pattern = pattern, .leaders = leaders, .chunk = question.given.chunk, .copying = question.given.copying};
    if (std::ranges::find(ways, way) == ways.end()) ways.push_back(way);
  };
  // More leaders than other nodes have nothing to do.
  const auto useful = std::min<std::size_t>(largest, std::max<std::size_t>(sizes.size() - 1, 1));
  for (std::uint32_t leaders = 1; leaders <= useful; leaders *= 2) add(Pattern::node_aware, leaders);
  if (largest > 1) add(Pattern::flat, 1);
  return ways;
}

Algorithm choose_algorithm(CommunicatorCore& communicator, const TuningQuestion& question, const Trial& trial) {
  const std::string key = key_of(communicator, question);
  std::exception_ptr error;
  const auto infos = all_say(communicator, info_of(communicator, question, key, error));
  fail_together(infos.front().has_failed, error, communicator);
  check(communicator, infos);
  // The first rank's word: those that were in its file are not known to the others.
  const PeerInfo& first = infos.front();
  const Algorithm way = first.is_known ? first.known : measure(communicator, question, trial);
  TuningStore& store = communicator.tunings();
  store.keep(key, way);
  if (!first.is_known && store.has_file()) write_together(communicator);
  return way;
}

}  // namespace tacit::comm::detail
