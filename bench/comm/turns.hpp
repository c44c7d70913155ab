// Contestants that take turns in one run, and figures made of their times.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "comm/pingpong.hpp"
#include "framework/benchmark.hpp"
#include "tacit/comm/communicator.hpp"

namespace tacit::bench {

using Sink = std::function<void(const Result&)>;

/// How often, and where the figures go.
struct Plan {
  comm::Communicator* world;
  Effort effort;
  const Sink* sink;

  [[nodiscard]] std::size_t size(std::size_t full, std::size_t quick) const {
    return effort == Effort::full ? full : quick;
  }
  void add(const Result& result) const {
    if (comm::number(world->rank()) == 0) (*sink)(result);
  }
};

/// Names and methods; null: not in this build.
using Contestants = std::vector<std::pair<std::string, std::unique_ptr<PingPong>>>;

/// Times [s] by contestant.
using Times = std::vector<std::vector<double>>;

/// One-way times, or times of calls, of each contestant, by sample; they take turns. Those that are not there have
/// none.
[[nodiscard]] Times take_turns(const Plan& plan, const Contestants& contestants, std::size_t trips);

/// The time of each of what so many trips consist of [s]; a tenth as many come before, not timed, after which both
/// ranks are there.
[[nodiscard]] double time_of(PingPong& contestant, std::size_t trips);

[[nodiscard]] double median_of(const std::vector<double>& seconds, double factor);

/// The time of contestant `ours`, with those of MPI as peers.
[[nodiscard]] Result figure(const Contestants& contestants, const Times& seconds, std::string name, std::string unit,
                            double factor, std::size_t ours = 0);

/// Which of two contestants is the faster one, by medians; the one that is there if the other is not.
[[nodiscard]] std::size_t faster(const Times& seconds, std::size_t one, std::size_t other);

void add_ratio(const Plan& plan, std::string name, std::vector<double> values, Better better, double limit,
               double flag_ns);

// The sections of `tacit bench comm`.

/// All-to-all and all-to-all-v beside the bound of shared memory and MPI.
void measure_all_to_all(const Plan& plan);
/// Reductions, barriers, broadcasts and all-gathers beside MPI.
void measure_other_collectives(const Plan& plan);
/// The halo of a lattice in four dimensions, alone and while something is computed.
void measure_halo(const Plan& plan);
/// Windows with insert and extract beside those without.
void measure_buffered(const Plan& plan);

}  // namespace tacit::bench
