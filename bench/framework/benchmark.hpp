// What a benchmark is, and what it hands back.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "framework/statistics.hpp"

namespace tacit::bench {

enum class Better { lower, higher };

/// Tiny sizes, to see that everything runs; the times mean nothing then.
enum class Effort { full, quick };

/// One figure: ours, beside peers that were measured in the same run, and beside a limit.
struct Result {
  std::string name;
  std::string unit;
  Better better = Better::lower;
  Summary ours = {};
  std::vector<std::pair<std::string, double>> peers = {};  ///< medians, in the same unit
  std::optional<double> limit = {};                        ///< what an issue demands
  std::string limit_name = "limit";
  std::optional<double> flag_ns = {};  ///< one-way time of a flag just before and after, if two threads took part
};

/// What a result is compared with.
struct Reference {
  std::string name;
  double value = 0.0;
};

/// The best peer, else the limit, else nothing.
[[nodiscard]] std::optional<Reference> reference(const Result& result);
/// ours / reference; nothing without one.
[[nodiscard]] std::optional<double> ratio(const Result& result);

/// What a benchmark is given: how hard to try, and where its results go.
class Session {
 public:
  using Progress = std::function<void(const Result&)>;
  Session(Effort effort, Progress progress) : effort_(effort), progress_(std::move(progress)) {}

  [[nodiscard]] Effort effort() const noexcept { return effort_; }
  /// `full` or `quick`, as the effort is.
  [[nodiscard]] std::size_t size(std::size_t full, std::size_t quick) const noexcept {
    return effort_ == Effort::full ? full : quick;
  }
  void add(Result result);
  void add_peer(std::string name, std::string version) { peers_.emplace_back(std::move(name), std::move(version)); }
  [[nodiscard]] const std::vector<Result>& results() const noexcept { return results_; }
  [[nodiscard]] const std::vector<std::pair<std::string, std::string>>& peers() const noexcept { return peers_; }

 private:
  Effort effort_;
  Progress progress_;
  std::vector<Result> results_;
  std::vector<std::pair<std::string, std::string>> peers_;
};

/// One entry of `tacit bench`.
struct Benchmark {
  std::string_view name;
  std::string_view summary;  ///< one line
  std::string_view help;     ///< the workload of every figure
  std::function<void(Session&)> run;
};

}  // namespace tacit::bench
