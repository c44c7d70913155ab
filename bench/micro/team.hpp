// The contestants of `tacit bench tasks`, side by side.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "framework/benchmark.hpp"
#include "framework/measure.hpp"
#include "micro/body.hpp"
#include "micro/runtime.hpp"
#include "tacit/tasks/host_thread.hpp"

namespace tacit::bench {

/// What one run of a workload must have done; checked once for each contestant before it is timed.
struct Expectation {
  std::uint32_t tasks = 0;                  ///< numbered from 0, each to run once
  std::vector<Pair> order = {};             ///< (before, after)
  std::vector<Pair> locks = {};             ///< per task: the data on which it must be alone
  std::uint32_t data = 0;                   ///< that locks refer to
  std::optional<std::uint64_t> calls = {};  ///< instead of all this, where tasks have no numbers
};

/// One figure of ours beside those of the peers.
struct Comparison {
  std::string name;
  std::function<Workload(Runtime&, const Body&)> make;
  double operations = 1.0;  ///< in a run; the figure is the time of one
  std::size_t runs_per_sample = 4;
  Expectation expectation = {};
  std::optional<double> limit = {};
};

/// Ours and every peer with the same number of workers, each on a thread of its own.
class Team {
 public:
  explicit Team(std::size_t workers);
  ~Team();
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  /// Names and versions of the peers.
  void introduce(Session& session) const;

  /// Nanoseconds per operation, of ours and of each peer that can express the workload.
  /// @throws base::Error if a contestant does not do what the workload demands
  void compare(Session& session, const Comparison& comparison);

  /// What share of the workers' time goes into the tasks: time of the bare busy loops, one after the other, over
  /// workers * time of the run. @param comparison  its operations are the number of tasks
  void compare_efficiency(Session& session, const Comparison& comparison, double task_s);

 private:
  struct Member;
  std::vector<Contestant> contestants(const Comparison& comparison);
  void forget(std::vector<Contestant>& contestants);

  std::size_t workers_;
  std::vector<std::unique_ptr<Member>> members_;  // ours is the first
};

/// One workload that runs another several times, for those too short for a clock.
[[nodiscard]] Workload repeated(Workload workload, std::size_t times);

/// The mean of two flag latencies [ns]; nothing if there are none.
[[nodiscard]] std::optional<double> mean_flag_ns(const std::optional<Summary>& before,
                                                 const std::optional<Summary>& after);

}  // namespace tacit::bench
