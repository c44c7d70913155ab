// Which of some ways to do the same is the fastest, found by doing it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <vector>

namespace tacit::io::detail {

/// Tries each way in turn, twice: those that were far slower than the best at first only once. The smaller of two
/// results counts, since other work on the machine only adds.
class Contest {
 public:
  explicit Contest(std::size_t ways) : ways_(ways) {}

  /// The way to try next, or the fastest. @param pending  those that are on trial, without a result yet
  [[nodiscard]] std::size_t next(const std::vector<std::size_t>& pending) const;
  /// @param cost  of a trial, such as seconds for each byte; > 0
  void add(std::size_t way, double cost);
  /// Nothing before all trials are made.
  [[nodiscard]] std::optional<std::size_t> winner() const noexcept { return winner_; }
  /// The smallest so far; infinite before there is one.
  [[nodiscard]] double cost(std::size_t way) const { return ways_[way].cost; }

 private:
  static constexpr std::size_t trials = 2;
  static constexpr double far_slower = 1.5;
  struct Way {
    std::size_t trials = 0;
    double cost = std::numeric_limits<double>::infinity();
  };
  [[nodiscard]] std::size_t fastest() const;
  /// Whether it has been tried often enough.
  [[nodiscard]] bool is_known(const Way& way) const;

  std::vector<Way> ways_;
  std::optional<std::size_t> winner_;
};

}  // namespace tacit::io::detail
