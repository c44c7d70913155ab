// A flow to be timed, and what its steps cost.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "comm/crew.hpp"
#include "tacit/solvers/dns/flow.hpp"
#include "tacit/tasks/scheduler.hpp"
#include "tacit/trace/trace.hpp"

namespace tacit::bench {

/// Taylor-Green vortices in a box of 2 pi, by RK2 in the divergence form, so many ranks and threads.
class Turbulence {
 public:
  static constexpr std::size_t substages = 2;  ///< of a step

  /// @param algorithm  of its transforms; what it does not name is measured
  Turbulence(Crew& crew, std::size_t n, std::size_t threads, const fft::PassAlgorithm& algorithm = {});
  void run(std::size_t steps);
  [[nodiscard]] dns::Flow& flow() noexcept { return flow_; }
  /// Time so far in which this rank did nothing but communicate, or wait for that [s].
  [[nodiscard]] double exposed_s();
  /// Memory of modes and buffers of all ranks, in doubles, over the points of the grid.
  [[nodiscard]] double words_per_point();

 private:
  Crew& crew_;
  trace::Recorder recorder_;
  tasks::Scheduler scheduler_;
  dns::Flow flow_;
};

}  // namespace tacit::bench
