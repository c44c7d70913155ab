// Times files across ranks, and chooses by them.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/io/detail/strategy_choice.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "tacit/comm/collectives/reduce.hpp"
#include "tacit/comm/communicator.hpp"

namespace tacit::io::detail {
namespace {

/// What all ranks say of a trial.
struct Outcome {
  std::uint64_t is_over = 0;
  std::uint64_t bytes = 0;
  double seconds = 0.0;
};
struct Slowest {
  Outcome operator()(const Outcome& a, const Outcome& b) const {
    return {std::min(a.is_over, b.is_over), std::max(a.bytes, b.bytes), std::max(a.seconds, b.seconds)};
  }
};

/// Those between which the measurement decides; the usual one first.
std::vector<Writers> candidates(const comm::Communicator& ranks) {
  using Kind = Writers::Kind;
  const bool has_nodes =
      std::ranges::any_of(ranks.ranks(), [&](const comm::RankInfo& rank) { return rank.node != ranks.own().node; });
  std::vector<Writers> all{{.kind = has_nodes ? Kind::nodes : Kind::one}};
  if (ranks.size() > 1) all.push_back({.kind = Kind::all});
  all.push_back({.kind = Kind::shared});
  return all;
}

std::string text_of(const Strategy& strategy) {
  switch (strategy.writers.kind) {
    case Writers::Kind::nodes:
      return "by one rank of each node";
    case Writers::Kind::all:
      return "by each rank into its part";
    case Writers::Kind::shared:
      return "by all ranks into one file";
    default:
      return "by one rank";
  }
}

}  // namespace

StrategyChoice::StrategyChoice(comm::Communicator& ranks, const Writers& writers, std::uint64_t least_bytes)
    : ranks_(ranks), is_automatic_(writers.kind == Writers::Kind::automatic), least_bytes_(least_bytes) {
  for (const Writers& one : is_automatic_ ? candidates(ranks) : std::vector{writers}) {
    strategies_.push_back({one, writer_groups(one, ranks)});
  }
}

/// "snapshot_0003.hdf5" is of the kind "snapshot".
StrategyChoice::Key StrategyChoice::key_of(const std::filesystem::path& path, int compression) {
  std::string name = path.stem().string();
  while (!name.empty() && (name.back() == '_' || (name.back() >= '0' && name.back() <= '9'))) name.pop_back();
  return {name, compression > 0};
}

StrategyChoice::Kind& StrategyChoice::kind_of(const Key& key) {
  const auto [at, is_new] = kinds_.try_emplace(key);
  Kind& kind = at->second;
  if (!is_new) return kind;
  for (const Strategy& strategy : strategies_) {
    // Compressed arrays have no places that are known beforehand.
    const bool fits = !key.second || !is_automatic_ || strategy.writers.kind != Writers::Kind::shared;
    if (fits) kind.ways.push_back(&strategy);
  }
  kind.contest = Contest(kind.ways.size());
  kind.is_settled = kind.ways.size() == 1;
  return kind;
}

const Strategy& StrategyChoice::next(const std::filesystem::path& path, int compression, std::uint64_t finished) {
  const Key key = key_of(path, compression);
  Kind& kind = kind_of(key);
  learn(key.first, kind, finished);
  if (kind.contest.winner()) return *kind.ways[*kind.contest.winner()];
  if (kind.is_settled || !kind.has_begun) return *kind.ways.front();
  std::vector<std::size_t> pending;
  for (const Trial& trial : kind.trials) pending.push_back(trial.way);
  return *kind.ways[kind.contest.next(pending)];
}

void StrategyChoice::note(const std::filesystem::path& path, int compression, const Strategy& strategy,
                          std::shared_ptr<const FileTime> time, std::uint64_t number) {
  Kind& kind = kind_of(key_of(path, compression));
  kind.latest = &strategy;
  const auto way = static_cast<std::size_t>(std::ranges::find(kind.ways, &strategy) - kind.ways.begin());
  if (!kind.is_settled) kind.trials.push_back({way, number, std::move(time)});
}

/// Takes the trials that are over on all ranks, the oldest first.
void StrategyChoice::learn(const std::string& name, Kind& kind, std::uint64_t finished) {
  while (!kind.is_settled && !kind.trials.empty()) {
    const Trial& trial = kind.trials.front();
    Outcome outcome{finished >= trial.number ? 1U : 0U, trial.time->bytes,
                    trial.time->seconds.load() + trial.time->felt_s};
    if (ranks_.size() > 1) comm::AllReduce<Outcome>(ranks_, std::span(&outcome, 1), Slowest{}).run();
    if (outcome.is_over == 0) return;
    const Trial done = trial;
    kind.trials.pop_front();
    add(name, kind, done, outcome.seconds, outcome.bytes);
  }
  if (kind.is_settled) kind.trials.clear();
}

void StrategyChoice::add(const std::string& name, Kind& kind, const Trial& trial, double seconds, std::uint64_t bytes) {
  if (!std::exchange(kind.has_begun, true)) {
    kind.is_settled = bytes < least_bytes_;
    return;
  }
  if (bytes == 0 || !(seconds > 0.0)) return;
  kind.contest.add(trial.way, seconds / static_cast<double>(bytes));
  const auto winner = kind.contest.winner();
  if (!winner) return;
  kind.is_settled = true;
  std::vector<std::string> rates;
  for (std::size_t way = 0; way < kind.ways.size(); ++way) {
    rates.push_back(fmt::format("{} {:.0f}", text_of(*kind.ways[way]), 1e-6 / kind.contest.cost(way)));
  }
  news_.push_back(fmt::format("from now on, files {}_* are written {} (MB/s: {})", name, text_of(*kind.ways[*winner]),
                              fmt::join(rates, ", ")));
}

std::map<std::string, std::string> StrategyChoice::used() const {
  std::map<std::string, std::string> names;
  for (const auto& [key, kind] : kinds_) {
    if (kind.latest != nullptr) names[key.first] = name_of(kind.latest->writers);
  }
  return names;
}

}  // namespace tacit::io::detail
