// The ranks of a benchmark: they wait for each other asleep, so that some can measure what uses the whole machine.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "comm/turns.hpp"
#include "tacit/comm/collectives/barrier.hpp"
#include "tacit/comm/collectives/reduce.hpp"
#include "tacit/comm/communicator.hpp"
#include "tacit/topology/cpus.hpp"

namespace tacit::bench {

/// Who takes part in something that is timed.
enum class Takes : std::uint8_t { all_ranks, first_rank };

/// Binds the calling thread to a processor of its own, if each rank can have one.
class BoundRank {
 public:
  explicit BoundRank(const comm::Communicator& world) {
    const auto cpus = topology::allowed_cpus();
    if (cpus.size() >= world.size()) binding_.emplace(cpus[comm::number(world.rank())]);
  }

 private:
  std::optional<topology::Binding> binding_;
};

/// All ranks make it, and call its functions, alike.
class Crew {
 public:
  explicit Crew(comm::Communicator& world)
      : world_(world),
        begin_(world),
        largest_(world, std::span(&value_, 1), comm::Maximum{}),
        sum_(world, value_span(), [](double a, double b) { return a + b; }) {}
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  [[nodiscard]] comm::Communicator& world() noexcept { return world_; }
  [[nodiscard]] bool is_first() const noexcept { return comm::number(world_.rank()) == 0; }
  /// Of a number of each rank, on all; who waits sleeps.
  [[nodiscard]] double largest(double mine);
  [[nodiscard]] double sum(double mine);
  /// The time that `run` takes, that of the slowest rank [s].
  [[nodiscard]] double time(Takes who, const std::function<void()>& run);

 private:
  std::span<double> value_span() noexcept { return {&value_, 1}; }
  template <class Reduction>
  double combine(Reduction& reduction, double mine);

  comm::Communicator& world_;
  comm::Barrier begin_;
  double value_ = 0.0;
  comm::AllReduce<double> largest_;
  comm::AllReduce<double> sum_;
};

/// A way that is timed beside others.
struct TimedWay {
  std::string name;
  Takes takes;
  std::function<void()> run;
  std::size_t count;  ///< of what is timed, in a run
};
/// Seconds of what is timed, of each way by sample; they take turns, and each runs once before it is timed.
[[nodiscard]] Times take_turns(Crew& crew, std::span<const TimedWay> ways, std::size_t samples);

}  // namespace tacit::bench
