// Small collectives of the main loop.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/engine/across_ranks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <exception>
#include <span>

#include "tacit/base/clock.hpp"
#include "tacit/base/error.hpp"
#include "tacit/base/memory.hpp"
#include "tacit/base/ticks.hpp"
#include "tacit/comm/collectives/broadcast.hpp"
#include "tacit/comm/collectives/gather.hpp"
#include "tacit/comm/collectives/reduce.hpp"
#include "tacit/comm/communicator.hpp"
#include "tacit/topology/cpus.hpp"

namespace tacit::engine {
namespace {

constexpr std::size_t longest_text = 4096;

bool use_same(const ProcessorUse& a, const ProcessorUse& b) {
  return a.node == b.node && a.first == b.first && a.last == b.last && a.count == b.count;
}

/// How many ranks use the processors of one of them.
std::size_t sharers_of(const ProcessorUse& one, std::span<const ProcessorUse> all) {
  return static_cast<std::size_t>(
      std::ranges::count_if(all, [&](const ProcessorUse& other) { return use_same(one, other); }));
}

template <class T>
std::vector<T> from_all(comm::Communicator& ranks, const T& mine) {
  std::vector<T> all(ranks.size());
  comm::AllGather<T>(ranks, std::span(&mine, 1), all).run();
  return all;
}

struct Together {
  StepConsensus operator()(const StepConsensus& a, const StepConsensus& b) const {
    return {.stable = b.stable < a.stable ? b.stable : a.stable,
            .within_steps = a.within_steps | b.within_steps,
            .stops = a.stops | b.stops,
            .checkpoint = a.checkpoint | b.checkpoint,
            .looks = a.looks | b.looks,
            .failed = std::min(a.failed, b.failed),
            .is_writing = a.is_writing | b.is_writing,
            .output_failed = std::min(a.output_failed, b.output_failed),
            .written = std::min(a.written, b.written)};
  }
};

}  // namespace

bool is_first(const comm::Communicator& ranks) noexcept { return ranks.rank() == comm::RankId{0}; }

std::size_t worker_count(const RunParameters& run, comm::Communicator& ranks) {
  if (run.threads != 0) return run.threads;
  const ProcessorUse mine = processor_use(ranks, 0);
  if (ranks.size() == 1) return mine.available;
  return std::max<std::size_t>(mine.available / sharers_of(mine, from_all(ranks, mine)), 1);
}

ProcessorUse processor_use(const comm::Communicator& ranks, std::size_t workers) {
  const auto cpus = topology::allowed_cpus();
  ProcessorUse mine{.node = ranks.own().node,
                    .count = static_cast<std::uint32_t>(cpus.size()),
                    .available = static_cast<std::uint32_t>(topology::available_threads()),
                    .workers = static_cast<std::uint32_t>(workers)};
  if (cpus.empty()) return mine;
  const auto [first, last] = std::ranges::minmax(cpus);
  mine.first = static_cast<std::uint32_t>(first);
  mine.last = static_cast<std::uint32_t>(last);
  return mine;
}

AllWorkers all_workers(comm::Communicator& ranks, const ProcessorUse& mine) {
  const auto all = ranks.size() == 1 ? std::vector{mine} : from_all(ranks, mine);
  AllWorkers workers;
  for (const ProcessorUse& one : all) {
    workers.count += one.workers;
    workers.share_processors |= one.workers * sharers_of(one, all) > one.available;
  }
  return workers;
}

bool do_workers_share_processors(comm::Communicator& ranks, std::size_t workers) {
  return all_workers(ranks, processor_use(ranks, workers)).share_processors;
}

CostClock cost_clock(comm::Communicator& ranks, std::size_t workers) {
  const bool is_shared = ranks.size() > 1 && do_workers_share_processors(ranks, workers);
  return is_shared ? base::thread_time_ns : base::ticks;
}

struct Agreement::Exchange {
  explicit Exchange(comm::Communicator& ranks) : sum(ranks, std::span(&value, 1), Together{}) {}
  StepConsensus value;
  comm::AllReduce<StepConsensus> sum;
};

std::size_t ranks_on_node(const comm::Communicator& ranks) noexcept {
  return static_cast<std::size_t>(std::ranges::count(ranks.ranks(), ranks.own().node, &comm::RankInfo::node));
}

std::uint64_t staging_memory(const RunParameters& run, std::size_t ranks_on_node) {
  if (run.staging_memory) return *run.staging_memory;
  constexpr std::uint64_t unknown = std::uint64_t{4} << 30U;
  return base::free_memory().value_or(unknown) / 4 / std::max<std::size_t>(ranks_on_node, 1);
}

Agreement::Agreement(comm::Communicator& ranks)
    : ranks_(ranks), exchange_(ranks.size() == 1 ? nullptr : std::make_unique<Exchange>(ranks)) {}
Agreement::~Agreement() = default;

StepConsensus Agreement::agree(const StepConsensus& mine) {
  if (exchange_ == nullptr) return mine;
  exchange_->value = mine;
  exchange_->sum.run();
  return exchange_->value;
}

namespace {

/// What one rank says, on all; cut off after some thousand letters.
std::string text_from(comm::Communicator& ranks, std::uint32_t rank, const std::string& mine) {
  std::array<char, longest_text> letters{};  // the last stays 0
  std::copy_n(mine.begin(), std::min(mine.size(), letters.size() - 1), letters.begin());
  comm::Broadcast<char>(ranks, comm::RankId{rank}, std::span(letters)).run();
  return letters.data();
}

}  // namespace

std::string text_of_rank(comm::Communicator& ranks, std::uint32_t rank, const std::string& mine) {
  return ranks.size() == 1 ? mine : text_from(ranks, rank, mine);
}

std::string Agreement::text_of(std::uint32_t failed, const std::string& mine) {
  if (exchange_ == nullptr) return mine;
  const std::string text = text_from(ranks_, failed, mine);
  return failed == 0 ? text : fmt::format("rank {}: {}", failed, text);
}

std::string Agreement::first_text(const std::string& mine) {
  if (exchange_ == nullptr) return mine;
  StepConsensus said;
  if (!mine.empty()) said.failed = number(ranks_.rank());
  said = agree(said);
  return said.failed == StepConsensus::none ? std::string() : text_from(ranks_, said.failed, mine);
}

std::optional<Flaw> first_flaw(comm::Communicator& ranks, const std::optional<Flaw>& mine) {
  if (ranks.size() == 1) return mine;
  std::array<std::uint32_t, 1> first{mine ? comm::number(ranks.rank()) : StepConsensus::none};
  comm::AllReduce<std::uint32_t>(ranks, first, comm::Minimum{}).run();
  if (first[0] == StepConsensus::none) return std::nullopt;
  const Flaw said = mine.value_or(Flaw{});
  std::array<std::uint64_t, 2> element{said.element ? 1U : 0U, said.element.value_or(0)};
  comm::Broadcast<std::uint64_t>(ranks, comm::RankId{first[0]}, std::span(element)).run();
  Flaw flaw{.text = text_from(ranks, first[0], said.text), .field = text_from(ranks, first[0], said.field)};
  if (element[0] != 0) flaw.element = element[1];
  return flaw;
}

void fail_together(comm::Communicator& ranks, const std::function<void()>& work) {
  std::exception_ptr failure;
  std::optional<Flaw> flaw;
  try {
    work();
  } catch (const base::Error& error) {
    failure = std::current_exception();
    flaw = Flaw{.text = error.what()};
  }
  if (const auto first = first_flaw(ranks, flaw)) {
    if (failure) std::rethrow_exception(failure);
    throw base::Error(first->text);
  }
}

std::vector<RankCost> costs_of_all(comm::Communicator& ranks, const RankCost& mine) {
  if (ranks.size() == 1) return {mine};
  return from_all(ranks, mine);
}

}  // namespace tacit::engine
