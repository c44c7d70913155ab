// What the ranks of a run tell each other between steps and at its end.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tacit/engine/error.hpp"
#include "tacit/engine/keys.hpp"
#include "tacit/engine/with_parts.hpp"

namespace tacit::comm {
class Communicator;
}

namespace tacit::engine {

/// Whether this rank reports and writes for all.
[[nodiscard]] bool is_first(const comm::Communicator& ranks) noexcept;

/// Worker threads of this rank: what the parameters say, or else its share of the processors that it may use. Ranks of
/// a node that a launcher has bound to the same processors, or to none, divide these.
[[nodiscard]] std::size_t worker_count(const RunParameters& run, comm::Communicator& ranks);

/// What the workers of a rank may use of its node. Of which processors these are it is enough to compare the first, the
/// last and their count: launchers bind to ranges.
struct ProcessorUse {
  std::uint32_t node = 0;
  std::uint32_t first = 0;
  std::uint32_t last = 0;
  std::uint32_t count = 0;
  std::uint32_t available = 0;  ///< threads that may run at once: the control group may grant fewer than processors
  std::uint32_t workers = 0;
};
/// Of this rank; to be asked before workers bind the thread that calls. @param workers  of this rank
[[nodiscard]] ProcessorUse processor_use(const comm::Communicator& ranks, std::size_t workers);

/// The workers of all ranks together.
struct AllWorkers {
  std::size_t count = 0;
  bool share_processors = false;  ///< some of them do, so that what a task takes includes the time of others' tasks
};
/// Alike on all ranks, which all call it.
[[nodiscard]] AllWorkers all_workers(comm::Communicator& ranks, const ProcessorUse& mine);

/// Whether workers of any rank share processors with other workers. Alike on all ranks, which all call it.
/// @param workers  of this rank
[[nodiscard]] bool do_workers_share_processors(comm::Communicator& ranks, std::size_t workers);

/// What tasks are timed by, where that says what they cost: differences are in some unit of time.
using CostClock = std::int64_t (*)() noexcept;
/// The counter of the processor; the time of the thread where workers share processors, as the other would count what
/// other workers do, too. Of one rank, which shares nothing by these costs, it is the counter. All ranks call it.
/// @param workers  of this rank
[[nodiscard]] CostClock cost_clock(comm::Communicator& ranks, std::size_t workers);

/// How many ranks share the node of this one.
[[nodiscard]] std::size_t ranks_on_node(const comm::Communicator& ranks) noexcept;

/// Memory of this rank for output that waits to be written [byte]: what the parameters say, or a share of what is free.
[[nodiscard]] std::uint64_t staging_memory(const RunParameters& run, std::size_t ranks_on_node);

/// What a rank says before a step, and what all have said together.
struct StepConsensus {
  static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();
  double stable = std::numeric_limits<double>::infinity();  ///< the longest step that it can take; of all the least
  std::uint32_t within_steps = 0;                           ///< that is a rest of steps; of all: of any
  std::uint32_t stops = 0;                                  ///< it was asked to stop; of all: any
  std::uint32_t checkpoint = 0;                             ///< a checkpoint is due; of all: any
  std::uint32_t looks = 0;                                  ///< what is conserved is measured after it; of all: any
  std::uint32_t failed = none;                              ///< its number, if it finds no step; of all the lowest
  std::uint32_t is_writing = 0;                             ///< files are on their way to disk; of all: any
  std::uint32_t output_failed = none;                       ///< its number, if it could not write one; the lowest
  std::uint64_t written = 0;                                ///< files that it has written its part of; of all the least
};

/// Settles once per step what all ranks must see alike. A single rank agrees with itself, at no cost.
class Agreement {
 public:
  explicit Agreement(comm::Communicator& ranks);
  ~Agreement();
  Agreement(const Agreement&) = delete;
  Agreement& operator=(const Agreement&) = delete;

  /// @throws comm::PeerError if a rank is lost, comm::DeadlineError if one is late
  [[nodiscard]] StepConsensus agree(const StepConsensus& mine);
  /// The message of the rank `failed`, on all ranks, with its number unless it is the first; cut off after some
  /// thousand letters.
  [[nodiscard]] std::string text_of(std::uint32_t failed, const std::string& mine);
  /// The first text of any rank that is not empty, on all of them, without its number; empty if all are.
  [[nodiscard]] std::string first_text(const std::string& mine);

 private:
  struct Exchange;
  comm::Communicator& ranks_;
  std::unique_ptr<Exchange> exchange_;  // null: there is one rank
};

/// What one rank says, on all of them; cut off after some thousand letters. All ranks call it.
[[nodiscard]] std::string text_of_rank(comm::Communicator& ranks, std::uint32_t rank, const std::string& mine);

/// What is wrong, of what ranks have found: the flaw of the first one that has one, on all of them. All ranks call it.
/// A single rank hears what it said.
[[nodiscard]] std::optional<Flaw> first_flaw(comm::Communicator& ranks, const std::optional<Flaw>& mine);

/// Does what may fail on some ranks, as reading a share of a file, and fails on all then. All ranks call it.
/// @throws base::Error  what `work` throws; where it throws nothing, one with the words of the first rank where it does
void fail_together(comm::Communicator& ranks, const std::function<void()>& work);

/// What a run cost one rank.
struct RankCost {
  double wall_s = 0.0;
  double steps_s = 0.0;
  double busy_s = 0.0;            ///< of all workers, in steps
  double output_s = 0.0;          ///< what writing takes, one thing after the other
  double output_exposed_s = 0.0;  ///< of it, what the run waited for
  double exposed_s = 0.0;         ///< see trace::Exposure
  double serial_s = 0.0;
  double work_s = 0.0;  ///< see trace::CriticalPath
  double path_s = 0.0;
  std::uint64_t transfers = 0;
  std::uint64_t workers = 0;
  std::uint64_t output_bytes = 0;
  std::uint64_t peak_memory_bytes = 0;  ///< 0: the system does not say
  std::uint64_t has_slots = 0;          ///< 1: launch slots, as the rest says; see gpu::LaunchCounts
  std::uint64_t launched = 0;
  std::uint64_t launched_on_cpu = 0;
  std::uint64_t launches_waited = 0;
  std::uint64_t launches_failed = 0;
  std::uint64_t launches_rescued = 0;
  std::array<double, most_step_parts> part_s{};  ///< of the parts of steps that the solver names
};
/// That of every rank, by rank, on all of them.
[[nodiscard]] std::vector<RankCost> costs_of_all(comm::Communicator& ranks, const RankCost& mine);

}  // namespace tacit::engine
