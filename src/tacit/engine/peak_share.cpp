// Compares the speed of a run with what its machine does at most.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/engine/peak_share.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <set>
#include <utility>

#include "tacit/comm/collectives/broadcast.hpp"
#include "tacit/comm/collectives/reduce.hpp"
#include "tacit/comm/communicator.hpp"

namespace tacit::engine {
namespace {

double arithmetic_time(const UpdateCost& cost, const SpeedLimits& limits) {
  return cost.flops / limits.flops + cost.single_flops / limits.single_flops;
}

std::size_t nodes_of(const comm::Communicator& ranks) {
  std::set<std::uint32_t> nodes;
  for (const comm::RankInfo& rank : ranks.ranks()) nodes.insert(rank.node);
  return nodes.size();
}

/// Of all ranks; the call is a barrier, too.
double sum_over_ranks(comm::Communicator& ranks, double mine) {
  if (ranks.size() == 1) return mine;
  std::array<double, 1> sum{mine};
  comm::AllReduce<double>(ranks, sum, std::plus<>()).run();
  return sum[0];
}

}  // namespace

double least_time(const UpdateCost& cost, const SpeedLimits& limits) {
  return std::max(arithmetic_time(cost, limits), cost.bytes / limits.bandwidth);
}

PeakShare peak_share_of(const UpdateCost& cost, double updates_per_s, const SpeedLimits& limits) {
  const double flops = cost.flops + cost.single_flops;
  const double arithmetic_s = arithmetic_time(cost, limits);
  return {
      .share = updates_per_s * least_time(cost, limits),
      .limit = cost.bytes / limits.bandwidth > arithmetic_s ? PeakShare::Limit::memory : PeakShare::Limit::arithmetic,
      .flops_per_s = updates_per_s * flops,
      .flops_limit = flops > 0.0 ? flops / arithmetic_s : limits.flops,
      .bytes_per_s = updates_per_s * cost.bytes,
      .bytes_limit = limits.bandwidth};
}

std::string to_text(const PeakShare& share) {
  const double arithmetic = 100.0 * share.flops_per_s / share.flops_limit;
  const double memory = 100.0 * share.bytes_per_s / share.bytes_limit;
  if (share.limit == PeakShare::Limit::memory && memory > 100.0) {
    return fmt::format("data in caches, {:.1f} times as fast as the memory's {:.1f} GB/s, {:.1f} % of {:.1f} Gflop/s",
                       0.01 * memory, 1e-9 * share.bytes_limit, arithmetic, 1e-9 * share.flops_limit);
  }
  if (share.limit == PeakShare::Limit::memory) {
    return fmt::format("{:.1f} % of the memory's {:.1f} GB/s, {:.1f} % of {:.1f} Gflop/s", memory,
                       1e-9 * share.bytes_limit, arithmetic, 1e-9 * share.flops_limit);
  }
  return fmt::format("{:.1f} % of the processors' {:.1f} Gflop/s, {:.1f} % of {:.1f} GB/s", arithmetic,
                     1e-9 * share.flops_limit, memory, 1e-9 * share.bytes_limit);
}

MachineLimits::MachineLimits(const RunParameters& run, comm::Communicator& ranks, std::size_t workers,
                             std::filesystem::path file)
    : kind_(run.peak_share), ranks_(ranks), threads_{.count = workers}, file_(std::move(file)) {
  if (kind_ == PeakShareKind::never) return;
  if (run.pin && topology::should_bind(workers)) threads_.cpus = topology::allowed_cpus();
  threads_.of_node = workers * ranks_on_node(ranks);
  use_ = processor_use(ranks, workers);
}

/// Ranks begin each part together, for it is what they share that is measured.
SpeedLimits MachineLimits::measure() {
  SpeedLimits limits;
  for (const auto& [limit, of_this] :
       {std::pair{&SpeedLimits::flops, &measure_flops}, std::pair{&SpeedLimits::single_flops, &measure_single_flops},
        std::pair{&SpeedLimits::bandwidth, &measure_bandwidth}}) {
    static_cast<void>(sum_over_ranks(ranks_, 0.0));
    const double mine = of_this(threads_);
    // Of one rank that could not, all hear.
    const double unmeasured = sum_over_ranks(ranks_, mine > 0.0 ? 0.0 : 1.0);
    const double all = sum_over_ranks(ranks_, mine);
    limits.*limit = unmeasured > 0.0 ? 0.0 : all;
  }
  return limits;
}

std::optional<SpeedLimits> MachineLimits::find(bool is_worth_it) {
  if (kind_ == PeakShareKind::never) return std::nullopt;
  // Where processors are shared with workers of other ranks, what is measured holds for this run alone.
  const AllWorkers workers = all_workers(ranks_, use_);
  // Whether to measure, and else what is kept: the first rank decides for all.
  std::array<double, 4> said{};
  const std::string key = key_of_limits(workers.count, nodes_of(ranks_));
  if (is_first(ranks_)) {
    const auto kept = workers.share_processors ? std::nullopt : find_limits(file_, key);
    if (kept) {
      said = {0.0, kept->flops, kept->single_flops, kept->bandwidth};
    } else if (kind_ == PeakShareKind::always || is_worth_it) {
      said[0] = 1.0;
    }
  }
  if (ranks_.size() > 1) comm::Broadcast<double>(ranks_, comm::RankId{0}, std::span(said)).run();
  SpeedLimits limits{.flops = said[1], .single_flops = said[2], .bandwidth = said[3]};
  if (said[0] != 0.0) {
    limits = measure();
    if (is_first(ranks_) && limits.are_known() && !workers.share_processors) keep_limits(file_, key, limits);
  }
  if (!limits.are_known()) return std::nullopt;
  return limits;
}

}  // namespace tacit::engine
